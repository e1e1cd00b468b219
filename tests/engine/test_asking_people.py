"""What people are asked before a call runs, and whom the policy asks: through the whole engine."""

from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from tests.support.engine import message, say, service_of
from tests.support.scripted_model import results
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

AMOUNT = {"type": "number", "x-title": {"zh": "金额", "en": "amount"}}


def refund() -> FakeTool:
    tool = fake_tool("refund", "refunded", risk=Risk.WRITE, properties={"n": AMOUNT})
    tool.spec = replace(tool.spec, title="退款", titles={"zh": "退款", "en": "Refund"})
    return tool


def pays(request: Any) -> Any:
    return "Ok." if results(request) else [("refund", '{"n": 5}')]


async def desk(**more: Any) -> Service:
    return await service_of(pays, refund(), language="zh", **more)


async def asked(service: Service, text: str, **more: Any) -> str:
    return (await say(service, text, **more)).said


ZH = "我将执行「退款」：金额：5。确认吗？（回复“确认”或“取消”）"
EN = "I am about to run “Refund”: amount: 5. Shall I? (reply “yes” or “no”)"


async def test_a_confirmation_names_everything_in_the_users_own_language() -> None:
    service = await desk()
    assert await asked(service, "退 5 元") == ZH
    assert await asked(service, "refund 5 yuan") == EN
    assert await asked(service, "5") == ZH
    assert await asked(service, "退 5 元", language="en") == EN


async def test_numbers_alone_are_answered_in_the_language_of_the_talk() -> None:
    service = await desk()
    first = await say(service, "refund 5 yuan")
    assert await asked(service, "5", conversation=first.conversation) == EN
    assert await asked(service, "改成中文：5", conversation=first.conversation) == ZH
    assert await asked(service, "5", conversation=first.conversation) == ZH


POLICY = [
    {"tool": "refund", "when": "role == 'finance'", "then": "allow"},
    {"tool": "refund", "then": "approve", "by": "finance"},
]
ROLES = {"finance": ["li", "wang"], "staff": ["ann"]}


@pytest.mark.parametrize(
    ("user", "roles", "status", "by"),
    [
        ("li", ROLES, RunStatus.DONE, ""),
        ("ann", ROLES, RunStatus.WAITING, "finance"),
        ("li", {}, RunStatus.WAITING, "finance"),
    ],
)
async def test_a_policy_goes_by_the_roles_of_the_settings(
    user: str, roles: dict[str, list[str]], status: RunStatus, by: str
) -> None:
    service = await desk(policy=POLICY, roles=roles)
    run = await service.carry(replace(message("退 5 元"), user=user))
    assert run.status is status
    assert [call.approval and call.approval.by for call in run.waiting] == ([by] if by else [])
