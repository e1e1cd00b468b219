"""A server to ask over HTTP, and names that lead to it, for tests of HTTP tools."""

import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from pointsman.adapters.tools.http import HttpTools
from pointsman.adapters.tools.http_fetch import Fetcher
from pointsman.adapters.tools.http_settings import HttpOperation, HttpParameter, HttpSettings
from pointsman.domain.tools import ToolResult
from tests.support.mcp_sources import context

TOKEN = "tok-12345678"


class Api:
    """What was asked of it, and what it answers.

    Attributes:
        asked: method, raw path with query, headers and body of every request.
        answers: path → what is answered there; the rest is an empty object.
        names: host → its addresses, for the resolver of the tools; more than one answer means that
            the name changes its address from one question to the next.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Mapping[str, str], bytes]] = []
        self.answers: dict[str, Callable[[web.Request], Any]] = {}
        self.names: dict[str, list[Sequence[str]]] = {}
        self.port = 0

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        answers = self.names.get(host)
        if not answers:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.asked.append((request.method, request.raw_path, dict(request.headers), body))
        answer = self.answers.get(request.path)
        if answer is None:
            return web.json_response({})
        made = answer(request)
        response = await made if hasattr(made, "__await__") else made
        assert isinstance(response, web.StreamResponse)
        return response

    def url(self, host: str, path: str) -> str:
        """An address of a name that leads here."""
        return f"http://{host}:{self.port}{path}"


def certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """How a server proves to be this host, and how to believe it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    made = (
        x509.CertificateBuilder(subject_name=name, issuer_name=name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1))  # noqa: DTZ001 - the library's own way
        .not_valid_after(datetime(2090, 1, 1))  # noqa: DTZ001
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (file := folder / "server.pem").write_bytes(secret + pem)
    proving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    proving.load_cert_chain(file)
    return proving, ssl.create_default_context(cadata=pem.decode())


@asynccontextmanager
async def api(tls: ssl.SSLContext | None = None) -> AsyncIterator[Api]:
    """A server on loopback."""
    one = Api()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", one.answer)
    server = TestServer(app)
    await server.start_server(ssl=tls)
    async with server:
        assert server.port is not None
        one.port = server.port
        yield one


def get(url: str, *parameters: HttpParameter, **more: Any) -> HttpOperation:
    """An operation whose parameters are texts."""
    names = [one.name for one in parameters]
    schema = {"type": "object", "properties": {name: {} for name in names}}
    given = {"method": "GET", "name": "ask", "original": "ask", "schema": schema} | more
    return HttpOperation(url=url, parameters=parameters, **given)


def path(name: str) -> HttpParameter:
    return HttpParameter(name=name, where="path")


@asynccontextmanager
async def source(
    one: Api,
    *operations: HttpOperation,
    private: Sequence[str] = (),
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[HttpTools]:
    """The operations as tools, whose names are resolved by the api."""
    tools = HttpTools(
        HttpSettings(name="crm", operations=operations, private=tuple(private)),
        environ={"TOKEN": TOKEN},
        fetcher=Fetcher(private, resolve=one.resolve, tls=tls),
    )
    await tools.open()
    try:
        yield tools
    finally:
        await tools.aclose()


async def ask(tools: HttpTools, /, **arguments: Any) -> ToolResult:
    """Call the first of them."""
    return await tools.tools()[0].call(arguments, context())
