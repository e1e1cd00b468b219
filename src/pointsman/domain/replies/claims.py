"""What a reply says was done: by patterns, in Chinese and English, clause by clause.

What is denied, asked, planned, supposed or quoted is no claim. The aim is that an honest reply is
hardly ever taken for a claim; ``untruths`` compares the claims with what happened.
"""

from collections.abc import Iterator

from msgspec import Struct

from pointsman.domain.patterns import Lexicon, Pattern
from pointsman.domain.replies import claim_words as grammar
from pointsman.domain.replies.action_words import FAMILIES, REMIND, families_in
from pointsman.domain.replies.reply_words import says_not_done, says_open

EVERYTHING = "*"
"""The family of claims that name no act: "all done", 已处理完毕."""


_LONG_SENTENCE, _LONG_CLAUSE = 4_000, 1_000
"""Characters; what is longer is no sentence that somebody wrote."""


class Clause(Struct, frozen=True, kw_only=True):
    """A part of a sentence."""

    text: str
    sentence: str


class Claim(Struct, frozen=True, kw_only=True):
    """Something that is said to be done.

    Attributes:
        family: of the act, see ``action_words``; ``*`` for none in particular.
        agent: the reply says that it did it itself.
        whole: it is said of everything.
    """

    family: str
    clause: Clause
    agent: bool = False
    whole: bool = False


_ZH = Lexicon({name: Pattern(family.zh) for name, family in FAMILIES.items()})
_EN = Lexicon(
    {name: Pattern(rf"(?<![a-z])(?:{family.past})(?![a-z])") for name, family in FAMILIES.items()}
)


def claims_in(text: str) -> tuple[Claim, ...]:
    """Everything that the text says was done."""
    parts = clauses(grammar.QUOTED.sub("□", text))
    undecided = {one for one in {part.sentence for part in parts} if _is_undecided(one)}
    found: dict[tuple[str, int], Claim] = {}
    for n, clause in enumerate(parts):
        if clause.sentence in undecided:
            continue
        for claim in _of_clause(clause):
            if not _taken_back(claim, parts[n + 1 : n + 4]):
                found.setdefault((claim.family, n), claim)
    return tuple(found.values())


def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    return tuple(
        Clause(text=part.strip(), sentence=sentence.strip())
        for whole in grammar.SENTENCE.findall(text)
        for sentence in _cut(whole, _LONG_SENTENCE)
        for clause in grammar.CLAUSE_END.split(sentence)
        for part in _cut(clause, _LONG_CLAUSE)
        if part.strip()
    )


def _cut(text: str | None, longest: int) -> Iterator[str]:
    """A text in pieces: what each of its words is seen with must not be all the others."""
    text = text or ""
    return (text[start : start + longest] for start in range(0, len(text), longest))


def _is_undecided(sentence: str) -> bool:
    return grammar.UNDECIDED.search(grammar.OFFER.sub("", sentence)) is not None


def _of_clause(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    if grammar.PROMISE.search(text):
        yield Claim(family=REMIND, clause=clause, agent=True)
    whole = grammar.WHOLE.search(text) is not None
    for name, verbs in _ZH.possible(text):
        for agent in _done_zh(text, verbs):
            yield Claim(family=name, clause=clause, agent=agent, whole=whole)
    for name, verbs in _EN.possible(text):
        for agent in _done_en(text, verbs):
            yield Claim(family=name, clause=clause, agent=agent, whole=whole)
    for name, nominal in grammar.NOMINAL_EN.possible(text):
        match = nominal.search(text)
        if match and not grammar.BEFORE_EN.search(text[: match.end()]):
            yield Claim(family=name, clause=clause, whole=whole)
    if _general(text):
        yield Claim(family=EVERYTHING, clause=clause, agent=True, whole=whole)


def _done_zh(text: str, verbs: Pattern) -> Iterator[bool]:
    """For each verb that is said to be done, whether by the reply itself."""
    for match in verbs.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if grammar.BEFORE_ZH.search(before) or grammar.AFTER_ZH.search(after[:16]):
            continue
        if grammar.ATTRIBUTE_ZH.match(after) or grammar.OTHERS_ZH.search(before):
            continue
        if grammar.LASTING_ZH.match(match[0][-1] + after):
            continue
        agent = grammar.AGENT_ZH.search(before) is not None
        if grammar.DONE_BEFORE_ZH.search(before[-20:]):
            yield agent
            continue
        if grammar.NOUN_ZH.match(after):
            continue
        ended = grammar.DONE_AFTER_ZH.match(after) or match[0][-1] in "好了"
        if ended or (agent and grammar.OBJECT_DONE_ZH.match(after)):
            yield agent


def _done_en(text: str, verbs: Pattern) -> Iterator[bool]:
    for match in verbs.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if grammar.BEFORE_EN.search(before) or grammar.AFTER_EN.match(after):
            continue
        if grammar.YOU_EN.search(before):
            continue
        if grammar.AGENT_EN.search(before):
            yield True
        elif grammar.START_EN.match(before):
            yield "successfully" in before.lower()
        elif (
            grammar.PASSIVE_EN.search(before)
            or grammar.SURE_EN.search(text)
            or _is_noun_before(before, after)
        ):
            yield False


def _is_noun_before(before: str, after: str) -> bool:
    """Whether a deed is told by a noun and a participle alone: "Email sent"."""
    few = len(after.split()) <= 4 and not grammar.VERB_EN.match(after)
    return few and grammar.NOUN_EN.match(before) is not None


def _general(text: str) -> bool:
    pairs = (
        (grammar.GENERAL_ZH, grammar.BEFORE_ZH),
        (grammar.GENERAL_EN, grammar.BEFORE_EN),
    )
    for general, before in pairs:
        match = general.search(text)
        if match and not before.search(text[: match.end()]) and not says_not_done(text):
            return True
    return False


def _taken_back(claim: Claim, following: tuple[Clause, ...]) -> bool:
    """Whether a "but" comes after it that says the same went wrong or is open."""
    for n, clause in enumerate(following):
        if not grammar.TURN.match(clause.text):
            continue
        rest = " ".join(one.text for one in following[n:])
        families = families_in(clause.text)
        if says_not_done(rest) or says_open(rest):
            return not families or claim.family in (*families, EVERYTHING)
    return False
