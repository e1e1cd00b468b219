"""Whoever watches the server learns whether it is alive and ready, and what it has done."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.messages import ModelRequest
from pointsman.domain.tools import Risk
from pointsman.entrypoints.web.app import close_streams
from pointsman.errors import StoreError
from pointsman.ports import RunRecord
from pointsman.settings import Serving, Settings
from pointsman.wiring.databases import sqlite_store
from tests.entrypoints.web.native import booking, get, say
from tests.support.engine import approve, service_of
from tests.support.scripted_model import Answer, results
from tests.support.tools import FakeSource, fake_tool
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

TOKEN = "a-token-for-the-figures"


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    settings = Settings(serving=Serving(metrics_token=TOKEN))
    async with serving(await booking(), settings=settings) as site:
        yield site


async def figures(site: Site) -> dict[str, float]:
    """Name and labels → value."""
    async with site.http.get("/metrics") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        lines = (await answer.text()).splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


async def test_a_server_that_answers_is_alive(site: Site) -> None:
    assert (await get(site, "/healthz"))["status"] == "ok"


async def test_a_server_that_has_all_it_needs_is_ready(site: Site) -> None:
    found = await get(site, "/readyz")
    assert found["ready"]
    assert [check["name"] for check in found["checks"]][:2] == ["server", "database"]


class Broken(MemoryStore):
    """A store whose database is gone."""

    async def record(self, run: str) -> RunRecord | None:
        raise StoreError("password of the database: hunter2")


async def test_a_server_without_its_database_is_alive_and_not_ready() -> None:
    async with serving(await service_of(["hello"], store=Broken()), drive=False) as site:
        await get(site, "/healthz")
        async with site.http.get("/readyz") as answer:
            text = await answer.text()
            assert answer.status == 503
    assert "database failed" in text
    assert "hunter2" not in text


class Starting(FakeSource):
    """A tool server that is not there yet."""

    def state(self) -> str:
        return "starting"


async def test_a_server_whose_tools_are_starting_is_not_ready() -> None:
    service = await service_of(["hello"], sources=[Starting()])
    async with serving(service) as site:
        found = await get(site, "/readyz", 503)
    assert [check["problem"] for check in found["checks"] if not check["ok"]] == ["starting"]


class Failed(FakeSource):
    """A tool server that has died."""

    def state(self) -> str:
        return "it ended with code 1; trying again in 30 s"


async def test_a_tool_server_that_has_failed_is_told_and_takes_nothing_else_away() -> None:
    service = await service_of(["hello"], sources=[Failed()])
    async with serving(service) as site:
        found = await get(site, "/readyz")
    assert found["ready"]
    (broken,) = [check for check in found["checks"] if not check["ok"]]
    assert (broken["needed"], broken["problem"]) == (
        False,
        "it ended with code 1; trying again in 30 s",
    )


class Lazy(FakeSource):
    """A source that begins when it is asked for its tools."""

    asked = False

    async def settle(self, patience: float | None = None) -> None:
        self.asked = True

    def state(self) -> str:
        return "ready" if self.asked else "starting"


async def test_a_source_that_begins_when_it_is_asked_is_asked() -> None:
    async with serving(await service_of(["hello"], sources=[Lazy()])) as site:
        assert (await get(site, "/readyz"))["ready"] is True


async def test_a_server_that_stops_is_not_ready(site: Site) -> None:
    close_streams(site.app)
    found = await get(site, "/readyz", 503)
    assert found["checks"][0]["problem"] == "it is stopping"


async def test_runs_calls_and_approvals_are_counted(site: Site) -> None:
    run = await site.service.wait((await say(site, "book a train"))["run"], "local")
    await approve(site.service, run, by="local")
    await site.service.wait(run.id, "local")
    seen = await figures(site)
    assert seen['pointsman_runs_total{agent="desk",outcome="answer",reason=""}'] == 1
    assert seen['pointsman_tool_calls_total{agent="desk",outcome="ok",tool="book"}'] == 1
    asked = 'pointsman_approvals_total{agent="desk",by="user",outcome="%s"}'
    assert (seen[asked % "asked"], seen[asked % "approved"]) == (1, 1)
    assert seen['pointsman_model_tokens_total{agent="desk",kind="prompt",model="scripted"}'] == 20
    assert seen['pointsman_run_seconds_count{agent="desk"}'] == 1


async def test_what_waits_is_looked_up_when_it_is_asked_for(site: Site) -> None:
    run = (await say(site, "book a train"))["run"]
    await site.service.wait(run, "local")
    assert (await figures(site))['pointsman_runs_open{status="waiting"}'] == 1
    await site.service.cancel(run, "local")
    assert (await figures(site))['pointsman_runs_open{status="waiting"}'] == 0


async def test_requests_are_counted_by_route_and_never_by_what_clients_make_up(
    site: Site,
) -> None:
    for run in ("one", "two"):
        await get(site, f"/api/runs/{run}", 404)
        await get(site, f"/api/made-up/{run}", 404)
    seen = await figures(site)
    counted = 'pointsman_http_requests_total{method="GET",route="%s",status="404"}'
    assert seen[counted % "/api/runs/{run}"] == 2
    assert seen[counted % "none"] == 2
    assert not any("made-up" in name for name in seen)


async def test_questions_are_counted_by_what_they_ask_for() -> None:
    def asks(request: ModelRequest) -> Answer:
        return "done" if results(request) else [("book", "{}")]

    service = await service_of(
        asks, fake_tool("book", "booked", required=["what"], risk=Risk.READ), language="en"
    )
    async with serving(service) as site:
        run = (await say(site, "book"))["run"]
        await site.service.wait(run, "local")
        seen = await figures(site)
    assert seen['pointsman_asks_total{agent="desk",kind="parameter"}'] == 1


async def test_who_comes_through_a_proxy_needs_the_token(site: Site) -> None:
    proxied = {"X-Forwarded-For": "203.0.113.7"}
    async with site.http.get("/metrics", headers=proxied) as answer:
        assert answer.status == 403
    async with site.http.get("/readyz", headers=proxied) as answer:
        assert answer.status == 200
    shown = {**proxied, "Authorization": f"Bearer {TOKEN}"}
    async with site.http.get("/metrics", headers=shown) as answer:
        assert answer.status == 200
    shown["Authorization"] += "x"
    async with site.http.get("/metrics", headers=shown) as answer:
        assert answer.status in (401, 403)


async def test_a_database_of_another_release_is_not_ready(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path / "p.db", "normal")
    async with serving(await service_of(["hello"], store=store)) as site:
        await get(site, "/readyz")
        with sqlite3.connect(tmp_path / "p.db") as newer:
            newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.close()
        found = await get(site, "/readyz", 503)
    assert "it is at schema 9999" in found["checks"][1]["problem"]
