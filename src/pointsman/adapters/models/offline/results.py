"""What the plan's calls have come to so far: which to make now, which branch the results choose.

Pure: results are read from the tool messages of the running turn. A condition whose result is
missing or failed is undecided, and then neither branch is taken.
"""

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.adapters.models.offline.plan import Decision, FromResult, Goal, Plan
from pointsman.adapters.models.offline.rules import OfflineRules, TestRule
from pointsman.domain.messages import AssistantMessage, Message, ToolMessage

_FAILED = re.compile(r"(ERROR|DENIED|NOT RUN|UNCERTAIN)\b[:：]?\s*")


class State(StrEnum):
    """How far a goal is."""

    READY = "ready"
    """Its arguments are complete and it has not been proposed."""
    WAITING = "waiting"
    """For the result of an earlier goal."""
    DONE = "done"
    FAILED = "failed"
    DECLINED = "declined"
    """A person said no."""
    UNCERTAIN = "uncertain"
    DROPPED = "dropped"
    """The user's condition came out the other way."""
    UNDECIDED = "undecided"
    """The result that decides is not there, or nobody knows the condition."""
    BLOCKED = "blocked"
    """The result that holds an argument is not there."""
    UNAVAILABLE = "unavailable"
    """The tool is not offered now."""


_BY_USER = "DENIED by user"


class Progress(Struct, frozen=True):
    """A goal with its state; ``result`` is the JSON, or the text that the tool gave."""

    goal: Goal
    state: State
    arguments: dict[str, Any] = {}
    result: Any = None
    holds: bool | None = None
    """Of its decision: whether the condition holds."""


class Results:
    """The results of one turn, by tool and arguments."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._contents: dict[tuple[str, str], str] = {}
        self._latest: dict[str, str] = {}
        for index, message in enumerate(messages):
            if isinstance(message, AssistantMessage):
                answers = list(_answers(messages[index + 1 :]))
                for place, call in enumerate(message.calls):
                    content = next((a.content for a in answers if a.call_id == call.id), None)
                    if content is None and place < len(answers):
                        content = answers[place].content
                    if content is not None:
                        self._contents[(call.name, _key(arguments(call.arguments)))] = content
                        self._latest[call.name] = content

    def of(self, tool: str, arguments: Mapping[str, Any], *, any_: bool = False) -> str | None:
        """What a call gave; of any call of the tool, where no other can be meant."""
        found = self._contents.get((tool, _key(arguments)))
        return self._latest.get(tool) if found is None and any_ else found


def _answers(messages: Iterable[Message]) -> Iterable[ToolMessage]:
    for message in messages:
        if not isinstance(message, ToolMessage):
            return
        yield message


def arguments(text: str) -> Any:
    """The arguments of a call, or their text when it is no JSON."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _key(arguments: Any) -> str:
    return msgspec.json.encode(arguments, order="deterministic").decode()


def progress(
    plan: Plan, rules: OfflineRules, results: Results, offered: frozenset[str]
) -> tuple[Progress, ...]:
    """Every goal's state, in the plan's order."""
    states: list[Progress] = []
    single = len(plan.goals) == 1
    for goal in plan.goals:
        states.append(_advance(goal, states, rules, results, offered, single=single))
    return tuple(states)


def _advance(
    goal: Goal,
    before: Sequence[Progress],
    rules: OfflineRules,
    results: Results,
    offered: frozenset[str],
    *,
    single: bool,
) -> Progress:
    holds = None
    if goal.decision and not goal.decision.condition:
        return Progress(goal, State.UNDECIDED)
    if goal.decision:
        deciding = before[goal.decision.goal]
        if deciding.state in (State.READY, State.WAITING):
            return Progress(goal, State.WAITING)
        holds = decide(goal.decision, deciding, rules)
        if holds is not goal.decision.wanted:
            return Progress(goal, State.UNDECIDED if holds is None else State.DROPPED, holds=holds)
    arguments: dict[str, Any] = {}
    for parameter, value in goal.arguments.items():
        if not isinstance(value, FromResult):
            arguments[parameter] = value
            continue
        source = before[value.goal]
        if source.state in (State.READY, State.WAITING):
            return Progress(goal, State.WAITING, holds=holds)
        arguments[parameter] = value.path.one(source.result)
        if source.state is not State.DONE or arguments[parameter] is None:
            return Progress(goal, State.BLOCKED, holds=holds)
    rule = rules.calls[goal.rule]
    tool = rule.tool
    content = results.of(tool, arguments, any_=rule.alone and single)
    if content is None:
        state = State.READY if tool in offered else State.UNAVAILABLE
        return Progress(goal, state, arguments, holds=holds)
    state, result = read_result(content)
    return Progress(goal, state, arguments, result, holds)


def read_result(content: str) -> tuple[State, Any]:
    """The state and the JSON of a tool message; its text when it is not JSON.

    The engine starts what did not work with a word in capitals; a tool of JSON may say ``error``.
    """
    failed = _FAILED.match(content)
    if failed:
        state = State.UNCERTAIN if failed[1] == "UNCERTAIN" else State.FAILED
        state = State.DECLINED if content.startswith(_BY_USER) else state
        return state, content[failed.end() :].strip()
    try:
        result = msgspec.json.decode(content)
    except msgspec.DecodeError:
        return State.DONE, content
    if isinstance(result, dict) and isinstance(result.get("error"), str) and result["error"]:
        return State.FAILED, result["error"]
    return State.DONE, result


def decide(decision: Decision, deciding: Progress, rules: OfflineRules) -> bool | None:
    """Whether the condition holds, or None when the result does not tell."""
    if deciding.state is not State.DONE or isinstance(deciding.result, str):
        return None
    test = rules.conditions[decision.condition].test
    return holds(test, deciding.result, decision.operands)


def holds(test: TestRule, result: Any, operands: Mapping[str, str]) -> bool | None:
    """The test's outcome over a result; None when there is nothing that can be compared."""
    if test.negated is not None:
        inner = holds(test.negated, result, operands)
        return None if inner is None else not inner
    if test.all_of is not None:
        return _all([holds(inner, result, operands) for inner in test.all_of])
    if test.any_of is not None:
        flipped = _all([_not(holds(inner, result, operands)) for inner in test.any_of])
        return _not(flipped)
    values = test.path.all(result) if test.path else []
    outcomes = [_compare(test, value, operands) for value in values]
    return _not(_all([_not(outcome) for outcome in outcomes])) if outcomes else None


def _not(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome


def _all(outcomes: Sequence[bool | None]) -> bool | None:
    if False in outcomes:
        return False
    return None if None in outcomes else True


def _compare(test: TestRule, value: Any, operands: Mapping[str, str]) -> bool | None:
    if test.contains is not None:
        text = str(value).lower() if isinstance(value, str | int | float) else None
        return None if text is None else any(word.lower() in text for word in test.contains)
    if test.equals is not None:
        return bool(value == test.equals)
    number = _number(value)
    for written, compare in (
        (test.above, operator.gt),
        (test.below, operator.lt),
        (test.at_least, operator.ge),
        (test.at_most, operator.le),
    ):
        if written is not None:
            bound = _number(operands.get(written[1:]) if isinstance(written, str) else written)
            return None if number is None or bound is None else bool(compare(number, bound))
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None
