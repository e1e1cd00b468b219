"""How the words of a description are cut: into the parts of a list, and into whom is meant and who
is excepted."""

from collections.abc import Iterator, Sequence

from pointsman.domain.directory.lexicon import Meaning, Token

Words = Sequence[Token]

AND = Token("and", Meaning("and"))
_COMMA = Token(",", Meaning("comma"))
_ME = Token("me", Meaning("me"))
_ALL = Token("", Meaning("all"))


def without_slashes(cover: Words) -> Iterator[Words]:
    """A slash joins what is said of one person, or else is a comma."""
    if all(token.kind != "slash" for token in cover):
        yield cover
        return
    yield [token for token in cover if token.kind != "slash"]
    yield [_COMMA if token.kind == "slash" else token for token in cover]


def excepted(cover: Words) -> Iterator[tuple[Words, Words]]:
    """The words of whom is meant, and of who is excepted, in each way in which they may be cut."""
    words = list(cover)
    begins = [n for n, token in enumerate(words) if token.kind == "except"]
    ends = [n for n, token in enumerate(words) if token.kind == "except_end"]
    if not begins and not ends:
        others = [n for n, token in enumerate(words) if token.kind == "other"]
        if len(others) == 1 and _are_of_a_group(words, others[0]):
            yield _trimmed(words), [_ME]
        else:
            yield words, ()
        return
    if len(begins) > 1 or len(ends) > 1:
        return
    begin = begins[0] if begins else -1
    cuts: list[tuple[Words, Words]] = []
    if not begins:
        cuts.append(_before(words[: ends[0]], words[ends[0] + 1 :]))
    elif ends:
        cuts.append((words[begin + 1 : ends[0]], words[: max(begin, 0)] + words[ends[0] + 1 :]))
    elif begin > 0:
        cuts.append((words[begin + 1 :], words[:begin]))
    else:
        commas = [n for n, token in enumerate(words) if token.kind == "comma"]
        links = [n for n, token in enumerate(words) if token.text == "的"]
        cuts += [(words[1:n], words[n + 1 :]) for n in commas[:1] or links]
    whole = [(_trimmed(outer), inner) for inner, outer in cuts]
    yield from ((outer, inner) for outer, inner in whole if outer and inner)


def _are_of_a_group(words: Words, place: int) -> bool:
    """Whether "the others" are those of a group besides who asks: 我们组其他人, the rest of my
    team; 其他部门 are other groups."""
    groups = ("department", "my", "team", "kind")
    behind = [token for token in words[place + 1 :] if token.kind not in ("of", "stop")]
    other_groups = behind and behind[0].kind in groups[2:] and not words[place].text.endswith("of")
    listed = any(token.kind in ("and", "comma") for token in words)
    return not (other_groups or listed) and any(token.kind in groups for token in words)


def _trimmed(outer: Words) -> Words:
    """The words of whom is meant without what joins them to who is excepted."""
    words = [_ALL if token.kind == "other" else token for token in outer]
    while words and words[-1].kind in ("comma", "of"):
        words.pop()
    while words and words[0].kind in ("comma", "of"):
        words.pop(0)
    return words


def _before(said: Words, after: Words) -> tuple[Words, Words]:
    """Who is excepted by words before "excepted", and the rest: 财务部全员（赵敏除外）,
    研发中心实习生之外的人, 财务部以外的所有人."""
    cuts = [n for n, token in enumerate(said) if token.text in ("(", ",")]
    if cuts:
        return said[cuts[-1] + 1 :], [*said[: cuts[-1]], *after]
    place = next(
        (n for n, token in enumerate(said) if token.kind not in ("department", "of")), len(said)
    )
    return (said[place:], [*said[:place], *after]) if place < len(said) else (said, after)


def split(words: Words) -> list[Words]:
    parts: list[list[Token]] = [[]]
    for token in words:
        if token.kind in ("and", "comma"):
            parts.append([])
            continue
        if parts[-1] and _are_run_together(parts[-1][-1], token):
            parts.append([])
        parts[-1].append(token)
    return [part for part in parts if any(token.kind != "stop" for token in part)]


def _are_run_together(one: Token, other: Token) -> bool:
    """Whether two whole Chinese names of different people follow each other: 张三李四."""
    return (
        one.kind == other.kind == "name"
        and one.meaning.level == other.meaning.level == 0
        and not (one.meaning.latin or other.meaning.latin)
        and bool(one.text and other.text)
        and not one.meaning.people & other.meaning.people
    )


def uncounted(parts: list[Words]) -> list[Words]:
    """The parts of a list without how many they are: both, 两位."""
    if len(parts) < 2:
        return parts
    first, last = parts[0], parts[-1]
    if first[0].text == "both":
        first = first[1:]
    said = [token for token in last if token.kind != "stop"]
    while said and said[-1].kind in ("people", "person"):
        said.pop()
    if said and said[-1].meaning.number == len(parts) and len(said) > 1:
        last = said[:-1]
    return [first, *parts[1:-1], last]
