"""A mailroom with channels that a test plays, on a real store."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.notifiers.inbox import InboxNotifier
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.system import SystemClock
from pointsman.domain.directory.entries import Person
from pointsman.domain.directory.recipients import Contact, Way
from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import SENT, Outcome
from pointsman.domain.notices.letters import is_email
from pointsman.engine.notices.channels import Channel, Channels
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.notices.post import Notice
from pointsman.ports import Clock, Directory, Found, Letter

Answer = Outcome | Callable[[Letter], Outcome]


class PlayedChannel:
    """A ``ports.Notifier`` that answers what a test says, in order, and the last for ever."""

    timeout = 5.0

    def __init__(
        self,
        *answers: Answer,
        limit: int = 0,
        keyed: bool = False,
        rate: Rate | None = None,
        gate: anyio.Event | None = None,
    ) -> None:
        self.limit, self.keyed, self.rate = limit, keyed, rate
        self.letters: list[Letter] = []
        self.arrived = anyio.Event()
        self._answers = list(answers) or [SENT]
        self._gate = gate

    def refuses(self, address: str) -> str:
        return "" if "@" not in address or is_email(address) else "this is no e-mail address"

    async def send(self, letter: Letter) -> Outcome:
        self.letters.append(letter)
        self.arrived.set()
        if self._gate is not None:
            await self._gate.wait()
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(letter) if callable(answer) else answer

    async def aclose(self) -> None:
        """Nothing is held."""

    @property
    def texts(self) -> list[str]:
        return [letter.text for letter in self.letters]


class People:
    """A ``ports.Directory`` of some people, found by name, login or a word of what is said."""

    def __init__(self, *people: Contact, descriptions: Mapping[str, Sequence[str]] = {}) -> None:
        self._people, self._descriptions = people, descriptions

    def people(self) -> Sequence[Person]:
        return [Person(login=one.login, name=one.name) for one in self._people]

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        if words in ("我", "me"):
            return Found(people=tuple(one for one in self._people if one.login == asking))
        if logins := self._descriptions.get(words):
            return Found(people=tuple(one for one in self._people if one.login in logins))
        found = tuple(one for one in self._people if words in (one.login, one.name))
        told = tuple(one for one in found if said and said in one.about)
        if len(found) == 1 or len(told) == 1:
            return Found(people=told if len(told) == 1 else found)
        return Found(candidates=found)


def mailroom(
    store: SqlStore,
    channels: Mapping[str, Channel | PlayedChannel],
    *,
    clock: Clock | None = None,
    directory: Directory | None = None,
    alerts: Sequence[str] = ("admin",),
) -> Mailroom:
    """A mailroom with the inbox and these channels; nothing is carried yet."""
    clock, bus = clock or SystemClock(), MemoryBus()
    made = [Channel(name="system", notifier=InboxNotifier(store.inbox, bus, clock))]
    made += [
        one if isinstance(one, Channel) else Channel(name=name, notifier=one)
        for name, one in channels.items()
    ]
    return Mailroom(
        store.outbox,
        store.inbox,
        Channels(made, store, clock),
        directory or People(),
        clock,
        bus,
        alerts=lambda: alerts,
    )


@asynccontextmanager
async def carrying(room: Mailroom) -> AsyncIterator[None]:
    """What is in the outbox is carried while the block runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(room.postman.serve)
        yield
        tasks.cancel_scope.cancel()


def notice(
    *addresses: str, key: str = "k", channel: str = "email", body: str = "hello", **more: object
) -> Notice:
    """A message to these addresses."""
    recipients = tuple(
        Way(channel=channel, address=one, name=one.partition("@")[0], login=one.partition("@")[0])
        for one in addresses
    )
    given = {"sender": "ann", "language": "en", **more}
    return Notice(key=key, recipients=recipients, body=body, **given)  # type: ignore[arg-type]
