"""A valid call → the same with what only its tool knows to make of it: whom a name means, which
instant words mean; or the question that must be answered first.

What is prepared is journaled with the call, and so a part of what a person confirms.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.sources import Source
from pointsman.domain.tools import ValidCall
from pointsman.engine import guards
from pointsman.engine.agents import LiveAgent
from pointsman.engine.driving import Driving
from pointsman.errors import CallerError, ToolSourceError
from pointsman.ports import CallContext, Prepared, PreparedTool, Unready


async def prepared(
    event: ev.CallValidated | ev.CallRejected,
    driving: Driving,
    context_of: Callable[[Driving, CallState], CallContext],
) -> ev.CallValidated | ev.CallRejected:
    """The event with the prepared values in the call, or why the call waits."""
    if isinstance(event, ev.CallRejected):
        return event
    run, registry = driving.journal.run, driving.live.registry
    tool, spec = registry.tool(event.tool), registry.spec(event.tool)
    if spec is None or not hasattr(tool, "prepare") or not isinstance(tool, PreparedTool):
        return event
    made = await ready(tool, event.arguments, context_of(driving, run.call(event.call)))
    if isinstance(made, Unready):
        return _unready(event, made, event.at)
    arguments = event.arguments | filled(spec.context, made)
    valid = ValidCall(key=event.call, spec=spec, arguments=arguments)
    again = guards.repeated(
        run.call(event.call), valid, run, limits=driving.live.spec.limits, at=event.at
    )
    found = {name: Source(kind="directory") for name in arguments if name not in event.arguments}
    return again or replace(
        event,
        arguments=arguments,
        notes=(*event.notes, *made.notes),
        sources={**event.sources, **found},
    )


async def ready(
    tool: PreparedTool, arguments: Mapping[str, Any], context: CallContext
) -> Prepared | Unready:
    """What the tool makes of the arguments, or why it cannot: also where it fails."""
    try:
        return await tool.prepare(arguments, context)
    except (ToolSourceError, CallerError) as fault:
        return Unready(content=f"ERROR: {fault}")


def filled(context: dict[str, str], made: Prepared) -> dict[str, Any]:
    """The prepared values by the names of their parameters."""
    return {name: made.values[field] for name, field in context.items() if field in made.values}


def told(live: LiveAgent, valid: ValidCall, language: str) -> str:
    """What the call will do in the tool's own words; empty when it has none."""
    tool = live.registry.tool(valid.spec.name)
    if not hasattr(tool, "told") or not isinstance(tool, PreparedTool):
        return ""
    return tool.told(valid.arguments, language)


def _unready(event: ev.CallValidated, why: Unready, at: datetime) -> ev.CallRejected:
    return ev.CallRejected(
        at=at,
        call=event.call,
        tool=event.tool,
        kind="unsourced" if why.missing else "invalid",
        content=why.content,
        missing=why.missing,
        question=why.question,
        arguments={n: v for n, v in event.arguments.items() if n not in why.missing},
        private=event.private,
    )
