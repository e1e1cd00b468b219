"""Evaluations over HTTP: started, watched, read, compared."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from tests.entrypoints.web.console_api.test_runs_api import as_user
from tests.entrypoints.web.native import get, post
from tests.support.kiosks import SUITE, kiosk, open_kiosk
from tests.support.web import Site

pytestmark = pytest.mark.anyio

ALL = "/api/evaluations"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return kiosk(tmp_path / "kiosk")


@pytest.fixture
async def site(home: Path, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_kiosk(home, tmp_path / "test.db") as site:
        yield site


async def done(site: Site, suite: str = "basic", **more: Any) -> Any:
    """The report of an evaluation, when it is over."""
    started = await post(site, ALL, {"agent": "kiosk", "suite": suite, **more}, 202)
    with anyio.fail_after(60):
        while True:
            found = await get(site, f"{ALL}/{started['id']}")
            if found["state"] != "running":
                return found
            await anyio.lowlevel.checkpoint()


async def test_an_evaluation_is_carried_in_the_background_and_reported(site: Site) -> None:
    listed = await get(site, ALL)
    assert listed["suites"] == [
        {
            "agent": "kiosk",
            "suite": "basic",
            "file": "basic.yaml",
            "cases": 2,
            "problem": None,
        }
    ]
    report = await done(site)
    assert (report["state"], report["done"], report["total"], report["passed"]) == ("done", 2, 2, 1)
    assert report["confusion"] == {"prices": {"none": 1, "prices": 1}}
    assert report["labels"] == ["none", "prices"]
    failed, fine = report["cases"]
    assert (failed["case"], failed["passed"], fine["case"]) == ("wrong", False, "price")
    assert failed["failed"][0]["kind"] == "intent"
    assert failed["story"]
    metrics = {one["metric"]: one for one in report["metrics"]}
    assert metrics["passed"]["value"] == 0.5
    assert metrics["passed"]["met"] is False
    assert metrics["intent"]["value"] == 0.5
    (row,) = (await get(site, ALL))["evaluations"]
    assert (row["id"], row["by"], row["score"]) == (report["id"], "local", report["score"])


async def test_two_evaluations_are_compared(site: Site, home: Path) -> None:
    first = await done(site)
    text = (home / "evaluation" / "basic.yaml").read_text()
    mended = text.replace("    say: hello", "    say: price of milk")
    (home / "evaluation" / "basic.yaml").write_text(
        mended + "  - {id: new, say: hello, expect: {tools: []}}\n"
    )
    second = await done(site)
    assert second["change"] == pytest.approx(second["score"] - first["score"])
    change = await get(site, f"{ALL}/{second['id']}/compare/{first['id']}")
    assert (change["fixed"], change["broken"], change["new"], change["gone"]) == (
        ["wrong"],
        [],
        ["new"],
        [],
    )
    passed = next(one for one in change["metrics"] if one["metric"] == "passed")
    assert (passed["before"], passed["after"]) == (0.5, 1.0)


async def test_a_suite_that_cannot_be_carried_through_fails_with_its_reason(
    site: Site, home: Path
) -> None:
    bad = SUITE.replace("tools: [price]", "tools: [prise]").replace("suite: basic", "suite: bad")
    (home / "evaluation" / "bad.yaml").write_text(bad)
    report = await done(site, "bad")
    assert (report["state"], report["cases"]) == ("failed", [])
    assert "no tool 'prise'" in report["problem"]
    (home / "evaluation" / "worse.yaml").write_text("cases: [")
    problems = {one["suite"]: one["problem"] for one in (await get(site, ALL))["suites"]}
    assert problems["basic"] is None
    assert "worse.yaml" in problems["worse"]
    await post(site, ALL, {"agent": "kiosk", "suite": "worse"}, 400)
    await post(site, ALL, {"agent": "kiosk", "suite": "none"}, 404)
    await post(site, ALL, {"agent": "none", "suite": "basic"}, 404)


async def test_one_whose_process_is_gone_is_marked_as_failed(home: Path, tmp_path: Path) -> None:
    async with open_kiosk(home, tmp_path / "test.db") as site:
        report = await done(site)
        kept = site.app.state.backstage.kept.evaluations
        record = await kept.evaluation(report["id"])
        long_ago = record.started - timedelta(hours=1)
        lost = replace(record, id="0" * 32, state="running", alive=long_ago, results=None)
        await kept.keep(lost)
        found = await get(site, f"{ALL}/{lost.id}")
        assert (found["state"], found["problem"]) == (
            "failed",
            "the server stopped before it was done",
        )
        alive = replace(lost, id="1" * 32, alive=site.service.now())
        await kept.keep(alive)
        assert (await get(site, f"{ALL}/{alive.id}"))["state"] == "running"
    async with open_kiosk(home, tmp_path / "test.db") as site:
        with anyio.fail_after(60):
            while (await get(site, f"{ALL}/{alive.id}"))["state"] == "running":
                await anyio.lowlevel.checkpoint()
        assert (await get(site, f"{ALL}/{report['id']}"))["state"] == "done"


async def test_evaluations_are_for_operators(site: Site) -> None:
    as_user(site, "eve", "approver")
    await get(site, ALL, 403)
    await post(site, ALL, {"agent": "kiosk", "suite": "basic"}, 403)
    await get(site, f"{ALL}/{'0' * 32}", 403)
    as_user(site, "oda", "operator")
    await get(site, f"{ALL}/{'0' * 32}", 404)
