"""Removing what is old: whole conversations whose runs have all ended. Each run is verified before
it goes and leaves a tombstone. Also reminders that are over and their occurrences, and what workers
shared and nobody needs any more.

A conversation goes as a whole or not at all: a later run's arguments may have their sources in an
earlier one, and the audit must be able to show them.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.limiting import RateState
from pointsman.domain.record.retention import Keep, Tombstone, signed
from pointsman.engine import once, sharing
from pointsman.engine.record.verification import Fault, check
from pointsman.engine.reminders import confirmed
from pointsman.errors import Conflict, NotFound
from pointsman.ports import Clock, Holding, KeepsReminders, RunRecord, Store

PAGE = 100
MOST_RUNS = 100_000
"""Runs of one conversation at most."""

RATES = sharing.key("rate", "")[: -len('""]')]
"""How the keys start under which the rates of users are shared."""

LONGEST_RATE = timedelta(days=2)
"""A rate counts the calls of one day at most."""


class Pruned(Struct, frozen=True, kw_only=True):
    """What was removed, or would be.

    Attributes:
        faults: of runs that stay with their conversations, for their journals do not hold.
        rates: states of rates that nobody needs any more.
        reminders: that are over, and occurrences.
    """

    conversations: int = 0
    runs: int = 0
    events: int = 0
    kept: int = 0
    faults: tuple[Fault, ...] = ()
    rates: int = 0
    reminders: int = 0


class Pruning:
    """One removal of what is old."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        before: datetime,
        by: str,
        keep: Keep,
        key: bytes,
        rehearsed: bool,
    ) -> None:
        """Args:
        before: what ended before is old.
        by: who removes it.
        key: signs the tombstones; empty for none.
        rehearsed: only count.
        """
        self._store, self._clock = store, clock
        self._before, self._by, self._keep = before, by, keep
        self._key, self._rehearsed = key, rehearsed

    async def run(self, tell: Callable[[Pruned], None]) -> Pruned:
        """Remove it, one conversation after the other; what was removed, also when it is stopped
        and done again.

        Args:
            tell: gets what was removed so far, now and then.

        Raises:
            StoreError: the database failed.
        """
        so_far = Pruned()
        async for page in self._idle():
            for conversation in page:
                so_far = _added(so_far, await self.conversation(conversation))
            tell(so_far)
        await self._keys()
        return msgspec.structs.replace(
            so_far, rates=await self._rates(), reminders=await self._reminders()
        )

    async def _idle(self) -> AsyncIterator[list[str]]:
        after: str | None = None
        while page := await self._store.idle(before=self._before, after=after, limit=PAGE):
            yield page
            after = page[-1]

    async def conversation(self, conversation: str) -> Pruned:
        """Remove one conversation, if nothing of it is to stay."""
        records = await self._store.records(conversation=conversation, limit=MOST_RUNS)
        if any(self._keep.has(one.id, one.user, one.agent) for one in records):
            return Pruned(kept=len(records))
        tombstones: list[Tombstone] = []
        for start in range(0, len(records), PAGE):
            ids = [one.id for one in records[start : start + PAGE]]
            for holding in await self._store.holdings(ids=ids, limit=PAGE):
                faults, run, end = check(holding)
                if faults or run is None or end is None:
                    return Pruned(kept=len(records), faults=tuple(faults))
                tombstones.append(self._tombstone(holding, run.created, end))
        if not self._rehearsed and not await self._store.bury(conversation, tombstones):
            return Pruned(kept=len(records))
        events = sum(one.events for one in tombstones)
        return Pruned(conversations=1, runs=len(tombstones), events=events)

    def _tombstone(self, holding: Holding, began: datetime, end: int) -> Tombstone:
        last = holding.rows[-1]
        tombstone = Tombstone(
            run=holding.run,
            began=began,
            position=last.position,
            hash=last.hash.hex(),
            end=end,
            end_hash=holding.rows[end].hash.hex(),
            at=self._clock.now(),
            by=self._by,
        )
        return signed(tombstone, self._key)

    async def _reminders(self) -> int:
        """Remove the reminders that have been over for so long, old occurrences, and which
        confirmations those used; how many reminders and occurrences."""
        if not isinstance(self._store, KeepsReminders):
            return 0
        for key in await self._store.shared_keys(confirmed.KEYS):
            if confirmed.due_of(key) < self._before and not self._rehearsed:
                await self._store.share(key, None, expected=await self._store.shared(key))
        return await self._store.reminders.forget(
            self._before, users=self._keep.users, rehearsed=self._rehearsed
        )

    async def _keys(self) -> None:
        """Remove which messages were handed in under keys that are free again."""
        now = self._clock.now()
        for key in await self._store.shared_keys(once.KEYS):
            body = await self._store.shared(key)
            taken = sharing.read(body, once.Taken)
            if not self._rehearsed and (taken is None or once.over(taken, now)):
                await self._store.share(key, None, expected=body)

    async def _rates(self) -> int:
        """Remove the rates in which no call counts any more; how many."""
        count, now = 0, self._clock.now()
        for key in await self._store.shared_keys(RATES):
            body = await self._store.shared(key)
            state = sharing.read(body, RateState)
            if state is not None and any(now - at < LONGEST_RATE for at in state.calls):
                continue
            if self._rehearsed or await self._store.share(key, None, expected=body):
                count += 1
        return count


async def remove(
    store: Store, clock: Clock, conversation: str, *, by: str, key: bytes = b""
) -> Pruned:
    """Remove one conversation whose runs have all ended, with those of their tasks, as old ones are
    removed.

    Args:
        by: who removes it.
        key: signs the tombstones; empty for none.

    Raises:
        NotFound: there is none.
        Conflict: a run has not ended, or the journals do not hold: they are not to be lost.
        StoreError: the database failed.
    """
    records = await store.records(conversation=conversation, limit=MOST_RUNS)
    if not records:
        raise NotFound("conversation", conversation)
    tasks = list[RunRecord]()
    for record in records:
        tasks += await _tasks_of(store, record)
    for record in (*records, *tasks):
        if not record.status.ended:
            raise Conflict(f"run {record.id} has not ended: cancel it, or wait")
    pruning = Pruning(
        store, clock, before=clock.now(), by=by, keep=Keep(), key=key, rehearsed=False
    )
    so_far = Pruned()
    for one in dict.fromkeys([*(task.conversation for task in tasks), conversation]):
        removed = await pruning.conversation(one)
        if removed.faults:
            raise Conflict(f"the journal of {one} does not hold: {removed.faults[0].detail}")
        if removed.kept:
            raise Conflict("the conversation goes on: cancel its run, or wait")
        so_far = _added(so_far, removed)
    return so_far


async def _tasks_of(store: Store, record: RunRecord) -> list[RunRecord]:
    """The runs of the tasks of a run, through all depths."""
    rows = await store.rows(record.id)
    ids = [
        event.run
        for event in (ev.decode(row.body) for row in rows)
        if isinstance(event, ev.TaskStarted)
    ]
    found = await store.records(ids=ids, limit=len(ids)) if ids else []
    return found + [deeper for one in found for deeper in await _tasks_of(store, one)]


def _added(first: Pruned, second: Pruned) -> Pruned:
    return Pruned(
        conversations=first.conversations + second.conversations,
        runs=first.runs + second.runs,
        events=first.events + second.events,
        kept=first.kept + second.kept,
        faults=first.faults + second.faults,
    )
