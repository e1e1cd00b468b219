"""Runs over HTTP: found by what happened in them, rated, explained, replayed, made a case."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.requests import HTTPConnection

from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service, Submission
from pointsman.entrypoints.web.access import Entrance, Viewer
from tests.entrypoints.web.native import get, post
from tests.support.engine import service_of
from tests.support.scripted_model import Answer, results
from tests.support.tools import fake_tool
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


def desk(request: ModelRequest) -> Answer:
    """Calls the tool that the message names, and tells its result."""
    if found := results(request):
        return " / ".join(found)
    last = request.messages[-1]
    words = last.text.split() if isinstance(last, UserMessage) else []
    if words[0] in ("book", "fails", "look"):
        return [(words[0], '{"what": "train"}')]
    return f"heard {' '.join(words)}"


async def broken(arguments: object, context: object) -> str:
    raise RuntimeError("no line")


async def made(path: Path) -> Service:
    return await service_of(
        desk,
        fake_tool("book", "booked", required=["what"], risk=Risk.WRITE),
        fake_tool("look", "seen", required=["what"], risk=Risk.READ),
        fake_tool("fails", broken, required=["what"], risk=Risk.READ),
        store=sqlite(path / "test.db"),
    )


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with serving(await made(tmp_path)) as site:
        yield site


async def ended(site: Site, text: str, user: str = "local") -> str:
    run = await site.service.submit(Submission(agent="desk", user=user, text=text))
    await site.service.wait(run, user)
    return run


async def found(site: Site, **filters: Any) -> list[str]:
    answer = await get(site, f"/api/runs?{urlencode(filters)}")
    return [one["run"] for one in answer["runs"]]


class OpenTo(Entrance, frozen=True, kw_only=True):
    """Takes everybody for the same one."""

    viewer: Viewer

    async def known(self, connection: HTTPConnection) -> Viewer:
        return self.viewer


def as_user(site: Site, login: str, *roles: Any) -> None:
    """Let every request be of this user from now on."""
    site.app.state.entrance = OpenTo(
        accounts=None,
        settings=site.app.state.settings,
        viewer=Viewer(login=login, roles=frozenset({"user", *roles})),
    )


async def test_runs_are_found_by_what_happened_in_them(site: Site) -> None:
    look, fails = await ended(site, "look there"), await ended(site, "fails now")
    waits, plain = await ended(site, "book a seat"), await ended(site, "你好 World")
    assert await found(site) == [plain, waits, fails, look]
    assert await found(site, tool="look") == [look]
    assert await found(site, outcome="failed") == [fails]
    assert await found(site, status="waiting") == [waits]
    assert await found(site, q="world") == [plain]
    assert await found(site, q="NO LINE") == [fails]
    assert await found(site, min_ms=10_000_000) == []
    assert await found(site, tool="look", q="nothing") == []


async def test_runs_are_found_by_time(site: Site) -> None:
    first, second = await ended(site, "one"), await ended(site, "two")
    at = (await get(site, f"/api/runs/{second}"))["created"]
    assert await found(site, **{"from": at}) == [second]
    assert await found(site, to=at) == [first]
    assert await found(site, **{"from": "2001-01-01", "to": "2001-01-02"}) == []


async def test_a_row_tells_what_a_run_did(site: Site) -> None:
    await ended(site, "look there")
    (row,) = (await get(site, "/api/runs"))["runs"]
    assert (row["user"], row["tools"], row["kind"], row["status"]) == (
        "local",
        ["look"],
        "answer",
        "done",
    )
    assert row["ms"] >= 0
    assert row["rating"] is None


async def test_the_histogram_counts_what_the_list_shows(site: Site) -> None:
    assert (await get(site, "/api/runs/histogram"))["buckets"] == []
    for text in ("look a", "look b", "hello"):
        await ended(site, text)
    whole = await get(site, "/api/runs/histogram?buckets=5")
    assert len(whole["buckets"]) == 5
    assert sum(one["count"] for one in whole["buckets"]) == 3
    some = await get(site, "/api/runs/histogram?tool=look")
    assert sum(one["count"] for one in some["buckets"]) == 2


async def test_another_users_runs_are_listed_for_operators_only(site: Site) -> None:
    theirs, own = await ended(site, "hello", "eve"), await ended(site, "hello")
    assert await found(site) == [own]
    assert await found(site, scope="all") == [own, theirs]
    assert await found(site, scope="all", user="eve") == [theirs]
    as_user(site, "bob")
    assert await found(site) == []
    await get(site, "/api/runs?scope=all", 403)
    await get(site, "/api/runs?user=eve", 403)
    await get(site, "/api/runs/histogram?scope=all", 403)


@pytest.mark.parametrize("what", ["", "/trace", "/explain", "/events"])
async def test_operators_read_any_run_and_users_their_own(site: Site, what: str) -> None:
    run = await ended(site, "look there", "eve")
    for login, roles, own, every in (
        ("bob", (), 404, 403),
        ("eve", (), 200, 403),
        ("oda", ("operator",), 404, 200),
    ):
        as_user(site, login, *roles)
        for scope, status in (("", own), ("?scope=all", every)):
            async with site.http.get(f"/api/runs/{run}{what}{scope}") as answer:
                assert answer.status == status


async def test_a_reply_is_rated_and_the_rating_taken_back(site: Site) -> None:
    run = await ended(site, "hello")
    path = f"/api/runs/{run}/rate"
    await post(site, path, {"rating": "down", "comment": " wrong "}, 204)
    (row,) = (await get(site, "/api/runs?rating=down"))["runs"]
    assert (row["rating"], row["comment"]) == ("down", "wrong")
    conversation = await get(site, f"/api/conversations/{row['conversation']}")
    assert conversation["runs"][0]["rating"] == "down"
    await post(site, path, {"rating": "up"}, 204)
    assert await found(site, rating="down") == []
    await post(site, path, {"rating": None}, 204)
    assert await found(site, rating="up") == []


async def test_only_ones_own_ended_runs_are_rated(site: Site) -> None:
    theirs, waits = await ended(site, "hello", "eve"), await ended(site, "book it")
    await post(site, f"/api/runs/{theirs}/rate", {"rating": "up"}, 404)
    await post(site, f"/api/runs/{waits}/rate", {"rating": "up"}, 409)
    await post(site, f"/api/runs/{waits}/rate", {"rating": "best"}, 400)


async def test_a_run_is_explained_in_the_readers_language(site: Site) -> None:
    run = await ended(site, "look there")
    told = await get(site, f"/api/runs/{run}/explain?language=zh")
    assert told["calls"][0]["verdict"] == "ran"
    assert told["calls"][0]["said"] == "已执行"
    assert told["calls"][0]["line"] in told["text"]
    assert told["opening"][0].startswith("local 说")


async def test_a_run_is_replayed_and_nothing_is_called(site: Site) -> None:
    run = await ended(site, "look there")
    assert await post(site, f"/api/runs/{run}/replay") == {
        "run": run,
        "same": True,
        "differences": [],
        "problem": None,
    }
    as_user(site, "bob")
    await post(site, f"/api/runs/{run}/replay", status=403)


async def test_a_case_is_made_of_a_run_and_shown(site: Site) -> None:
    run = await ended(site, "look there")
    made = await post(site, f"/api/runs/{run}/case", {"id": "looks"})
    assert made["case"] == "looks"
    assert "say: look there" in made["text"]
    assert made["suite"] is None
    await post(site, f"/api/runs/{run}/case", {"suite": "../x.yaml"}, 400)
    await post(site, f"/api/runs/{run}/case", {"suite": "suite"}, 409)
