"""``ports.Store`` in memory: for agents whose journal need not outlive the process, and for
tests."""

import asyncio
from asyncio import Future
from bisect import insort
from collections.abc import Sequence

from msgspec.structs import replace

from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.runs import RunStatus
from pointsman.errors import PositionConflict
from pointsman.ports import Append, Conversation, Holding, Row, RunRecord, StoredRun


class MemoryStore:
    """Everything in dictionaries; each method runs without yielding, so it is one transaction."""

    def __init__(self) -> None:
        self._records: dict[str, RunRecord] = {}
        self._rows: dict[str, list[Row]] = {}
        self._left: dict[str, tuple[tuple[Message, ...], Pending | None]] = {}
        self._conversations: dict[str, Conversation] = {}
        self._runs_of: dict[str, list[str]] = {}
        self._blobs: dict[tuple[str, str], str] = {}
        self._shared: dict[str, bytes] = {}

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

    async def holdings(self, *, after: str | None = None, limit: int = 100) -> list[Holding]:
        return [
            self._holding(run) for run in sorted(self._records) if after is None or run > after
        ][:limit]

    async def lone_conversations(self) -> list[str]:
        return []

    async def shared(self, key: str) -> bytes | None:
        return self._shared.get(key)

    async def share(self, key: str, body: bytes, *, expected: bytes | None) -> bool:
        if self._shared.get(key) != expected:
            return False
        self._shared[key] = body
        return True

    def _holding(self, run: str) -> Holding:
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
