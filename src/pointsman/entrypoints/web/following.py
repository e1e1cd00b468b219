"""A run as one client follows it: from where it begins to where it rests."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

from msgspec import Struct

from pointsman.domain.events import Event, MessageReceived
from pointsman.domain.runs import Run, begin, evolve
from pointsman.engine.service import Recorded, Service
from pointsman.ports import News


class Begun(Struct, frozen=True, kw_only=True):
    """A run that a request started or moved on.

    Attributes:
        since: the state before what the request is told; None for a new run.
    """

    run: str
    user: str
    since: Run | None = None

    @property
    def after(self) -> int:
        """The position of the last event that is not told."""
        return self.since.position if self.since else -1


@asynccontextmanager
async def following(
    service: Service, run: str, user: str | None, *, after: int = -1, to_end: bool = False
) -> AsyncIterator[AsyncIterator[Recorded | News]]:
    """The run's events and news, let go of at the end of the block."""
    seen = service.follow(run, user, after=after, to_end=to_end)
    assert isinstance(seen, AsyncGenerator)
    async with aclosing(seen):
        yield seen


def advanced(run: Run | None, run_id: str, event: Event) -> Run:
    """The state after one more event; ``run`` is None before the first."""
    if isinstance(event, MessageReceived):
        return begin(run_id, event)
    assert run is not None
    return evolve(run, event)


async def _untold(one: Recorded | News) -> None:
    """Nobody wants to know what happens on the way."""


async def rested(
    service: Service,
    begun: Begun,
    tell: Callable[[Recorded | News], Awaitable[None]] = _untold,
) -> Run:
    """The run when it rests.

    Args:
        tell: gets everything that happens until then, in order.
    """
    run = begun.since
    async with following(service, begun.run, begun.user, after=begun.after) as seen:
        async for one in seen:
            await tell(one)
            if isinstance(one, Recorded):
                run = advanced(run, begun.run, one.event)
    assert run is not None
    return run
