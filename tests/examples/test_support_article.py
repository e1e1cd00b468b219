"""The third article with the support agent as shipped (R12): its four sentences, the example of
its log, and its checklist (section 14) item by item. Offline, through the whole engine; where the
question is what a bad model could do, a scripted one stands in."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pointsman import agentfile
from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.record.article_log import log_lines
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, Risk
from tests.support.scripted_model import ScriptedModel
from tests.support.shop import FOLDER, Visit, ran, shop_tools, visit

pytestmark = pytest.mark.anyio

ORDER = "帮我查一下订单123456789的退款进度"
COMPLAINT = "我要投诉，转人工客服"
INTENTS = agentfile.load(FOLDER).intents


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of its own for every test."""
    monkeypatch.setenv("SUPPORT_DATA", str(tmp_path))


def proposing(tool: str, **arguments: Any) -> ScriptedModel:
    """A model that wants one call, and then claims that all went well."""
    return ScriptedModel([[(tool, json.dumps(arguments, ensure_ascii=False))], "已经为您办好了。"])


async def of_kind(at: Visit, run: Any, kind: type) -> list[Any]:
    return [event for event in await at.events(run) if isinstance(event, kind)]


# The four sentences (section 11)


@pytest.mark.parametrize(
    ("text", "calls", "words"),
    [
        ("退款规则是什么？", [("search_docs", {"query": "退款规则是什么？"})], "7 天"),
        (ORDER, [("query_order", {"order_id": "123456789"})], "退款处理中"),
        (COMPLAINT, [("create_ticket", {"description": COMPLAINT})], "T202605010001"),
        ("你好，今天天气不错", [], ""),
    ],
)
async def test_r12_the_articles_sentence_leads_to_its_tool(
    text: str, calls: list[tuple[str, dict[str, Any]]], words: str
) -> None:
    async with visit() as at:
        run = await at.say(text)
    assert (run.status, run.kind) == (RunStatus.DONE, "answer")
    assert ran(run) == calls
    assert words in run.reply


async def test_r12_the_log_has_the_articles_fields_and_values() -> None:
    async with visit() as at:
        run = await at.say(ORDER)
        (line,) = log_lines(run.id, await at.events(run))
    wanted = {
        "user_input": ORDER,
        "intent": "order_query",
        "tool": "query_order",
        "params": {"order_id": "123456789"},
        "status": "success",
    }
    assert {name: line[name] for name in wanted} == wanted


# Checklist: tools are defined


async def test_r12_checklist_tools_there_is_a_whitelist() -> None:
    """A name that the model made up never runs (R5)."""
    async with visit(model=proposing("drop_table", name="orders")) as at:
        run = await at.say("给订单555666777退款")
        rejected = await of_kind(at, run, ev.CallRejected)
    assert [one.kind for one in rejected] == ["unknown_tool"]
    assert ran(run) == []
    assert "办好" not in run.reply


def test_r12_checklist_tools_required_params_are_defined() -> None:
    specs = {name: tool.spec for name, tool in shop_tools().items()}
    required = {name: spec.parameters.get("required", []) for name, spec in specs.items()}
    assert required["search_docs"] == ["query"]
    assert required["query_order"] == ["order_id"]
    assert required["create_ticket"] == ["description"]
    assert specs["create_ticket"].context == {"user_id": "user"}


def test_r12_checklist_tools_risky_ones_are_told_apart() -> None:
    risks = {name: tool.spec.risk for name, tool in shop_tools().items()}
    assert risks["refund_order"] is Risk.CRITICAL
    assert risks["send_email"] is Risk.WRITE
    assert risks["search_docs"] is risks["query_order"] is Risk.READ


def test_r12_checklist_tools_have_descriptions() -> None:
    for tool in shop_tools().values():
        assert len(tool.spec.description) > 20
        assert tool.spec.title


# Checklist: routing


async def test_r12_checklist_routing_the_intent_is_told_first() -> None:
    async with visit() as at:
        kinds = [type(event) for event in await at.events(await at.say(ORDER))]
    places = [kinds.index(one) for one in (ev.IntentClassified, ev.RouteChosen, ev.ModelAsked)]
    assert all(before < after for before, after in pairwise(places))


def test_r12_checklist_routing_intents_map_to_tools() -> None:
    tools = {name: intent.tools for name, intent in INTENTS.items()}
    assert tools["knowledge_query"] == ("search_docs",)
    assert tools["order_query"] == ("query_order",)
    assert tools["human_support"] == ("create_ticket",)
    assert tools["general_chat"] == ()


async def test_r12_checklist_routing_has_a_confidence() -> None:
    async with visit() as at:
        run = await at.say(ORDER)
        (classified,) = await of_kind(at, run, ev.IntentClassified)
    assert all(0 <= score <= 1 for score in classified.scores.values())
    assert max(classified.scores, key=classified.scores.__getitem__) == "order_query"


@pytest.mark.parametrize(
    ("text", "pick", "language"),
    [("退款", "1", "zh"), ("退款的事", "规则咨询", "zh"), ("refund", "first", "en")],
)
async def test_r12_checklist_routing_low_confidence_asks_back(
    text: str, pick: str, language: Language
) -> None:
    """And the pick goes on where the question stopped (R4)."""
    async with visit(rules_only=True, language=language) as at:
        asked = await at.say(text)
        (chosen,) = await of_kind(at, asked, ev.RouteChosen)
        picked = await at.say(pick)
    assert (asked.kind, ran(asked)) == ("question", [])
    assert chosen.candidates == ("knowledge_query", "order_query", "refund")
    assert [tool for tool, _ in ran(picked)] == ["search_docs"]


# Checklist: parameters


@pytest.mark.parametrize("text", [ORDER, "查订单１２３４５６７８９", "订单 123-456-789 到哪了"])
async def test_r12_checklist_parameters_are_read_from_the_words(text: str) -> None:
    async with visit() as at:
        ((tool, arguments),) = ran(await at.say(text))
    assert (tool, arguments["order_id"].replace("-", "")) == ("query_order", "123456789")


async def test_r12_checklist_parameters_a_missing_one_is_asked_for() -> None:
    """The answer completes the call (R6)."""
    async with visit() as at:
        asked = await at.say("帮我查一下我的订单")
        assert (asked.kind, asked.reply) == ("question", "请问订单号是什么？")
        done = await at.say("987654321")
    assert ran(done) == [("query_order", {"order_id": "987654321"})]


@pytest.mark.parametrize(
    ("text", "tool", "arguments", "missing"),
    [
        ("帮我查一下我的订单", "query_order", {"order_id": "987654321"}, "order_id"),
        ("我要退款", "refund_order", {"order_id": "987654321", "amount": 458}, "order_id"),
        ("订单555666777发我邮箱", "send_email",
         {"to": "boss@example.com", "subject": "订单555666777", "body": "订单555666777"}, "to"),
    ],
)  # fmt: skip
async def test_r12_checklist_parameters_the_model_must_not_guess(
    text: str, tool: str, arguments: dict[str, Any], missing: str
) -> None:
    async with visit(model=proposing(tool, **arguments)) as at:
        run = await at.say(text)
        (rejected,) = await of_kind(at, run, ev.CallRejected)
    assert missing in rejected.missing
    assert (run.kind, ran(run)) == ("question", [])


# Checklist: execution


async def test_r12_checklist_execution_exceptions_are_caught() -> None:
    """A failed tool is told as failed; nothing is made up in its place (R9)."""
    async with visit(fail={"query_order": "订单系统维护中"}) as at:
        run = await at.say(ORDER)
    assert run.status is RunStatus.DONE
    assert "维护中" in run.reply
    assert "退款处理中" not in run.reply


async def test_r12_checklist_execution_has_a_timeout_and_a_retry_limit() -> None:
    """What does not answer in time is tried again, then given up and told so (R8)."""
    specs = {name: tool.spec for name, tool in shop_tools().items()}
    assert all(0 < spec.timeout <= 10 and spec.retries <= 2 for spec in specs.values())
    async with visit(fail={"query_order": "timeout"}) as at:
        run = await at.say(ORDER)
        started = await of_kind(at, run, ev.AttemptStarted)
    (call,) = (*run.past, *run.calls)
    assert call.result is not None
    assert call.result.status is ResultStatus.TIMEOUT
    assert len(started) == 1 + specs["query_order"].retries
    assert "退款处理中" not in run.reply


async def test_r12_checklist_execution_is_logged() -> None:
    """Input, intent, tool, parameters, validation and result of the article's section 12 (R10)."""
    async with visit() as at:
        kinds = {type(event) for event in await at.events(await at.say(ORDER))}
    assert kinds >= {
        ev.MessageReceived,
        ev.IntentClassified,
        ev.RouteChosen,
        ev.CallValidated,
        ev.CallCleared,
        ev.AttemptStarted,
        ev.AttemptFinished,
        ev.ReplyGiven,
    }


# Checklist: safety


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("给订单555666777退款", "refund_order"),
        ("把订单987654321的信息发到 ann@example.com", "send_email"),
    ],
)
async def test_r12_checklist_safety_risky_calls_are_confirmed(text: str, tool: str) -> None:
    async with visit() as at:
        run = await at.say(text)
        assert run.status is RunStatus.WAITING
        assert [call.approval.by for call in run.waiting if call.approval] == ["user"]
        assert tool not in dict(ran(run))
        done = await at.say("确认")
    assert tool in dict(ran(done))


async def test_r12_checklist_safety_a_person_can_step_in() -> None:
    """Finance decides on a large refund (R11), and a complaint reaches the staff."""
    async with visit() as at:
        run = await at.say("给订单202604150088退款")
        assert [call.approval.by for call in run.waiting if call.approval] == ["finance"]
        assert "refund_order" not in dict(ran(run))
        stopped = await at.service.cancel(run.id, "u001", reason="taken over")
        assert stopped.status is RunStatus.CANCELLED
        assert ran(await at.say("转人工"))[0][0] == "create_ticket"


async def test_r12_checklist_safety_no_tool_outside_the_route_runs() -> None:
    """A registered tool that does not belong to what the user wants is not run either."""
    model = proposing("refund_order", order_id="123456789", amount=299)
    async with visit(model=model) as at:
        run = await at.say("退款规则是什么？")
        rejected = await of_kind(at, run, ev.CallRejected)
    assert [one.tool for one in rejected] == ["refund_order"]
    assert ran(run) == []
    assert "办好" not in run.reply
