"""What the engine asks of the world. Each port has real adapters in ``adapters`` and fakes in
tests.

The engine knows these Protocols and the domain; it knows no library that does I/O. ``bootstrap``
alone decides which adapter stands behind which port.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from pointsman.domain.events import Event
from pointsman.domain.intents import Classification
from pointsman.domain.messages import Delta, ModelReply, ModelRequest
from pointsman.domain.recovery_events import Answer
from pointsman.domain.runs import Run
from pointsman.domain.sources import Message as Said
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.ports.console import KeepsConsole as KeepsConsole
from pointsman.ports.delivery import Queue as Queue
from pointsman.ports.delivery import QueueState as QueueState
from pointsman.ports.delivery import WorkerState as WorkerState
from pointsman.ports.notifying import Directory as Directory
from pointsman.ports.notifying import Found as Found
from pointsman.ports.notifying import Inbox as Inbox
from pointsman.ports.notifying import InboxMessage as InboxMessage
from pointsman.ports.notifying import KeepsNotices as KeepsNotices
from pointsman.ports.notifying import Letter as Letter
from pointsman.ports.notifying import Notifier as Notifier
from pointsman.ports.notifying import Outbox as Outbox
from pointsman.ports.notifying import inbox_news as inbox_news
from pointsman.ports.reminding import KeepsReminders as KeepsReminders
from pointsman.ports.reminding import Reminders as Reminders
from pointsman.ports.reminding import Settlement as Settlement
from pointsman.ports.reminding import reminders_news as reminders_news
from pointsman.ports.storage import Append as Append
from pointsman.ports.storage import Conversation as Conversation
from pointsman.ports.storage import Cursor as Cursor
from pointsman.ports.storage import Due as Due
from pointsman.ports.storage import Enqueue as Enqueue
from pointsman.ports.storage import Holding as Holding
from pointsman.ports.storage import Record as Record
from pointsman.ports.storage import Row as Row
from pointsman.ports.storage import RunRecord as RunRecord
from pointsman.ports.storage import Store as Store
from pointsman.ports.storage import StoredRun as StoredRun
from pointsman.ports.upkeep import Copying as Copying
from pointsman.ports.upkeep import Finding as Finding
from pointsman.ports.upkeep import Upkeep as Upkeep


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
        key: idempotency key of this call, to pass on: the same for every attempt of it, until the
            tool's check says that an attempt which was cut off did not happen.
        progress: tell how far a long call is: a fraction in [0, 1] or None, and a message.
        cancelled: whether the call was given up. A long function in a thread asks it now and then
            and stops: nobody else can stop it.
        heard: gives what the user said in the conversation, the latest first.
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
    heard: Callable[[], tuple[Said, ...]] = tuple


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


class Checked(Struct, frozen=True, kw_only=True):
    """Whether a call that was cut off happened.

    Attributes:
        result: of one that did.
        detail: why nobody knows, for people.
    """

    answer: Answer
    result: ToolResult | None = None
    detail: str = ""


@runtime_checkable
class CheckedTool(Tool, Protocol):
    """A tool that may know what became of a call that nobody saw the end of."""

    async def check(self, arguments: Mapping[str, Any], context: CallContext) -> Checked | None:
        """Whether the call with this key happened; None when the tool has no way to know. The
        caller bounds the time. Never raises."""
        ...


class Prepared(Struct, frozen=True, kw_only=True):
    """What only the tool knows to make of a valid call's arguments.

    Attributes:
        values: context field → value, for the parameters in the specification's ``context`` that
            the engine cannot fill itself. They are part of what is confirmed, and are journaled.
        notes: one sentence each, for the journal.
    """

    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()


class Unready(Struct, frozen=True, kw_only=True):
    """Why a call whose arguments fit cannot run as it is.

    Attributes:
        content: what the model reads.
        missing: parameters that the user is asked for by ``question``; without any, nobody is asked
            and the model may do better.
    """

    content: str
    missing: tuple[str, ...] = ()
    question: str = ""


@runtime_checkable
class PreparedTool(Tool, Protocol):
    """A tool that looks at a call before anybody is asked to let it run: whom does a name mean,
    which instant do words mean."""

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """What the call is to run with, or why it cannot. Changes nothing in the world.

        Raises:
            ToolSourceError: what it would look in is away.
            CallerError: the call cannot be prepared as it is.
        """
        ...

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        """What a call with these arguments, prepared ones included, will do, for the person who
        confirms it: nothing of it left out."""
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


class Signal(Struct, frozen=True):
    """Something new in a run's journal; ``ended`` when there will be no more."""

    position: int
    ended: bool = False


class Committed(Signal, frozen=True, kw_only=True):
    """What is new, for observers in this process: the events, and the run after them."""

    run: Run
    events: tuple[Event, ...]


class Progress(Struct, frozen=True, kw_only=True):
    """How far a running call is; never part of a message (case L18)."""

    call: str
    fraction: float | None
    message: str


class NewAnswer(Struct, frozen=True):
    """The model's answer of this turn begins: the deltas after this one are its pieces, from the
    first on."""

    turn: int


class Missed(Struct, frozen=True):
    """Something may have happened that was not told: only the journal knows."""


News = Delta | NewAnswer | Signal | Progress | Missed


class Bus(Protocol):
    """Token deltas and "new rows" to whoever watches a run. Losing it loses speed, no event.

    The deltas of an answer come from its beginning and without a gap, or no more of them come: who
    begins to watch in the middle gets first what was told before, also when the journal has the
    answer by then. A bus that can lose a signal
    tells ``Missed`` now and then, so that a watcher reads on.
    """

    def publish(self, run: str, news: News) -> None: ...

    def watch(self, run: str) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        """News of the run from entering on."""
        ...

    def watched(self, run: str) -> bool:
        """Whether somebody watches it, in this process or, as far as known, in another."""
        ...
