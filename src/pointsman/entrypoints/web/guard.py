"""What stands before every request, whoever sends it.

Any web page that a person opens can make the browser send requests here. So the Host header must
name loopback or a host that the settings allow (a page that rebinds its own name to this address
keeps its name there), and a request that may change something must not come from a page of another
origin. Also here: the size of bodies, and the request's id.

Pure ASGI, so that streams pass untouched.
"""

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointsman.adapters.system import SystemClock
from pointsman.entrypoints.web.problems import REQUEST_ID, Refusal, refused
from pointsman.settings import Access, is_loopback_name

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PAGES = {"ws": "http", "wss": "https"}
"""From pages of which scheme sockets of these schemes are opened."""
_OWN_SITE = frozenset({"same-origin", "none"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
NOWHERE_ELSE = Access()


class Guard:
    """Lets requests pass that come from programs and from our own pages."""

    def __init__(self, app: ASGIApp, *, body_limit: int, access: Access = NOWHERE_ELSE) -> None:
        """Args:
        body_limit: bytes.
        access: under which names the server may be asked, besides those of loopback.
        """
        self._app, self._limit = app, body_limit
        public = urlsplit(access.public_url).hostname or ""
        self._hosts = frozenset({*access.allowed_hosts, public} - {""})
        self._public, self._origin = public, access.public_url
        self._new_id = SystemClock().new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        identity = given if _REQUEST_ID.fullmatch(given) else self._new_id()
        scope.setdefault("state", {})["request_id"] = identity

        async def marked(message: Message) -> None:
            if message["type"].endswith(".response.start"):
                MutableHeaders(scope=message)[REQUEST_ID] = identity
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            return await refused(scope, refusal)(scope, receive, marked)
        await self._app(scope, self._limited(receive), marked)

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        name = name_of(host)
        if not is_loopback_name(name) and name not in self._hosts:
            known = " and ".join(["loopback names", *sorted(self._hosts)])
            return Refusal(421, f"this server answers to {known} only, not to {host!r}")
        safe = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
        origin = self._origin if name == self._public else _origin_of(scope, host)
        if not safe and not _same_origin(headers, origin):
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


def name_of(host: str) -> str:
    """The name or address in a Host header, in small letters; empty for what is none."""
    try:
        parts = urlsplit(f"//{host}")
        plain = parts.netloc == host and "@" not in host and parts.port != 0
        return (parts.hostname or "") if plain else ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine's loopback interface."""
    return is_loopback_name(name_of(host))


def _origin_of(scope: Scope, host: str) -> str:
    return f"{_PAGES.get(scope['scheme'], scope['scheme'])}://{host}"


def _same_origin(headers: Headers, own: str) -> bool:
    """Whether no browser says that the request comes from another origin.

    Programs send neither header. ``null`` is the origin of sandboxed pages and local files.
    """
    origin = headers.get("origin")
    if origin is not None:
        return origin == own
    return headers.get("sec-fetch-site", "none") in _OWN_SITE
