"""A person decides over HTTP: once, in time, and only what is theirs to decide."""

from datetime import timedelta
from typing import Any

import pytest

from pointsman.domain.tools import Risk
from tests.entrypoints.web.native import booking, get, post, say
from tests.support.fake_clock import FakeClock
from tests.support.web import Site, events, serving

pytestmark = pytest.mark.anyio


async def pending(site: Site, run: str) -> dict[str, Any]:
    """The decision that the run waits for, once it does."""
    await site.service.wait(run, "local")
    (waiting,) = (await get(site, f"/api/runs/{run}"))["waiting"]
    return dict(waiting)


async def test_a_stream_stays_open_while_a_person_decides() -> None:
    async with (
        serving(await booking()) as site,
        site.http.get(f"/api/runs/{(run := (await say(site, 'go'))['run'])}/events") as answer,
    ):
        seen = events(answer)
        async for event in seen:
            if event.name == "approval_asked":
                break
        approval = (await pending(site, run))["approval"]
        await post(site, f"/api/runs/{run}/approvals/{approval}", {"decision": "approved"})
        rest = [event.name async for event in seen]
    assert rest[0] == "approval_decided"
    assert rest[-2:] == ["reply_given", "end"]


async def test_what_waits_is_shown_with_its_question_and_arguments() -> None:
    async with serving(await booking()) as site:
        waiting = await pending(site, (await say(site, "go"))["run"])
    assert waiting["arguments"] == {"what": "train"}
    assert (waiting["tool"], waiting["by"]) == ("book", "user")
    assert "train" in waiting["question"]


async def test_a_refusal_is_told_to_the_model_with_its_reason() -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/runs/{run}/approvals/{(await pending(site, run))['approval']}"
        await post(site, path, {"decision": "denied", "reason": "too dear"})
        await site.service.wait(run, "local")
        assert "too dear" in (await get(site, f"/api/runs/{run}"))["text"]


async def test_a_decision_is_made_once() -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/runs/{run}/approvals/{(await pending(site, run))['approval']}"
        await post(site, path, {"decision": "approved"})
        await post(site, path, {"decision": "denied"}, 409)
        await post(site, f"/api/runs/{run}/approvals/nothing", {"decision": "approved"}, 404)


@pytest.mark.parametrize("case", [pytest.param("P16", id="P16")])
async def test_a_decision_that_comes_too_late_is_gone(case: str) -> None:
    clock = FakeClock()
    async with serving(await booking(clock=clock)) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/runs/{run}/approvals/{(await pending(site, run))['approval']}"
        clock.advance(timedelta(days=2).total_seconds())
        for _ in range(2):
            late = await post(site, path, {"decision": "approved"}, 410)
            assert "expired" in late["detail"]
        await site.service.wait(run, "local")
        assert "expired" in (await get(site, f"/api/runs/{run}"))["text"]


async def test_without_a_sign_in_nobody_has_a_role_but_everybody_may_refuse() -> None:
    async with serving(await booking(Risk.CRITICAL)) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/runs/{run}/approvals/{(await pending(site, run))['approval']}"
        await post(site, path, {"decision": "approved"}, 403)
        assert (await post(site, path, {"decision": "denied"}))["waiting"] == []


async def test_a_plain_yes_in_the_conversation_moves_the_same_run_on() -> None:
    async with serving(await booking()) as site:
        first = await say(site, "go")
        await site.service.wait(first["run"], "local")
        assert await say(site, "yes", first["conversation"]) == first
        await site.service.wait(first["run"], "local")
        assert (await get(site, f"/api/runs/{first['run']}"))["text"] == "booked"
