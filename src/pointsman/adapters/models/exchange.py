"""One HTTP exchange with a model server: a body goes out, an answer comes back in pieces.

Above: ``chat_completions``, which knows what the bytes mean. Below: aiohttp, whose errors end here.
``Wire`` is the seam where exchanges are recorded and played (``recorded``).
"""

import asyncio
import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from pointsman.adapters.models.presets import Endpoint
from pointsman.errors import ModelError, ModelProtocolError, ModelUnavailable, SettingsError

LINGER = 0.02
"""Seconds that a complete reply waits for the end of its HTTP body, so that the connection can be
used again. Servers end it at once or, some, never."""

LARGE_BODY = 1024 * 1024
"""Above this aiohttp wants a body as a file, to write it in pieces."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Dropped(ModelUnavailable):
    """The connection broke while the answer was being read."""


class Answer(Protocol):
    """A server's answer whose body is still coming."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    async def read(self) -> bytes:
        """What has come, at least one byte; empty at the end.

        Raises:
            Dropped: the body broke off.
        """
        ...

    async def settle(self) -> None:
        """Take in the end of a body of which everything that matters was read."""
        ...

    def close(self) -> None:
        """Let go at once; closes the connection unless the body was read to its end."""
        ...


class Wire(Protocol):
    """Where requests go."""

    @property
    def key(self) -> str:
        """The secret that goes along, never to be shown; may be empty."""
        ...

    async def post(self, body: bytes, connected: Callable[[], None]) -> Answer:
        """Send one request and wait for the head of the answer. The answer must be closed.

        Args:
            connected: called when there is a connection and the waiting for the server begins.

        Raises:
            ModelError: no answer.
        """
        ...

    async def aclose(self) -> None: ...


class HttpWire:
    """A model server over HTTP, with connections that are kept.

    Redirects are not followed: the key would go where nobody meant it to. Proxies of the
    environment are used for hosts other than this machine.
    """

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        parts = urlsplit(endpoint.url)
        host = parts.hostname or ""
        self._where = f"{host}:{parts.port}" if parts.port else host
        self._url = URL(endpoint.url, encoded=True)
        self._proxy = None if host in _LOOPBACK else _proxy_for(parts.scheme, host)
        self._headers = {"Content-Type": "application/json", "User-Agent": "pointsman"}
        self.key = key
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"HttpWire({self._where})"

    async def post(self, body: bytes, connected: Callable[[], None]) -> Answer:
        session = self._session or self._open()
        token = _CONNECTED.set(connected)
        try:
            response = await session.post(
                self._url,
                data=aiohttp.BytesPayload(body) if len(body) <= LARGE_BODY else io.BytesIO(body),
                allow_redirects=False,
            )
        except (aiohttp.ClientError, OSError) as error:
            raise _translated(error, self._where) from None
        finally:
            _CONNECTED.reset(token)
        return _HttpAnswer(response, self._where)

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=_Connector(limit=0),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            proxy=self._proxy,
        )
        return self._session


class _HttpAnswer:
    """An ``Answer`` over aiohttp's response."""

    __slots__ = ("_content", "_response", "_where", "headers", "status")

    def __init__(self, response: aiohttp.ClientResponse, where: str) -> None:
        self._response, self._content, self._where = response, response.content, where
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def read(self) -> bytes:
        try:
            return await self._content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise Dropped(
                f"the connection to the model at {self._where} broke off: {_reason(error)}"
            ) from None

    async def settle(self) -> None:
        if not self._content.is_eof():
            with suppress(TimeoutError, aiohttp.ClientError, OSError):
                async with asyncio.timeout(LINGER):
                    await self._content.wait_eof()

    def close(self) -> None:
        if not self._response.closed:
            self._response.close()


_CONNECTED: ContextVar[Callable[[], None]] = ContextVar("_CONNECTED")


class _Connector(aiohttp.TCPConnector):
    """Tells when a request has its connection."""

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:  # noqa: ASYNC109 (theirs)
        connection = await super().connect(req, traces, timeout)
        _CONNECTED.get()()
        return connection


def _translated(error: Exception, where: str) -> ModelError:
    if isinstance(error, aiohttp.ClientResponseError):
        return ModelProtocolError(f"what answers at {where} does not speak HTTP")
    return ModelUnavailable(f"cannot reach the model at {where}: {_reason(error)}")


def _reason(error: Exception) -> str:
    """Why, without what aiohttp adds of the request (URL, headers)."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return str(error.os_error) or type(error.os_error).__name__
    return str(error) or type(error).__name__


def _proxy_for(scheme: str, host: str) -> str | None:
    proxy = getproxies().get(scheme)
    if proxy is None or not proxy.startswith(("http://", "https://")) or proxy_bypass(host):
        return None
    return proxy


def checked_key(endpoint: Endpoint, environment: Mapping[str, str]) -> str:
    """The key of the endpoint from the environment; empty when none is needed.

    Raises:
        SettingsError: the variable is not set, or its value cannot be a key.
    """
    name = endpoint.key_env
    key = environment.get(name, "").strip() if name else ""
    if not key and name and not endpoint.key_optional:
        raise SettingsError(
            f"no key for {endpoint.name}: set the environment variable {name} "
            f"(export {name}=…), or choose another model in agent.yaml"
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise SettingsError(
            f"the value of {name} cannot be a key: it holds blanks or odd characters"
        )
    return key
