"""``ports.Store`` in memory: for agents whose journal need not outlive the process, and for
tests."""

import asyncio
from asyncio import Future
from bisect import insort
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus
from pointsman.errors import PositionConflict
from pointsman.ports import Append, Conversation, Enqueue, Holding, Row, RunRecord, StoredRun


class _NoCursor:
    """What an enqueue gets where there is no database."""

    rowcount = 0

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        raise NotImplementedError("a store in memory runs no SQL")

    executemany = execute

    def fetchone(self) -> Any:
        raise NotImplementedError("a store in memory runs no SQL")

    fetchall = fetchone


class MemoryStore:
    """Everything in dictionaries; each method runs without yielding, so it is one transaction."""

    def __init__(self, enqueue: Enqueue | None = None) -> None:
        """Args:
        enqueue: puts a run that an append wakes on the queue; its cursor can do nothing.
        """
        self._enqueue = enqueue
        self._records: dict[str, RunRecord] = {}
        self._rows: dict[str, list[Row]] = {}
        self._left: dict[str, tuple[tuple[Message, ...], Pending | None]] = {}
        self._conversations: dict[str, Conversation] = {}
        self._runs_of: dict[str, list[str]] = {}
        self._blobs: dict[tuple[str, str], str] = {}
        self._shared: dict[str, bytes] = {}
        self._pruned: dict[str, Tombstone] = {}

    def append(self, change: Append) -> Future[None]:
        done: Future[None] = asyncio.get_running_loop().create_future()
        run = change.run.id
        held = self._records.get(run)
        position = -1 if held is None else held.position
        if position != change.expected or (held and held.epoch != change.run.epoch):
            done.set_exception(
                PositionConflict(f"run {run} is no longer at position {change.expected}")
            )
            return done
        if (change.wake or change.wakes) and self._enqueue is not None:
            self._enqueue(_NoCursor(), [change])
        record = change.run
        if held is None:
            fresh = Conversation(
                id=record.conversation, user=record.user, agent=record.agent, messages=()
            )
            self._conversations.setdefault(record.conversation, fresh)
            insort(self._runs_of.setdefault(record.conversation, []), run)
        else:
            record = replace(record, cancel_requested=held.cancel_requested)
        self._records[run] = record
        self._rows.setdefault(run, []).extend(change.rows)
        if change.transcript is not None:
            self._left[run] = change.transcript, change.pending
        self._blobs.update({(run, blob): body for blob, body in change.blobs})
        done.set_result(None)
        return done

    async def load(self, run: str) -> StoredRun | None:
        record = self._records.get(run)
        if record is None:
            return None
        past, pending = self._past(record.conversation, before=run)
        rows = tuple(self._rows[run])
        return StoredRun(record=record, rows=rows, past=past, pending=pending)

    async def claim(self, run: str) -> StoredRun | None:
        record = self._records.get(run)
        if record is not None and not record.status.ended:
            self._records[run] = replace(record, epoch=record.epoch + 1)
        return await self.load(run)

    async def rows(self, run: str, after: int = -1) -> tuple[Row, ...]:
        return tuple(self._rows.get(run, [])[after + 1 :])

    async def record(self, run: str) -> RunRecord | None:
        return self._records.get(run)

    async def records(
        self,
        *,
        user: str | None = None,
        conversation: str | None = None,
        agent: str | None = None,
        status: Sequence[RunStatus] = (),
        ids: Sequence[str] | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        runs = self._records if conversation is None else self._runs_of.get(conversation, ())
        found = [
            record
            for record in map(self._records.__getitem__, runs)
            if user in (None, record.user)
            and agent in (None, record.agent)
            and (not status or record.status in status)
            and (ids is None or record.id in ids)
            and (before is None or record.id < before)
        ]
        return sorted(found, key=lambda record: record.id, reverse=True)[:limit]

    async def conversation(self, conversation: str) -> Conversation | None:
        found = self._conversations.get(conversation)
        if found is None:
            return None
        messages, pending = self._past(conversation, before=None)
        return replace(found, messages=messages, pending=pending)

    async def request_cancel(self, run: str) -> bool:
        record = self._records.get(run)
        if record is None or record.status.ended:
            return False
        self._records[run] = replace(record, cancel_requested=True)
        return True

    async def blob(self, run: str, blob: str) -> str | None:
        return self._blobs.get((run, blob))

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        found = await self.records(conversation=conversation, user=user, limit=len(self._records))
        return sum((record.usage for record in found), Usage())

    async def holdings(
        self, *, after: str | None = None, ids: Sequence[str] | None = None, limit: int = 100
    ) -> list[Holding]:
        there = {*self._records, *self._pruned}
        wanted = sorted(there if ids is None else there & {*ids})
        return [self._holding(run) for run in wanted if after is None or run > after][:limit]

    async def idle(
        self, *, before: datetime, after: str | None = None, limit: int = 100
    ) -> list[str]:
        def is_idle(conversation: str) -> bool:
            runs = map(self._records.__getitem__, self._runs_of[conversation])
            return all(run.status.ended and run.updated < before for run in runs)

        found = filter(is_idle, sorted(self._conversations))
        return [one for one in found if after is None or one > after][:limit]

    async def bury(self, conversation: str, tombstones: Sequence[Tombstone]) -> bool:
        runs = self._runs_of.get(conversation, [])
        stored = {run: self._records[run].position for run in runs}
        if not runs or stored != {one.run: one.position for one in tombstones}:
            return False
        for one in tombstones:
            del self._records[one.run], self._rows[one.run]
            self._left.pop(one.run, None)
            self._pruned[one.run] = one
        self._blobs = {key: body for key, body in self._blobs.items() if key[0] not in stored}
        del self._runs_of[conversation], self._conversations[conversation]
        return True

    async def lone_conversations(self) -> list[str]:
        return []

    async def shared(self, key: str) -> bytes | None:
        return self._shared.get(key)

    async def share(self, key: str, body: bytes | None, *, expected: bytes | None) -> bool:
        if self._shared.get(key) != expected:
            return False
        if body is not None:
            self._shared[key] = body
        else:
            self._shared.pop(key, None)
        return True

    async def shared_keys(self, start: str) -> list[str]:
        return sorted(key for key in self._shared if key.startswith(start))

    def _holding(self, run: str) -> Holding:
        if run in self._pruned:
            return Holding(run=run, tombstone=self._pruned[run])
        record = self._records[run]
        conversation = self._conversations[record.conversation]
        first = self._records[self._runs_of[conversation.id][0]]
        transcript, pending = self._left.get(run, (None, None))
        return Holding(
            run=run,
            record=record,
            rows=tuple(self._rows[run]),
            transcript=transcript,
            pending=pending,
            conversation=(conversation.user, conversation.agent, first.created),
            blobs=tuple(
                (blob, body) for (owner, blob), body in self._blobs.items() if owner == run
            ),
        )

    async def aclose(self) -> None:
        """Nothing is held."""

    def _past(
        self, conversation: str, *, before: str | None
    ) -> tuple[tuple[Message, ...], Pending | None]:
        left = [
            self._left[run]
            for run in self._runs_of.get(conversation, ())
            if run in self._left and (before is None or run < before)
        ]
        messages = tuple(message for transcript, _ in left for message in transcript)
        return messages, left[-1][1] if left else None
