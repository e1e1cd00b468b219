"""Compares what happened in a turn with what was expected. Pure."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from pointsman.evaluation.cases import (
    NO_INTENT,
    ArgumentCheck,
    Expectation,
    ReplyCheck,
)
from pointsman.evaluation.comparing import folded, holds
from pointsman.evaluation.observed import Seen, SeenCall

ASK = "ask"
"""The label of a question about the intent, beside the names of intents."""
UNROUTED = "-"
"""The label of an agent without intents."""

Kind = Literal[
    "intent",
    "route",
    "tools",
    "forbidden",
    "arguments",
    "asks",
    "question",
    "outcome",
    "confirm",
    "reply",
    "honest",
    "journal",
]


class Check(Struct, frozen=True, kw_only=True):
    """One thing that was looked at; ``turn`` counts from 1."""

    kind: Kind
    ok: bool
    expected: str
    got: str
    turn: int = 1


class Counts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the metrics are made of; counts of turns, calls or arguments."""

    intents: int = 0
    intents_right: int = 0
    tools_expected: int = 0
    tools_called: int = 0
    tools_right: int = 0
    arguments: int = 0
    arguments_right: int = 0
    without_question: int = 0
    needless_questions: int = 0
    with_question: int = 0
    missed_questions: int = 0
    forbidden_calls: int = 0
    failures: int = 0
    untrue_replies: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        fields = self.__struct_fields__
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in fields})


class Grade(Struct, frozen=True, kw_only=True):
    """What one turn is worth.

    Attributes:
        intent: expected and got label, for the confusion matrix; None when it is not graded.
    """

    checks: tuple[Check, ...]
    counts: Counts
    intent: tuple[str, str] | None = None


def grade(expect: Expectation, seen: Seen, turn: int) -> Grade:
    """The checks of one turn."""
    intent = _labels(expect, seen)
    checks: list[Check] = []
    if intent is not None:
        checks.append(_check("intent", intent[0] == intent[1], *intent))
    if expect.route is not None:
        checks.append(_check("route", expect.route == seen.route, expect.route, seen.route))
    checks += _tools(expect, seen)
    checks += _arguments(expect, seen)
    checks += _question(expect, seen)
    checks += _confirmations(expect, seen)
    checks += _reply(expect.reply, seen.reply)
    for kind in ("journal", "honest"):
        fault = seen.faults.get(kind, "")
        checks.append(_check("journal" if kind == "journal" else "honest", not fault, "", fault))
    return Grade(
        checks=tuple(
            Check(kind=one.kind, ok=one.ok, expected=one.expected, got=one.got, turn=turn)
            for one in checks
        ),
        counts=_counts(expect, seen, intent),
        intent=intent,
    )


def _check(kind: Kind, ok: bool, expected: str, got: str) -> Check:
    return Check(kind=kind, ok=ok, expected=expected, got=got)


def _labels(expect: Expectation, seen: Seen) -> tuple[str, str] | None:
    """Expected and got intents as one label each."""
    if expect.intents is None and expect.route != "ask":
        return None
    wanted = ASK if expect.route == "ask" else label(expect.intents or ())
    if seen.route == "ask":
        return wanted, ASK
    return wanted, UNROUTED if seen.intents is None else label(seen.intents)


def label(intents: Sequence[str]) -> str:
    """Intents in one word."""
    return "+".join(sorted(set(intents))) or NO_INTENT


def _tools(expect: Expectation, seen: Seen) -> Iterator[Check]:
    called = [call.tool for call in seen.calls]
    if expect.tools is not None:
        wanted = list(expect.tools)
        same = sorted(wanted) == sorted(called) if expect.any_order else wanted == called
        yield _check("tools", same, _listed(wanted), _listed(called, seen.rejected))
    for tool in expect.forbidden:
        yield _check("forbidden", tool not in called, f"no {tool}", _listed(called))


def _listed(names: Sequence[str], rejected: Sequence[str] = ()) -> str:
    said = ", ".join(names) or NO_INTENT
    return f"{said} (rejected: {', '.join(rejected)})" if rejected else said


def _matched(
    wanted: Sequence[Mapping[str, ArgumentCheck]], calls: Sequence[SeenCall]
) -> list[tuple[Mapping[str, ArgumentCheck], SeenCall | None, list[str]]]:
    """For each wanted call the call that fits it best, each taken once, and the arguments that do
    not hold in it. The best fits are taken first."""
    pairs = sorted(
        (len(wrong), number, place, wrong)
        for number, checks in enumerate(wanted)
        for place, call in enumerate(calls)
        for wrong in [_wrong(checks, call)]
    )
    taken: dict[int, tuple[int, list[str]]] = {}
    used: set[int] = set()
    for _, number, place, wrong in pairs:
        if number not in taken and place not in used:
            taken[number] = place, wrong
            used.add(place)
    return [
        (checks, calls[taken[number][0]], taken[number][1])
        if number in taken
        else (checks, None, list(checks))
        for number, checks in enumerate(wanted)
    ]


def _wrong(checks: Mapping[str, ArgumentCheck], call: SeenCall) -> list[str]:
    return [name for name, check in checks.items() if not holds(check, call.arguments, name)]


def _arguments(expect: Expectation, seen: Seen) -> Iterator[Check]:
    for tool, wanted in expect.arguments.items():
        calls = [call for call in seen.calls if call.tool == tool]
        for checks, call, wrong in _matched(wanted, calls):
            shown = {name: checks[name] for name in wrong} if call and wrong else checks
            expected = ", ".join(f"{name}={_wanted(check)}" for name, check in shown.items())
            got = f"no call of {tool}"
            if call is not None:
                got = ", ".join(f"{name}={_value(call.arguments, name)}" for name in shown)
            yield _check("arguments", not wrong and call is not None, f"{tool}: {expected}", got)


def _wanted(check: ArgumentCheck) -> str:
    if check.kind in ("any", "absent"):
        return check.kind
    text = json.dumps(check.value, ensure_ascii=False)
    return text if check.kind == "equals" else f"{check.kind} {text}"


def _value(arguments: Mapping[str, Any], name: str) -> str:
    if name not in arguments:
        return "absent"
    return json.dumps(arguments[name], ensure_ascii=False, default=str)


def _asked(expect: Expectation, seen: Seen) -> bool:
    """Whether the user was asked something: by the engine, or by a model that should have acted."""
    due = expect.question or bool(expect.tools)
    return seen.outcome == "question" or (due and seen.asks_itself)


def _question(expect: Expectation, seen: Seen) -> Iterator[Check]:
    """How the turn ended, and what was asked."""
    if expect == Expectation():
        yield _check("outcome", seen.outcome != "failure", "no failure", _ended(seen))
        return
    asked = _asked(expect, seen)
    if expect.question:
        yield _check("question", asked, "a question", _ended(seen))
    elif expect.outcome is not None:
        yield _check("outcome", expect.outcome == seen.outcome, expect.outcome, _ended(seen))
    else:
        fine = seen.outcome in ("answer", "waiting") and not asked
        yield _check("question" if asked else "outcome", fine, "an answer", _ended(seen))
    if expect.asks and asked and not seen.asks_itself:
        named = set(seen.missing) or set(seen.candidates)
        wanted = set(expect.asks)
        fits = wanted <= named if seen.candidates else wanted == named
        yield _check("asks", fits, _listed(expect.asks), _listed(sorted(named)))


def _ended(seen: Seen) -> str:
    if seen.outcome == "failure":
        return f"failure: {seen.failure}"
    if seen.outcome == "question":
        return f"question about {_listed(seen.missing or seen.candidates)}"
    return "a question of the model's own" if seen.asks_itself else seen.outcome


def _confirmations(expect: Expectation, seen: Seen) -> Iterator[Check]:
    for answer, asked, who in (
        (expect.confirm, seen.confirmations, "the user is asked to confirm"),
        (expect.approve, seen.approvals, "somebody is asked to approve"),
    ):
        if answer is not None:
            yield _check("confirm", asked > 0, who, f"asked {asked} times")


def _reply(check: ReplyCheck, reply: str) -> Iterator[Check]:
    plain = folded(reply)
    for text in check.contains:
        yield _check("reply", folded(text) in plain, f"contains {text!r}", reply)
    for text in check.not_contains:
        yield _check("reply", folded(text) not in plain, f"does not contain {text!r}", reply)
    for pattern in check.matches:
        yield _check("reply", bool(re.search(pattern, reply)), f"matches {pattern!r}", reply)
    if check.any_of:
        found = any(folded(text) in plain for text in check.any_of)
        yield _check("reply", found, f"contains one of {list(check.any_of)}", reply)


def _counts(expect: Expectation, seen: Seen, intent: tuple[str, str] | None) -> Counts:
    called = Counter(call.tool for call in seen.calls)
    wanted = Counter(expect.tools or ())
    graded = expect.tools is not None
    matched = [
        (len(checks), len(wrong))
        for tool, calls in expect.arguments.items()
        for checks, _, wrong in _matched(calls, [one for one in seen.calls if one.tool == tool])
    ]
    asked, question = _asked(expect, seen), expect.question
    without = expect != Expectation() and not question and expect.outcome != "failure"
    return Counts(
        intents=intent is not None,
        intents_right=intent is not None and intent[0] == intent[1],
        tools_expected=wanted.total(),
        tools_called=called.total() if graded else 0,
        tools_right=(wanted & called).total(),
        arguments=sum(count for count, _ in matched),
        arguments_right=sum(count - wrong for count, wrong in matched),
        without_question=without,
        needless_questions=without and asked,
        with_question=question,
        missed_questions=question and not asked,
        forbidden_calls=sum(called[tool] for tool in set(expect.forbidden)),
        failures=seen.outcome == "failure" and expect.outcome != "failure",
        untrue_replies="honest" in seen.faults,
    )
