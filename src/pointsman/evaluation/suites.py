"""Suites of cases as files: YAML, or JSONL with one case a line. What cannot be meant is refused
with its file, line, field and a hint, as in agent files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pointsman.agentfile import FILE_NAME
from pointsman.agentfile.text import Lines, Unreadable, decode, parse
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.text import clean_value
from pointsman.errors import AgentFileError, CallerError
from pointsman.evaluation.cases import (
    NO_INTENT,
    Case,
    Expectation,
    ReplyCheck,
    Setup,
    Suite,
    Turn,
)
from pointsman.evaluation.metrics import THRESHOLDS
from pointsman.evaluation.shape import CaseTable, ExpectTable, SetupTable, SuiteTable
from pointsman.faults import Fault, Place, did_you_mean, dotted, faults_of

FOLDER = "evaluation"
SUFFIXES = (".yaml", ".yml", ".jsonl")


def find(path: Path) -> list[Path]:
    """The suite files that a path names: a file, a folder of suites, or an agent folder.

    Raises:
        CallerError: there are none.
    """
    if path.is_file():
        return [path]
    if not path.exists():
        raise CallerError(f"{path}: no such file or folder")
    folder = path / FOLDER if (path / FILE_NAME).exists() else path
    found = sorted(file for file in folder.glob("*") if file.suffix in SUFFIXES)
    if not found:
        raise CallerError(
            f"no suite in {folder}: write one, or make a case of a run with "
            f"`pointsman eval add RUN --suite {folder / 'suite.yaml'}`"
        )
    return found


def load(file: Path) -> Suite:
    """The suite of a file.

    Raises:
        AgentFileError: the first fault; ``others`` holds the rest.
    """
    try:
        written = file.read_bytes()
        raw, lines, faults = _read(file, written)
    except Unreadable as fault:
        hint = "" if fault.problem == "the file is empty" else fault.hint
        raise AgentFileError(fault.problem, file=str(file), line=fault.line, hint=hint) from None
    except OSError as error:
        raise AgentFileError(error.strerror or "cannot be read", file=str(file)) from None
    table = None
    if isinstance(raw, dict):
        faults += _beyond_shape(raw)
        try:
            table = SuiteTable.model_validate(raw)
        except ValidationError as error:
            faults += faults_of(error, SuiteTable, raw)
    else:
        faults.append(Fault((), "expected keys and values", "start with cases:"))
    if faults or table is None:
        raise _first_of(faults, str(file), lines)
    return Suite(
        name=table.suite or file.stem,
        file=str(file),
        cases=tuple(
            _case(case, table, lines.of(("cases", index)) or 1)
            for index, case in enumerate(table.cases)
        ),
        digest=sha256(written).hexdigest(),
        isolate=table.isolate,
        thresholds=dict(table.thresholds),
    )


def _read(file: Path, written: bytes) -> tuple[Any, Lines, list[Fault]]:
    if file.suffix == ".jsonl":
        return _json_lines(written)
    if file.suffix not in SUFFIXES:
        raise Unreadable("a suite is a .yaml or .jsonl file")
    return parse(decode(written))


def _json_lines(written: bytes) -> tuple[Any, Lines, list[Fault]]:
    """Cases a line each; a first line without ``id`` holds the keys of the suite."""
    raw: dict[str, Any] = {"cases": []}
    by_place: dict[Place, int] = {(): 1}
    faults: list[Fault] = []
    try:
        text = written.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        raise Unreadable("not UTF-8 text", line, "save the file as UTF-8") from None
    for number, item in enumerate(text.split("\n"), start=1):
        if not item.strip():
            continue
        try:
            value = clean_value(json.loads(item))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"no JSON: {error}", number, "one object a line") from None
        if not raw["cases"] and isinstance(value, dict) and not {"id", "cases"} & value.keys():
            raw = {**value, "cases": []}
            by_place.update({(key,): number for key in value})
            continue
        by_place["cases", len(raw["cases"])] = number
        raw["cases"].append(value)
    return raw, Lines(by_place), faults


def _beyond_shape(raw: Mapping[str, Any]) -> Iterator[Fault]:
    """What the shape cannot say: metrics that there are, ids that are unique."""
    thresholds = raw.get("thresholds")
    for name in thresholds if isinstance(thresholds, dict) else ():
        if name not in THRESHOLDS:
            hint = did_you_mean(name, THRESHOLDS)
            yield Fault(("thresholds", name), f"there is no metric {name!r}", hint)
    seen: dict[Any, int] = {}
    cases = raw.get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        given = case.get("id") if isinstance(case, dict) else None
        if isinstance(given, str) and seen.setdefault(given, index) != index:
            place = ("cases", index, "id")
            yield Fault(place, f"the id {given!r} is used twice (case {seen[given] + 1} too)")


def _first_of(faults: Sequence[Fault], file: str, lines: Lines) -> AgentFileError:
    """One error for each place, in the file's order, chained by ``others``."""
    by_place: dict[Place, Fault] = {}
    for fault in faults:
        by_place.setdefault(fault.place, fault)
    errors = [
        AgentFileError(
            fault.problem,
            file=file,
            line=lines.of(fault.place),
            field=dotted(fault.place),
            hint=fault.hint,
        )
        for fault in by_place.values()
    ]
    first, *others = sorted(errors, key=lambda error: error.line or 0)
    first.others = tuple(others)
    return first


def _case(table: CaseTable, suite: SuiteTable, line: int) -> Case:
    now = table.now or suite.now
    if table.turns is not None:
        turns = tuple(Turn(say=one.say, expect=_expectation(one.expect)) for one in table.turns)
    else:
        turns = (Turn(say=table.say or "", expect=_expectation(table.expect or ExpectTable())),)
    return Case(
        id=table.id,
        line=line,
        turns=turns,
        title=table.title,
        tags=tuple(table.tags),
        language=table.language or suite.language,
        user=table.user or suite.user or "tester",
        now=datetime.fromisoformat(now) if now else None,
        setup=_setup(table.setup),
    )


def _expectation(table: ExpectTable) -> Expectation:
    intents = table.intents
    if table.intent is not None:
        intents = [table.intent]
    return Expectation(
        intents=None if intents is None else tuple(one for one in intents if one != NO_INTENT),
        route=table.route,
        tools=None if table.tools is None else tuple(table.tools),
        any_order=table.any_order,
        arguments={
            tool: tuple(dict(call) for call in calls) for tool, calls in table.arguments.items()
        },
        asks=None if table.asks is None else tuple(table.asks),
        forbidden=tuple(table.forbidden),
        reply=ReplyCheck(**{name: tuple(texts) for name, texts in table.reply}),
        outcome=table.outcome,
        confirm=table.confirm,
        approve=table.approve,
    )


def _setup(table: SetupTable) -> Setup:
    return Setup(
        fail=dict(table.fail),
        returns=dict(table.returns),
        history=tuple(
            UserMessage(text=one.user)
            if one.user is not None
            else AssistantMessage(text=one.assistant or "")
            for one in table.context
        ),
    )
