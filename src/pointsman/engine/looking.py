"""What can be seen of runs and conversations, and of what happens to them.

Above: ``service``, which is this and what can be done. Below: the store, the journal, the bus.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from pointsman.domain.messages import Usage
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine import following
from pointsman.engine.following import Recorded
from pointsman.engine.journal import Journal
from pointsman.errors import CallerError, NotFound
from pointsman.ports import Bus, Clock, Conversation, News, RunRecord, Store


class Looking:
    """Reads only. Everything belongs to a user; another user's thing is not found."""

    def __init__(self, store: Store, bus: Bus, clock: Clock) -> None:
        self._store, self._bus, self._clock = store, bus, clock

    async def run(self, run: str, user: str | None) -> Run:
        """The state of a run, folded from its verified journal."""
        await self._own_run(run, user)
        return (await self._open(run)).run

    async def record(self, run: str, user: str | None) -> RunRecord:
        """The row of a run."""
        return await self._own_run(run, user)

    async def trace(self, run: str, user: str | None) -> list[Recorded]:
        """Every event of a run, in order."""
        await self._own_run(run, user)
        return await following.recorded(self._store, run)

    async def runs(
        self,
        *,
        user: str | None,
        conversation: str | None = None,
        agent: str | None = None,
        status: tuple[RunStatus, ...] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Runs, newest first."""
        return await self._store.records(
            user=user,
            conversation=conversation,
            agent=agent,
            status=status,
            limit=limit,
            before=before,
        )

    async def conversation(self, conversation: str, user: str) -> Conversation:
        """A conversation of this user, with the messages of its ended runs."""
        return await self._own(conversation, user)

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        """Tokens used in a conversation or by a user (D9)."""
        if conversation is None and user is None:
            raise CallerError("usage of what? give a conversation or a user")
        return await self._store.usage(conversation=conversation, user=user)

    async def blob(self, run: str, blob: str, user: str | None) -> str:
        """The whole text of a result that was cut."""
        await self._own_run(run, user)
        text = await self._store.blob(run, blob)
        if text is None:
            raise NotFound("result", blob)
        return text

    async def follow(
        self, run: str, user: str | None, *, after: int = -1, to_end: bool = False
    ) -> AsyncIterator[Recorded | News]:
        """The run's events after a position, then what happens, until it ends or waits.

        Events come once each, in order; deltas and progress between them are ephemeral.

        Args:
            to_end: go on while it waits for a person.
        """
        await self._own_run(run, user)
        followed = following.follow(self._store, self._bus, run, after=after, to_end=to_end)
        async with aclosing(cast("AsyncGenerator[Recorded | News]", followed)) as seen:
            async for one in seen:
                yield one

    async def wait(self, run: str, user: str | None) -> Run:
        """The run when it has ended or waits for a person."""
        async for _ in self.follow(run, user):
            """What happens until then is for others."""
        return await self.run(run, user)

    async def _own_run(self, run: str, user: str | None) -> RunRecord:
        record = await self._store.record(run)
        if record is None or (user is not None and record.user != user):
            raise NotFound("run", run)
        return record

    async def _own(self, conversation: str, user: str) -> Conversation:
        found = await self._store.conversation(conversation)
        if found is None or found.user != user:
            raise NotFound("conversation", conversation)
        return found

    async def _open(self, run: str) -> Journal:
        return await Journal.open(self._store, self._bus, self._clock, run)
