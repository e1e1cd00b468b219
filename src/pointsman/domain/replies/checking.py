"""What a reply may claim: its draft is compared with what the run's calls came to (R9).

A draft is faulty when it tells of a success that did not happen, hides a call that failed, names a
wrong end, or holds a figure that nothing holds. The engine shows the faults to the model once, and
then says it itself (``reply_texts``). The check reads words, not minds: it is made to be right when
it speaks, and what a reply leaves vague passes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pointsman.domain.calls import CallState
from pointsman.domain.patterns import Pattern, Words
from pointsman.domain.replies.action_words import LOOK, families_in
from pointsman.domain.replies.claims import Clause, claims_in, clauses
from pointsman.domain.replies.grounding import stands, unsourced
from pointsman.domain.replies.holdings import held
from pointsman.domain.replies.reply_facts import Act, acts_of, is_silent
from pointsman.domain.replies.reply_facts import Fault as Fault
from pointsman.domain.replies.reply_words import (
    says_declined,
    says_failed,
    says_lapsed,
    says_not_done,
    says_open,
    says_pending,
    says_yours,
)
from pointsman.domain.replies.untruths import Truth
from pointsman.domain.tools import ResultStatus, Risk, ToolSpec
from pointsman.domain.values.figures import Figure, figures, normal

_SUPPOSED = Pattern(
    r"如果|假设|例如|比如|通常|一般|建议|可以|\b(?:if|suppose|for example|usually|typically)\b",
    r"\be\.g\.|\brecommend|\b(?:could|would|should|can)\b",
)
_COLLECTIVE = Pattern(
    r"都|均|全部|两[个项次者笔封条]|这几|\b(?:both|all|neither|none|any|either|these)\b"
)
_OWN_DEEDS_ZH = Pattern("我|咱|帮您|帮你|为您|为你|替您|替你|给您|给你|已")
_OWN_DEEDS_EN = Words("i", "we", "your")
_DIGIT = re.compile(r"[0-9]")
_JOINED = re.compile(r"[a-z0-9@._:/%+,-]+")
_JOINED_BEFORE = re.compile(r"[a-z0-9@._:/%+-]+$")
_RUNS_IN = re.compile(r"[a-z0-9@_/%+-][.,:]?$")
_RUNS_ON = re.compile(r"[.,:]?[a-z0-9@_/%+-]")
_ADDRESS = re.compile(r"@|://|\.(?:com|cn|org|net|io|gov|edu)\b", re.IGNORECASE)
_ANEW = Pattern(r"重新|再次|再提|\bagain\b|\bresubmit|\bnew request")


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
    """What is wrong with a draft in Chinese or English; nothing when it may leave.

    Args:
        calls: all of the run, in order.
        user_texts: the user's own words, of this run and before, the latest last.
        specs: the tools on offer, by name.
        instructions: the system prompt, which may hold facts.
        known: results and replies of earlier runs of the conversation.
        now: the date line's instant, aware, in the user's zone.
    """
    specs, faults = specs or {}, list[Fault]()
    done = all(call.result is not None and call.result.ok for call in calls)
    claims = claims_in(draft) if _may_boast(draft, specs, looked=done and bool(calls)) else ()
    acts = acts_of(calls, specs) if claims or not done else ()
    if claims:
        truth = Truth.of(draft, acts, user_texts=user_texts, specs=specs, known=known)
        told = map(truth.fault_of, claims)
        faults += [fault for fault in told if fault is not None]
    faults += _left_out(draft, acts)
    faults += _wrong_ends(draft, acts)
    faults += _figures(draft, calls, user_texts, known=(instructions, *known), now=now)
    return tuple(dict.fromkeys(faults))


def _may_boast(draft: str, specs: Mapping[str, ToolSpec], *, looked: bool) -> bool:
    """Whether the draft may tell a deed that was not done. Where it was looked up with success, and
    nothing on offer changes anything, only one that speaks of its own deeds can."""
    changing = not looked or any(spec.risk is not Risk.READ for spec in specs.values())
    return changing or _OWN_DEEDS_EN.stand_in(draft) or _OWN_DEEDS_ZH.search(draft) is not None


def _left_out(draft: str, acts: Sequence[Act]) -> list[Fault]:
    """Calls that came to nothing, or may have, and of which the draft does not say so.

    Where other calls succeeded, words that may speak of their results ("not shipped") count only
    with a word for the call.
    """
    owed = [act for act in acts if act.owed and not _asked_about(act, draft)]
    if not owed:
        return []
    parts = clauses(draft)
    failing = [clause for clause in parts if says_not_done(clause.text)]
    opening = [clause for clause in parts if says_open(clause.text)]
    alone = not any(act.ok for act in acts)
    faults = []
    for act in owed:
        unsure = act.status is ResultStatus.UNCERTAIN
        said = opening if unsure else failing
        plainly = any(unsure or alone or says_failed(clause.text) for clause in said)
        enough = len(said) >= len(owed) or any(_COLLECTIVE.search(one.text) for one in said)
        if not (plainly and enough) and not any(_speaks_of(clause, act) for clause in said):
            faults.append(act.fault("not_open" if unsure and failing else "unmentioned"))
    return faults


def _asked_about(act: Act, draft: str) -> bool:
    """Whether a call with bad arguments led to a question, or only looked something up."""
    if act.call.rejection not in ("invalid", "malformed"):
        return False
    return LOOK in act.families or "?" in draft or "？" in draft


def _speaks_of(clause: Clause, act: Act) -> bool:
    text = clause.sentence.lower()
    return any(name in text for name in act.names) or bool(families_in(text) & act.families)


def _wrong_ends(draft: str, acts: Sequence[Act]) -> list[Fault]:
    """Refused calls told as declined when their time ran out, or as still waiting (case P16)."""
    refused = [act for act in acts if act.status is ResultStatus.REFUSED and act.call.approval]
    if not refused or any(act.call.result is None for act in acts):
        return []
    alone = not any(act.ok for act in acts)
    anew = _ANEW.search(draft) is not None
    pending = [clause for clause in clauses(draft) if says_pending(clause.text) and not anew]
    declined = says_declined(draft) and not says_lapsed(draft)
    return [
        act.fault("wrong_end")
        for act in refused
        if (declined and act.call.approval and act.call.approval.decision == "expired")
        or any(alone or _speaks_of(clause, act) for clause in pending)
    ]


def _figures(
    draft: str,
    calls: Sequence[CallState],
    user_texts: Sequence[str],
    *,
    known: Sequence[str],
    now: datetime | None,
) -> list[Fault]:
    """Figures without a source. Where no call ran, general knowledge passes; what is said of the
    user's own things does not, nor do ids and addresses."""
    results = [call.result for call in calls if call.result is not None]
    texts = [*(result.content for result in results), *known]
    plain = draft.isascii() and not _ADDRESS.search(draft)
    if plain and not _DIGIT.search(draft):
        return []
    whole = normal("\n".join((*texts, *user_texts))).casefold()
    if plain and all(_stands_alone(token, whole) for token in _tokens(draft.casefold())):
        return []
    ran = any(not is_silent(call) for call in calls)
    yours = () if ran else _of_yours(draft)
    found = [figure for figure in figures(draft) if ran or _is_of_user(figure, yours)]
    found = [figure for figure in found if not stands(figure, whole)]
    if not found:
        return []
    values = [result.data for result in results if result.data is not None]
    values += [call.arguments for call in calls if call.arguments]
    sources = held(texts, values, spoken=user_texts, now=now)
    lacking = unsourced(draft, found, sources, now=now)
    return [Fault(kind="unsourced", quote=figure.text) for figure in lacking]


def _tokens(text: str) -> Iterator[str]:
    """What stands between blanks and brackets and holds a digit: 30, 2026-03-05, a7."""
    end = 0
    for digit in _DIGIT.finditer(text):
        if digit.start() >= end:
            before = _JOINED_BEFORE.search(text, end, digit.start())
            start = digit.start() - (len(before[0]) if before else 0)
            end = _JOINED.match(text, digit.start()).end()  # type: ignore[union-attr]  # the digit
            yield text[start:end].strip(".,:")


def _stands_alone(token: str, text: str) -> bool:
    """Whether the text holds the token, and not as a part of a longer one. The user's words are
    looked at first: they stand last, and hold fewer figures than the rest."""
    start = text.rfind(token)
    while start >= 0:
        end = start + len(token)
        if not (
            _RUNS_IN.search(text[max(start - 2, 0) : start]) or _RUNS_ON.match(text[end : end + 2])
        ):
            return True
        start = text.rfind(token, 0, end - 1)
    return False


def _of_yours(draft: str) -> list[str]:
    """The sentences that speak of the user's own things."""
    sentences = dict.fromkeys(clause.sentence for clause in clauses(draft))
    return [one for one in sentences if says_yours(one) and not _SUPPOSED.search(one)]


def _is_of_user(figure: Figure, yours: Sequence[str]) -> bool:
    if figure.kind == "id" or (figure.kind == "contact" and "@" in figure.text):
        return True
    return any(figure.text in sentence for sentence in yours)
