"""What a client may take up: requests in a time, bytes of a body, and how long anything lasts.

Pure ASGI, so that streams pass untouched. A stream may last for ever once it has begun; whether its
client reads is ``http_server``'s to see.
"""

import hashlib
import logging
import math

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointsman.adapters.system import SystemClock
from pointsman.entrypoints.web.console_files import APIS
from pointsman.entrypoints.web.problems import Refusal, refused
from pointsman.entrypoints.web.rates import Rates
from pointsman.settings import Serving

log = logging.getLogger("pointsman.web")

_UNCOUNTED = frozenset({"/healthz", "/readyz"})
"""Whoever watches the server may ask as often as it wants."""
_ANSWERING = ("/v1/", "/mcp")
_TRYING = "/try"
"""Where an agent's whole reply is waited for."""


class Limits:
    """Refuses what is too much."""

    def __init__(self, app: ASGIApp, *, serving: Serving) -> None:
        clock = SystemClock()
        self._app, self._serving = app, serving
        self._users = Rates(serving.user_rate, clock)
        self._addresses = Rates(serving.address_rate, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        refusal = _unreadable(scope) or self._too_often(scope)
        if refusal is not None:
            return await refused(scope, refusal)(scope, receive, send)
        if scope["type"] == "websocket":
            return await self._app(scope, receive, send)
        await self._timed(scope, receive, send)

    def _too_often(self, scope: Scope) -> Refusal | None:
        if scope["path"] in _UNCOUNTED:
            return None
        wait = self._addresses.take(scope["client"][0] if scope["client"] else "")
        asks = scope["path"].startswith(APIS)  # loading the console is no asking
        if not wait and asks and (client := _credentials(Headers(scope=scope))):
            wait = self._users.take(client)
        if not wait:
            return None
        after = str(math.ceil(wait))
        detail = f"too many requests; the next may come in {after} s"
        return Refusal(429, detail, code="rate", headers={"retry-after": after})

    async def _timed(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit_of(scope["path"])
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            if not begun:
                begun, timed.deadline = True, math.inf
            await send(message)

        with anyio.move_on_after(limit) as timed:
            await self._app(scope, self._body(receive), told)
        if timed.cancelled_caught and not begun:
            slow = Refusal(504, f"there was no answer within {limit:g} s", code="timeout")
            log.warning("%s %s: no answer within %g s", scope["method"], scope["path"], limit)
            await refused(scope, slow)(scope, receive, send)

    def _limit_of(self, path: str) -> float:
        long = path.startswith(_ANSWERING) or path.endswith(_TRYING)
        return self._serving.answer_timeout if long else self._serving.request_timeout

    def _body(self, receive: Receive) -> Receive:
        """The body, as long as it comes in time."""
        whole = False
        deadline = anyio.current_time() + self._serving.body_timeout

        async def timely() -> Message:
            nonlocal whole
            if whole:
                return await receive()
            try:
                with anyio.fail_after(max(deadline - anyio.current_time(), 0)):
                    message = await receive()
            except TimeoutError:
                limit = self._serving.body_timeout
                raise Refusal(408, f"the body did not come within {limit:g} s") from None
            whole = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        return timely


def _unreadable(scope: Scope) -> Refusal | None:
    """No database compares a text that holds a NUL."""
    if "\0" in scope["path"] or b"%00" in scope["query_string"]:
        return Refusal(400, "the address holds a NUL character")
    return None


def _credentials(headers: Headers) -> str:
    """What stands for the session or token that is shown, if any."""
    shown = headers.get("authorization", "") + "\n" + headers.get("cookie", "")
    return hashlib.sha256(shown.encode()).hexdigest() if shown.strip() else ""
