"""The directory over HTTP: who is in it, and whom a description means."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.agentfile.people import load
from pointsman.engine.directory import KnownPeople
from tests.support.engine import service_of
from tests.support.notices import mailroom
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

OFFICE = Path(__file__).parents[3] / "domain" / "whom" / "office.yaml"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    store = sqlite(tmp_path / "test.db")
    room = mailroom(store, {}, directory=KnownPeople(load(OFFICE)))
    async with serving(await service_of(["hello"], store=store, mailroom=room)) as site:
        yield site


async def asked(site: Site, query: str) -> Any:
    async with site.http.get(f"/api/directory?{query}") as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


async def meant(site: Site, words: str, status: int = 200) -> Any:
    async with site.http.post("/api/directory/find", json={"words": words}) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def test_an_entry_is_shown_whole(site: Site) -> None:
    (one,) = (await asked(site, "login=ZhaoMin"))["people"]
    assert (one["login"], one["name"], one["titles"]) == ("zhaomin", "赵敏", ["财务总监"])
    assert one["departments"][0].endswith("财务部")
    assert one["addresses"] == {"email": "zhao.min@yunfan.example", "sms": "13800000001"}


async def test_pages_come_by_login_and_hold_everybody_once(site: Site) -> None:
    seen: list[str] = []
    before = ""
    while True:
        page = await asked(site, f"limit=7{before and f'&before={before}'}")
        seen += [one["login"] for one in page["people"]]
        if page["before"] is None:
            break
        before = page["before"]
    assert seen == sorted(load(OFFICE).people)


@pytest.mark.parametrize("words", ["zhao.min@", "财务总监", "ZHAOMIN", "13800000001"])
async def test_people_are_found_by_whatever_is_known_of_them(site: Site, words: str) -> None:
    found = await asked(site, f"q={words}")
    assert "zhaomin" in [one["login"] for one in found["people"]]
    assert (await asked(site, "q=nobody-has-this"))["people"] == []


async def test_a_description_means_somebody_or_several_or_nobody(site: Site) -> None:
    found = await meant(site, "财务部的部长")
    assert [one["login"] for one in found["people"]] == ["zhaomin"]
    assert found["people"][0]["about"] == "财务部 财务总监"
    namesakes = await meant(site, " 李明 ")
    assert namesakes["people"] == []
    assert {one["login"] for one in namesakes["candidates"]} == {"liming1", "liming2"}
    nobody = await meant(site, "火星上的张三丰")
    assert nobody == {"people": [], "candidates": [], "departments": []}
    await meant(site, " ", 400)
