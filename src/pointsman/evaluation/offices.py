"""What built-in tools reach in a case: an outbox, inboxes and reminders of the case's own, which
nothing outlives. The directory is the agent's, for names to mean what they mean."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path

import anyio
from msgspec import Struct

from pointsman import bootstrap, settings
from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.builtin import SOURCE
from pointsman.adapters.workdays import chinese_workdays
from pointsman.engine.accounts.roster import Roster
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.observing import ObservedBus
from pointsman.engine.reminders.remind_drafts import Drafting
from pointsman.engine.reminders.reminding import reminder_book
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import ToolSourceError
from pointsman.ports import Clock, Directory
from pointsman.wiring.notices import directory_of


class Office(Struct, frozen=True):
    """One case's own."""

    mailroom: Mailroom
    drafting: Drafting


_OPEN: ContextVar[Office | None] = ContextVar("office", default=None)


class StagedSurroundings(Surroundings):
    """Leads each case to its own office; the tools are shared by cases that run together."""

    @property
    def mailroom(self) -> Mailroom:
        return _office().mailroom

    @property
    def drafting(self) -> Drafting:
        return _office().drafting


def _office() -> Office:
    if (found := _OPEN.get()) is None:
        raise ToolSourceError("no case is carried here")
    return found


class Offices:
    """Makes an agent's offices: what is the same in all of them is read once."""

    def __init__(self, live: LiveAgent, place: Path) -> None:
        """Args:
        live: the agent as it is.
        place: an empty folder.
        """
        self.live, self._place = live, place
        self._settings = settings.load({}, folder=Path(live.home))
        self._made = 0

    @cached_property
    def _directory(self) -> Directory:
        return directory_of(self._settings, Roster(self._settings.roles))

    @asynccontextmanager
    async def office(self, live: LiveAgent, clock: Clock) -> AsyncIterator[None]:
        """What the agent's tools reach while the block runs; nothing, when it has none that reach
        anything. What is sent is delivered at once, and what is due is not: a case ends before
        that.

        Args:
            live: the agent as the case has it.
            clock: the case's.
        """
        if not any(spec.source == SOURCE and not spec.splits for spec in live.registry.specs):
            yield
            return
        store = bootstrap.sqlite_store(await self._file(), "normal")
        bus, now = MemoryBus(), SystemClock()
        room = bootstrap.mailroom_of(
            self._settings,
            store,
            bus,
            now,
            directory=self._directory,
            roster=Roster(self._settings.roles),
            all_carried=False,
        )
        book = reminder_book(
            store,
            room.post,
            LocalQueue(),
            clock,
            ObservedBus(bus),
            agents=(),
            workdays=chinese_workdays(),
        )
        assert book is not None
        token = _OPEN.set(Office(room, Drafting(book, Agents(live))))
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(room.postman.serve)
                yield
                tasks.cancel_scope.cancel()
        finally:
            _OPEN.reset(token)
            with anyio.CancelScope(shield=True):
                await room.aclose()
                await store.aclose()

    async def _file(self) -> Path:
        """A new database: a copy of one that was made and is empty."""
        empty = self._place / "empty.db"
        if not self._made:
            await bootstrap.sqlite_store(empty, "normal").aclose()
        self._made += 1
        return Path(shutil.copy(empty, self._place / f"{self._made}.db"))


@contextmanager
def offices_of(live: LiveAgent) -> Iterator[Offices]:
    """Offices whose databases are removed with the block."""
    with tempfile.TemporaryDirectory(prefix="pointsman-") as place:
        yield Offices(live, Path(place))
