"""Conversations over HTTP: listed, renamed, exported, and deleted for good."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain.tools import Risk
from pointsman.engine.record import verification
from pointsman.engine.service import Submission
from tests.entrypoints.web.native import booking, get, post, say
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    service = await booking(Risk.READ, store=sqlite(tmp_path / "test.db"))
    async with serving(service) as site:
        yield site


async def said(
    site: Site, text: str, conversation: str = "", user: str = "local"
) -> dict[str, Any]:
    accepted = await say(site, text, conversation)
    await site.service.wait(accepted["run"], user)
    return accepted


async def others(site: Site, text: str) -> str:
    """A conversation of another user."""
    run = await site.service.submit(Submission(agent="desk", user="eve", text=text))
    ended = await site.service.wait(run, "eve")
    return ended.conversation


async def test_conversations_are_listed_by_last_use_with_their_first_words(site: Site) -> None:
    first = await said(site, "book a train\nto Beijing please")
    second = await said(site, "another")
    await said(site, "once more", first["conversation"])
    await others(site, "not yours")
    found = await get(site, "/api/conversations")
    assert [(one["conversation"], one["title"], one["runs"]) for one in found["conversations"]] == [
        (first["conversation"], "book a train to Beijing please", 2),
        (second["conversation"], "another", 1),
    ]
    assert found["conversations"][0]["last"]["input"] == "once more"
    assert found["conversations"][0]["last"]["reply"] == "booked"
    assert found["before"] is None


async def test_conversations_come_page_by_page(site: Site) -> None:
    made = [(await said(site, f"number {n}"))["conversation"] for n in range(5)]
    seen: list[str] = []
    before = ""
    while True:
        page = await get(site, f"/api/conversations?limit=2{before}")
        seen += [one["conversation"] for one in page["conversations"]]
        if page["before"] is None:
            break
        before = f"&before={page['before']}"
    assert seen == made[::-1]


async def test_conversations_are_found_by_title_and_by_any_message(site: Site) -> None:
    first = (await said(site, "one", ""))["conversation"]
    await said(site, "about 100% of it", first)
    second = (await said(site, "two"))["conversation"]
    async with site.http.patch(
        f"/api/conversations/{second}", json={"title": "  旅行 计划"}
    ) as answer:
        assert answer.status == 204

    async def found(words: str) -> list[str]:
        answer = await get(site, f"/api/conversations?q={words}")
        return [one["conversation"] for one in answer["conversations"]]

    assert await found("ABOUT 100%25") == [first]
    assert await found("旅行") == [second]
    assert await found("100_") == []
    assert (await get(site, f"/api/conversations/{second}"))["title"] == "旅行 计划"


async def test_an_empty_title_gives_the_first_words_back(site: Site) -> None:
    conversation = (await said(site, "first words"))["conversation"]
    for title in ("a name", ""):
        async with site.http.patch(
            f"/api/conversations/{conversation}", json={"title": title}
        ) as answer:
            assert answer.status == 204
    found = await get(site, "/api/conversations")
    assert found["conversations"][0]["title"] == "first words"


async def test_a_deleted_conversation_is_gone_and_the_audit_holds(site: Site) -> None:
    first = await said(site, "secret words")
    conversation = first["conversation"]
    other = await said(site, "stays")
    await post(site, f"/api/runs/{first['run']}/rate", {"rating": "up", "comment": "fine"}, 204)
    await get(site, "/api/runs")
    async with site.http.delete(f"/api/conversations/{conversation}") as answer:
        assert answer.status == 204
    await get(site, f"/api/conversations/{conversation}", 404)
    await get(site, f"/api/runs/{first['run']}", 404)
    found = await get(site, "/api/runs")
    assert [one["run"] for one in found["runs"]] == [other["run"]]
    checked = await verification.verify(site.service.store, SystemClock().now())
    assert (checked.pruned, checked.runs) == (1, 1)
    assert [fault.kind for fault in checked.faults] in ([], ["unsigned"])


async def test_a_trial_is_nobodys_conversation_while_it_waits_and_after(tmp_path: Path) -> None:
    service = await booking(Risk.WRITE, store=sqlite(tmp_path / "test.db"))
    async with serving(service) as site:
        own = await said(site, "book it")
        tried = await post(site, "/api/tools/desk/book/try", {"arguments": {"what": "seat"}})
        assert tried["status"] == "waiting"
        for _ in range(2):
            found = (await get(site, "/api/conversations"))["conversations"]
            assert [one["conversation"] for one in found] == [own["conversation"]]
            if tried["status"] == "waiting":
                tried = await post(site, f"/api/runs/{tried['run']}/cancel")


async def test_a_conversation_is_not_deleted_while_a_run_is_open(tmp_path: Path) -> None:
    service = await booking(Risk.WRITE, store=sqlite(tmp_path / "test.db"))
    async with serving(service) as site:
        waiting = await said(site, "book it")
        path = f"/api/conversations/{waiting['conversation']}"
        async with site.http.delete(path) as answer:
            assert answer.status == 409
            assert "has not ended" in (await answer.json())["detail"]
        await get(site, path)
        await post(site, f"/api/runs/{waiting['run']}/cancel")
        async with site.http.delete(path) as answer:
            assert answer.status == 204


@pytest.mark.parametrize(
    ("method", "path"),
    [("patch", ""), ("delete", ""), ("get", "/export")],
)
async def test_anothers_conversation_looks_like_none(site: Site, method: str, path: str) -> None:
    theirs = await others(site, "not yours")
    body = {"title": "mine"} if method == "patch" else None
    for conversation in (theirs, "0" * 32):
        url = f"/api/conversations/{conversation}{path}"
        async with site.http.request(method.upper(), url, json=body) as answer:
            assert answer.status == 404
            assert (await answer.json())["detail"] == f"no conversation {conversation!r}"


async def test_a_conversation_is_exported_for_programs_and_for_people(site: Site) -> None:
    conversation = (await said(site, "book # a *train*\n# now"))["conversation"]
    path = f"/api/conversations/{conversation}/export"
    async with site.http.get(path) as answer:
        assert "attachment" in answer.headers["content-disposition"]
        whole = json.loads(await answer.text())
    assert whole["runs"][0]["input"] == "book # a *train*\n# now"
    assert whole["runs"][0]["calls"] == [
        {"tool": "book", "arguments": {"what": "train"}, "status": "ok", "result": "booked"}
    ]
    async with site.http.get(f"{path}?format=markdown&language=zh") as answer:
        assert answer.content_type == "text/markdown"
        page = await answer.text()
    assert "> # now" in page
    assert "- `book(what='train')` ok" in page
    assert "**答复**" in page
