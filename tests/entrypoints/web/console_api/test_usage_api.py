"""Figures over time over HTTP: they add up, and users see their own."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.entrypoints.web.console_api.test_runs_api import as_user, ended, made
from tests.entrypoints.web.native import get, post
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with serving(await made(tmp_path)) as site:
        yield site


async def report(site: Site, **wanted: Any) -> Any:
    return await get(site, f"/api/usage/report?{urlencode(wanted)}")


async def test_figures_add_up_over_the_steps(site: Site) -> None:
    run = await ended(site, "look there")
    await ended(site, "hello", "eve")
    await ended(site, "fails now")
    await post(site, f"/api/runs/{run}/rate", {"rating": "up"}, 204)
    found = await report(site)
    totals = found["totals"]
    assert (totals["runs"], totals["conversations"], totals["up"]) == (3, 3, 1)
    assert (totals["tool_calls"], totals["tool_ok"]) == (2, 1)
    assert totals["prompt"] == 50
    assert totals["p50_ms"] <= totals["p95_ms"]
    for name in ("runs", "prompt", "tool_calls", "up"):
        assert sum(step[name] for step in found["series"]) == totals[name]
    assert len(found["series"]) == 8
    assert [(one["tool"], one["calls"], one["ok"]) for one in found["tools"]] == [
        ("fails", 1, 0),
        ("look", 1, 1),
    ]
    assert found["agents"][0]["runs"] == 3
    assert found["caught_up"] is True


async def test_a_confirmation_and_its_denial_are_counted(site: Site) -> None:
    run = await ended(site, "book a seat")
    (waiting,) = (await site.service.run(run, None)).waiting
    assert waiting.approval is not None
    await site.service.decide(run, waiting.approval.id, "denied", by="local")
    await site.service.wait(run, "local")
    totals = (await report(site))["totals"]
    assert (totals["confirmations"], totals["denials"], totals["tool_calls"]) == (1, 1, 0)


async def test_days_begin_where_the_viewer_is(site: Site) -> None:
    wanted = {"from": "2026-03-01T16:00:00Z", "to": "2026-03-03T16:00:00Z"}
    found = await report(site, **wanted, timezone="Asia/Shanghai")
    starts = [datetime.fromisoformat(step["at"]) for step in found["series"]]
    assert starts == [datetime(2026, 3, day, 16, tzinfo=UTC) for day in (1, 2)]
    assert len((await report(site, **wanted))["series"]) == 3
    assert len((await report(site, **wanted, step="hour"))["series"]) == 48


@pytest.mark.parametrize(
    "wanted",
    [
        {"from": "2026-03-02", "to": "2026-03-01"},
        {"from": "2001-01-01", "to": "2026-03-01"},
        {"timezone": "Mars/North"},
        {"timezone": "../etc/passwd"},
        {"step": "year"},
    ],
)
async def test_a_span_that_makes_no_sense_is_refused(site: Site, wanted: dict[str, str]) -> None:
    await get(site, f"/api/usage/report?{urlencode(wanted)}", 400)


async def test_users_read_their_own_figures_and_operators_all(site: Site) -> None:
    await ended(site, "hello", "eve")
    await ended(site, "hello", "bob")
    as_user(site, "bob")
    assert (await report(site))["totals"]["runs"] == 1
    await get(site, "/api/usage/report?user=eve", 403)
    as_user(site, "oda", "operator")
    assert (await report(site))["totals"]["runs"] == 2
    assert (await report(site, user="eve"))["totals"]["runs"] == 1
