"""What the engine asks of a store: the journal of each run, and what is read beside it."""

from asyncio import Future
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus


class Row(Struct, frozen=True, kw_only=True):
    """One journal row as stored: the exact bytes that the hash covers.

    Attributes:
        body: the event as JSON with its type and schema version.
        hash: SHA-256 over the previous row's hash, run id, position and body.
    """

    position: int
    body: bytes
    hash: bytes


class RunRecord(Struct, frozen=True, kw_only=True):
    """The row of a run: a projection of its journal, for lists and locks. Times are aware UTC."""

    id: str
    conversation: str
    user: str
    agent: str
    status: RunStatus
    input: str
    created: datetime
    updated: datetime
    position: int
    reply: str = ""
    usage: Usage = Usage()
    cancel_requested: bool = False
    epoch: int = 0


class Due(Struct, frozen=True, kw_only=True):
    """A run that something has happened for, though it rests."""

    run: str
    conversation: str
    agent: str


class Append(Struct, frozen=True, kw_only=True):
    """One atomic change of one run: rows, the projection after them, and what goes with them.

    Attributes:
        expected: the position of the run's last stored row, -1 for a new run.
        run: the projection after the rows.
        transcript: the messages that the run adds to its conversation, given once, at its end.
        pending: the question that the run leaves its conversation with, at its end.
        blobs: id → whole result text.
        synced: must outlive a power cut, with all that was appended before; else it outlives the
            process. Costs a wait for the disk.
        wake: when this stands, the queue is to deliver the run.
        wakes: when this stands, the queue is to deliver these runs, once: they look for
            themselves at what it means for them.
        background: nobody waits for the run: it may be delivered after those of people.
    """

    expected: int
    rows: tuple[Row, ...]
    run: RunRecord
    transcript: tuple[Message, ...] | None = None
    pending: Pending | None = None
    blobs: tuple[tuple[str, str], ...] = ()
    synced: bool = True
    wake: bool = False
    wakes: tuple[Due, ...] = ()
    background: bool = False


class StoredRun(Struct, frozen=True, kw_only=True):
    """All that a worker needs to carry a run on.

    Attributes:
        past: what the conversation's earlier runs left, oldest first.
        pending: the open question that the last of them left.
    """

    record: RunRecord
    rows: tuple[Row, ...]
    past: tuple[Message, ...]
    pending: Pending | None = None


class Conversation(Struct, frozen=True, kw_only=True):
    """A conversation as stored; ``messages`` of its ended runs, oldest first, and the open question
    that the last of them left."""

    id: str
    user: str
    agent: str
    messages: tuple[Message, ...]
    pending: Pending | None = None


class Holding(Struct, frozen=True, kw_only=True):
    """All that is stored under one run id, for the audit; parts may be missing that never should.

    Attributes:
        record: None when there is no row of the run.
        transcript, pending: what the row says that the run left to its conversation.
        conversation: the user, the agent and the first instant of the conversation, as stored.
        blobs: id → whole result text.
        tombstone: what is left of a run that was removed; nothing else of it may be there.
        unreadable: what was found there and is nothing that a store has written, or empty.
    """

    run: str
    record: RunRecord | None = None
    rows: tuple[Row, ...] = ()
    transcript: tuple[Message, ...] | None = None
    pending: Pending | None = None
    conversation: tuple[str, str, datetime] | None = None
    blobs: tuple[tuple[str, str], ...] = ()
    tombstone: Tombstone | None = None
    unreadable: str = ""


class Record(Protocol):
    """All that is stored, as an audit reads it."""

    async def holdings(
        self, *, after: str | None = None, ids: Sequence[str] | None = None, limit: int = 100
    ) -> list[Holding]:
        """What is stored under each run id above ``after``, in order; also under ids of no run.

        Args:
            ids: the only ones wanted.
        """
        ...

    async def lone_conversations(self) -> list[str]:
        """Conversations that no run belongs to; a store never makes one."""
        ...


class Store(Record, Protocol):
    """Journals, runs, conversations. Every method is one transaction."""

    def append(self, change: Append) -> Future[None]:
        """Take the change over at once, in the order of the calls; awaiting tells that it is
        durable. Several appends may share a commit.

        Raises (when awaited):
            PositionConflict: ``expected`` or the epoch is not the run's.
            StoreError: the database failed.
        """
        ...

    async def load(self, run: str) -> StoredRun | None:
        """The run with its journal and what its conversation held before it."""
        ...

    async def claim(self, run: str) -> StoredRun | None:
        """What ``load`` gives, for whoever is to drive the run: its epoch is raised by one, so that
        no append of an earlier owner stands any more. A run that has ended is given as it is."""
        ...

    async def rows(self, run: str, after: int = -1) -> tuple[Row, ...]:
        """The run's rows with a position above ``after``, in order."""
        ...

    async def record(self, run: str) -> RunRecord | None: ...

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
        """Runs, newest first; ``before`` is a run id to page on, ``ids`` the only ones wanted."""
        ...

    async def conversation(self, conversation: str) -> Conversation | None: ...

    async def request_cancel(self, run: str) -> bool:
        """Mark an unfinished run to be cancelled; False when it has ended."""
        ...

    async def blob(self, run: str, blob: str) -> str | None:
        """The whole text of one of the run's results."""
        ...

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        """Tokens of the runs that match."""
        ...

    async def idle(
        self, *, before: datetime, after: str | None = None, limit: int = 100
    ) -> list[str]:
        """Conversations above ``after``, in order, whose runs have all ended and did so before."""
        ...

    async def bury(self, conversation: str, tombstones: Sequence[Tombstone]) -> bool:
        """Put tombstones in the place of a conversation and all that belongs to its runs; False,
        and nothing is changed, when these are not its runs as they stand."""
        ...

    async def shared(self, key: str) -> bytes | None:
        """What all workers keep under this key, beside the journal."""
        ...

    async def share(self, key: str, body: bytes | None, *, expected: bytes | None) -> bool:
        """Put it in the place of what is ``expected`` there, None for nothing; False, and nothing
        is changed, when something else is there. A power cut may lose the last moment."""
        ...

    async def shared_keys(self, start: str) -> list[str]:
        """The keys that start so, under which something is shared."""
        ...

    async def aclose(self) -> None:
        """Make what was taken over durable and let go of the database."""
        ...


class Cursor(Protocol):
    """What is used of a DB-API cursor (PEP 249)."""

    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, parameters: Any = ..., /) -> Any: ...

    def executemany(self, sql: str, parameters: Any, /) -> Any: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> Any: ...


Enqueue = Callable[[Cursor, Sequence[Append]], None]
"""Puts what these appends wake on the queue, inside of the transaction that makes it due: either
both stand or neither. What it raises undoes the transaction."""
