"""Looking into the record: finding runs, and giving them out as lines. Masked, unless revealed.

Above: the command line and the API. Below: ``ports.Store`` and the pure readers of events in
``domain`` (``story``, ``explanation``, ``article_log``, ``masking``). Nothing here writes.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.calls import shown
from pointsman.domain.masking import mask_text, masked_events
from pointsman.domain.messages import Message, UserMessage
from pointsman.domain.record.explanation import Explained, explain
from pointsman.domain.runs import Run, RunStatus, fold
from pointsman.engine import context
from pointsman.errors import JournalCorrupt, NotFound
from pointsman.ports import Row, RunRecord, Store

PAGE = 200
_CLOCKS_APART = timedelta(days=1)
"""Ids sort by the clocks of the machines that made them; instants may be out of step with them."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which runs are looked for; what is empty matches all.

    Attributes:
        intent: one that the run went by, or that the user was asked about.
        tool: one that was called, or proposed.
        outcome: a status of the run (``failed``), the kind of its reply (``question``), the status
            of one of its calls (``refused``), or why one was rejected (``unsourced``).
        text: words in what the user, the model or a tool said, or in arguments; any case.
        since, until: when the run began, ``until`` left out.
        before: a run id to page on: only older ones.
    """

    user: str | None = None
    agent: str | None = None
    conversation: str | None = None
    intent: str = ""
    tool: str = ""
    outcome: str = ""
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: str | None = None


class Found(Struct, frozen=True, kw_only=True):
    """A run that was found, as it may be shown."""

    run: Run
    rows: tuple[Row, ...]
    events: tuple[ev.Event, ...]


async def open_run(store: Store, run: str, *, reveal: bool = False) -> Found:
    """One run as it may be shown.

    Raises:
        JournalCorrupt: its events cannot be read, or cannot follow one another.
    """
    rows = await store.rows(run)
    events = [ev.decode(row.body) for row in rows]
    if not reveal:
        events = masked_events(events)
    return Found(run=fold(run, events), rows=rows, events=tuple(events))


async def search(store: Store, wanted: Wanted, *, reveal: bool = False) -> AsyncIterator[Found]:
    """The runs that match, newest first. One whose journal cannot be read is left out:
    ``verification`` tells of it."""
    async for record in _records(store, wanted):
        with suppress(JournalCorrupt):
            found = await open_run(store, record.id, reveal=reveal)
            if _matches(found, wanted):
                yield found


async def _records(store: Store, wanted: Wanted) -> AsyncIterator[RunRecord]:
    """The runs whose rows match, newest first."""
    before = wanted.before
    statuses = [status for status in RunStatus if status.value == wanted.outcome]
    while page := await store.records(
        user=wanted.user,
        agent=wanted.agent,
        conversation=wanted.conversation,
        status=statuses if wanted.outcome not in _AMBIGUOUS else (),
        limit=PAGE,
        before=before,
    ):
        for record in page:
            if wanted.since is not None and record.created < wanted.since:
                if record.created < wanted.since - _CLOCKS_APART:
                    return
            elif wanted.until is None or record.created < wanted.until:
                yield record
        before = page[-1].id


_AMBIGUOUS = ("failed", "cancelled")
"""Words that are statuses of runs and of calls."""


def _matches(found: Found, wanted: Wanted) -> bool:
    run = found.run
    calls = (*run.past, *run.calls)
    if wanted.intent:
        named = (*run.route.intents, *run.route.candidates) if run.route else ()
        if wanted.intent not in named:
            return False
    if wanted.tool and all(wanted.tool not in (call.tool, call.raw.name) for call in calls):
        return False
    if wanted.outcome:
        outcomes = {run.status.value, run.kind, *(call.rejection for call in calls)}
        outcomes |= {call.result.status.value for call in calls if call.result is not None}
        if wanted.outcome not in outcomes:
            return False
    needle = wanted.text.casefold()
    return not needle or any(needle in text.casefold() for text in _said(found.events))


def _said(events: Sequence[ev.Event]) -> Iterator[str]:
    """What people, the model and tools said, and arguments."""
    for event in events:
        match event:
            case ev.MessageReceived():
                yield from (one.text for one in event.messages if isinstance(one, UserMessage))
            case ev.ModelAnswered() | ev.CallsProposed():
                yield event.message.text
                yield from (call.arguments for call in event.message.calls)
            case ev.CallValidated():
                yield shown(event.arguments)
            case ev.ApprovalAsked():
                yield event.question
            case ev.ApprovalDecided() | ev.RunCancelled():
                yield event.reason
            case ev.CallRejected() | ev.CallRefused():
                yield event.content
            case ev.AttemptFinished():
                yield event.result.content
            case ev.ReplyGiven() | ev.RunFailed():
                yield event.text
            case _:
                pass


def event_lines(found: Found) -> Iterator[dict[str, Any]]:
    """Every event of a run as a JSON value, with its place and the hash that binds it (hex)."""
    for row, event in zip(found.rows, found.events, strict=True):
        shape: dict[str, Any] = msgspec.to_builtins(event)
        yield {"run": found.run.id, "position": row.position, "hash": row.hash.hex(), **shape}


async def explained(
    store: Store, run: str, language: Language, *, reveal: bool = False
) -> Explained:
    """Why each call of a run ran or did not.

    Raises:
        NotFound: there is no such run.
        JournalCorrupt: its events cannot be read, or cannot follow one another.
    """
    stored = await store.load(run)
    if stored is None:
        raise NotFound("run", run)
    events = [ev.decode(row.body) for row in stored.rows]
    state = fold(run, events)
    said = (*context.mend(stored.past + state.history), *state.messages)
    shown_events = events if reveal else masked_events(events)
    return explain(run, shown_events, language, quotes=_quotes(events, said, reveal=reveal))


def _quotes(
    events: Sequence[ev.Event], said: Sequence[Message], *, reveal: bool
) -> dict[tuple[str, str], str]:
    """The user's words from which each argument was taken."""
    quotes = {}
    for event in events:
        if not isinstance(event, ev.CallValidated):
            continue
        for name, source in event.sources.items():
            hidden = name.partition(".")[0] in event.private and not reveal
            text = _said_at(source.message, said, events)
            if source.kind != "user" or hidden or text is None:
                continue
            words = text[source.start : source.end]
            quotes[event.call, name] = words if reveal else mask_text(words)
    return quotes


def _said_at(place: int, said: Sequence[Message], events: Sequence[ev.Event]) -> str | None:
    """The user's message at a place of the conversation; below -1 it is one of the request that a
    task belongs to."""
    first = events[0]
    task = first.task if isinstance(first, ev.MessageReceived) else None
    if place < -1 and task is not None and -2 - place < len(task.said):
        return task.said[-2 - place].text
    message = said[place] if 0 <= place < len(said) else None
    return message.text if isinstance(message, UserMessage) else None
