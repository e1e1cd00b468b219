"""One user's conversation with one agent on an engine that drives its runs in this process."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, cast

import anyio

from pointsman import bootstrap
from pointsman.domain.calls import CallState, Stage
from pointsman.domain.runs import Run
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.entrypoints.cli.render import advance
from pointsman.errors import Conflict, NotFound
from pointsman.ports import News
from pointsman.settings import Settings

Show = Callable[[Recorded | News, Run | None], None]


@asynccontextmanager
async def driven(folder: Path, settings: Settings) -> AsyncIterator[Service]:
    """An engine with one agent that drives what is submitted here, and no other process's runs."""
    async with bootstrap.opened([folder], settings) as service, driving(service):
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
    return tuple(call for call in run.waiting if call.approval and call.approval.by == "user")


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
        self.run = await self.service.decide(
            self.run.id, call.approval.id, verdict, by=self.user, reason=reason
        )
        return self.run if self.run.waiting else await self.follow()

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
    run, after = since, -1 if since is None else since.position
    followed = cast("AsyncGenerator[Recorded | News]", service.follow(run_id, user, after=after))
    async with aclosing(followed) as seen:
        async for one in seen:
            if isinstance(one, Recorded):
                run = advance(run, run_id, one.event)
            show(one, run)
            if run is not None and await _rests(service, run):
                break
    assert run is not None
    return run


async def _rests(service: Service, run: Run) -> bool:
    """Whether nothing more will happen by itself. The store knows whether a decision that was made
    since then has moved the run on."""
    if run.status.ended:
        return True
    if not run.waiting or any(
        call.stage not in (Stage.WAITING, Stage.SETTLED) for call in run.calls
    ):
        return False
    return (await service.record(run.id, None)).position == run.position
