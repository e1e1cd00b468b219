"""A person decides over HTTP: once, in time, and only what is theirs to decide."""

import json
from datetime import timedelta
from typing import Any

import pytest

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.system import SystemClock
from pointsman.domain import events as ev
from pointsman.domain.tools import Risk
from pointsman.engine.approvals.desk import Desk
from pointsman.engine.service import Submission
from tests import cases
from tests.entrypoints.web.native import booking, get, post, say
from tests.support.engine import service_of
from tests.support.fake_clock import FakeClock
from tests.support.tools import fake_tool
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
        await post(site, f"/api/approvals/{approval}", {"decision": "approve"})
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
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        await post(site, path, {"decision": "deny", "reason": "too dear"})
        await site.service.wait(run, "local")
        assert "too dear" in (await get(site, f"/api/runs/{run}"))["text"]


async def test_a_decision_is_made_once() -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        await post(site, path, {"decision": "approve"})
        await post(site, path, {"decision": "deny"}, 409)
        await post(site, "/api/approvals/nothing", {"decision": "approve"}, 404)


@pytest.mark.parametrize("case", cases.params(6, only=("P16",)))
async def test_a_decision_that_comes_too_late_is_gone(case: dict[str, Any]) -> None:
    clock = FakeClock()
    async with serving(await booking(clock=clock)) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        clock.advance(timedelta(days=2).total_seconds())
        for _ in range(2):
            late = await post(site, path, {"decision": "approve"}, 410)
            assert "expired, the call did not run: ask again" in late["detail"]
            assert late["code"] == "expired"
        await site.service.wait(run, "local")
        assert "expired" in (await get(site, f"/api/runs/{run}"))["text"]


async def test_without_a_sign_in_nobody_has_a_role_but_everybody_may_refuse() -> None:
    async with serving(await booking(Risk.CRITICAL)) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        refused = await post(site, path, {"decision": "approve"}, 403)
        assert "needs the role 'approver'" in refused["detail"]
        assert (await get(site, path))["may"] == ["deny"]
        assert (await post(site, path, {"decision": "deny"}))["state"] == "denied"


@pytest.mark.parametrize("case", cases.params(6, only=("P18",)))
async def test_who_may_not_decide_gets_403_and_is_recorded(case: dict[str, Any]) -> None:
    service = await booking(Risk.CRITICAL, roles={"approver": ["carol"]})
    async with serving(service) as site:
        run = await service.submit(Submission(agent="desk", user="ann", text="go"))
        (waiting,) = (await service.wait(run, "ann")).waiting
        assert waiting.approval is not None
        path = f"/api/approvals/{waiting.approval.id}"
        # What is not his looks like what does not exist; to decide on it is refused.
        await get(site, path, 404)
        assert (await get(site, "/api/approvals"))["approvals"] == []
        refused = await post(site, path, {"decision": "approve"}, 403)
        assert refused["code"] == "forbidden"
    (note,) = [one.event for one in await service.trace(run, "ann")][-1:]
    assert isinstance(note, ev.DecisionRefused)
    assert (note.by, note.wanted, note.kind) == ("local", "approve", "forbidden")


async def test_the_settings_give_the_local_user_a_role_over_the_calls_of_others() -> None:
    service = await booking(Risk.CRITICAL, roles={"approver": ["local"]})
    async with serving(service) as site:
        own = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, own))['approval']}"
        assert (await post(site, path, {"decision": "approve"}, 403))["code"] == "own_request"
        run = await service.submit(Submission(agent="desk", user="ann", text="go"))
        await service.wait(run, "ann")
        first, second = (await get(site, "/api/approvals"))["approvals"]
        assert (first["requester"], first["may"]) == ("ann", ["approve", "deny", "take_over"])
        assert (second["requester"], second["may"]) == ("local", ["deny"])
        approved = await post(site, f"/api/approvals/{first['approval']}", {"decision": "approve"})
        assert (approved["state"], approved["decided_by"]) == ("approved", "local")
        assert (await service.wait(run, "ann")).reply == "booked"


async def test_an_approval_says_what_and_why() -> None:
    async with serving(await booking()) as site:
        run = await say(site, "book a train")
        approval = (await pending(site, run["run"]))["approval"]
        shown = await get(site, f"/api/approvals/{approval}")
    assert shown["why"] == "book a train"
    assert shown["sources"]["what"]["kind"] == "user"
    assert (shown["tool"], shown["risk"], shown["rule"]) == ("book", "write", "default for write")
    assert (shown["state"], shown["may"]) == ("pending", ["approve", "deny", "take_over"])
    assert shown["text"] == "“book” has not run; it waits for your confirmation."


@pytest.mark.parametrize("case", cases.params(6, only=("P04",)))
async def test_each_of_several_is_decided_by_itself(case: dict[str, Any]) -> None:
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    calls = [("book", json.dumps({"what": what})) for what in ("a", "b")]
    service = await service_of(lambda _: calls, tool)
    async with serving(service) as site:
        other = await service.carry(Submission(agent="desk", user="ann", text="go"))
        run = (await say(site, "go"))["run"]
        await site.service.wait(run, "local")
        first, second = (await get(site, f"/api/runs/{run}"))["waiting"]
        foreign = other.waiting[0].approval
        assert foreign is not None
        names = ["old1", first["approval"], first["approval"], foreign.id, f"{run}.ffffffff"]
        decisions = [{"approval": name, "decision": "approve"} for name in names]
        done = await post(site, "/api/approvals", {"decisions": decisions}, 207)
        assert [(one["status"], one["outcome"]) for one in done["results"]] == [
            (404, "unknown"),
            (200, "applied"),
            (409, "already_settled"),
            (403, "forbidden"),
            (404, "unknown"),
        ]
        assert [one["approval"] for one in done["results"]] == names
        (still,) = (await get(site, f"/api/runs/{run}"))["waiting"]
        assert still["approval"] == second["approval"]
        assert tool.calls == []


async def test_what_waits_comes_in_pages_that_part_no_run() -> None:
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    calls = [("book", json.dumps({"what": what})) for what in ("a", "b")]
    service = await service_of(lambda _: calls, tool)
    async with serving(service) as site:
        runs = [(await say(site, "go"))["run"] for _ in range(3)]
        for run in runs:
            await site.service.wait(run, "local")
        for limit, pages in ((1, [1, 1, 1]), (2, [1, 1, 1]), (3, [1, 1, 1]), (4, [2, 1]), (6, [3])):
            before: str | None = ""
            seen, sizes = [], []
            while before is not None:
                path = f"/api/approvals?limit={limit}" + (f"&before={before}" if before else "")
                page = await get(site, path)
                seen += [one["run"] for one in page["approvals"]]
                sizes.append(len(page["approvals"]) // 2)
                before = page["before"]
            assert seen == [run for run in reversed(runs) for _ in calls]
            assert [size for size in sizes if size] == pages
        await get(site, "/api/approvals?limit=0", 400)


async def test_an_expired_one_among_several_is_told_so() -> None:
    clock = FakeClock()
    async with serving(await booking(clock=clock)) as site:
        approval = (await pending(site, (await say(site, "go"))["run"]))["approval"]
        clock.advance(timedelta(days=2).total_seconds())
        body = {"decisions": [{"approval": approval, "decision": "deny"}]}
        (done,) = (await post(site, "/api/approvals", body, 207))["results"]
    assert (done["status"], done["outcome"]) == (410, "expired")


async def test_other_arguments_are_approved_in_the_place_of_the_models() -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        for wrong in ({}, {"what": 5}, {"what": "bus", "more": 1}):
            await post(site, path, {"decision": "approve", "arguments": wrong}, 400)
        await post(site, path, {"decision": "deny", "arguments": {"what": "bus"}}, 400)
        await post(site, path, {"decision": "deny", "reason": "n" * 2001}, 400)
        edited = await post(site, path, {"decision": "approve", "arguments": {"what": "bus"}})
        assert (edited["state"], edited["arguments"]) == ("approved", {"what": "bus"})
        assert edited["edits"][0]["former"] == {"what": "train"}
        former = await get(site, path)
        assert (former["state"], former["replaced_by"]) == ("edited", edited["approval"])
        await post(site, path, {"decision": "approve"}, 409)
        (call,) = (await site.service.wait(run, "local")).past
        assert call.arguments == {"what": "bus"}


async def test_who_edits_sees_the_approval_that_is_up_to_somebody_else_now() -> None:
    rules = ({"when": "what == 'jet'", "then": "approve", "by": "boss"},
             {"then": "approve", "by": "finance"})  # fmt: skip
    roles = {"finance": ["local"], "boss": ["bea"]}
    async with serving(await booking(Risk.CRITICAL, roles=roles, policy=rules)) as site:
        run = await site.service.submit(Submission(agent="desk", user="ann", text="go"))
        (waiting,) = (await site.service.wait(run, "ann")).waiting
        assert waiting.approval is not None
        body = {"decision": "approve", "arguments": {"what": "jet"}}
        edited = await post(site, f"/api/approvals/{waiting.approval.id}", body)
        assert (edited["state"], edited["by"], edited["may"]) == ("pending", "boss", [])
        assert edited["edited_from"] == waiting.approval.id
        path = f"/api/approvals/{edited['approval']}"
        await post(site, path, {"decision": "approve"}, 403)
        assert (await get(site, path))["refused"][0]["by"] == "local"
        assert (await get(site, "/api/approvals"))["approvals"] == []


@pytest.mark.parametrize(
    ("by_hand", "text"),
    [
        ({"reply": "I did it."}, "I did it."),
        ({"result": "seat 7"}, "by hand by local: seat 7"),
    ],
)
async def test_a_person_goes_on_by_hand(by_hand: dict[str, str], text: str) -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}/take-over"
        await post(site, path, {}, 400)
        assert (await post(site, path, by_hand))["state"] == "taken_over"
        assert text in (await site.service.wait(run, "local")).reply


@pytest.mark.parametrize("case", cases.params(6, only=("P20",)))
async def test_what_was_cancelled_can_not_be_approved(case: dict[str, Any]) -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        path = f"/api/approvals/{(await pending(site, run))['approval']}"
        await post(site, f"/api/runs/{run}/cancel")
        assert (await get(site, path))["state"] == "cancelled"
        assert (await get(site, "/api/approvals"))["approvals"] == []
        refused = await post(site, path, {"decision": "approve"}, 409)
        assert refused["code"] == "run_cancelled"


async def test_a_decision_of_another_process_is_taken_up_on_a_word() -> None:
    service = await booking()
    async with serving(service) as site:
        run = (await say(site, "go"))["run"]
        approval = (await pending(site, run))["approval"]
        beside = Desk(service.store, MemoryBus(), SystemClock(), LocalQueue(), service.agents, {})
        await beside.decide(run, approval, "approved", by="local")
        async with site.http.post(f"/api/runs/{run}/resume") as answer:
            assert answer.status == 202
        assert (await service.wait(run, "local")).reply == "booked"
        await post(site, f"/api/runs/{'0' * 32}/resume", status=404)


@pytest.mark.parametrize("case", cases.params(6, only=("P14",)))
async def test_a_plain_yes_to_what_is_up_to_a_role_is_answered_and_withdraws_nothing(
    case: dict[str, Any],
) -> None:
    async with serving(await booking(Risk.CRITICAL)) as site:
        first = await say(site, "go")
        waiting = await pending(site, first["run"])
        second = await say(site, "yes", first["conversation"])
        assert "up to approver" in (await site.service.wait(second["run"], "local")).reply
        assert (await get(site, f"/api/approvals/{waiting['approval']}"))["state"] == "pending"
        assert await say(site, "no", first["conversation"]) == first
        assert "DENIED" in (await site.service.wait(first["run"], "local")).reply


async def test_a_plain_yes_in_the_conversation_moves_the_same_run_on() -> None:
    async with serving(await booking()) as site:
        first = await say(site, "go")
        await site.service.wait(first["run"], "local")
        assert await say(site, "yes", first["conversation"]) == first
        await site.service.wait(first["run"], "local")
        assert (await get(site, f"/api/runs/{first['run']}"))["text"] == "booked"
