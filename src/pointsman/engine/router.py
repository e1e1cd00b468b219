"""Chooses the way of a run before any model is asked: an open question's answer first, then the
classifier, then thresholds. Nothing is shown to the model, or accepted from it, off the way."""

from collections.abc import Sequence

import msgspec

from pointsman.domain import asking, routing
from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, Message, UserMessage
from pointsman.domain.pending import Pending
from pointsman.domain.routing import Route
from pointsman.domain.tools import RawCall
from pointsman.engine.agents import LiveAgent
from pointsman.engine.journal import Journal


async def choose(journal: Journal, live: LiveAgent, now: datetime) -> None:
    """Journal which way the run goes.

    An answer to an open question goes on where it stopped: a pick takes the intent that it names, a
    value fills the pending call, which the engine then proposes itself. "Never mind" drops it. Anything
    else is a new request.
    """
    pending = journal.pending
    if pending is not None and _answer(journal, live, pending, now):
        return
    if live.classifier is None:
        return _record(journal, Route(kind="tools", why="open mode"))
    texts = [message.text for message in journal.past if isinstance(message, UserMessage)]
    said = await live.classifier.classify(journal.run.input, context=texts)
    journal.record(
        ev.IntentClassified(
            at=journal.clock.now(), scores=said.scores, by=said.by, abstains=said.abstains
        )
    )
    _record(journal, routing.route(said, live.intents), live)
