"""Whether the journal is what was written: every run's chain, and every row beside it.

``runs``, ``conversations`` and ``blobs`` repeat or keep what the events say, so each of their
values can be checked against them. Not checked are ``runs.cancel_requested`` and ``runs.epoch``:
they are requests to workers and no record.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.pending import left_by
from pointsman.domain.record.heads import Covering, Head, Mark, Missing, Seen, missing
from pointsman.domain.record.retention import Tombstone, is_signed_by
from pointsman.domain.results import blob_id
from pointsman.domain.runs import Run, begin, evolve
from pointsman.errors import JournalCorrupt
from pointsman.ports import Holding, Record, Row, RunRecord

PAGE = 200


class Fault(Struct, frozen=True, kw_only=True):
    """Something that is not as it was written.

    Attributes:
        run: the run, or the conversation for ``lone_conversation``.
        position: of the first event that does not hold, or None.
        kind: which check failed.
        detail: what was found, in English, for whoever looks into the database.
    """

    run: str
    kind: str
    detail: str
    position: int | None = None


class Verified(Struct, frozen=True, kw_only=True):
    """What a verification found.

    Attributes:
        pruned: runs that were removed because they were old; ``runs`` and ``events`` are those that
            are there.
        lost: what a given head covers and the journal does not hold any more as it was.
        head: a fresh head, unsigned, of the journal as it stands.
    """

    runs: int
    events: int
    pruned: int
    faults: tuple[Fault, ...]
    lost: tuple[Missing, ...]
    covering: Covering

    @property
    def holds(self) -> bool:
        return not self.faults and not self.lost


async def verify(
    store: Record, now: datetime, head: Head | None = None, *, key: bytes = b""
) -> Verified:
    """Check everything that is stored, and that it still holds all that the head covers.

    Args:
        now: when a fresh head of what is found is taken.
        key: signs the tombstones of runs that were removed; empty when it is not known.
    """
    faults: list[Fault] = []
    fresh = Covering(now)
    known = None if head is None else Covering(head.at, head.listed)
    at = {} if head is None else {mark.run: mark for mark in head.listed}
    owned: dict[str, bool] = {}
    runs = events = pruned = 0
    async for holding in holdings(store):
        if (tombstone := holding.tombstone) is not None:
            pruned += 1
            faults += _buried(holding, tombstone, key)
            fresh.add(tombstone.seen(None))
            if known is not None:
                known.add(tombstone.seen(at.get(holding.run)))
            continue
        runs += 1
        events += len(holding.rows)
        found, run, end = check(holding)
        faults += found
        if holding.record is not None and holding.conversation is not None:
            born = holding.conversation[1:] == (holding.record.agent, holding.record.created)
            conversation = holding.record.conversation
            owned[conversation] = owned.get(conversation, False) or born
        if run is not None:
            fresh.add(_seen(holding.rows, run, None, end))
            if known is not None:
                mark = at.get(holding.run)
                known.add(_seen(holding.rows, run, mark.position if mark else None, end))
    faults += [
        Fault(run=name, kind="conversation", detail="no run began with its agent and instant")
        for name, born in owned.items()
        if not born
    ]
    faults += [
        Fault(run=name, kind="lone_conversation", detail="no run belongs to it")
        for name in await store.lone_conversations()
    ]
    lost = missing(head, known) if head is not None and known is not None else []
    return Verified(
        runs=runs,
        events=events,
        pruned=pruned,
        faults=tuple(faults),
        lost=tuple(lost),
        covering=fresh,
    )


async def holdings(store: Record) -> AsyncIterator[Holding]:
    """Everything that is stored, run by run, in the order of their ids."""
    after: str | None = None
    while page := await store.holdings(after=after, limit=PAGE):
        for holding in page:
            yield holding
        if len(page) < PAGE or page[-1].run == after:
            return
        after = page[-1].run


def _buried(holding: Holding, tombstone: Tombstone, key: bytes) -> list[Fault]:
    """What is wrong with a run that was removed."""
    details = []
    if holding.record is not None or holding.rows or holding.blobs:
        details.append("the run was removed, and something of it is there")
    if key and not tombstone.signature:
        details.append("the tombstone is not signed")
    elif key and not is_signed_by(tombstone, key):
        details.append("the tombstone was changed, or signed with another key")
    return [Fault(run=holding.run, kind="tombstone", detail=detail) for detail in details]


def _seen(rows: Sequence[Row], run: Run, upto: int | None, end: int | None) -> Seen:
    """The run as a head marks it, at its last row or where a head stood."""

    def mark(position: int) -> Mark:
        return Mark(run.id, position, rows[position].hash.hex())

    return Seen(
        mark=mark(len(rows) - 1 if upto is None else min(upto, len(rows) - 1)),
        began=run.created,
        end=None if end is None else mark(end),
    )


def check(holding: Holding) -> tuple[list[Fault], Run | None, int | None]:
    """What is wrong with one run; its state if its events can be trusted, and where it ended."""

    def fault(kind: str, detail: str, position: int | None = None) -> Fault:
        return Fault(run=holding.run, kind=kind, detail=detail, position=position)

    if holding.unreadable:
        return [fault("unreadable", holding.unreadable)], None, None
    record = holding.record
    if record is None:
        what = f"{len(holding.rows)} events and {len(holding.blobs)} results, but no run"
        return [fault("stray", what)], None, None
    if not holding.rows:
        return [fault("cut", f"no events, the run says {record.position + 1}", 0)], None, None
    head, run, end = ev.GENESIS, None, None
    for expected, row in enumerate(holding.rows):
        head = ev.link(head, holding.run, row.position, row.body)
        if row.position != expected:
            detail = f"the next row is {row.position}"
            return [fault("gap", detail, min(expected, row.position))], None, None
        if row.hash != head:
            return [fault("chain", "the hash does not follow from the rows", expected)], None, None
        try:
            event = ev.decode(row.body)
            run = evolve(run, event) if run is not None else _begun(holding.run, event)
        except JournalCorrupt as corrupt:
            return [fault("event", str(corrupt), expected)], None, None
        if end is None and run.status.ended:
            end = expected
    assert run is not None
    if run.position < record.position:
        detail = f"the run says that its last event is {record.position}"
        return [fault("cut", detail, run.position + 1)], None, None
    faults = [fault("projection", one) for one in _differences(record, run)]
    faults += [fault("projection", one) for one in _left(holding, run)]
    faults += [fault("result", one) for one in _blobs(holding)]
    return faults, run, end


def _begun(run: str, event: ev.Event) -> Run:
    if not isinstance(event, ev.MessageReceived):
        raise JournalCorrupt(f"run {run} does not start with a received message")
    return begin(run, event)


def _differences(record: RunRecord, run: Run) -> list[str]:
    """The values of the run's row that its events do not give."""
    pairs = {
        "conversation": (record.conversation, run.conversation),
        "user": (record.user, run.user),
        "agent": (record.agent, run.agent),
        "status": (record.status, run.status),
        "input": (record.input, run.input),
        "created": (record.created, run.created),
        "updated": (record.updated, run.last),
        "position": (record.position, run.position),
        "reply": (record.reply, run.reply),
        "usage": (record.usage, run.usage),
    }
    return [
        f"{name} is {found!r}, the events say {said!r}"
        for name, (found, said) in pairs.items()
        if found != said
    ]


def _left(holding: Holding, run: Run) -> list[str]:
    """What the run left to its conversation, and the conversation's own row."""
    faults = []
    ended = run.status.ended
    if holding.transcript != (run.messages if ended else None):
        faults.append("transcript is not what the events say")
    if holding.pending != (left_by(run) if ended else None):
        faults.append("pending is not what the events say")
    if holding.conversation is None:
        faults.append(f"conversation {run.conversation} has no row")
    elif holding.conversation[0] != run.user:
        faults.append(f"the conversation is of {holding.conversation[0]!r}")
    return faults


def _blobs(holding: Holding) -> list[str]:
    """Whole results that are gone, changed or were never made."""
    named = {
        event.result.blob
        for event in (ev.decode(row.body) for row in holding.rows)
        if isinstance(event, ev.AttemptFinished) and event.result.blob
    }
    kept = dict(holding.blobs)
    return [
        *(f"the whole result {name} is gone" for name in sorted(named - kept.keys())),
        *(f"no event names the result {name}" for name in sorted(kept.keys() - named)),
        *(
            f"the whole result {name} was changed"
            for name in sorted(named & kept.keys())
            if blob_id(kept[name]) != name
        ),
    ]
