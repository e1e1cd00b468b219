"""The calendar over HTTP: what is to come by the schedule, what became of the past, and whose."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.messages import ModelRequest
from tests.support.engine import service_of
from tests.support.notices import mailroom
from tests.support.reminders import MORNING, StillClock, fire
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> StillClock:
    return StillClock(MORNING)


@pytest.fixture
async def site(tmp_path: Path, clock: StillClock) -> AsyncIterator[Site]:
    store = sqlite(tmp_path / "test.db")

    def silent(request: ModelRequest) -> str:
        return "?"

    service = await service_of(
        silent,
        store=store,
        clock=clock,
        mailroom=mailroom(store, {}, clock=clock),
        timezone="Asia/Shanghai",
    )
    async with serving(service, drive=False) as site:
        yield site


async def made(site: Site, when: str, text: str = "开会") -> str:
    given = {"agent": "desk", "when": when, "text": text}
    async with site.http.post("/api/reminders", json=given) as answer:
        assert answer.status == 201, await answer.text()
        return str((await answer.json())["reminder"])


async def between(site: Site, begin: str, end: str, status: int = 200) -> Any:
    path = f"/api/calendar?{urlencode({'from': begin, 'to': end})}"
    async with site.http.get(path) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def test_each_time_of_a_rule_stands_in_the_span(site: Site) -> None:
    daily, once = await made(site, "每天22点", "吃药"), await made(site, "明天9点")
    found = await between(site, "2025-03-05T16:00:00Z", "2025-03-08T16:00:00Z")
    assert [(one["reminder"], one["at"], one["state"]) for one in found["due"]] == [
        (once, "2025-03-06T01:00:00Z", "due"),
        (daily, "2025-03-06T14:00:00Z", "due"),
        (daily, "2025-03-07T14:00:00Z", "due"),
        (daily, "2025-03-08T14:00:00Z", "due"),
    ]
    assert found["due"][1]["title"] == "吃药"
    assert found["cut"] is False


async def test_what_was_due_is_told_with_what_became_of_it(site: Site, clock: StillClock) -> None:
    reminder = await made(site, "明天9点")
    clock.set(MORNING + timedelta(days=2))
    await fire(site.service)
    found = await between(site, "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")
    (only,) = found["due"]
    assert only["reminder"] == reminder
    assert only["state"] in ("late", "missed")


async def test_what_is_paused_or_cancelled_is_not_to_come(site: Site) -> None:
    for what in ("pause", "cancel"):
        reminder = await made(site, "每天22点")
        async with site.http.post(f"/api/reminders/{reminder}/{what}") as answer:
            assert answer.status == 200
    found = await between(site, "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")
    assert found["due"] == []


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2025-03-05T00:00:00Z", "2025-03-05T00:00:00Z"),
        ("2025-03-05T00:00:00Z", "2025-06-05T00:00:00Z"),
        ("yesterday", "2025-03-06T00:00:00Z"),
    ],
)
async def test_a_span_that_is_none_or_too_long_is_refused(begin: str, end: str, site: Site) -> None:
    refused = await between(site, begin, end, status=400)
    assert refused["detail"]
