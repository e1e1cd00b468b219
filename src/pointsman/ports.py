"""What the engine asks of the world. Each port has real adapters in ``adapters`` and fakes in
tests.

The engine knows these Protocols and the domain; it knows no library that does I/O. ``bootstrap``
alone decides which adapter stands behind which port.
"""

from asyncio import Future
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from pointsman.domain.intents import Classification
from pointsman.domain.messages import Delta, Message, ModelReply, ModelRequest, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ToolResult, ToolSpec


class Clock(Protocol):
    """Time and randomness, so that tests own both."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def new_id(self) -> str:
        """A new identifier of 128 bits that sorts by time (UUID version 7, 32 hex digits)."""
        ...

    def random(self) -> float:
        """A number in [0, 1), for jitter."""
        ...


class ChatModel(Protocol):
    """A model that answers a conversation with text and proposed calls.

    Above: ``engine.turn``, which builds the request and journals the answer. Below: a provider's
    wire, or rules. A reply is whole: deltas are merged, ids made where they lack, cut calls kept
    apart, provider names of stop reasons and usage translated.
    """

    @property
    def name(self) -> str:
        """What answers, for the journal: ``ark/doubao-seed-1.6`` or ``offline``."""
        ...

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        """Ask once, with the adapter's own retries; cancelling closes the connection.

        Args:
            tell: gets the deltas of a streamed reply, in order; never blocks.

        Raises:
            ModelError: see ``errors``; ``retryable`` says whether a later question may succeed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


class Classifier(Protocol):
    """Tells what a message wants, with a confidence for each intent."""

    @property
    def name(self) -> str:
        """What decides, for the journal."""
        ...

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        """The scores of a message.

        Args:
            context: earlier texts of the user in the conversation, oldest first.
        """
        ...


class CallContext(Struct, frozen=True, kw_only=True):
    """What a tool may know about the run that calls it. Filled by the engine.

    Attributes:
        user: login of the asking user.
        input: the user's own words in this run.
        now: the instant that the run's date line shows, aware, in the agent's zone.
        key: idempotency key of this call (the same for every attempt of it), to pass on.
        progress: tell how far a long call is: a fraction in [0, 1] or None, and a message.
        cancelled: whether the call was given up. A long function in a thread asks it now and then
            and stops: nobody else can stop it.
    """

    run: str
    conversation: str
    user: str
    agent: str
    input: str
    language: str
    now: datetime
    key: str
    progress: Callable[[float | None, str], None]
    cancelled: Callable[[], bool] = bool


class Tool(Protocol):
    """One thing that can be called. Every kind passes the same checks before."""

    @property
    def spec(self) -> ToolSpec:
        """What it is; constant for the life of this object."""
        ...

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Run it once. The executor bounds the time and cancels the call.

        The tool's own failures come back as results; an exception is caught by the executor and
        counts as FAILED. A tool that cannot be stopped (a thread) is given up when cancelled.
        """
        ...


class ToolSource(Protocol):
    """A set of tools with one life: a module's functions, or a tool server.

    ``tools()`` names are already safe and carry the source as prefix where it needs one; clashes
    between sources are the registry's business.
    """

    @property
    def name(self) -> str: ...

    async def open(self) -> None:
        """Start. Returns at once; a slow server becomes ready later."""
        ...

    async def settle(self, patience: float | None = None) -> None:
        """Wait until the list is current: started, or known to have failed, and every announced
        change read.

        Args:
            patience: seconds to wait at most; None for the source's own start-up time.
        """
        ...

    def tools(self) -> Sequence[Tool]:
        """The tools offered now; the same objects as long as nothing changed."""
        ...

    def absent(self, name: str) -> ToolResult | None:
        """What a call gets of a tool of this source that is not on offer now (starting, or gone);
        None when the name is not one of its."""
        ...

    def state(self) -> str:
        """``ready``, ``starting`` or a sentence about the failure, for people."""
        ...

    async def aclose(self) -> None: ...


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
    """

    expected: int
    rows: tuple[Row, ...]
    run: RunRecord
    transcript: tuple[Message, ...] | None = None
    pending: Pending | None = None
    blobs: tuple[tuple[str, str], ...] = ()
    synced: bool = True


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
        unreadable: what was found there and is nothing that a store has written, or empty.
    """

    run: str
    record: RunRecord | None = None
    rows: tuple[Row, ...] = ()
    transcript: tuple[Message, ...] | None = None
    pending: Pending | None = None
    conversation: tuple[str, str, datetime] | None = None
    blobs: tuple[tuple[str, str], ...] = ()
    unreadable: str = ""


class Store(Protocol):
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
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Runs, newest first; ``before`` is a run id to page on."""
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

    async def holdings(self, *, after: str | None = None, limit: int = 100) -> list[Holding]:
        """What is stored under each run id above ``after``, in order; also under ids of no run."""
        ...

    async def lone_conversations(self) -> list[str]:
        """Conversations that no run belongs to; a store never makes one."""
        ...

    async def shared(self, key: str) -> bytes | None:
        """What all workers keep under this key, beside the journal."""
        ...

    async def share(self, key: str, body: bytes, *, expected: bytes | None) -> bool:
        """Put it in the place of what is ``expected`` there, None for nothing; False, and nothing
        is changed, when something else is there. A power cut may lose the last moment."""
        ...

    async def aclose(self) -> None:
        """Make what was taken over durable and let go of the database."""
        ...


class Queue(Protocol):
    """Delivers ``drive(run)`` at least once, one run of a conversation at a time, in order."""

    async def put(self, run: str, conversation: str) -> None: ...

    async def cancel(self, run: str) -> None:
        """Interrupt the run if it is being driven here; returns when it no longer is."""
        ...

    async def serve(self, drive: Callable[[str], Awaitable[None]]) -> None:
        """Hand out runs until cancelled."""
        ...


class Signal(Struct, frozen=True):
    """Something new in a run's journal; ``ended`` when there will be no more."""

    position: int
    ended: bool = False


class Progress(Struct, frozen=True, kw_only=True):
    """How far a running call is; never part of a message (case L18)."""

    call: str
    fraction: float | None
    message: str


News = Delta | Signal | Progress


class Bus(Protocol):
    """Token deltas and "new rows" to whoever watches a run. Losing it loses speed, no event."""

    def publish(self, run: str, news: News) -> None: ...

    def watch(self, run: str) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        """News of the run from entering on."""
        ...

    def watched(self, run: str) -> bool: ...
