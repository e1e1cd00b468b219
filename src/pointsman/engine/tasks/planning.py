"""``Global_Decomposition``: a request of several tasks becomes a plan that can be carried out, or
the reason why not (O4). Carrying it out is ``tasks``' business.

The call passes the same checks as any other. What is special: its arguments are read as plans are
written (``domain.tasks.plans``), and no tool is run for it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.runs import Run
from pointsman.domain.tasks import plans, run_tasks
from pointsman.domain.tasks.plans import NAME as NAME
from pointsman.domain.tools import (
    ClearedCall,
    ResultStatus,
    Risk,
    ToolResult,
    ToolSpec,
    ValidCall,
)
from pointsman.engine import guards
from pointsman.engine.driving import Driving
from pointsman.engine.journal import Journal
from pointsman.errors import PlanInvalid
from pointsman.ports import CallContext

_DESCRIPTION = (
    "Split a request that holds several tasks into its tasks; they are carried out for you, those "
    "that need nothing of one another at the same time, and you get their results. Call it first, "
    "and once, when the user asks for several things. Each task is one thing to do and complete in "
    "itself, in the user's own words where possible; together they are all that the user wants. Do "
    "not split a request of one task. Reminders and anything at a set time come before this: do "
    "not split them, set the reminder for the whole. A task gets the results of the tasks in its "
    "base, and nothing else that is not in its desc."
)
_BASE = "Indexes of the tasks whose results it needs, separated by commas; empty for none."
_AGAIN = (
    "Nothing was started. Call it once more with a plan that can be carried out: each task with "
    "index, desc and base."
)
_ONE = "NOT SPLIT: this is one task. Do it yourself now, with your tools: {desc}"
_BUSY = "ERROR: not run: one plan at a time; put all tasks into one call."


def about() -> dict[str, Any]:
    """What the tool says of itself, as ``schemas.tool_spec`` takes it."""
    task = {
        "type": "object",
        "properties": {
            "index": {"type": "integer", "description": "Its number, from 1."},
            "desc": {"type": "string", "description": "What is to be done."},
            "base": {"type": "string", "description": _BASE},
            "optional": {
                "type": "boolean",
                "description": "true: the others go on even if it fails.",
            },
        },
        "required": ["index", "desc", "base"],
    }
    return {
        "description": _DESCRIPTION,
        "parameters": {
            "type": "object",
            "properties": {"tasks": {"type": "array", "items": task}},
            "required": ["tasks"],
        },
        "title": "Split into tasks",
        "titles": {"zh": "任务分解", "en": "Split into tasks"},
        "risk": Risk.READ,
        "context": {"agentID": "agent", "userLoginName": "user", "userInput": "input"},
    }


class Decomposition:
    """``ports.Tool`` whose calls are plans."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = replace(spec, splits=True)

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Never called by the engine, which carries plans out itself."""
        return ToolResult(status=ResultStatus.FAILED, content="ERROR: a plan is no call of a tool")


def validated(
    call: CallState, spec: ToolSpec, driving: Driving, context_values: Mapping[str, Any]
) -> ev.CallValidated | ev.CallRejected:
    """The call with its tasks in the article's words, or why they cannot be carried out."""
    journal, limits = driving.journal, driving.live.spec.limits
    run, now = journal.run, journal.clock.now()
    others = [one for one in run.calls if one.tool == spec.name and one.key != call.key]
    if any(not one.rejection for one in others):
        return _rejected(call, spec, now, _BUSY, kind="limit")
    try:
        nodes = plans.read_call(call.raw.arguments, most=limits.tasks)
        left = limits.turns - run_tasks.spent(run).turns - 1
        if len(nodes) > left:
            many = f"{len(nodes)} tasks are more than can be asked about ({left} turns are left)"
            raise PlanInvalid([f"{many}: merge those that belong together"])
    except PlanInvalid as fault:
        return _rejected(call, spec, now, f"ERROR: {fault}\n{_AGAIN}", kind="plan")
    filled = {name: context_values[field] for name, field in spec.context.items()}
    arguments = {"tasks": plans.as_arguments(nodes), **filled}
    valid = ValidCall(key=call.key, spec=spec, arguments=arguments)
    return guards.repeated(call, valid, run, limits=limits, at=now) or ev.CallValidated(
        at=now,
        call=call.key,
        tool=spec.name,
        source=spec.source,
        original=spec.original,
        digest=spec.digest,
        risk=spec.risk,
        repeatable=spec.repeatable,
        arguments=arguments,
    )


def _rejected(
    call: CallState, spec: ToolSpec, at: datetime, content: str, *, kind: ev.RejectionKind
) -> ev.CallRejected:
    return ev.CallRejected(at=at, call=call.key, tool=spec.name, kind=kind, content=content)


def begin(cleared: ClearedCall, journal: Journal) -> None:
    """Journal that the plan is accepted; a plan of one task is handed back instead."""
    call, now = journal.run.call(cleared.call.key), journal.clock.now()
    number = call.attempts + 1
    journal.record(ev.AttemptStarted(at=now, call=call.key, attempt=number))
    nodes = plans.read(cleared.call.arguments["tasks"], most=len(cleared.call.arguments["tasks"]))
    if len(nodes) > 1:
        version = journal.run.graphs[-1].version + 1 if journal.run.graphs else 1
        return journal.record(ev.PlanAccepted(at=now, call=call.key, version=version, nodes=nodes))
    desc = nodes[0].desc if nodes else _request(journal.run)
    result = ToolResult(status=ResultStatus.OK, content=_ONE.format(desc=desc))
    journal.record(ev.AttemptFinished(at=now, call=call.key, attempt=number, result=result, ms=0.0))


def _request(run: Run) -> str:
    return run.task.request if run.task else run.input
