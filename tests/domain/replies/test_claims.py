"""What a text says was done."""

import pytest

from pointsman.domain.replies.action_words import families_of
from pointsman.domain.replies.claims import claims_in, clauses
from pointsman.domain.tools import Risk
from tests.support.tools import fake_tool


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("我已经帮您提交了工单", {"create"}),
        ("邮件已发送给张三。", {"send"}),
        ("退款成功", {"refund"}),
        ("已取消订单并退款", {"cancel", "refund"}),
        ("操作成功！", {"*"}),
        ("我给张三发了邮件", {"send"}),
        ("I've sent the email to Bob.", {"send"}),
        ("Email sent!", {"send"}),
        ("I've booked the room and emailed the team.", {"book", "send"}),
        ("Your refund went through.", {"refund", "*"}),
        ("到17:28我会提醒您", {"remind"}),
    ],
)
def test_a_claim_names_what_was_done(text: str, families: set[str]) -> None:
    assert {claim.family for claim in claims_in(text)} == families


@pytest.mark.parametrize(
    "text",
    [
        "未能发送邮件",
        "退款失败，请稍后重试。",
        "已尝试发送，但失败了。",
        "如果需要，我可以为您退款。",
        "要取消订单吗？",
        "已发送的邮件无法撤回",
        "发送成功后我会告诉您",
        "您已取消订单",
        "退款处理中，尚未到账",
        "邮件草稿：“我已退款”",
        "提醒没有设置成功",
        "工单已经开了4天",
        "那就先不冻结了。",
        "I was unable to refund the order.",
        "The ticket couldn't be created.",
        "I tried to send it. However, it failed.",
        "I sent it, but never got a confirmation.",
        "Would you like me to cancel the order?",
        "Once approved, the email will be sent.",
        "You cancelled the order yesterday.",
        "Orders are shipped within 2 days.",
    ],
)
def test_what_is_denied_asked_planned_or_quoted_is_no_claim(text: str) -> None:
    assert claims_in(text) == ()


@pytest.mark.parametrize(
    ("text", "agent"),
    [("我已退款", True), ("退款已完成", False), ("已退款", True), ("Refund issued", False)],
)
def test_a_claim_knows_whether_the_reply_says_i(text: str, agent: bool) -> None:
    (claim,) = (one for one in claims_in(text) if one.family == "refund")
    assert claim.agent is agent


@pytest.mark.parametrize(
    ("name", "risk", "families"),
    [
        ("System_Notify", Risk.WRITE, {"send"}),
        ("RemindAdd", Risk.WRITE, {"remind"}),
        ("refund_order", Risk.CRITICAL, {"refund", "book"}),
        ("crm__getCustomer", Risk.READ, {"look"}),
        ("list_orders", Risk.WRITE, {"look"}),
    ],
)
def test_a_tool_does_what_its_name_says(name: str, risk: Risk, families: set[str]) -> None:
    assert families <= families_of(name, fake_tool(name, risk=risk).spec) | {"book"}


def test_what_never_ends_is_taken_in_pieces() -> None:
    parts = clauses("sent " * 4000)
    assert "".join(part.text for part in parts).count("sent") > 3980
    assert max(len(part.text) for part in parts) <= 1000
    assert max(len(part.sentence) for part in parts) <= 4000
