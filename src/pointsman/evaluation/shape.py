"""The shape of a suite file: every key and its type. docs/evaluation.md says what they mean."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from pointsman.agentfile.parts import Switch, Table, Text
from pointsman.domain.agent import Language
from pointsman.evaluation.cases import ArgumentCheck, CheckKind
from pointsman.faults import did_you_mean

CHECKS = get_args(CheckKind)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as fault:
        raise ValueError(f"no regular expression: {fault}") from None
    return value


def _instant(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"expected an instant such as 2026-03-02T09:00, not {value!r}") from None
    return value


def _argument(value: Any) -> ArgumentCheck:
    if not isinstance(value, dict):
        return ArgumentCheck(value=value)
    for key in value:
        if key not in CHECKS:
            raise ValueError(f"unknown check {key!r}; {did_you_mean(str(key), CHECKS)}")
    if len(value) != 1:
        raise ValueError(f"needs one of {', '.join(CHECKS)}")
    ((kind, wanted),) = value.items()
    match kind, wanted:
        case "matches", str():
            _pattern(wanted)
        case "matches", _:
            raise ValueError("matches needs a regular expression")
        case "one_of", _ if not isinstance(wanted, list):
            raise ValueError("one_of needs a list")
        case (("any" | "absent"), _) if wanted is not True:
            raise ValueError(f"{kind} can only be true")
    return ArgumentCheck(kind=kind, value=wanted)


def _several(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


Pattern = Annotated[Text, AfterValidator(_pattern)]
Texts = Annotated[list[Text], BeforeValidator(_listed)]
Instant = Annotated[str, AfterValidator(_instant)]
Word = Annotated[
    str,
    Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]+$"),
]


Argument = Annotated[Any, AfterValidator(_argument)]
Calls = Annotated[list[dict[str, Argument]], BeforeValidator(_several)]


class ReplyTable(Table):
    """What the reply says; several keys must all hold."""

    contains: Texts = []
    not_contains: Texts = []
    matches: Annotated[list[Pattern], BeforeValidator(_listed)] = []
    any_of: Texts = []


class ExpectTable(Table):
    """What one turn must come to. A key that is left out is not graded."""

    intent: Text | None = None
    intents: list[Text] | None = None
    route: Literal["tools", "answer", "ask"] | None = None
    tools: Texts | None = None
    any_order: Switch = False
    arguments: dict[str, Calls] = {}
    asks: Texts | None = None
    forbidden: Texts = []
    reply: ReplyTable = ReplyTable()
    outcome: Literal["answer", "question", "waiting", "failure"] | None = None
    confirm: Switch | None = None
    approve: Switch | None = None

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.intent is not None and self.intents is not None:
            raise ValueError("needs either intent or intents")
        if self.asks and self.outcome not in (None, "question"):
            raise ValueError(f"asks goes with outcome: question, not {self.outcome}")
        return self


class TurnTable(Table):
    """One message of the user."""

    say: Text
    expect: ExpectTable = ExpectTable()


class PastTable(Table):
    """A message before the case."""

    user: Text | None = None
    assistant: Text | None = None

    @model_validator(mode="after")
    def _one_speaker(self) -> Self:
        if (self.user is None) == (self.assistant is None):
            raise ValueError("needs either user or assistant")
        return self


class SetupTable(Table):
    """What the case finds."""

    fail: dict[str, Text] = {}
    returns: dict[str, Any] = {}
    context: list[PastTable] = []

    @model_validator(mode="after")
    def _one_fate(self) -> Self:
        if both := sorted(self.fail.keys() & self.returns.keys()):
            raise ValueError(f"{both[0]} cannot both fail and return")
        return self


class CaseTable(Table):
    """A conversation: turns, or one turn written straight into the case."""

    id: Word
    title: str = ""
    tags: Texts = []
    language: Language | None = None
    user: Word | None = None
    now: Instant | None = None
    setup: SetupTable = SetupTable()
    turns: Annotated[list[TurnTable], Field(min_length=1)] | None = None
    say: Text | None = None
    expect: ExpectTable | None = None

    @model_validator(mode="after")
    def _has_turns(self) -> Self:
        if (self.turns is None) == (self.say is None):
            raise ValueError("needs either turns, or say with expect")
        if self.turns is not None and self.expect is not None:
            raise ValueError("expect beside turns has no place; write it inside of a turn")
        return self


class SuiteTable(Table):
    """A suite."""

    suite: Word | None = None
    language: Language | None = None
    user: Word | None = None
    now: Instant | None = None
    isolate: Switch = False
    thresholds: dict[str, float] = {}
    cases: Annotated[list[CaseTable], Field(min_length=1)]
