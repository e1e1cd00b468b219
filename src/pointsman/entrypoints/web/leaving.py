"""What becomes of a run whose client leaves before its end (case X01).

Ordinarily it goes on, and its reply is in the journal for whoever comes back. Where the settings
say so, the clients of the OpenAI-compatible API stop what they asked for by leaving.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
from starlette.requests import Request

from pointsman.domain.runs import Run
from pointsman.engine.service import Service
from pointsman.entrypoints.web.following import Begun, rested
from pointsman.errors import CallerError


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


def on_leaving(
    request: Request, service: Service, begun: Begun
) -> Callable[[], Awaitable[None]] | None:
    """What to do when the client has left; None for nothing."""
    if request.app.state.settings.serving.client_gone == "detach":
        return None

    async def stop() -> None:
        with suppress(CallerError):  # it has ended already
            await service.cancel(begun.run, begun.user, reason="the client has left")

    return stop


async def rested_for(request: Request, service: Service, begun: Begun) -> Run:
    """The run when it rests.

    Raises:
        ClientLeft: the client has left and the run is stopped.
    """
    leaving = on_leaving(request, service, begun)
    if leaving is None:
        return await rested(service, begun)
    run = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_gone, request, tasks.cancel_scope)
        run = await rested(service, begun)
        tasks.cancel_scope.cancel()
    if run is None:
        await leaving()
        raise ClientLeft
    return run


async def _until_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
