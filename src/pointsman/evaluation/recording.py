"""Makes a case of a journaled run, and puts it into a suite file beside the others."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from pointsman.agentfile.text import Unreadable, decode, parse
from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.runs import RunStatus, fold
from pointsman.engine.service import Recorded, Service
from pointsman.errors import AgentFileError, CallerError
from pointsman.evaluation import suites
from pointsman.evaluation.cases import NO_INTENT, Suite
from pointsman.evaluation.observed import Seen, observe
from pointsman.ports import RunRecord

JSON_LINES = ".jsonl"
MOST_RUNS = 1000
"""Before a run in its conversation."""


async def recorded_case(service: Service, record: RunRecord, *, name: str = "") -> dict[str, Any]:
    """A case of a run with those before it in its conversation.

    Raises:
        CallerError: it still goes on, or one of them is not one message of a user.
    """
    if record.status in (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.SPLIT):
        raise CallerError(f"run {record.id} is still going on")
    before = await service.runs(
        user=record.user, conversation=record.conversation, before=record.id, limit=MOST_RUNS
    )
    ids = [one.id for one in reversed(before)] + [record.id]
    runs = [(one, await service.trace(one, None)) for one in ids]
    return case_of(runs, name=name or f"run-{record.id[:18]}")


def case_of(runs: Sequence[tuple[str, Sequence[Recorded]]], *, name: str) -> dict[str, Any]:
    """A case of a conversation's runs, each with its journal, oldest first: it expects of the last
    what happened, and of those before that they are decided as they were.

    Raises:
        CallerError: a run is not one message of a user.
    """
    turns: list[dict[str, Any]] = []
    for number, (run, trace) in enumerate(runs, start=1):
        seen, state = observe(run, trace, after=-1, say="", ms=0)
        said = [one.text for one in state.messages if isinstance(one, UserMessage)]
        if len(said) != 1:
            raise CallerError(f"run {run} is not one message of a user: it makes no case")
        expect = _decided(trace)
        if number == len(runs):
            expect = {**_expected(seen), **expect}
        turns.append({"say": said[0], **({"expect": expect} if expect else {})})
    first = fold(runs[0][0], [one.event for one in runs[0][1]])
    case: dict[str, Any] = {
        "id": name,
        "language": first.language,
        "user": first.user,
        "now": first.created.isoformat(timespec="seconds"),
    }
    if context := [
        {"user" if isinstance(one, UserMessage) else "assistant": one.text}
        for one in first.history
        if isinstance(one, UserMessage | AssistantMessage) and one.text.strip()
    ]:
        case["setup"] = {"context": context}
    return case | (turns[0] if len(turns) == 1 else {"turns": turns})


def _decided(trace: Sequence[Recorded]) -> dict[str, bool]:
    """What people said to the calls of a run."""
    events = [one.event for one in trace]
    by = {one.approval: one.by for one in events if isinstance(one, ev.ApprovalAsked)}
    by |= {one.replacement: one.by for one in events if isinstance(one, ev.ApprovalEdited)}
    return {
        "confirm" if by.get(one.approval) == "user" else "approve": one.decision == "approved"
        for one in events
        if isinstance(one, ev.ApprovalDecided) and one.decision in ("approved", "denied")
    }


def _expected(seen: Seen) -> dict[str, Any]:
    expect: dict[str, Any] = {}
    if seen.route == "ask":
        expect |= {"route": "ask", "asks": list(seen.candidates)}
    elif seen.intents is not None:
        expect["intents"] = list(seen.intents) or [NO_INTENT]
    if seen.missing:
        expect["asks"] = list(seen.missing)
    expect["tools"] = [call.tool for call in seen.calls]
    arguments: dict[str, list[dict[str, Any]]] = {}
    for call in seen.calls:
        checks = {name: _checked(value) for name, value in call.arguments.items()}
        arguments.setdefault(call.tool, []).append(checks)
    if arguments:
        expect["arguments"] = {
            tool: calls[0] if len(calls) == 1 else calls for tool, calls in arguments.items()
        }
    expect["outcome"] = seen.outcome
    return expect


def _checked(value: Any) -> Any:
    """An object would be read as a check."""
    return {"equals": value} if isinstance(value, dict) else value


def add(file: Path, case: Mapping[str, Any]) -> Suite:
    """Put a case at the end of a suite file, which is made when it is not there.

    Nothing of what stands in the file is touched, and the file as it would be is read before it
    takes the place of the old one.

    Raises:
        AgentFileError: the file is no suite, or has a case of this id.
        CallerError: the case cannot be put at its end, or the file cannot be written.
    """
    if file.suffix not in suites.SUFFIXES:
        raise CallerError(f"{file}: a suite is a .yaml or .jsonl file")
    before = suites.load(file) if file.exists() else None
    if before and any(one.id == case["id"] for one in before.cases):
        raise CallerError(f"{file} has a case {case['id']!r} already: name another with --id")
    text = file.read_text("utf-8-sig") if before else ""
    line = json.dumps(case, ensure_ascii=False) + "\n"
    if file.suffix == JSON_LINES:
        text += ("" if not text or text.endswith("\n") else "\n") + line
    else:
        text = _with_yaml(text, case, file)
    return _written(file, text, before)


def _with_yaml(text: str, case: Mapping[str, Any], file: Path) -> str:
    if not text:
        return f"suite: {_word(file.stem)}\ncases:\n" + _item(case, "  ")
    try:
        raw, lines, _ = parse(decode(text.encode()))
    except Unreadable as fault:
        raise AgentFileError(fault.problem, file=str(file), line=fault.line) from None
    place = lines.of(("cases", len(raw["cases"]) - 1)) or 1
    written = text.splitlines()[place - 1]
    last = max(lines.of((key,)) or 1 for key in raw)
    if last != lines.of(("cases",)) or not written.lstrip().startswith("-"):
        item = _item(case, "  ")
        raise CallerError(
            f"{file}: cases is not the last key, a list with a line for each: paste this\n{item}"
        )
    indent = written[: len(written) - len(written.lstrip())]
    return text.rstrip("\n") + "\n" + _item(case, indent)


def _word(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def as_text(case: Mapping[str, Any]) -> str:
    """The case as it stands in a suite file."""
    return _item(case, "")


def _item(case: Mapping[str, Any], indent: str) -> str:
    """The case as an item of a list."""
    dumped = yaml.safe_dump([dict(case)], allow_unicode=True, sort_keys=False, width=100)
    return "".join(f"{indent}{line}\n" for line in dumped.splitlines())


def _written(file: Path, text: str, before: Suite | None) -> Suite:
    """Check the new text as a file of its own, then let it take the place of the old one."""
    handle, name = -1, ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=file.suffix, dir=file.parent)
        fresh = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        after = suites.load(fresh)
        if before and after.cases[:-1] != before.cases:
            raise CallerError(f"{file}: the case cannot be put at its end without a change")
        if file.exists():
            fresh.chmod(file.stat().st_mode & 0o777)
        fresh.replace(file)
    except OSError as fault:
        raise CallerError(f"cannot write {file}: {fault.strerror}") from None
    finally:
        if name:
            Path(name).unlink(missing_ok=True)
    return after
