"""Chooses the way of a run before any model is asked: the answer to an open question first, then
the classifier, then thresholds. What is not on the way is neither shown to the model nor accepted
from it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from pointsman.domain import asking, routing
from pointsman.domain import events as ev
from pointsman.domain.asking import Reply
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.pending import Pending
from pointsman.domain.routing import Route
from pointsman.domain.schemas.schema_reading import Schema, properties, resolve
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.domain.values.filling import Filled, fill
from pointsman.engine.driving import Driving


async def choose(driving: Driving) -> None:
    """Journal which way the run goes.

    An answer to an open question goes on where it stopped: a pick takes the intent that it names,
    values complete the pending call, which the engine then proposes itself. "Never mind" drops it,
    and anything else is a new request.
    """
    pending = driving.journal.pending
    if pending is not None and _goes_on(driving, pending):
        return None
    live, run = driving.live, driving.journal.run
    if live.classifier is None:
        return _record(driving, Route(kind="tools", why=routing.OPEN))
    said = await live.classifier.classify(
        run.input,
        context=[one.text for one in driving.journal.past if isinstance(one, UserMessage)],
    )
    driving.journal.record(
        ev.IntentClassified(
            at=driving.journal.clock.now(), scores=said.scores, by=said.by, abstains=said.abstains
        )
    )
    _record(driving, routing.route(said, live.intents))


def _goes_on(driving: Driving, pending: Pending) -> bool:
    """Whether the message belongs to the open question; then its route is journaled."""
    run, live = driving.journal.run, driving.live
    spec = live.registry.spec(pending.tool)
    wanted = _wanted(pending, spec)
    root = spec.parameters if spec is not None else None
    reply = asking.reply_kind(run.input, wanted, now=driving.now, root=root)
    if reply is Reply.NEVER_MIND:
        _record(driving, Route(kind="answer", intents=pending.intents, why=routing.NEVER_MIND))
        return True
    if pending.kind == "choose":
        names = routing.picked(run.input, pending.candidates, live.intents)
        if names:
            _record(driving, routing.to_intents(names, live.intents, routing.PICK))
        return bool(names)
    if reply is not Reply.ANSWER or spec is None:
        return False
    way = Route(
        kind="tools", intents=pending.intents, tools=pending.tools, why="answers a question"
    )
    _record(driving, way)
    values = _values(run.input, wanted, spec, driving.now)
    if len(values) == len(pending.missing):
        _propose(driving, spec, {**pending.arguments, **values})
    return True


def _wanted(pending: Pending, spec: ToolSpec | None) -> dict[str, Schema]:
    """The parameters that the question asked for."""
    if spec is None:
        return {}
    known = properties(spec.parameters, spec.parameters)
    return {name: resolve(known.get(name), spec.parameters) for name in pending.missing}


def _values(
    text: str, wanted: Mapping[str, Schema], spec: ToolSpec, now: datetime
) -> dict[str, Any]:
    """What the answer gives to the parameters, as far as that is clear."""
    given = {
        name: fill(schema, text, now=now, name=name, root=spec.parameters)
        for name, schema in wanted.items()
    }
    return {name: one.value for name, one in given.items() if isinstance(one, Filled)}


def _propose(driving: Driving, spec: ToolSpec, arguments: Mapping[str, Any]) -> None:
    journal = driving.journal
    call = RawCall(
        id=f"call_{journal.clock.new_id()}",
        name=spec.name,
        arguments=msgspec.json.encode(arguments).decode(),
    )
    journal.record(
        ev.CallsProposed(
            at=journal.clock.now(),
            message=AssistantMessage(calls=(call,)),
            by="the user's answer completes the pending call",
        )
    )


def _record(driving: Driving, way: Route) -> None:
    run, live = driving.journal.run, driving.live
    question = ""
    if way.kind == "ask":
        question = routing.question(way.candidates, live.intents, run.language)
    driving.journal.record(
        ev.RouteChosen(
            at=driving.journal.clock.now(),
            kind=way.kind,
            intents=way.intents,
            tools=way.tools,
            candidates=way.candidates,
            why=way.why,
            question=question,
        )
    )
