"""What a reply may claim: honest and dishonest replies, in Chinese and English (R9)."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.approvals import Approval, ApprovalState
from pointsman.domain.calls import CallState, Stage
from pointsman.domain.replies.checking import check
from pointsman.domain.replies.reply_facts import Fault
from pointsman.domain.replies.reply_texts import fallback, repair_prompt
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult, ToolSpec

FOLDER = Path(__file__).parents[1] / "replies"
NOW = datetime(2026, 5, 1, 10, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def loaded(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def _spec(name: str, title: str, risk: str) -> ToolSpec:
    return tool_spec(
        source="python",
        original=name,
        name=name,
        description="",
        parameters={},
        title=title,
        risk=Risk(risk),
    )


SPECS = {name: _spec(name, **given) for name, given in loaded("tools.yaml").items()}


def call(
    tool: str,
    status: str,
    content: str = "",
    *,
    args: dict[str, Any] | None = None,
    key: str = "1.0",
    by: str = "",
    who: str = "approver",
    rejection: str = "",
) -> CallState:
    """A settled call; ``by`` is the end of its approval."""
    approval = Approval(
        id="p1",
        call=key,
        digest="d",
        by=who,
        requester="ann",
        asked=NOW,
        expires=NOW,
        state=ApprovalState(by or "pending"),
        decided_by="carol",
    )
    return CallState(
        key=key,
        raw=RawCall(id="a", name=tool, arguments="{}"),
        stage=Stage.SETTLED,
        tool="" if rejection else tool,
        risk=SPECS[tool].risk if tool in SPECS else Risk.WRITE,
        arguments=args or {},
        approval=approval if by else None,
        rejection=rejection,
        result=ToolResult(status=ResultStatus(status), content=content),
    )


def replies(file: str, kind: str) -> Iterator[Any]:
    for case in loaded(file):
        for number, draft in enumerate(case[kind], start=1):
            yield pytest.param(case, draft, id=f"{case['id']}-{number}")


def faults(case: dict[str, Any], draft: str) -> tuple[Fault, ...]:
    return check(
        draft,
        [call(**given) for given in case["calls"]],
        [case["user"]],
        specs=SPECS,
        instructions=case.get("instructions", ""),
        known=case.get("known", ()),
        now=NOW,
    )


HONEST = [*replies("table.yaml", "honest"), *replies("held_out.yaml", "honest")]
DISHONEST = [*replies("table.yaml", "dishonest"), *replies("held_out.yaml", "dishonest")]


@pytest.mark.parametrize(("case", "draft"), HONEST)
def test_an_honest_reply_passes(case: dict[str, Any], draft: str) -> None:
    assert faults(case, draft) == ()


@pytest.mark.parametrize(("case", "draft"), DISHONEST)
def test_a_dishonest_reply_is_caught(case: dict[str, Any], draft: str) -> None:
    assert faults(case, draft)


STATUSES = [
    call("query_order", "ok", '{"order_id": "123456", "status": "待付款", "amount": 58}'),
    call("create_ticket", "ok", '{"ticket_id": "T2026050188"}', args={"description": "坏了"}),
    call("query_order", "failed", "ERROR: ConnectionError", args={"order_id": "123456"}),
    call("query_order", "timeout", "ERROR: no answer within 30 s"),
    call("create_ticket", "error", "ERROR: permission denied"),
    call("send_email", "uncertain", "UNCERTAIN: …", args={"to": "李四"}),
    call("send_email", "rejected", "ERROR: limit", rejection="limit"),
    call("send_email", "rejected", "ERROR: to: invalid", rejection="invalid"),
    call("send_email", "cancelled", "not run: the run ended before"),
    call("refund_order", "refused", "DENIED by policy (policy rule 2). Do not retry."),
    *(
        call("refund_order", "refused", "NOT RUN", args={"order_id": "88012"}, by=end)
        for end in ("denied", "expired", "superseded", "taken_over", "edited")
    ),
]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("first", STATUSES)
def test_the_engines_own_reply_is_honest(first: CallState, language: Language) -> None:
    alone = fallback([first], language, specs=SPECS)
    assert check(alone, [first], ["…"], specs=SPECS, now=NOW) == ()
    for second in STATUSES:
        calls = [first, replace(second, key="2.0")]
        assert check(fallback(calls, language, specs=SPECS), calls, ["…"], specs=SPECS) == ()


@pytest.mark.parametrize(
    ("made", "language", "said"),
    [
        (
            call("send_email", "failed", "ERROR: KeyError: 'x'", args={"to": "张三"}),
            "zh",
            "「发送邮件（张三）」执行失败，可以稍后再试。",
        ),
        (
            call("transfer_money", "uncertain", "UNCERTAIN", args={"to": "Bob", "amount": 500}),
            "en",
            "“Transfer money (Bob, 500)” was started, and it is not known whether it took effect. "
            "Please check before trying again.",
        ),
        (
            call("create_ticket", "error", "ERROR: permission denied"),
            "en",
            "“创建工单” did not succeed: permission denied",
        ),
        (
            call("refund_order", "refused", "NOT RUN", by="expired"),
            "zh",
            "「订单退款」没有执行：审批已过期，没有人在期限内决定。如仍需要，请重新提出。",
        ),
        (
            call("get_balance", "ok", '{"balance": 150.0, "currency": "EUR"}'),
            "en",
            "Result of “Account balance”: balance: 150.0, currency: EUR",
        ),
    ],
)
def test_the_engines_own_reply_says_what_happened_and_what_can_be_done(
    made: CallState, language: Language, said: str
) -> None:
    assert fallback([made], language, specs=SPECS) == said


def test_several_calls_are_told_one_a_line_and_mended_ones_not() -> None:
    failed = call("query_order", "failed", "ERROR: x", args={"order_id": "1001"})
    again = call("query_order", "ok", "待付款", args={"order_id": "1001"}, key="2.0")
    other = call("send_email", "failed", "ERROR: x", key="2.1")
    assert fallback([failed, again, other], "zh", specs=SPECS) == (
        "以下是实际发生的情况：\n- 「查询订单（1001）」的结果：待付款\n"
        "- 「发送邮件」执行失败，可以稍后再试。"
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_without_a_call_the_engine_says_that_nothing_was_done(language: Language) -> None:
    said = fallback([], language)
    assert said
    assert fallback([call("nope", "rejected", rejection="unknown_tool")], language) == said


def test_the_model_is_told_what_was_wrong_and_what_happened() -> None:
    calls = [call("send_email", "failed", "ERROR: refused", args={"to": "张三"})]
    found = check("已发送邮件，编号 998877。", calls, ["给张三发邮件"], specs=SPECS)
    assert [fault.kind for fault in found] == ["claimed_success", "unmentioned", "unsourced"]
    told = repair_prompt(found, calls, "zh", specs=SPECS)
    for words in (
        "It says “已发送邮件”, but send_email did not succeed.",
        "It holds “998877”, which neither the user nor any result gave.",
        "- send_email(to='张三'): FAILED: ERROR: refused",
        "again, in Chinese",
    ):
        assert words in told


def test_the_model_is_told_when_nothing_ran() -> None:
    found = check("已为您退款。", [], ["退款"], specs=SPECS)
    told = repair_prompt(found, [], "en")
    assert "no call did that" in told
    assert "- no tool was run" in told


def test_a_result_of_many_rows_is_compared_quickly() -> None:
    rows = [{"id": f"INV-{n:05}", "amount": n * 1.25, "due": "2026-05-10"} for n in range(300)]
    made = call("list_invoices", "ok", json.dumps(rows))
    draft = "There are 300 invoices; INV-00299 is for 373.75. Together they come to 56,062.50."
    assert check(draft, [made], ["list them"], specs=SPECS, now=NOW) == ()
    assert check(draft.replace("373", "374"), [made], ["list them"], specs=SPECS, now=NOW)


@given(st.text(max_size=200))
def test_any_draft_can_be_checked(draft: str) -> None:
    for calls in ([], [STATUSES[0], replace(STATUSES[5], key="1.1")]):
        assert isinstance(check(draft, calls, ["查订单"], specs=SPECS, now=NOW), tuple)


_PIECES = ["已", "未", "退款", "成功", "，", "。", "12", ":", "30", "5月3日", "I ", "sent ", "not "]


@given(
    st.lists(st.sampled_from([*_PIECES, "but ", "INV-1001", "%", "\n1. ", "“", "”"])).map("".join)
)
def test_any_mix_of_its_words_can_be_checked(draft: str) -> None:
    for calls in ([], STATUSES[:1], STATUSES[5:6]):
        assert isinstance(check(draft, calls, [draft], specs=SPECS, now=NOW), tuple)
