"""What a reply may claim: its draft is compared with what the run's calls came to (R9).

A draft is faulty when it tells of a success that did not happen, hides a call that failed, names a
wrong end, or holds a figure that nothing holds. The engine shows the faults to the model once
(``repair_prompt``) and then says it itself (``reply_texts.fallback``). The check reads words, not
minds: it is made to be right when it speaks, and what a reply leaves vague passes.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from pointsman.domain import reply_words as words
from pointsman.domain.action_words import (
    APPROVE,
    CANCEL,
    FAMILIES,
    LOOK,
    SHIP,
    families_in,
    families_of,
    of_the_world,
    wishes_in,
    words_of,
)
from pointsman.domain.calls import CallState
from pointsman.domain.claims import EVERYTHING, Claim, Clause, claims_in, clauses
from pointsman.domain.figures import Figure
from pointsman.domain.grounding import held, unsourced
from pointsman.domain.tools import ResultStatus, Risk, ToolSpec

FaultKind = Literal[
    "claimed_success", "claimed_action", "unmentioned", "not_open", "wrong_end", "unsourced"
]


class Fault(Struct, frozen=True, kw_only=True):
    """One thing that a draft may not say, or has to.

    Attributes:
        kind: ``claimed_success`` for a call that did not succeed; ``claimed_action`` of what no
            call did; ``unmentioned`` for a failure that is left out; ``not_open`` for an uncertain
            call told as a plain failure or success; ``wrong_end`` for a refused call told as
            declined when it expired, or as still waiting; ``unsourced`` for a figure.
        quote: the words of the draft; empty for what it leaves out.
        call: key of the call that it is about, if any.
    """

    kind: FaultKind
    quote: str = ""
    call: str = ""
    tool: str = ""


class Act(Struct, frozen=True, kw_only=True):
    """A call as a reply has to speak of it.

    Attributes:
        families: what it does, see ``action_words``.
        names: words by which a reply can name it: of its title and its argument values.
        settled: a later call made good for it, so that it need not be mentioned.
    """

    call: CallState
    title: str
    families: frozenset[str]
    names: tuple[str, ...]
    status: ResultStatus
    settled: bool = False

    @property
    def ok(self) -> bool:
        return self.status is ResultStatus.OK


def acts_of(calls: Sequence[CallState], specs: Mapping[str, ToolSpec]) -> tuple[Act, ...]:
    """The calls of a run as acts, oldest first. One without a result was not run."""
    found = [_act(call, specs.get(call.tool or call.raw.name)) for call in calls]
    return tuple(
        Act(
            call=act.call,
            title=act.title,
            families=act.families,
            names=act.names,
            status=act.status,
            settled=not act.ok and any(_makes_good(later, act) for later in found[n + 1 :]),
        )
        for n, act in enumerate(found)
    )


def _act(call: CallState, spec: ToolSpec | None) -> Act:
    name = call.tool or call.raw.name
    title = (spec.title if spec else "") or name
    return Act(
        call=call,
        title=title,
        families=families_of(name, spec),
        names=(*_pieces(title), *_pieces(words_of(name)), *_values(call)),
        status=call.result.status if call.result else ResultStatus.CANCELLED,
    )


def _pieces(text: str) -> tuple[str, ...]:
    """Latin words of three letters and more, and pairs of Chinese characters."""
    latin = [
        word
        for word in re.findall(r"[a-z]{3,}", text.lower())
        if word not in ("the", "and", "for", "get")
    ]
    chinese = re.findall(r"[\u4e00-\u9fff]+", text)
    return (*latin, *(run[n : n + 2] for run in chinese for n in range(len(run) - 1)))


def _values(call: CallState) -> tuple[str, ...]:
    found = []
    for value in call.arguments.values():
        items = value if isinstance(value, list) else [value]
        found += [str(item).lower() for item in items if isinstance(item, str | int | float)]
    return tuple(value for value in found if 2 <= len(value) <= 40)


def _makes_good(later: Act, act: Act) -> bool:
    """Whether a later call did what this one did not."""
    if (
        not later.ok
        or act.status is ResultStatus.UNCERTAIN
        or later.call.key.split(".")[0] == act.call.key.split(".")[0]
    ):
        return False
    one, other = later.call, act.call
    if (one.tool or one.raw.name) != (other.tool or other.raw.name):
        return False
    return (
        one.arguments == other.arguments
        or one.risk is Risk.READ
        or act.status is ResultStatus.REJECTED
    )


_YOURS = re.compile(r"[您你]的|[您你]名下|\byours?\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"如果|假设|例如|比如|通常|一般|建议|可以|if\b|suppose|for example|e\.g\.|usually|typically|recommend|could|would|should|can\b",
    re.IGNORECASE,
)
_COLLECTIVE = re.compile(
    r"都|均|全部|两[个项次者笔封条]|这几|\b(?:both|all|neither|none|any|either|these)\b",
    re.IGNORECASE,
)
_ANEW = re.compile(r"重新|再次|再提|\bagain\b|\bresubmit|\bnew request", re.IGNORECASE)
_STATES = {
    name: re.compile(
        rf"已(?:经)?[^，,。\"]{{0,4}}(?:{family.zh})|(?:{family.zh})(?:成功|完成|完毕|了)"
        rf"|(?<![a-z])(?:{family.past})(?![a-z])|(?<![a-z])(?:{family.base})[ _-](?:ok|done|complete|completed|success|succeeded)(?![a-z])",
        re.IGNORECASE,
    )
    for name, family in FAMILIES.items()
}
_STATES[SHIP] = re.compile(f"{FAMILIES[SHIP].zh}|{FAMILIES[SHIP].past}", re.IGNORECASE)
_UNDONE_BEFORE = re.compile(
    r"(?:未|没有?|不|待|无法|失败|\bnot|n['’]t|\bun|pending|\bto be|will be|can be|cannot be|failed to be|if|是否|如果|后)\W{0,3}$",
    re.IGNORECASE,
)
_UNDONE_AFTER = re.compile(
    r"\W{0,3}(?:中|失败|fail|pending|processing|in progress|后|之后)", re.IGNORECASE
)
_BRIEF = 80
_SILENT = ("repeated", "unknown_tool", "missing")
"""Rejections that concern only the model: the engine asks for what is missing itself."""


def check(
    draft: str,
    calls: Sequence[CallState],
    user_texts: Sequence[str],
    *,
    specs: Mapping[str, ToolSpec] | None = None,
    instructions: str = "",
    known: Sequence[str] = (),
    now: datetime | None = None,
) -> tuple[Fault, ...]:
    """What is wrong with a draft; nothing when it may leave.

    Args:
        calls: all of the run, in order.
        user_texts: the user's own words, of this run and before.
        specs: the tools on offer, by name.
        instructions: the system prompt, which may hold facts.
        known: results and replies of earlier runs of the conversation.
        now: the date line's instant, aware, in the user's zone.
    """
    specs = specs or {}
    acts = acts_of(calls, specs)
    truth = _Truth.of(acts, user_texts, specs, known, draft)
    told = (
        truth.of_everything(claim) if claim.family == EVERYTHING else truth.of_act(claim)
        for claim in claims_in(draft)
    )
    faults = [fault for fault in told if fault is not None]
    faults += _left_out(draft, acts)
    faults += _wrong_ends(draft, acts)
    faults += _figures(draft, acts, user_texts, (instructions, *known), now)
    return tuple(dict.fromkeys(faults))


class _Truth(Struct, frozen=True, kw_only=True):
    """What claims are compared with.

    Attributes:
        told: families of which a result of this run says that they are done.
        before: families that earlier replies or results say are done.
        offered: families of the tools on offer.
        wished: families that the user's last words name.
        brief: the reply brings nothing of its own that "done" could be said of.
    """

    acts: tuple[Act, ...]
    failed: tuple[Act, ...]
    told: frozenset[str]
    before: frozenset[str]
    offered: frozenset[str]
    wished: frozenset[str]
    brief: bool

    @classmethod
    def of(
        cls,
        acts: Sequence[Act],
        user_texts: Sequence[str],
        specs: Mapping[str, ToolSpec],
        known: Sequence[str],
        draft: str,
    ) -> "_Truth":
        real = tuple(act for act in acts if act.call.rejection not in _SILENT)
        told = {
            family for act in acts if act.call.result for family in _states(act.call.result.content)
        }
        if any(act.call.approval and act.call.approval.decision == "approved" for act in acts):
            told.add(APPROVE)
        before = {family for text in known for family in _states(text)}
        before |= {claim.family for text in known for claim in claims_in(text)}
        return cls(
            acts=real,
            failed=tuple(act for act in real if not act.ok and not act.settled),
            told=frozenset(told),
            before=frozenset(before),
            offered=frozenset(
                family for name, spec in specs.items() for family in families_of(name, spec)
            ),
            wished=wishes_in(user_texts[-1]) if user_texts else frozenset(),
            brief=len(draft) <= _BRIEF and not re.search(r"[:：\n]", draft),
        )

    def of_act(self, claim: Claim) -> Fault | None:
        family, sentence = claim.family, claim.clause.sentence
        done = [act for act in self.acts if act.ok and family in act.families]
        failed = [act for act in self.failed if family in act.families]
        if done:
            return self._of_some(claim, done, failed)
        if family in self.told and not claim.agent:
            return None
        if failed:
            if family == LOOK and any(words.says_not_done(sentence) for act in failed):
                return None
            return _lie("claimed_success", claim, failed[-1])
        if family in self.before or self._is_ending(claim) or not self._is_news(claim):
            return None
        return _lie("claimed_action", claim)

    def _of_some(self, claim: Claim, done: Sequence[Act], failed: Sequence[Act]) -> Fault | None:
        """A claim that is true of one call: is it said of another that failed?"""
        clause = claim.clause
        if words.says_not_done(clause.text):
            return None
        true = {name for act in done for name in act.names}
        for act in failed:
            if any(name in clause.text.lower() for name in act.names if name not in true):
                return _lie("claimed_success", claim, act)
        if claim.whole and failed and not words.says_not_done(clause.sentence):
            return _lie("claimed_success", claim, failed[0])
        return None

    def _is_ending(self, claim: Claim) -> bool:
        """ "Cancelled" said of a call that was refused or given up."""
        ended = (ResultStatus.REFUSED, ResultStatus.CANCELLED)
        return claim.family == CANCEL and any(act.status in ended for act in self.acts)

    def _is_news(self, claim: Claim) -> bool:
        """Whether the claim is about the user's world, and not talk or general knowledge."""
        family, sentence = claim.family, claim.clause.sentence
        if family == LOOK:
            return claim.agent and not self.acts and not self.before and LOOK in self.offered
        if FAMILIES[family].plain and (not of_the_world(sentence) or self._same_act(claim)):
            return False
        if claim.agent and family != SHIP:
            return True
        named = any(value in sentence.lower() for act in self.acts for value in _values(act.call))
        theirs = named or _YOURS.search(sentence) is not None
        return theirs or (family in self.offered and family in self.wished)

    def _same_act(self, claim: Claim) -> bool:
        """Whether a vague verb tells of an act that was done: a reminder "is set"."""
        named = families_in(claim.clause.text)
        return any(act.ok and act.families & named for act in self.acts)

    def of_everything(self, claim: Claim) -> Fault | None:
        sentence = claim.clause.sentence
        if words.says_failed(sentence):
            return None
        if not self.failed:
            wished = (self.wished & self.offered) - {LOOK}
            lie = wished and self.brief and not self.acts
            return _lie("claimed_action", claim) if lie else None
        if any(act.ok for act in self.acts) and not claim.whole:
            return None
        return _lie("claimed_success", claim, self.failed[-1])


def _lie(
    kind: Literal["claimed_success", "claimed_action"], claim: Claim, act: Act | None = None
) -> Fault:
    quote = claim.clause.text
    if act is None:
        return Fault(kind=kind, quote=quote)
    return Fault(kind=kind, quote=quote, call=act.call.key, tool=act.call.tool or act.call.raw.name)


def _states(text: str) -> frozenset[str]:
    """The families that a result or reply says are done, as a state or in words."""
    found = set()
    for name, pattern in _STATES.items():
        for match in pattern.finditer(text):
            around = (
                text[max(match.start() - 14, 0) : match.start()],
                text[match.end() : match.end() + 12],
            )
            if not (_UNDONE_BEFORE.search(around[0]) or _UNDONE_AFTER.match(around[1])):
                found.add(name)
                break
    return frozenset(found)


def _left_out(draft: str, acts: Sequence[Act]) -> list[Fault]:
    """Calls that came to nothing, or may have, and of which the draft does not say so."""
    owed = [act for act in acts if _must_be_told(act, draft)]
    parts = clauses(draft)
    lone = len(owed) == 1
    failing = [clause for clause in parts if words.says_not_done(clause.text)]
    opening = [clause for clause in parts if words.says_open(clause.text)]
    alone = not any(act.ok for act in acts)
    faults = []
    for act in owed:
        unsure = act.status is ResultStatus.UNCERTAIN
        said = opening if unsure else failing
        sure = unsure or alone
        plainly = [clause for clause in said if sure or words.says_failed(clause.text)]
        told = bool(plainly) and (lone or len(said) >= len(owed) or bool(_COLLECTIVE.search(draft)))
        if told or any(_speaks_of(clause, act) for clause in said):
            continue
        kind: FaultKind = "not_open" if unsure and failing else "unmentioned"
        faults.append(Fault(kind=kind, call=act.call.key, tool=act.call.tool or act.call.raw.name))
    return faults


def _must_be_told(act: Act, draft: str) -> bool:
    if act.ok or act.settled or act.call.rejection in _SILENT:
        return False
    if act.call.rejection in ("invalid", "malformed"):
        asks = "?" in draft or "？" in draft
        return LOOK not in act.families and not asks
    return True


def _speaks_of(clause: Clause, act: Act) -> bool:
    text = clause.sentence.lower()
    return any(name in text for name in act.names) or bool(families_in(text) & act.families)


def _wrong_ends(draft: str, acts: Sequence[Act]) -> list[Fault]:
    """A refused call told as declined when its time ran out, or as still waiting (case P16)."""
    if any(act.call.result is None for act in acts):
        return []
    faults = []
    for act in acts:
        approval = act.call.approval
        if act.status is not ResultStatus.REFUSED or approval is None:
            continue
        declined = approval.decision == "expired" and words.says_declined(draft)
        waiting = words.says_pending(draft) and not _ANEW.search(draft)
        if (declined and not words.says_lapsed(draft)) or waiting:
            tool = act.call.tool or act.call.raw.name
            faults.append(Fault(kind="wrong_end", call=act.call.key, tool=tool))
    return faults


def _figures(
    draft: str,
    acts: Sequence[Act],
    user_texts: Sequence[str],
    known: Sequence[str],
    now: datetime | None,
) -> list[Fault]:
    """Figures without a source. Where no call ran, general knowledge passes; what is said of the
    user's own things does not, nor do ids and addresses."""
    results = [act.call.result for act in acts if act.call.result is not None]
    ran = any(act.call.rejection not in _SILENT for act in acts)
    sources = held(
        [*(result.content for result in results), *known],
        [
            *(result.data for result in results if result.data is not None),
            *(act.call.arguments for act in acts if act.call.arguments),
        ],
        spoken=user_texts,
        now=now,
    )
    parts = () if ran else clauses(draft)
    return [
        Fault(kind="unsourced", quote=figure.text)
        for figure in unsourced(draft, sources, now=now)
        if ran or _is_of_user(figure, parts)
    ]


def _is_of_user(figure: Figure, parts: Sequence[Clause]) -> bool:
    if figure.kind == "id" or (figure.kind == "contact" and "@" in figure.text):
        return True
    sentences = [clause.sentence for clause in parts if figure.text in clause.sentence]
    return any(_YOURS.search(one) and not _SUPPOSED.search(one) for one in sentences)
