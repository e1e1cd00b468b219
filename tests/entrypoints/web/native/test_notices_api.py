"""Notifications over HTTP: accepted with an id whose state can be read, and nobody else's."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.directory.recipients import Contact, Way
from pointsman.domain.notices.delivery import Outcome
from pointsman.engine.notices.channels import Channel
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.notices.post import Notice
from tests.cases import params
from tests.support.engine import service_of
from tests.support.notices import People, PlayedChannel, mailroom
from tests.support.web import Site, events, serving

pytestmark = pytest.mark.anyio

DOWN = Outcome(verdict="retry", about="channel", detail="down")
PEOPLE = People(
    Contact(login="local", name="我自己"),
    Contact(login="wang", name="王芳", addresses={"email": "wang@a.test"}),
    Contact(login="z1", name="张伟", about="财务部"),
    Contact(login="z2", name="张伟", about="市场部"),
)


class Rooms:
    """The running site and its mailroom."""

    def __init__(self, site: Site, room: Mailroom) -> None:
        self.site, self.room = site, room

    async def ask(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        async with self.site.http.request(method, path, json=body or None) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncIterator[Rooms]:
    store = sqlite(tmp_path / "test.db")
    channels: dict[str, Channel | PlayedChannel] = {"email": PlayedChannel(DOWN)}
    room = mailroom(store, channels, directory=PEOPLE)
    service = await service_of(["hello"], store=store, mailroom=room)
    async with serving(service) as site:
        yield Rooms(site, room)


@pytest.mark.parametrize("case", params(9, only=("N19",)))
async def test_accepted_comes_with_an_id_whose_state_can_be_read(
    case: dict[str, Any], rooms: Rooms
) -> None:
    assert case["input"]["downstream"] == "down"
    given = {"message": "开会", "to": ["王芳"], "channels": ["email"]}
    taken = await rooms.ask("POST", "/api/deliveries", 202, **given)
    (delivery,) = taken["deliveries"]
    assert delivery["status"] == "pending"
    with anyio.fail_after(60):
        while True:
            found = await rooms.ask("GET", f"/api/deliveries/{delivery['delivery']}")
            if found["status"] == "retry":
                break
            await anyio.sleep(0.02)
    assert (found["error"], found["attempts"]) == ("down", 1)
    assert found["next_attempt"]
    assert found["text"] == "未成功，将重试"
    await rooms.ask("POST", f"/api/deliveries/{delivery['delivery']}/retry", 409)


async def test_the_same_key_is_one_message(rooms: Rooms) -> None:
    given = {"message": "开会", "to": ["王芳"], "key": "once"}
    first = await rooms.ask("POST", "/api/deliveries", 202, **given)
    again = await rooms.ask("POST", "/api/deliveries", 202, **given)
    assert first["deliveries"][0]["delivery"] == again["deliveries"][0]["delivery"]
    assert len((await rooms.ask("GET", "/api/deliveries"))["deliveries"]) == 1


async def test_who_is_not_clear_is_asked_in_the_problem(rooms: Rooms) -> None:
    problem = await rooms.ask("POST", "/api/deliveries", 400, message="开会", to=["张伟"])
    assert problem["code"] == "unclear"
    assert "1. 张伟（财务部，z1）" in problem["detail"]
    await rooms.ask("POST", "/api/deliveries", 400, message="", to=["张伟"])
    await rooms.ask("POST", "/api/deliveries", 400, message=" \n", to=["张伟"])
    many = await rooms.ask("POST", "/api/deliveries", 400, message="x", to=["张伟"] * 501)
    assert many["detail"] == "to: may hold at most 500, not 501"
    await rooms.ask("POST", "/api/deliveries", 400, message="x", nonsense=1)


async def test_what_another_sent_is_not_there(rooms: Rooms) -> None:
    to = Way(channel="system", address="wang", name="王芳", login="wang")
    (other,) = await rooms.room.post.send(
        Notice(key="other", recipients=(to,), body="x", sender="bo")
    )
    await rooms.ask("GET", f"/api/deliveries/{other.id}", 404)
    await rooms.ask("POST", f"/api/deliveries/{other.id}/retry", 404)
    assert (await rooms.ask("GET", "/api/deliveries"))["deliveries"] == []


async def test_deliveries_come_in_pages_and_by_state(rooms: Rooms) -> None:
    for number in range(3):
        given = {"message": f"第 {number} 条", "to": ["王芳"]}
        await rooms.ask("POST", "/api/deliveries", 202, **given)
    page = await rooms.ask("GET", "/api/deliveries?limit=2")
    assert [one["subject"] for one in page["deliveries"]] == ["第 2 条", "第 1 条"]
    rest = await rooms.ask("GET", f"/api/deliveries?before={page['before']}")
    assert [one["subject"] for one in rest["deliveries"]] == ["第 0 条"]
    assert rest["before"] is None
    none = await rooms.ask("GET", "/api/deliveries?status=dead_letter&channel=system")
    assert none["deliveries"] == []


async def test_an_inbox_is_read_page_by_page_and_marked(rooms: Rooms) -> None:
    async with rooms.site.http.get("/api/inbox/events") as stream:
        seen = events(stream)
        assert (await anext(seen)).data == {"unread": 0}
        for number in range(3):
            await rooms.ask("POST", "/api/deliveries", 202, message=f"第 {number} 条", to=["me"])
        texts: list[str] = []
        with anyio.fail_after(60):
            while len(texts) < 3:
                one = await anext(seen)
                texts += [one.data["text"]] if one.name == "message" else []
    assert sorted(texts) == ["第 0 条", "第 1 条", "第 2 条"]
    page = await rooms.ask("GET", "/api/inbox?limit=2")
    assert (len(page["messages"]), page["unread"]) == (2, 3)
    older = await rooms.ask("GET", f"/api/inbox?before={page['before']}")
    assert len(older["messages"]) == 1
    first = page["messages"][0]["id"]
    assert await rooms.ask("POST", f"/api/inbox/{first}/read", read=True) == {"unread": 2}
    assert await rooms.ask("POST", f"/api/inbox/{first}/read", read=True) == {"unread": 2}
    assert await rooms.ask("POST", f"/api/inbox/{first}/read", read=False) == {"unread": 3}
    assert await rooms.ask("GET", "/api/inbox/unread") == {"unread": 3}
    assert await rooms.ask("POST", "/api/inbox/read") == {"unread": 0}
    await rooms.ask("POST", "/api/inbox/nonsense/read", 404, read=True)


async def test_a_place_that_is_none_is_refused(rooms: Rooms) -> None:
    headers = {"Last-Event-ID": "x"}
    async with rooms.site.http.get("/api/inbox/events", headers=headers) as answer:
        assert answer.status == 400


async def test_an_engine_in_memory_says_that_it_has_no_notifications() -> None:
    async with (
        serving(await service_of(["hello"])) as site,
        site.http.get("/api/inbox") as answer,
    ):
        assert answer.status == 400
        assert "no notifications" in (await answer.json())["detail"]
