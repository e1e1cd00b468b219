"""Talks to the native API, and an agent that books."""

from typing import Any

from pointsman.domain.messages import ModelRequest
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from tests.support.engine import service_of
from tests.support.scripted_model import Answer, results
from tests.support.tools import fake_tool
from tests.support.web import Event, Site, events


def books(request: ModelRequest) -> Answer:
    found = results(request)
    return " / ".join(found) if found else [("book", '{"what": "train"}')]


async def booking(risk: Risk = Risk.WRITE, **more: Any) -> Service:
    return await service_of(
        books, fake_tool("book", "booked", required=["what"], risk=risk), **more
    )


async def get(site: Site, path: str, status: int = 200) -> Any:
    async with site.http.get(path) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def post(site: Site, path: str, body: Any = None, status: int = 200) -> Any:
    async with site.http.post(path, json=body or {}) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def say(site: Site, text: str, conversation: str = "") -> dict[str, str]:
    body = {"agent": "desk", "text": text, "conversation": conversation}
    accepted: dict[str, str] = await post(site, "/api/messages", body, 202)
    return accepted


async def stream_of(site: Site, run: str, **headers: str) -> list[Event]:
    async with site.http.get(f"/api/runs/{run}/events", headers=headers) as answer:
        assert answer.status == 200
        return [event async for event in events(answer)]
