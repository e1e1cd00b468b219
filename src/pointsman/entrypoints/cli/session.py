"""One user's conversation with one agent on an engine that drives its runs in this process."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, cast

import anyio

from pointsman import bootstrap
from pointsman.domain.calls import CallState
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.entrypoints.cli.render import advance
from pointsman.errors import Conflict, NotFound
from pointsman.ports import News
from pointsman.settings import Settings

Show = Callable[[Recorded | News, Run | None], None]

SECONDS_BETWEEN_LOOKS = 1.0
"""How soon an end that another process made is noticed: after two looks."""


@asynccontextmanager
async def driven(folder: Path, settings: Settings) -> AsyncIterator[Service]:
    """An engine with one agent that drives what is submitted here, and no other process's runs."""
    opened = bootstrap.opened([folder], settings, alone=True)
    async with opened as service, driving(service):
        yield service


@asynccontextmanager
async def driving(service: Service) -> AsyncIterator[None]:
    """Drive what is submitted to the service inside of this block."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service.serve)
        yield
        tasks.cancel_scope.cancel()


def only_agent(service: Service) -> str:
    """The name of the one agent of a service."""
    return next(iter(service.agents)).spec.name


def confirmations(run: Run) -> tuple[CallState, ...]:
    """The calls that wait for the asking user's own word."""
    waiting = run_tasks.waiting(run)
    return tuple(call for call in waiting if call.approval and call.approval.by == "user")


@asynccontextmanager
async def session_with(
    folder: Path,
    settings: Settings,
    *,
    user: str,
    show: Show,
    conversation: str = "",
    stream: bool = False,
) -> "AsyncIterator[Session]":
    """A session with the agent of a folder.

    Raises:
        NotFound: no such conversation of this user.
    """
    async with driven(folder, settings) as service:
        if conversation and not await service.runs(user=user, conversation=conversation, limit=1):
            raise NotFound("conversation", conversation)
        yield Session(service, user=user, show=show, conversation=conversation, stream=stream)


class Session:
    """Says things to an agent, shows what happens, and gives the run as it ended or waits."""

    def __init__(
        self,
        service: Service,
        *,
        user: str,
        show: Show,
        conversation: str = "",
        origin: str = "user",
        stream: bool = False,
    ) -> None:
        self.service, self.user, self.conversation = service, user, conversation
        self.run: Run | None = None
        """The last run as it was seen last."""
        self._show, self._origin, self._stream = show, origin, stream
        self._current = ""

    async def say(self, text: str) -> Run:
        """Carry a message to its reply, or to the question that it waits with."""
        await self.submit(text)
        return await self.follow()

    async def submit(self, text: str) -> None:
        """Hand a message over."""
        self.run, self._current = None, ""
        self._current = await self.service.submit(
            Submission(
                agent=only_agent(self.service),
                user=self.user,
                text=text,
                conversation=self.conversation,
                stream=self._stream,
                origin=self._origin,
            )
        )

    async def follow(self) -> Run:
        """Show the run from where it was seen last until it ends or waits."""
        run = await watch(self.service, self._current, self.user, self._seen, since=self.run)
        self.run, self.conversation = run, run.conversation
        return run

    async def decide(self, call: CallState, *, approved: bool, reason: str = "") -> Run:
        """Say yes or no to a waiting call; the run goes on when no other waits."""
        assert self.run is not None
        assert call.approval is not None
        verdict: Literal["approved", "denied"] = "approved" if approved else "denied"
        decided = await self.service.decide(
            self.run.id, call.approval.id, verdict, by=self.user, reason=reason
        )
        if not decided.graphs:  # else it may even be over by now, and was not shown yet
            self.run = decided
        return decided if decided.waiting else await self.follow()

    async def cancel(self, reason: str = "") -> None:
        """Stop the run that is going on, if there is one."""
        if self._current and not (self.run and self.run.status.ended):
            with suppress(Conflict):
                await self.service.cancel(self._current, self.user, reason=reason)

    def _seen(self, one: Recorded | News, run: Run | None) -> None:
        self.run = run
        self._show(one, run)


async def watch(
    service: Service, run_id: str, user: str | None, show: Show, *, since: Run | None = None
) -> Run:
    """Show a run until it ends or waits for a person; its state then.

    Args:
        since: a state that was seen before; what came up to it is not shown again.
    """
    if since is not None and since.status.ended:
        return since
    watcher = _Watcher(service, run_id, user, show, since)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watcher.look_elsewhere, tasks.cancel_scope)
        await watcher.follow()
        tasks.cancel_scope.cancel()
    if not watcher.rests:
        await watcher.catch_up()
    assert watcher.run is not None
    return watcher.run


class _Watcher:
    def __init__(
        self, service: Service, run_id: str, user: str | None, show: Show, since: Run | None
    ) -> None:
        self._service, self._id, self._user, self._show = service, run_id, user, show
        self.run = since
        self.rests = False
        """Whether nothing more will happen by itself."""

    async def follow(self) -> None:
        """Show what happens in this process, until the run rests."""
        after = -1 if self.run is None else self.run.position
        followed = self._service.follow(self._id, self._user, after=after)
        async with aclosing(cast("AsyncGenerator[Recorded | News]", followed)) as seen:
            async for one in seen:
                self._see(one)
                if isinstance(one, Recorded) and await self._at_rest():
                    self.rests = True
                    return

    async def look_elsewhere(self, scope: anyio.CancelScope) -> None:
        """Stop following when another process has ended the run: no news of that comes."""
        ended = False
        while True:
            await anyio.sleep(SECONDS_BETWEEN_LOOKS)
            if ended:
                return scope.cancel()
            ended = (await self._service.record(self._id, None)).status.ended

    async def catch_up(self) -> None:
        """Show what the journal holds beyond what was seen."""
        for recorded in await self._service.trace(self._id, self._user):
            if self.run is None or recorded.position > self.run.position:
                self._see(recorded)

    def _see(self, one: Recorded | News) -> None:
        if isinstance(one, Recorded):
            self.run = advance(self.run, self._id, one.event)
        self._show(one, self.run)

    async def _at_rest(self) -> bool:
        """The store knows whether a decision made since then has moved the run on."""
        run = self.run
        if run is None or run.status.ended:
            return run is not None
        if not run.rests:
            return False
        return (await self._service.record(run.id, None)).position == run.position
