"""The web application behind a real server on loopback, and what reads from it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import openai
import uvicorn
from fastapi import FastAPI

from pointsman.engine.service import Service
from pointsman.entrypoints.web.app import close_streams, create_app
from pointsman.entrypoints.web.http_server import configured
from pointsman.settings import Settings
from tests.support.waiting import until

NOTHING_SET = Settings()


@dataclass(frozen=True)
class Site:
    """A running server.

    Attributes:
        url: without a slash at the end.
        http: relative addresses are the server's.
        client: the official one, without repetitions of its own.
    """

    app: FastAPI
    service: Service
    url: str
    http: aiohttp.ClientSession
    client: openai.AsyncOpenAI


@asynccontextmanager
async def serving(
    service: Service, *, drive: bool = True, settings: Settings = NOTHING_SET
) -> AsyncIterator[Site]:
    """Serve the engine on a free port; it is closed at the end."""
    app = create_app(service, settings, drive=drive)
    config = configured(app, settings.serving)
    config.port, config.lifespan = 0, "auto"
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    try:
        async with (
            aiohttp.ClientSession(url) as http,
            _official_client(url) as client,
        ):
            yield Site(app, service, url, http, client)
    finally:
        close_streams(app)
        await _stop(server)
        await service.aclose()


async def _stop(server: uvicorn.Server) -> None:
    """As ``Server.shutdown`` does, which takes a tenth of a second also where nothing is open."""
    for listening in server.servers:
        listening.close()
    for connection in list(server.server_state.connections):
        connection.shutdown()
    await until(lambda: not (server.server_state.connections or server.server_state.tasks))
    await server.lifespan.shutdown()


def _official_client(url: str) -> openai.AsyncOpenAI:
    """Without the certificates of this machine, which take it 0.2 s to read."""
    plain = openai.DefaultAsyncHttpxClient(verify=False)
    return openai.AsyncOpenAI(
        base_url=f"{url}/v1", api_key="none", max_retries=0, http_client=plain
    )


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    data: Any
    name: str = ""
    id: str = ""


async def events(response: aiohttp.ClientResponse) -> AsyncIterator[Event]:
    """The events of a stream as they come; data that is JSON is decoded, comments are left out."""
    fields: dict[str, str] = {}
    async for raw in response.content:
        line = raw.decode().rstrip("\n")
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            data = fields.get("data", "")
            yield Event(
                json.loads(data) if data.startswith("{") else data,
                fields.get("event", ""),
                fields.get("id", ""),
            )
            fields = {}
