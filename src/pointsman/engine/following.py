"""A run as it happens: its journal, and between the events what is not kept."""

from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.messages import Delta, ResetDelta, TextDelta
from pointsman.domain.runs import Run, evolve, fold
from pointsman.ports import Bus, Missed, NewAnswer, News, Progress, Signal, Store

_BY_CHANCE = 8
"""Characters in which the end of one text and the start of another may agree."""


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


def told_by(told: str, delta: Delta) -> str:
    """The text that a reader has after one more piece."""
    if isinstance(delta, ResetDelta):
        return ""
    return told + delta.text if isinstance(delta, TextDelta) else told


def rest_of(reply: str, told: str) -> Iterator[Delta]:
    """What a reader lacks of the reply that left: pieces that come after the journal has told the
    end are lost. What was told of another one is void."""
    most = min(len(told), len(reply))
    known = next(size for size in range(most, -1, -1) if told.endswith(reply[:size]))
    if known < min(most, _BY_CHANCE):
        known = 0
    if told and not known:
        yield ResetDelta(2)
    if rest := reply[known:]:
        yield TextDelta(rest)
