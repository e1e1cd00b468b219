"""The way of a message: intents to tools, questions to answers (R1–R4, R6)."""

import pytest

from pointsman.domain import events as ev
from pointsman.domain.intents import Intent
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.domain.runs import RunStatus
from pointsman.engine.service import Service
from tests.support.classifier import FakeClassifier
from tests.support.engine import events, say, service_of, tool_texts
from tests.support.scripted_model import Answer, ScriptedModel, results
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

ORDERS = Intent(
    name="orders", title={"zh": "订单查询", "en": "Order status"}, tools=("query_order",)
)
RULES = Intent(name="rules", title={"zh": "规则咨询", "en": "Rules"}, tools=("search_docs",))
CHAT = Intent(name="chat", title={"zh": "闲聊", "en": "Small talk"})
SCORES = {
    "订单123456789到哪了": {"orders": 0.9, "rules": 0.1},
    "退款规则是什么": {"rules": 0.95},
    "我的订单怎么退款": {"orders": 0.5, "rules": 0.45},
    "退款规则，顺便查订单123456789": {"orders": 0.8, "rules": 0.8},
    "查一下订单": {"orders": 0.9},
    "你好": {"chat": 0.9},
    "天空是什么颜色": {"orders": 0.1, "chat": 0.2},
}


def model(request: ModelRequest) -> Answer:
    """Calls the first tool that it is shown, then says the result."""
    if found := results(request):
        return f"结果：{found[-1]}"
    if not request.tools:
        return "没有工具。"
    said = [one.text for one in request.messages if isinstance(one, UserMessage)]
    number = "".join(filter(str.isdigit, said[-1]))
    name = request.tools[0].name
    if name == "query_order":
        return [(name, f'{{"order_id": "{number}"}}')]
    return [(name, '{"query": "退款"}')]


def tools() -> tuple[FakeTool, FakeTool]:
    return (
        fake_tool("query_order", "已发货", required=["order_id"]),
        fake_tool("search_docs", "七天内可退", required=["query"]),
    )


async def desk(*offered: FakeTool, scripted: ScriptedModel | None = None) -> Service:
    return await service_of(
        scripted or ScriptedModel(model),
        *(offered or tools()),
        intents=(ORDERS, RULES, CHAT),
        classifier=FakeClassifier(lambda text: SCORES.get(text, {})),
        language="zh",
    )


async def test_only_the_tools_of_the_route_are_shown() -> None:
    scripted = ScriptedModel(model)
    service = await desk(scripted=scripted)
    run = await say(service, "订单123456789到哪了")
    assert [spec.name for spec in scripted.requests[0].tools] == ["query_order"]
    assert run.reply == "结果：已发货"
    assert run.route is not None
    assert run.route.intents == ("orders",)
    (said,) = await events(service, run.id, ev.IntentClassified)
    assert said.scores == {"orders": 0.9, "rules": 0.1}


async def test_a_call_off_the_route_does_not_run() -> None:
    orders, docs = tools()
    scripted = ScriptedModel([[("search_docs", '{"query": "x"}')], "好"])
    service = await desk(orders, docs, scripted=scripted)
    run = await say(service, "订单123456789到哪了")
    assert docs.calls == []
    assert "not available for this request" in tool_texts(run.messages)[0]


async def test_several_intents_show_the_tools_of_each() -> None:
    scripted = ScriptedModel(["好"])
    service = await desk(scripted=scripted)
    await say(service, "退款规则，顺便查订单123456789")
    assert {spec.name for spec in scripted.requests[0].tools} == {"query_order", "search_docs"}


@pytest.mark.parametrize("text", ["你好", "天空是什么颜色"])
async def test_small_talk_and_the_unknown_are_answered_without_tools(text: str) -> None:
    scripted = ScriptedModel(model)
    service = await desk(scripted=scripted)
    run = await say(service, text)
    assert (run.reply, scripted.requests[0].tools) == ("没有工具。", ())


@pytest.mark.parametrize("pick", ["1", "第一个", "订单查询", "订单查询吧"])
async def test_an_unsure_classifier_asks_and_the_pick_is_taken(pick: str) -> None:
    scripted = ScriptedModel(["好"])
    service = await desk(scripted=scripted)
    asked = await say(service, "我的订单怎么退款")
    assert (asked.kind, scripted.requests) == ("question", [])
    assert "1. 订单查询" in asked.reply
    assert "2. 规则咨询" in asked.reply
    picked = await say(service, pick, conversation=asked.conversation)
    assert picked.route is not None
    assert picked.route.intents == ("orders",)
    assert [spec.name for spec in scripted.requests[0].tools] == ["query_order"]


async def test_another_request_is_no_pick() -> None:
    service = await desk()
    asked = await say(service, "我的订单怎么退款")
    other = await say(service, "退款规则是什么", conversation=asked.conversation)
    assert other.route is not None
    assert other.route.intents == ("rules",)


async def test_an_answer_completes_the_pending_call_without_the_model() -> None:
    orders, docs = tools()
    scripted = ScriptedModel(model)
    service = await desk(orders, docs, scripted=scripted)
    asked = await say(service, "查一下订单")
    assert asked.kind == "question"
    assert orders.calls == []
    before = len(scripted.requests)
    done = await say(service, "123456789", conversation=asked.conversation)
    assert orders.calls == [{"order_id": "123456789"}]
    assert done.route is not None
    assert done.route.intents == ("orders",)
    # The engine proposed the call; the model only says the result.
    assert len(scripted.requests) == before + 1
    assert done.reply == "结果：已发货"
    assert len(await events(service, done.id, ev.CallsProposed)) == 1


async def test_never_mind_drops_the_pending_call() -> None:
    orders, docs = tools()
    service = await desk(orders, docs)
    asked = await say(service, "查一下订单")
    dropped = await say(service, "算了", conversation=asked.conversation)
    assert dropped.status is RunStatus.DONE
    assert orders.calls == []
    assert dropped.route is not None
    assert dropped.route.kind == "answer"


async def test_never_mind_drops_it_for_an_agent_without_intents_too() -> None:
    """The words are no value, whatever the model makes of them."""
    order = fake_tool("query_order", "已发货", required=["order_id"])

    def insists(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        if tool_texts(request.messages)[1:]:
            return "好的。"
        return [("query_order", "{}" if len(said) == 1 else f'{{"order_id": "{said[-1]}"}}')]

    service = await service_of(insists, order, language="zh")
    asked = await say(service, "查一下订单")
    assert asked.kind == "question"
    dropped = await say(service, "算了", conversation=asked.conversation)
    assert (dropped.status, order.calls) == (RunStatus.DONE, [])


async def test_a_change_of_subject_drops_the_pending_call() -> None:
    orders, docs = tools()
    service = await desk(orders, docs)
    asked = await say(service, "查一下订单")
    await say(service, "退款规则是什么", conversation=asked.conversation)
    assert (orders.calls, docs.calls) == ([], [{"query": "退款"}])
