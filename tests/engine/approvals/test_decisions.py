"""Who may decide, once, with a record of whoever tried in vain; edits; people who go on by hand.
The cases are of group 6 of the shared cases."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval, ApprovalState
from pointsman.domain.calls import CallState
from pointsman.domain.messages import ToolMessage
from pointsman.domain.runs import Run, RunStatus, fold
from pointsman.domain.tools import Risk
from pointsman.engine.record import verification
from pointsman.engine.service import Service
from pointsman.engine.trial import trial
from pointsman.errors import CallerError, Conflict, Forbidden, JournalCorrupt, NotDecided, NotFound
from pointsman.ports import CallContext, Store
from tests import cases
from tests.entrypoints.web.native import post
from tests.support import web
from tests.support.engine import approve, events, say, service_of, serving
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import ScriptedModel, results
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

ROLES = {"finance": ["li", "wang"], "boss": ["zhao"]}
BY_FINANCE = ({"tool": "pay", "then": "approve", "by": "finance"},)
CALL: list[Any] = [[("pay", '{"n": 5}')], "n of 5: see above."]


def pay(**more: Any) -> FakeTool:
    properties = {"n": {"type": "integer", "title": "Amount"}, "note": {"type": "string"}}
    return fake_tool("pay", "paid", properties=properties, risk=Risk.WRITE, **more)


async def held(tool: FakeTool, script: Any = CALL, **more: Any) -> tuple[Service, Run, Approval]:
    """A run of ann's that waits for the role finance."""
    more = {"roles": ROLES, "policy": BY_FINANCE, **more}
    service = await service_of(script, tool, **more)
    run = await say(service, "pay 5")
    approval = run.waiting[0].approval
    assert approval is not None
    return service, run, approval


async def ended(service: Service, run: str) -> Run:
    with anyio.fail_after(60):
        async with serving(service):
            return await service.wait(run, None)


async def tried(service: Service, approval: Approval, verdict: Any, by: str) -> str:
    """What a decision comes to: its word, or why it had no effect."""
    try:
        await service.decide(approval.id.partition(".")[0], approval.id, verdict, by=by)
    except (Forbidden, NotDecided) as fault:
        return fault.kind
    return str(verdict)


async def attempts(service: Service, run: str) -> list[tuple[str, str]]:
    """Who wanted what, in the order of the journal, with or without effect."""
    kinds = (ev.ApprovalDecided, ev.DecisionRefused)
    found = [one.event for one in await service.trace(run, None) if isinstance(one.event, kinds)]
    return [(e.by, e.kind if isinstance(e, ev.DecisionRefused) else e.decision) for e in found]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else sqlite(tmp_path / "journal.db")


@pytest.mark.parametrize("case", cases.params(6, only=("P05", "P06")))
async def test_of_two_at_once_one_decides_and_both_are_recorded(
    store: Store, case: dict[str, Any]
) -> None:
    tool = pay()
    service, run, approval = await held(tool, store=store)
    second = "denied" if case["id"] == "P06" else "approved"
    outcomes: dict[str, str] = {}

    async def decide(verdict: str, by: str) -> None:
        outcomes[by] = await tried(service, approval, verdict, by)

    with anyio.fail_after(60):
        async with serving(service):
            async with anyio.create_task_group() as reviewers:
                reviewers.start_soon(decide, "approved", "li")
                reviewers.start_soon(decide, second, "wang")
            over = await service.wait(run.id, "ann")
    made, vain = await attempts(service, run.id)
    assert {made[0], vain[0]} == {"li", "wang"}
    assert vain[1] == outcomes[vain[0]] == "already_settled"
    assert made[1] == outcomes[made[0]]
    assert len(tool.calls) == (made[1] == "approved")
    assert over.status is RunStatus.DONE
    await store.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P06",)))
async def test_whoever_comes_second_is_told_how_it_was_decided(case: dict[str, Any]) -> None:
    service, run, approval = await held(pay())
    await service.decide(run.id, approval.id, "denied", by="li")
    with pytest.raises(NotDecided, match="already denied by li"):
        await service.decide(run.id, approval.id, "approved", by="wang")


@pytest.mark.parametrize("case", cases.params(6, only=("P18",)))
async def test_only_somebody_with_the_role_approves_and_the_call_runs_as_the_asker(
    store: Store, case: dict[str, Any]
) -> None:
    tool = pay()
    service, run, approval = await held(tool, store=store)
    assert await tried(service, approval, "approved", "bob") == "forbidden"
    assert await tried(service, approval, "denied", "bob") == "forbidden"
    assert await tried(service, approval, "approved", "zhao") == "forbidden"
    assert (await service.run(run.id, "ann")).status is RunStatus.WAITING
    assert await tried(service, approval, "approved", "li") == "approved"
    await ended(service, run.id)
    assert [context.user for context in tool.contexts] == ["ann"]
    assert await attempts(service, run.id) == [
        ("bob", "forbidden"),
        ("bob", "forbidden"),
        ("zhao", "forbidden"),
        ("li", "approved"),
    ]
    assert (await verification.verify(store, SystemClock().now())).holds
    await store.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P18",)))
async def test_only_the_asking_user_confirms(case: dict[str, Any]) -> None:
    tool = pay()
    service, run, approval = await held(tool, policy=(), roles={"user": ["eve"]})
    for other in ("bob", "eve", "li", ""):
        assert await tried(service, approval, "approved", other) == "forbidden"
    assert await tried(service, approval, "approved", "ann") == "approved"
    await ended(service, run.id)
    assert len(tool.calls) == 1


@pytest.mark.parametrize("own", [False, True])
async def test_who_asked_approves_himself_only_where_the_policy_says_so(own: bool) -> None:
    policy = ({"tool": "pay", "then": "approve", "by": "finance", "own": own},)
    service, run, approval = await held(pay(), policy=policy, roles={"finance": ["ann"]})
    outcome = await tried(service, approval, "approved", "ann")
    assert outcome == ("approved" if own else "own_request")
    status = (await service.run(run.id, "ann")).status
    assert status is (RunStatus.RUNNING if own else RunStatus.WAITING)


async def test_without_settings_nobody_has_a_role() -> None:
    service, _, approval = await held(pay(), roles=None)
    assert await tried(service, approval, "approved", "li") == "forbidden"


@pytest.mark.parametrize("case", cases.params(6, only=("P20",)))
async def test_an_approval_after_the_cancel_changes_nothing_and_is_recorded(
    store: Store, case: dict[str, Any]
) -> None:
    tool = pay()
    service, run, approval = await held(tool, store=store)
    await service.cancel(run.id, "ann")
    before = await service.conversation(run.conversation, "ann")
    assert await tried(service, approval, "approved", "li") == "run_cancelled"
    assert await tried(service, approval, "denied", "bob") == "run_cancelled"
    asked = await service.desk.find(approval.id, "ann")
    assert asked.approval.state is ApprovalState.CANCELLED
    assert [one.by for one in asked.refused] == ["li", "bob"]
    assert await service.desk.waiting(None) == []
    after = await service.run(run.id, "ann")
    assert (after.status, after.reply, tool.calls) == (RunStatus.CANCELLED, "Cancelled.", [])
    assert await service.conversation(run.conversation, "ann") == before
    assert (await verification.verify(store, SystemClock().now())).holds
    await store.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P16",)))
async def test_a_late_decision_settles_that_it_has_expired_whoever_makes_it(
    case: dict[str, Any],
) -> None:
    clock = FakeClock()
    model = ScriptedModel([[("pay", '{"n": 5}')], "It has expired. Shall I ask again?"])
    service, run, approval = await held(pay(), model, clock=clock)
    clock.advance(timedelta(hours=24).total_seconds())
    assert (await service.desk.find(approval.id, "ann")).approval.state is ApprovalState.EXPIRED
    assert [await tried(service, approval, "denied", by) for by in ("bob", "li")] == ["expired"] * 2
    await ended(service, run.id)
    (told,) = results(model.requests[1])
    assert told.startswith("NOT RUN: the approval expired")
    assert (await attempts(service, run.id))[0] == ("bob", "expired")


@pytest.mark.parametrize("case", cases.params(6, only=("P16",)))
async def test_nobody_need_come_too_late_for_a_run_to_go_on(case: dict[str, Any]) -> None:
    clock = FakeClock()
    script: list[Any] = [[("pay", '{"n": 5}')], "It has expired. Shall I ask again?"]
    service, run, approval = await held(pay(), script, clock=clock)
    clock.advance(timedelta(hours=23).total_seconds())
    assert await service.desk.lapse() == 0
    clock.advance(timedelta(hours=1).total_seconds())
    assert [await service.desk.lapse() for _ in range(2)] == [1, 0]
    over = await ended(service, run.id)
    assert (over.status, over.reply) == (RunStatus.DONE, script[1])
    assert await attempts(service, run.id) == [("clock", "expired")]
    assert (await service.desk.find(approval.id, "li")).approval.state is ApprovalState.EXPIRED


async def test_an_approval_that_was_not_used_in_time_lapses(tmp_path: Path) -> None:
    clock = FakeClock()
    service, run, approval = await held(pay(), clock=clock, store=sqlite(tmp_path / "j.db"))
    await service.decide(run.id, approval.id, "approved", by="li")
    await service.aclose()

    clock.advance(timedelta(hours=25).total_seconds())
    tool = pay()
    model = ScriptedModel(["That was not done: it was approved too long ago."])
    service = await service_of(
        model, tool, store=sqlite(tmp_path / "j.db"), clock=clock, policy=BY_FINANCE
    )
    assert await service.recover() == 1
    await ended(service, run.id)
    assert tool.calls == []
    assert results(model.requests[0])[0].startswith("NOT RUN: it was approved, but too long ago")
    await service.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P10",)))
async def test_a_journal_that_waits_survives_its_own_bytes(case: dict[str, Any]) -> None:
    service, run, approval = await held(pay())
    await tried(service, approval, "approved", "bob")
    await service.desk.edit(approval.id, {"n": 6}, by="li")
    stored = await service.store.rows(run.id)
    again = [ev.decode(row.body) for row in stored]
    assert [ev.encode(event) for event in again] == [row.body for row in stored]
    assert fold(run.id, again) == await service.run(run.id, "ann")
    assert all(b"@1" in row.body for row in stored)


@pytest.mark.parametrize("case", cases.params(6, only=("P10",)))
@pytest.mark.parametrize(
    "name", [one.__struct_config__.tag for one in get_args(ev.Event) if "pproval" in one.__name__]
)
async def test_an_unknown_version_of_an_approval_event_stops_the_reader(
    case: dict[str, Any], name: str
) -> None:
    service, run, approval = await held(pay())
    await service.desk.edit(approval.id, {"n": 6}, by="li")
    bodies = [row.body for row in await service.store.rows(run.id)]
    (body, *_) = [one for one in bodies if name.encode() in one]
    with pytest.raises(JournalCorrupt, match="approval"):
        ev.decode(body.replace(b"@1", b"@99"))


async def _through_the_api(service: Service) -> Run:
    async with web.serving(service) as site:
        accepted = await post(site, "/api/messages", {"agent": "desk", "text": "pay 5"}, 202)
        return await service.wait(accepted["run"], None)


async def _through_openais_api(service: Service) -> Run:
    async with web.serving(service) as site:
        body = {"model": "desk", "messages": [{"role": "user", "content": "pay 5"}]}
        await post(site, "/v1/chat/completions", body)
        (record,) = await service.runs(user=None)
        return await service.run(record.id, None)


async def _by_hand(service: Service) -> Run:
    return await service.carry(trial("desk", user="ann", tool="pay", arguments='{"n": 5}'))


WAYS = {"http": _through_the_api, "openai": _through_openais_api, "trial": _by_hand}


@pytest.mark.parametrize("case", cases.params(6, only=("P12",)))
@pytest.mark.parametrize("way", ["user", "reminder", "task", "agent", *WAYS])
async def test_a_call_pauses_by_whatever_way_it_came(case: dict[str, Any], way: str) -> None:
    tool = pay()
    service = await service_of(CALL, tool, policy=BY_FINANCE)
    if way in WAYS:
        run = await WAYS[way](service)
    else:
        run = await say(service, "pay 5", origin=way)
    assert (run.status, [call.tool for call in run.waiting]) == (RunStatus.WAITING, ["pay"])
    assert tool.calls == []


async def test_an_edited_call_runs_with_exactly_the_new_arguments() -> None:
    tool = pay()
    model = ScriptedModel([[("pay", '{"n": 5, "note": "x"}')], "paid 7"])
    service, run, approval = await held(tool, model)
    waiting = await service.desk.edit(approval.id, {"n": 7}, by="li", reason="as agreed")
    call = waiting.call("1.0")
    assert call.approval is not None
    assert call.approval.state is ApprovalState.APPROVED
    assert call.approval.digest != approval.digest
    await ended(service, run.id)
    assert tool.calls == [{"n": 7}]
    (edited,) = await events(service, run.id, ev.ApprovalEdited)
    assert (edited.approval, edited.editor, edited.reason) == (approval.id, "li", "as agreed")
    assert (edited.changed, edited.former) == (("n", "note"), {"n": 5, "note": "x"})
    assert results(model.requests[1]) == ["NOTE: li changed the arguments: n=7, note=None.\npaid"]
    assert await tried(service, approval, "approved", "wang") == "already_settled"


async def test_arguments_that_are_the_same_are_simply_approved() -> None:
    service, run, approval = await held(pay())
    await service.desk.edit(approval.id, {"n": 5}, by="li")
    assert await events(service, run.id, ev.ApprovalEdited) == []
    assert await attempts(service, run.id) == [("li", "approved")]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"n": "many"}, "do not fit pay"),
        ({"n": "7"}, "n: write 7 instead of '7'"),
        ({"n": 7, "m": 1}, "no parameter 'm'"),
    ],
)
async def test_arguments_that_do_not_fit_change_nothing(arguments: Any, why: str) -> None:
    service, run, approval = await held(pay())
    with pytest.raises(CallerError, match=why):
        await service.desk.edit(approval.id, arguments, by="li")
    assert await service.run(run.id, "ann") == run


async def test_who_may_not_approve_may_not_edit() -> None:
    service, run, approval = await held(pay())
    with pytest.raises(Forbidden):
        await service.desk.edit(approval.id, {"n": "not even read"}, by="bob")
    (note,) = await events(service, run.id, ev.DecisionRefused)
    assert (note.by, note.wanted) == ("bob", "edit")


LIMITS = (
    {"tool": "pay", "when": "n > 100", "then": "deny"},
    {"tool": "pay", "when": "n > 10", "then": "approve", "by": "boss"},
    {"tool": "pay", "when": "n > 4", "then": "approve", "by": "finance"},
    {"tool": "pay", "then": "allow"},
)


async def test_new_arguments_can_need_somebody_else() -> None:
    tool = pay()
    service, run, approval = await held(tool, policy=LIMITS)
    waiting = await service.desk.edit(approval.id, {"n": 50}, by="li")
    again = waiting.call("1.0").approval
    assert again is not None
    assert (waiting.status, again.by, again.state.value) == (RunStatus.WAITING, "boss", "pending")
    assert "Amount: 50" in again.question
    assert await tried(service, again, "approved", "li") == "forbidden"
    assert await tried(service, again, "approved", "zhao") == "approved"
    await ended(service, run.id)
    assert tool.calls == [{"n": 50}]


async def test_milder_arguments_still_need_who_was_asked_first() -> None:
    service, run, approval = await held(pay(), policy=LIMITS)
    await service.desk.edit(approval.id, {"n": 1}, by="li")
    assert (await attempts(service, run.id))[-1] == ("li", "approved")


async def test_the_policy_can_deny_new_arguments() -> None:
    service, run, approval = await held(pay(), policy=LIMITS)
    with pytest.raises(Conflict, match="policy does not allow"):
        await service.desk.edit(approval.id, {"n": 500}, by="li")
    assert (await service.run(run.id, "ann")).waiting == run.waiting


async def test_a_person_answers_in_the_agents_place() -> None:
    tool, model = pay(), ScriptedModel([[("pay", '{"n": 1}'), ("pay", '{"n": 2}')], "never"])
    service, run, approval = await held(tool, model)
    over = await service.desk.take_over(approval.id, by="li", reply="I paid it by hand.")
    assert (over.status, over.reply, over.replied_by) == (
        RunStatus.DONE,
        "I paid it by hand.",
        "li",
    )
    assert (await ended(service, run.id)).reply == over.reply
    assert (tool.calls, len(model.requests)) == ([], 1)
    told = [one.content for one in over.messages if isinstance(one, ToolMessage)]
    assert [text.partition(":")[0] for text in told] == ["NOT RUN", "NOT RUN"]
    following = await say(service, "thanks", conversation=run.conversation)
    assert following.status is not RunStatus.FAILED


async def test_a_person_does_one_call_by_hand_and_the_run_goes_on() -> None:
    tool = pay()
    script: list[Any] = [[("pay", '{"n": 1}'), ("pay", '{"n": 2}')], "both are paid"]
    model = ScriptedModel(script)
    service, run, first = await held(tool, model)
    second = run.waiting[1].approval
    assert second is not None
    await service.desk.take_over(first.id, by="li", result="paid in cash")
    assert len(model.requests) == 1
    await service.decide(run.id, second.id, "approved", by="wang")
    await ended(service, run.id)
    assert tool.calls == [{"n": 2}]
    assert results(model.requests[1]) == ["Done by hand by li: paid in cash", "paid"]


async def test_who_may_not_approve_may_not_take_over() -> None:
    service, run, approval = await held(pay())
    for person in ("bob", "ann"):
        with pytest.raises(Forbidden):
            await service.desk.take_over(approval.id, by=person, reply="done")
    for given in ({}, {"reply": " "}, {"reply": "a", "result": "b"}):
        with pytest.raises(CallerError):
            await service.desk.take_over(approval.id, by="li", **given)
    assert (await service.run(run.id, "ann")).status is RunStatus.WAITING


async def test_everybody_sees_what_concerns_him_and_an_operator_all() -> None:
    service, _, approval = await held(pay())
    seen = {
        person: [one.approval.id for one in await service.desk.waiting(person)]
        for person in ("ann", "li", "zhao", "bob", None)
    }
    mine = [approval.id]
    assert seen == {"ann": mine, "li": mine, "zhao": [], "bob": [], None: mine}
    for stranger in ("zhao", "bob"):
        with pytest.raises(NotFound):
            await service.desk.find(approval.id, stranger)
    for unknown in ("", "x", approval.id[:-1], approval.id.partition(".")[0]):
        with pytest.raises(NotFound):
            await service.desk.find(unknown, None)


async def test_private_values_are_shown_to_who_asked_alone() -> None:
    spec = pay().spec
    parameters = msgspec.convert(msgspec.to_builtins(spec.parameters), dict[str, Any])
    parameters["properties"]["note"]["x-private"] = True
    tool = FakeTool(replace(spec, parameters=parameters, private=("note",)), "paid")
    service, _, approval = await held(tool, [[("pay", '{"n": 5, "note": "for Zhang"}')], "ok"])
    await service.desk.edit(approval.id, {"n": 500, "note": "for Li Lei"}, by="li")
    notes = {}
    for person, reveal in (("ann", False), ("li", False), (None, False), (None, True)):
        asked = await service.desk.find(approval.id, person, reveal=reveal)
        (edit,) = asked.edits
        notes[person, reveal] = asked.call.arguments["note"], edit.former.get("note")
    told, hidden = ("for Li Lei", "for Zhang"), ("[masked:private]", "[masked:private]")
    assert notes == {
        ("ann", False): told,
        ("li", False): hidden,
        (None, False): hidden,
        (None, True): told,
    }


async def test_where_the_values_come_from_is_shown() -> None:
    service, _, approval = await held(pay(), [[("pay", '{"n": 5, "note": "hm"}')], "ok"])
    asked = await service.desk.find(approval.id, "li")
    assert {path: source.kind for path, source in asked.sources.items()} == {
        "n": "user",
        "note": "model",
    }
    await service.desk.edit(approval.id, {"n": 5, "note": "other"}, by="li")
    assert list((await service.desk.find(approval.id, "li")).sources) == ["n"]


async def test_a_verdict_that_there_is_not_is_named_and_changes_nothing() -> None:
    service, run, approval = await held(fake_tool("pay", "paid", risk=Risk.WRITE))
    with pytest.raises(CallerError, match=r"expected one of approved, denied, not 'approve'"):
        await service.decide(run.id, approval.id, "approve", by="li")  # type: ignore[arg-type]  # what is tried
    assert (await service.run(run.id, "ann")).waiting


async def test_a_refused_decision_while_a_tool_runs_takes_nothing_from_the_worker(
    caplog: pytest.LogCaptureFixture,
) -> None:
    started, go = anyio.Event(), anyio.Event()

    async def slow(arguments: Mapping[str, Any], context: CallContext) -> str:
        started.set()
        await go.wait()
        return "paid"

    tool = fake_tool("pay", slow, properties={"n": {"type": "integer"}}, risk=Risk.WRITE)
    service, run, approval = await held(tool)
    with anyio.fail_after(60):
        async with serving(service):
            await approve(service, run, by="li")
            await started.wait()
            assert await tried(service, approval, "denied", "wang") == "already_settled"
            logged = [one.message for one in caplog.records if one.name == "pointsman.approvals"]
            told = f"to deny {approval.id}, as wang wanted, had no effect: already_settled"
            assert logged == [told]  # and no word of what was asked
            go.set()
            over = await service.wait(run.id, "ann")
    (call,) = over.past
    assert isinstance(call, CallState)
    assert call.result is not None
    assert (call.result.status.value, len(tool.calls)) == ("ok", 1)
