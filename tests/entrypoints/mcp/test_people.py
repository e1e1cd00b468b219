"""Who calls: a token's owner sees his own and nothing else, in both protocols and over /v1."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from pointsman.engine.service import Service
from tests.entrypoints.mcp.test_server import ERAS, books, text_of
from tests.support.accounts import House, house
from tests.support.engine import service_of
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


async def booking(**given: Any) -> Service:
    return await service_of(books, fake_tool("book", "booked", required=["what"]), **given)


@pytest.fixture
async def full(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, booking, users={"root": ["admin"], "ann": [], "bob": []}) as made:
        yield made


@asynccontextmanager
async def connected(full: House, token: str, era: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(verify=False, timeout=30, headers=headers) as plain:
        transport = streamable_http_client(f"{full.site.url}/mcp", http_client=plain)
        mode = "legacy" if era == "legacy" else "auto"
        async with Client(transport, mode=mode) as client:
            yield client


@ERAS
async def test_what_a_tool_is_asked_belongs_to_the_tokens_owner(full: House, era: str) -> None:
    """X07, X08: over MCP."""
    ann, bob = [await full.token(login, "chat") for login in ("ann", "bob")]
    async with connected(full, ann, era) as hers, connected(full, bob, era) as his:
        said = (await hers.call_tool("desk", {"message": "hello"})).structured_content
        assert (await full.site.service.record(said["run"], "ann")).user == "ann"
        into = {"message": "and?", "conversation": said["conversation"]}
        refused = await his.call_tool("desk", into)
        unknown = await his.call_tool("desk", {**into, "conversation": "0" * 32})
        assert refused.is_error
        assert text_of(refused).replace(said["conversation"], "0" * 32) == text_of(unknown)
        assert (await his.call_tool("pointsman_run", {"run": said["run"]})).is_error


async def test_a_session_of_one_is_no_session_of_another(full: House) -> None:
    """X07: the protocol of old."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    ann = await full.program(await full.token("ann", "chat"))
    bob = await full.program(await full.token("bob", "chat"))
    accept = {"Accept": "application/json, text/event-stream"}
    async with ann.ask("POST", "/mcp", hello, **accept) as answer:
        assert "result" in await answer.text()
        session = answer.headers["mcp-session-id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    for person, status in ((bob, 404), (ann, 200)):
        headers = {**accept, "mcp-session-id": session}
        async with person.ask("POST", "/mcp", listing, **headers) as answer:
            assert (answer.status, "tools" in await answer.text()) == (status, status == 200)
    headers = {"mcp-session-id": session}
    assert [await one.status("DELETE", "/mcp", **headers) for one in (bob, ann)] == [404, 200]


async def test_nobody_and_a_token_for_something_else_are_refused(full: House) -> None:
    assert await (await full.browser()).status("POST", "/mcp", {}) == 401
    other = await full.program(await full.token("ann", "approve"))
    assert await other.status("POST", "/mcp", {}) == 403


async def test_a_response_belongs_to_the_tokens_owner(full: House) -> None:
    """X07, X08: over /v1/responses, with the official client."""
    clients = [
        openai.AsyncOpenAI(
            base_url=f"{full.site.url}/v1", api_key=await full.token(login, "chat"), max_retries=0
        )
        for login in ("ann", "bob")
    ]
    hers, his = clients
    made = await hers.responses.create(model="desk", input="hello")
    assert made.output_text == "I heard: hello"
    assert made.conversation is not None
    for act in (
        lambda: his.responses.retrieve(made.id),
        lambda: his.responses.cancel(made.id),
        lambda: his.responses.delete(made.id),
        lambda: his.responses.create(model="desk", input="x", previous_response_id=made.id),
        lambda: his.responses.create(model="desk", input="x", conversation=made.conversation.id),
    ):
        with pytest.raises(openai.NotFoundError):
            await act()
    assert (await hers.responses.retrieve(made.id)).output_text == "I heard: hello"
    for client in clients:
        await client.close()
