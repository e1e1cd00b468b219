"""A message cut into clauses, with the forks that the user wrote.

"If it rains tomorrow, drive; otherwise cycle": which words ask for a call and what decides is in
the rules; how a language builds a fork (如果 … 就 …, 否则, if … then …, otherwise, unless) is here,
because it is the same for every agent. Pure.
"""

import itertools
import re
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.adapters.models.offline.values import find_values, only_values
from pointsman.domain.traditional import simplified

MAX_CHARS = 2000
MAX_CLAUSES = 40
"""What of a message is read; the rest is ignored, so that the time is bounded."""

_WIDE = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}
_WIDE[0x3000] = 0x20
_NO_LABEL = (
    r"(?!\s*(?:(?:内容|正文|标题|主题|备注|说明|(?:message|text|content|subject)\b)[是为]?\s*[：:]"
    r"|[就只]?说(?!不定|起来|实话|真的|白了)|saying\b))"
)
"""What follows a label ("，内容：") or "saying" belongs to the request before it."""
_BREAK = re.compile(
    rf"[。！？!?；;\n]+|\.(?=\s|$|[一-鿿])|(?<!\d)[，,]{_NO_LABEL}|[，,](?!\d){_NO_LABEL}"
)
_STRONG = re.compile(r"[。！？!?；;\n.]")
_QUESTION = re.compile(r"[？?]|吗|会不会|是不是|有没有|是否")
_TAKEN_BACK = re.compile(
    r"[，,。.…]\s*(?:(?:哦|啊|呃|oh|er|sorry|wait)[\s,，]*)?"
    r"(?:不|不对|不是|[说打写]?错了|no|i mean)\s*[，,。]\s*",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:另外|顺便|同时|并且|然后|接着|而?且?再(?=[查帮规看问来给告])|但?如果|要是"
    r"|\b(?:and|but|or)\s+(?=if\b|unless\b|then\b|also\b|otherwise\b)|\balso\b|\bthen\b)",
    re.IGNORECASE,
)
_APART = re.compile(r"另外|顺便|\balso\b|\bbesides\b|\bby the way\b", re.IGNORECASE)
_IF = re.compile(
    r"如果|要是|假如|假设|倘若|万一|若是?|除非|只要|\bif\b|\bin case\b|\bunless\b"
    r"|\bprovided(?: that)?\b|\bwhen\b(?!\s+(?:will|does|do|did|is|was|can|could|would|should)\b)",
    re.IGNORECASE,
)
_UNKNOWN_IF = re.compile(
    r"(?:如果|要是|假如|假设|倘若|万一|若是|除非)(?!可以|方便|行|能|有空|你|您)"
    r"|(?<!tell me )(?<!know )(?<!see )(?<!check )(?<!wonder )(?<!wondering )\b(?:if|unless)\b"
    r"(?!\s+(?:possible|so|you\s+(?:can|could|don['’]t\s+mind|please))\b)",
    re.IGNORECASE,
)
_FLIP = re.compile(r"除非|unless", re.IGNORECASE)
_THEN = re.compile(r"[^，。,.;；]{0,3}?(?:的话|就|则|时)|\s*,?\s*then\b", re.IGNORECASE)
_ELSE = re.compile(
    r"否则|要?不然|反之|(?:如果|要是)?(?:不是?|没有)的话|\botherwise\b|\bor\s+else\b|\belse\b"
    r"|\bif\s+not\b|\bif\s+it(?:\s+is|\s+does|\s+will|'s|’s)?\s+not\b"
    r"|\bif\s+it\s+(?:doesn|isn|won)['’]t\b",
    re.IGNORECASE,
)


class Guard(Struct, frozen=True):
    """The user's "only if": a condition, the outcome wanted, and the clause that says it.

    Attributes:
        condition: its name; empty when the user's condition is none that the rules know.
        words: the clause.
        operands: named groups of the words that matched.
    """

    condition: str
    wanted: bool
    clause: int
    words: str = ""
    operands: dict[str, str] = {}


class Clause(Struct, frozen=True):
    """A stretch of the message.

    Attributes:
        calls: names of the call rules that it asks for, in the order of its words.
        guard: what they depend on.
    """

    text: str
    calls: tuple[str, ...] = ()
    guard: Guard | None = None


class _Mention(Struct, frozen=True):
    """Words of a condition, or an "otherwise" (``condition`` empty), or an "if" with words that are
    no condition (``unknown``)."""

    start: int
    end: int
    condition: str = ""
    wanted: bool = False
    operands: dict[str, str] = {}
    unknown: bool = False


class _Draft(Struct, frozen=True):
    """A clause before forks are resolved. ``strong``: a full stop, or the end, follows it;
    ``joined``: no punctuation stands between it and the clause before."""

    text: str
    strong: bool
    joined: bool
    calls: tuple[str, ...]
    mention: _Mention | None = None


def normal(text: str) -> str:
    """The text as it is read: narrow letters and digits, single spaces, at most ``MAX_CHARS``."""
    return re.sub(r"[^\S\n]+", " ", text[:MAX_CHARS].translate(_WIDE)).strip()


def in_turn(text: str) -> list[str]:
    """A message as its writer corrects it in passing: "cycle, no, drive" says two things, and the
    second instead of the first."""
    ends = [0, *(end for found in _TAKEN_BACK.finditer(simplified(text)) for end in found.span())]
    pieces = itertools.zip_longest(ends[::2], ends[1::2])
    parts = [part for start, end in pieces if (part := text[start:end]).strip()]
    return parts or [text]


def read_clauses(text: str, rules: OfflineRules, today: date | None) -> tuple[Clause, ...]:
    """The clauses of a message (``normal``), with what each asks for and on what condition."""
    askable = _askable(text, rules, today)
    return _resolve(_merged(_drafts(text, rules, askable)[:MAX_CLAUSES], rules, today))


def _askable(text: str, rules: OfflineRules, today: date | None) -> frozenset[str]:
    """The call rules of which the message holds all values that they need."""
    return frozenset(
        name
        for name, rule in rules.calls.items()
        if all(find_values(rules.values[value], text, today) for value in rule.needs)
    )


def _chunks(text: str) -> list[tuple[int, int]]:
    """Start and end of the stretches between punctuation and connectives, without either gap."""
    cuts = {0, len(text)}
    for found in _BREAK.finditer(text):
        cuts.add(found.end())
    for found in _NEXT.finditer(text):
        cuts.add(found.start())
    places = sorted(cuts)
    chunks = [(a, b) for a, b in itertools.pairwise(places) if text[a:b].strip()]
    return chunks[:MAX_CLAUSES]


def _mentions(text: str, rules: OfflineRules) -> list[_Mention]:
    """Conditions and "otherwise" in the text, longest first where they overlap, in order."""
    found = [_Mention(m.start(), m.end()) for m in _ELSE.finditer(simplified(text))]
    for name, rule in rules.conditions.items():
        for wanted, words in ((True, rule.yes), (False, rule.no)):
            found += [
                _Mention(
                    m.start(), m.end(), name, wanted, {k: v for k, v in m.groupdict().items() if v}
                )
                for m in words.matches(text)
            ]
    found.sort(key=lambda m: (m.start - m.end, m.start))
    kept: list[_Mention] = []
    for mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


def _guards(chunk: str, mentions: list[_Mention]) -> list[_Mention]:
    """The mentions in a chunk that say "if", widened to their marker; places within the chunk."""
    marked = []
    last = 0
    for mention in mentions:
        before = list(_IF.finditer(chunk, last, mention.start))
        if not mention.condition:
            marked.append(mention)
        elif before:
            flip = bool(_FLIP.fullmatch(before[-1].group()))
            wanted = mention.wanted is not flip
            marked.append(replace(mention, start=before[-1].start(), wanted=wanted))
        elif _THEN.match(chunk, mention.end):
            marked.append(mention)
        last = mention.end
    strange = None if mentions else _UNKNOWN_IF.search(chunk)
    if strange:
        marked.append(_Mention(strange.start(), strange.end(), unknown=True))
    return marked


def _drafts(text: str, rules: OfflineRules, askable: frozenset[str]) -> list[_Draft]:
    plain = simplified(text)
    chunks = _chunks(plain)
    mentions = _mentions(text, rules)
    within = [
        [
            replace(m, start=m.start - start, end=m.end - start)
            for m in mentions
            if start <= m.start < end
        ]
        for start, end in chunks
    ]
    guards = [
        _guards(plain[start:end], found) for (start, end), found in zip(chunks, within, strict=True)
    ]
    forked = {m.condition for found in guards for m in found}
    forked |= {
        m.condition
        for m in mentions
        if any(n.condition == m.condition and n.wanted is not m.wanted for n in mentions)
    }
    drafts: list[_Draft] = []
    for (start, end), found, marked in zip(chunks, within, guards, strict=True):
        chunk = text[start:end]
        if not _QUESTION.search(plain[start:end]):
            sure = {m.end for m in marked}
            marked = sorted(
                [*marked, *(m for m in found if m.end not in sure and m.condition in forked)],
                key=lambda m: m.start,
            )
        drafts += _cut(
            chunk,
            marked,
            joined=start > 0 and not _BREAK.match(plain, start - 1),
            rules=rules,
            askable=askable,
        )
    return drafts


def _cut(
    chunk: str,
    guards: list[_Mention],
    *,
    joined: bool,
    rules: OfflineRules,
    askable: frozenset[str],
) -> list[_Draft]:
    """A chunk cut where guards start."""
    places = sorted({0, len(chunk), *(g.start for g in guards)})
    drafts = []
    for start, end in itertools.pairwise(places):
        text = chunk[start:end]
        mention = next((g for g in guards if g.start == start), None)
        blank = (
            text if mention is None else " " * (mention.end - start) + text[mention.end - start :]
        )
        if not text.strip():
            continue
        drafts.append(
            _Draft(
                text.strip(),
                strong=end == len(chunk) and bool(_STRONG.search(text.strip()[-1:])),
                joined=bool(joined or chunk[:start].strip()),
                calls=asked_calls(blank, rules, askable),
                mention=mention,
            )
        )
    return drafts


def _merged(drafts: list[_Draft], rules: OfflineRules, today: date | None) -> list[_Draft]:
    """Enumerations put together again: a clause of nothing but values ("Rome, Paris and Bonn")
    belongs to the request before its comma, else to the clause after it."""
    merged: list[_Draft] = []
    waiting = ""
    for draft in drafts:
        bare = not draft.calls and draft.mention is None and only_values(rules, draft.text, today)
        before = merged[-1] if merged else None
        if bare and before and before.calls and not before.strong:
            text = f"{before.text} {draft.text}"
            merged[-1] = replace(before, text=text, strong=draft.strong)
        elif bare and not draft.strong and draft is not drafts[-1]:
            waiting = f"{waiting}{draft.text} "
        else:
            merged.append(replace(draft, text=waiting + draft.text))
            waiting = ""
    return merged


def asked_calls(text: str, rules: OfflineRules, askable: frozenset[str]) -> tuple[str, ...]:
    """The call rules whose words stand in a text, in the order of the words."""
    places = {}
    for name, rule in rules.calls.items():
        if name not in askable:
            continue
        starts = [found.start() for found in rule.when.matches(text)]
        if starts and not rule.unless.in_(text):
            places[name] = min(starts)
    return tuple(sorted(places, key=lambda name: places[name]))


def _resolve(drafts: list[_Draft]) -> tuple[Clause, ...]:
    """Give every clause the guard that it depends on.

    A guard holds for its own clause's calls; with none there, for the clause that it follows
    without a comma ("drive if it rains"), else for the next clauses up to the full stop after their
    first call.
    """
    guards: list[Guard | None] = [None] * len(drafts)
    last: Guard | None = None
    carried: Guard | None = None
    for index, draft in enumerate(drafts):
        mention = draft.mention
        if mention is not None:
            guard = _guard(mention, index, last, draft.text)
            if guard is None:
                continue
            last = guard
            before = drafts[index - 1] if index else None
            postposed = (
                not draft.calls
                and draft.joined
                and before is not None
                and before.calls
                and guards[index - 1] is None
            )
            if postposed:
                guards[index - 1], carried = guard, None
                continue
            guards[index] = guard
            carried = guard
        elif carried is not None and not _APART.match(simplified(draft.text)):
            guards[index] = carried
        else:
            carried = None
        if draft.strong and draft.calls:
            carried = None
    return tuple(
        Clause(draft.text, draft.calls, guard) for draft, guard in zip(drafts, guards, strict=True)
    )


def _guard(mention: _Mention, clause: int, last: Guard | None, words: str) -> Guard | None:
    if mention.condition or mention.unknown:
        return Guard(mention.condition, mention.wanted, clause, words, mention.operands)
    return replace(last, wanted=not last.wanted) if last else None
