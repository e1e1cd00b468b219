"""The headers that every answer carries: what a browser may do with it.

The console loads nothing from elsewhere. Its scripts come from files alone; its styles may also
stand in the page, because the component library makes them as it needs them: a style cannot run
anything, and what it could fetch, other rules forbid.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""For pages."""
PLAIN_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""For everything else: opened by itself it is text, whatever is in it."""

COMMON = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_STRICT_TRANSPORT = "max-age=31536000"


class SafeHeaders:
    """Puts them on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def marked(message: Message) -> None:
            # a browser puts the headers of a 304 on the page that it has kept
            if message["type"] == "http.response.start" and message["status"] != 304:
                mark(MutableHeaders(scope=message), secure=scope["scheme"] == "https")
            await send(message)

        await self._app(scope, receive, marked)


def mark(headers: MutableHeaders, *, secure: bool = False) -> None:
    """Put them on this answer.

    Args:
        secure: it goes over TLS.
    """
    headers.update(COMMON)
    page = headers.get("content-type", "").startswith("text/html")
    headers["content-security-policy"] = PAGE_POLICY if page else PLAIN_POLICY
    headers.setdefault("cache-control", "no-store")
    if secure:
        headers["strict-transport-security"] = _STRICT_TRANSPORT
