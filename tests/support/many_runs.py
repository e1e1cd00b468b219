"""A store with many journaled runs, copied from a few that an engine has carried through."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.runs import fold
from pointsman.ports import Append, Row, RunRecord, Store


def run_id(at: datetime, number: int) -> str:
    """An id of version 7 of this instant."""
    return f"{int(at.timestamp() * 1000):012x}7{number % 4096:03x}8{number:015x}"


def moved(event: ev.Event, by: timedelta, **first: str) -> ev.Event:
    """The event at another time; the first of a run also of another user and conversation."""
    more = first if isinstance(event, ev.MessageReceived) else {}
    changed: ev.Event = replace(event, at=event.at + by, **more)
    return changed


async def add_run(
    store: Store, run: str, events: Sequence[ev.Event], *, stored: int | None = None
) -> None:
    """Store a run with these events, or the first so many, as the engine would have."""
    kept = list(events[:stored])
    rows, before = [], ev.GENESIS
    for position, event in enumerate(kept):
        body = ev.encode(event)
        before = ev.link(before, run, position, body)
        rows.append(Row(position=position, body=body, hash=before))
    state = fold(run, kept)
    record = RunRecord(
        id=run,
        conversation=state.conversation,
        user=state.user,
        agent=state.agent,
        status=state.status,
        input=state.input,
        reply=state.reply,
        created=state.created,
        updated=kept[-1].at,
        position=state.position,
        usage=state.usage,
    )
    transcript = state.messages if state.status.ended else None
    await store.append(
        Append(expected=-1, rows=tuple(rows), run=record, transcript=transcript, synced=False)
    )


async def fill(
    store: Store, patterns: Sequence[Sequence[ev.Event]], count: int, *, users: int = 20
) -> list[str]:
    """Store so many runs, a minute apart and up to three in a conversation; their ids."""
    ids = []
    for number in range(count):
        events = patterns[number % len(patterns)]
        by = timedelta(minutes=number)
        at = events[0].at + by
        run = run_id(at, number)
        talk = number - number % 3
        first = {"user": f"user{talk % users}", "conversation": run_id(at, 10**9 + talk)}
        await add_run(store, run, [moved(event, by, **first) for event in events])
        ids.append(run)
    return ids
