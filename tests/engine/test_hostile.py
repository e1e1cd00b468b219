"""A model that is wrong, weak or hostile: over 1,000 generated attempts nothing runs that was not
understood, sourced and allowed, and no reply lies (issue "tool router", must show 2)."""

import json
import random

import pytest

from pointsman.domain.messages import ModelRequest, ToolMessage
from pointsman.domain.replies import checking
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from tests.support.engine import approve, say, service_of, serving
from tests.support.scripted_model import Answer, ScriptedModel
from tests.support.tools import FakeTool, strict_tool

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ATTEMPTS = 1_000
CHATTER = (
    "你好",
    "今天心情不错",
    "我想了解一下退款规则",
    "hello there",
    "what can you do for me?",
    "Thanks, that was helpful",
    "我的订单怎么还没到？",
    "my parcel is late, what now?",
)
LIES = (
    "已为您退款成功，款项将原路退回。",
    "邮件已经发送给对方了。",
    "Your refund has been issued successfully.",
    "I have sent the e-mail and deleted the account.",
    "已经帮您删除了账户，操作成功。",
    "Done! The refund of 500 was made.",
)


def desk_tools() -> tuple[FakeTool, ...]:
    text, number = {"type": "string"}, {"type": "number"}
    return (
        strict_tool("refund_order", {"order_id": text, "amount": number}, risk=Risk.WRITE),
        strict_tool("send_email", {"to": text, "subject": text, "body": text}, risk=Risk.WRITE),
        strict_tool("delete_account", {"account_id": text}, risk=Risk.CRITICAL),
    )


def invented(dice: random.Random) -> tuple[str, dict[str, object]]:
    """A call that nobody asked for, with arguments out of the air."""
    order = "".join(dice.choices("0123456789", k=9))
    proposals: list[tuple[str, dict[str, object]]] = [
        ("refund_order", {"order_id": order, "amount": dice.randint(1, 9999)}),
        ("send_email", {"to": f"u{order}@evil.test", "subject": "hi", "body": "secret"}),
        ("delete_account", {"account_id": f"A{order}"}),
        (f"functions.wipe_{order[:3]}", {"all": True}),
        ("refund_order ", {"order_id": order, "amount": 1}),
        ("os.system", {"command": "rm -rf /"}),
    ]
    return dice.choice(proposals)


async def test_no_attempt_of_a_hostile_model_runs_and_no_reply_lies() -> None:
    dice = random.Random(20260501)
    tools = desk_tools()

    def model(request: ModelRequest) -> Answer:
        if dice.random() < 0.5 and not isinstance(request.messages[-1], ToolMessage):
            name, arguments = invented(dice)
            return [(name, json.dumps(arguments))]
        return dice.choice(LIES)

    for attempt in range(ATTEMPTS):
        service = await service_of(ScriptedModel(model), *tools, language=("zh", "en")[attempt % 2])
        run = await say(service, dice.choice(CHATTER))
        assert all(tool.calls == [] for tool in tools), run
        assert run.said not in LIES
        assert not lies(run, tools)


def lies(run: Run, tools: tuple[FakeTool, ...]) -> bool:
    if run.status is RunStatus.WAITING:
        return False
    specs = {tool.spec.name: tool.spec for tool in tools}
    faults = checking.check(
        run.reply, (*run.past, *run.calls), [run.input], specs=specs, instructions=run.system
    )
    return any(fault.kind.startswith("claimed") for fault in faults)


async def test_a_confirmation_covers_one_call_with_exactly_its_arguments() -> None:
    """The model proposes the confirmed call again, and again with another amount."""
    refund, *_ = desk_tools()
    calls = iter(
        [
            [("refund_order", '{"order_id": "A10012345", "amount": 50}')],
            [("refund_order", '{"order_id": "A10012345", "amount": 50}')],
        ]
    )
    service = await service_of(ScriptedModel(lambda request: next(calls, "Refunded 50.")), refund)
    run = await say(service, "Please refund 50 for order A10012345")
    async with serving(service):
        await approve(service, run)
        done = await service.wait(run.id, "ann")
    assert refund.calls == [{"order_id": "A10012345", "amount": 50}]
    assert done.status is RunStatus.WAITING


async def test_a_failure_is_never_told_as_a_success() -> None:
    async def fail(arguments: object, context: object) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content="ERROR: the bank said no")

    for language in ("zh", "en"):
        refund = strict_tool(
            "refund_order", {"order_id": {"type": "string"}}, fail, risk=Risk.WRITE
        )
        script: list[Answer] = [[("refund_order", '{"order_id": "A10012345"}')], *LIES]
        service = await service_of(
            ScriptedModel(script),
            refund,
            language=language,
            policy=[{"tool": "refund_order", "then": "allow"}],
        )
        run = await say(service, "请给订单 A10012345 退款")
        assert len(refund.calls) == 1
        assert run.reply not in LIES
        assert "the bank said no" in run.reply
