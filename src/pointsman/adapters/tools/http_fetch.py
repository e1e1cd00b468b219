"""One HTTP request, to an address that was looked at, with an end to its size and its redirects.

Below: aiohttp. Redirects are followed by hand, for requests that only read: each hop is looked at
like the first, and what was said to one server is not said to another.
"""

import ssl
import zlib
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import aiohttp
from msgspec import Struct
from msgspec.structs import replace
from yarl import URL

from pointsman.adapters.tools.http_guard import (
    Target,
    Unsafe,
    check_host,
    target_of,
)
from pointsman.adapters.tools.http_request import Outgoing
from pointsman.adapters.tools.http_resolver import CheckedResolver, Resolve, system_resolve

LONGEST_ANSWER = 2_000_000
"""Bytes of an answer's body that are read."""
MOST_HOPS = 3
CONNECTING = 10.0
"""Seconds for a connection."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_PIECE = 65_536


class NotSent(Exception):
    """The request did not leave.

    Attributes:
        retryable: whether it may the next time.
    """

    def __init__(self, why: str, *, retryable: bool) -> None:
        self.retryable = retryable
        super().__init__(why)


class Lost(Exception):
    """The request was sent, and its answer cannot be had."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a server answered.

    Attributes:
        body: as far as it was read.
        whole: whether that is all of it.
        encoded: a content coding that is not read here, such as ``br``; empty for none.
    """

    status: int
    content_type: str
    charset: str | None
    body: bytes
    whole: bool
    encoded: str = ""


class Sent:
    """Whether anything of a request has left."""

    yet = False


class Fetcher:
    """Asks servers, for one source; to be opened and closed in one event loop."""

    def __init__(
        self,
        private: Collection[str] = (),
        *,
        resolve: Resolve = system_resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Args:
        private: hosts that may have addresses which are not public.
        tls: whom to trust; the machine's certificates without it.
        """
        self._private = frozenset(private)
        self._resolver = CheckedResolver(self._private, resolve)
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    def open(self) -> None:
        """Get ready; connects to nobody."""
        if self._session is not None:
            return
        trace = aiohttp.TraceConfig()
        trace.on_request_headers_sent.append(_mark_sent)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=self._resolver, use_dns_cache=False, ssl=self._tls or True
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            trace_configs=[trace],
            timeout=aiohttp.ClientTimeout(total=None, connect=CONNECTING),
            headers={"User-Agent": "pointsman", "Accept-Encoding": "identity"},
        )

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def fetch(self, request: Outgoing, sent: Sent) -> Answer:
        """Ask, and ask again where the answer says so; the caller bounds the time.

        Raises:
            NotSent, Lost: there is no answer.
        """
        hops, came_from = 0, None
        while True:
            target = self._looked_at(request.url)
            if came_from is not None and target.origin != came_from.origin:
                request = replace(request, headers={"Accept": request.headers.get("Accept", "*/*")})
            answer, place = await self._asked(request, target, sent)
            if place is None or request.method not in ("GET", "HEAD"):
                return answer
            if hops == MOST_HOPS:
                raise NotSent(f"more than {MOST_HOPS} redirects", retryable=False)
            hops, came_from = hops + 1, target
            request = replace(request, url=urljoin(target.url, place))

    def _looked_at(self, url: str) -> Target:
        try:
            target = target_of(url)
            check_host(target.host, private=target.host in self._private)
        except Unsafe as fault:
            raise NotSent(f"blocked: {fault}", retryable=False) from None
        return target

    async def _asked(
        self, request: Outgoing, target: Target, sent: Sent
    ) -> tuple[Answer, str | None]:
        """The answer of one hop, and where it sends us."""
        if self._session is None:
            raise NotSent("the source is not open", retryable=True)
        try:
            async with self._session.request(
                request.method,
                URL(target.url, encoded=True),
                headers=request.headers,
                data=request.body,
                allow_redirects=False,
                trace_request_ctx=sent,
            ) as response:
                place = response.headers.get("Location") if response.status in _MOVED else None
                body, whole = await _read(response)
                coding = response.headers.get("Content-Encoding", "").strip().lower()
                if coding in _PACKED:
                    body, whole, coding = *_unpacked(body, whole), ""
                answer = Answer(
                    status=response.status,
                    content_type=response.content_type,
                    charset=response.charset,
                    body=body,
                    whole=whole,
                    encoded="" if coding == "identity" else coding,
                )
                return answer, place
        except aiohttp.ClientConnectorError as fault:
            if isinstance(fault.os_error, Unsafe):
                raise NotSent(f"blocked: {fault.os_error}", retryable=False) from None
            raise NotSent(f"{target.host} cannot be reached", retryable=True) from None
        except aiohttp.InvalidURL:
            raise NotSent("the address cannot be read", retryable=False) from None
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            why = f"{target.host}: {type(fault).__name__}"
            if sent.yet:
                raise Lost(why) from None
            raise NotSent(why, retryable=not isinstance(fault, ValueError)) from None


async def _mark_sent(session: aiohttp.ClientSession, context: SimpleNamespace, _: Any) -> None:
    context.trace_request_ctx.yet = True


async def _read(response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
    """The body up to the limit, and whether that is all of it."""
    pieces: list[bytes] = []
    size = 0
    async for piece in response.content.iter_chunked(_PIECE):
        room = LONGEST_ANSWER - size
        if len(piece) > room:
            pieces.append(piece[:room])
            response.close()  # the rest is not worth reading
            return b"".join(pieces), False
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), True


def _unpacked(body: bytes, whole: bool) -> tuple[bytes, bool]:
    """The body that was packed although nobody asked for it, up to the limit, and whether that is
    all of it: a few bytes can unpack to gigabytes.

    Raises:
        ValueError: it cannot be unpacked.
    """
    reader = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        plain = reader.decompress(body, LONGEST_ANSWER + 1)
    except zlib.error as fault:
        raise ValueError(str(fault)) from None
    fits = len(plain) <= LONGEST_ANSWER
    if whole and fits and not reader.eof:
        raise ValueError("the packed answer breaks off")
    return plain[:LONGEST_ANSWER], whole and fits
