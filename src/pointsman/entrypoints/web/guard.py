"""What stands before every request while the server has no sign-in and listens on loopback only.

Any web page that a person opens can make the browser send requests to this machine. So the Host
header must name loopback (a page that rebinds its own name to 127.0.0.1 keeps its name there), and
a request that may change something must not come from a page of another origin. Also here: the
size of bodies, and the request's id.

Pure ASGI, so that streams pass untouched.
"""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointsman.adapters.system import SystemClock
from pointsman.entrypoints.web.problems import REQUEST_ID, Refusal, refused

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITE = frozenset({"same-origin", "none"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS = {"x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin"}


class Guard:
    """Lets requests pass that come from this machine's own programs and pages."""

    def __init__(self, app: ASGIApp, *, body_limit: int) -> None:
        """Args:
        body_limit: bytes.
        """
        self._app, self._limit = app, body_limit
        self._new_id = SystemClock().new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        identity = given if _REQUEST_ID.fullmatch(given) else self._new_id()
        scope.setdefault("state", {})["request_id"] = identity

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update({**_HEADERS, REQUEST_ID: identity})
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            return await refused(scope, refusal)(scope, receive, marked)
        await self._app(scope, self._limited(receive), marked)

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if not is_loopback(host):
            return Refusal(421, f"this server answers to loopback names only, not to {host!r}")
        if scope["method"] not in _SAFE_METHODS and not _same_origin(scope, headers, host):
            return Refusal(403, "a page of another origin may not send this request")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit:
            return self._too_large()
        return None

    def _limited(self, receive: Receive) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            if message["type"] == "http.request":
                size += len(message.get("body", b""))
                if size > self._limit:
                    raise self._too_large()
            return message

        return counted

    def _too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self._limit} bytes")


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine's loopback interface."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _same_origin(scope: Scope, headers: Headers, host: str) -> bool:
    """Whether no browser says that the request comes from another origin.

    Programs send neither header. ``null`` is the origin of sandboxed pages and local files.
    """
    origin = headers.get("origin")
    if origin is not None:
        return origin == f"{scope['scheme']}://{host}"
    return headers.get("sec-fetch-site", "none") in _OWN_SITE
