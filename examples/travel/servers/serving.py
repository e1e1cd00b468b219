"""How a travel server answers and runs: the same for both of them."""

import argparse
import json
import os
import socket
import sys
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BeforeValidator

from dates import today
from faults import TravelFault
from forecast import Forecast
from roads import Plan

# Models often send null for what they leave out.
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
Flag = Annotated[bool, BeforeValidator(lambda value: False if value is None else value)]


async def reply(work: Awaitable[Forecast | Plan], *, source: str) -> CallToolResult:
    """The tool result for ``work``: its answer, or its fault as a tool error.

    ``source`` says in the result's metadata where the answer comes from.
    """
    try:
        answer = {k: v for k, v in asdict(await work).items() if v is not None}
    except TravelFault as fault:
        return CallToolResult(content=[TextContent(type="text", text=str(fault))], is_error=True)
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=answer,
        _meta={"source": source},
    )


def run(server: MCPServer[Any], argv: list[str] | None = None) -> None:
    """Serve over stdio, or with ``--http PORT`` over streamable HTTP on this machine alone."""
    parser = argparse.ArgumentParser(description=server.description)
    parser.add_argument("--http", type=int, metavar="PORT", help="serve HTTP; 0 takes a free port")
    parser.add_argument("--today", metavar="DATE", help="count days from this one (2026-02-28)")
    given = parser.parse_args(argv)
    if given.today:
        os.environ["TRAVEL_TODAY"] = given.today
    try:
        today()
    except TravelFault as fault:
        parser.error(str(fault))
    with suppress(KeyboardInterrupt):
        if given.http is None:
            server.run("stdio")
        else:
            anyio.run(_serve_http, server, given.http)


async def _serve_http(server: MCPServer[Any], port: int) -> None:
    import uvicorn  # only this mode needs it

    with socket.create_server(("127.0.0.1", port)) as listener:
        # Whoever waits for this line can connect at once: the socket listens already.
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        print(f"{server.name}: {url}", file=sys.stderr, flush=True)
        app = server.streamable_http_app(stateless_http=True, json_response=True)
        await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])
