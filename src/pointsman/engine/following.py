"""A run as it happens: its journal, and between the events what is not kept."""

from collections.abc import AsyncIterator

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.runs import Run, evolve, fold
from pointsman.ports import Bus, Missed, NewAnswer, News, Progress, Signal, Store


class Recorded(Struct, frozen=True, kw_only=True):
    """An event at its place in the journal."""

    position: int
    event: ev.Event


async def recorded(store: Store, run: str, after: int = -1) -> list[Recorded]:
    """The run's events after a position, in order."""
    rows = await store.rows(run, after)
    return [Recorded(position=row.position, event=ev.decode(row.body)) for row in rows]


async def follow(
    store: Store, bus: Bus, run: str, *, after: int, to_end: bool
) -> AsyncIterator[Recorded | News]:
    """The run's events after a position, then what happens, until it ends or waits.

    Events come once each, in order, however much of the news is lost: whatever is told of the
    journal is read there.

    Args:
        to_end: go on while it waits for a person.
    """
    async with bus.watch(run) as news:
        events = await recorded(store, run)
        state = fold(run, [one.event for one in events])
        for one in events:
            if one.position > after:
                yield one
        late = False
        while not (state.status.ended if to_end else state.rests):
            async for told in news:
                if isinstance(told, Signal) and told.position <= state.position:
                    continue
                if isinstance(told, Signal | Missed):
                    break
                if isinstance(told, NewAnswer):
                    late = _is_known(told.turn, state)
                elif isinstance(told, Progress) or not late:
                    yield told
            for one in await recorded(store, run, state.position):
                state = evolve(state, one.event)
                yield one


def _is_known(turn: int, run: Run) -> bool:
    """Whether the answer of this turn was read from the journal before its pieces came."""
    return turn < run.turns or (turn == run.turns and not run.asked)
