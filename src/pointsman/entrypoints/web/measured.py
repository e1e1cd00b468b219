"""Counts every answer, by route and status, and how long it took to begin."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointsman.adapters.system import SystemClock
from pointsman.adapters.telemetry.figures import Figures

_NONE = "none"
"""Stands for every path that is no route: what clients make up is no label."""


class Measured:
    """Tells the figures."""

    def __init__(self, app: ASGIApp, *, figures: Figures) -> None:
        self._app, self._figures = app, figures
        self._monotonic = SystemClock().monotonic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began = self._monotonic()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", _NONE)
                method = scope["method"] if scope["method"] in _METHODS else "other"
                took = self._monotonic() - began
                self._figures.requested(method, route, message["status"], took)
            await send(message)

        await self._app(scope, receive, counted)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
