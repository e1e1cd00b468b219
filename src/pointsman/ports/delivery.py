"""What the engine asks of whatever hands out runs to workers."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

from msgspec import Struct


class WorkerState(Struct, frozen=True, kw_only=True):
    """A worker as the others see it. Instants are aware and in UTC.

    Attributes:
        name: host and process.
        agents: whose runs it drives.
        concurrency: conversations that it drives at the same time, at most.
        driving: those that it drives now.
        since: when it started; None when it has not said.
        heard: its last sign of life.
        alive: whether that is not too long ago.
    """

    name: str
    agents: tuple[str, ...] = ()
    concurrency: int = 0
    driving: int = 0
    since: datetime | None = None
    heard: datetime
    alive: bool


class QueueState(Struct, frozen=True, kw_only=True):
    """What waits for workers, and who they are.

    Attributes:
        waiting: conversations that wait for a worker.
        driven: conversations that a worker has.
    """

    waiting: int
    driven: int
    workers: tuple[WorkerState, ...] = ()


class Queue(Protocol):
    """Delivers ``drive(run)`` at least once, one run of a conversation at a time, in order."""

    @property
    def lasting(self) -> bool:
        """Whether what is on the queue outlives the process. An append that wakes its run puts it
        on such a queue by itself (``Enqueue``), and any process may deliver it."""
        ...

    async def put(self, run: str, conversation: str) -> None:
        """Deliver the run, whatever became of it before. It does no harm to a run that is being
        driven, or is to be."""
        ...

    async def woken(self, run: str, conversation: str) -> None:
        """An append that wakes the run stands."""
        ...

    async def cancel(self, run: str) -> None:
        """Interrupt the run wherever it is driven. Returns when it is no longer driven here, or
        another process has had a moment to let go of it."""
        ...

    async def serve(self, drive: Callable[[str], Awaitable[None]]) -> None:
        """Hand out runs until cancelled. Then what is being driven gets a moment to end by itself,
        and is interrupted and handed back."""
        ...

    async def state(self) -> QueueState | None:
        """How it stands; None for a queue that other processes know nothing of."""
        ...
