"""The answer to an open question: its value, a change of subject, or "never mind"."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.asking import Reply, reply_kind
from pointsman.domain.values.filling import Filled, Unclear, fill

NOW = datetime(2026, 2, 28, 9, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
TEXT = {"type": "string"}
DATE = {"type": "string", "format": "date"}
INSTANT = {"type": "string", "format": "date-time"}
CABIN = {"type": "string", "enum": ["economy", "business"]}

FILLED: list[tuple[str, dict[str, Any], str, Any]] = [
    ("order_id", TEXT, "123456789", "123456789"),
    ("order_id", TEXT, "我的订单号是 123456789", "123456789"),
    ("order_id", TEXT, "it's ABC-123", "ABC-123"),
    ("order_id", TEXT, "１２３４５", "12345"),
    ("order_id", TEXT, "2026 0501", "20260501"),
    ("at", INSTANT, "明天下午3点", "2026-03-01T15:00:00+08:00"),
    ("date", DATE, "tomorrow", "2026-03-01"),
    ("date", {**TEXT, "description": "格式 YYYY/MM/DD"}, "下周一", "2026/03/02"),
    ("time", {**TEXT, "description": "HH:MM"}, "下午三点", "15:00"),
    ("city", TEXT, "成都", "成都"),
    ("city", TEXT, "我要去成都吧", "成都"),
    ("city", TEXT, "in Paris please", "Paris"),
    ("cabin", CABIN, "第二个", "business"),
    ("cabin", CABIN, "the last one", "business"),
    ("cabin", CABIN, "1", "economy"),
    ("cabin", CABIN, "经济舱", "economy"),
    ("count", {"type": "integer"}, "三个", 3),
    ("amount", {"type": "number"}, "￥1,200.50", 1200.5),
    ("length", {"type": "integer", "description": "时长，单位为分钟"}, "两个小时", 120),
    ("gift", {"type": "boolean"}, "是的", True),
    ("gift", {"type": "boolean"}, "不用", False),
    ("tags", {"type": "array", "items": TEXT}, "红色、蓝色和绿色", ["红色", "蓝色", "绿色"]),
    ("email", {**TEXT, "format": "email"}, "发到 a.b@c.com 吧", "a.b@c.com"),
    ("phone", TEXT, "我的电话是138-0000-0000", "13800000000"),
    ("message", TEXT, "告诉他我晚点到", "告诉他我晚点到"),
]


@pytest.mark.parametrize(
    ("name", "schema", "text", "value"), FILLED, ids=[f"{n}: {t}" for n, _, t, _ in FILLED]
)
def test_an_answer_fills_the_slot(name: str, schema: dict[str, Any], text: str, value: Any) -> None:
    found = fill(schema, text, now=NOW, name=name)
    assert isinstance(found, Filled)
    assert found.value == value
    assert reply_kind(text, {name: schema}, now=NOW) is Reply.ANSWER


@pytest.mark.parametrize(
    ("name", "schema", "text"),
    [
        ("order_id", TEXT, "帮我查天气"),
        ("order_id", TEXT, "A123 或者 B456"),
        ("city", TEXT, "不知道"),
        ("city", TEXT, "hello"),
        ("city", TEXT, "成都怎么样？"),
        ("count", {"type": "integer"}, "3到5个"),
        ("count", {"type": "integer"}, "两个半"),
        ("cabin", CABIN, "经济舱或商务舱"),
        ("date", DATE, "明天或后天"),
        ("date", DATE, "2月30号"),
        ("gift", {"type": "boolean"}, "也许"),
    ],
)
def test_an_answer_that_could_mean_something_else_fills_nothing(
    name: str, schema: dict[str, Any], text: str
) -> None:
    assert fill(schema, text, now=NOW, name=name) is None


def test_a_time_with_two_readings_comes_back_with_both() -> None:
    found = fill(INSTANT, "今天9点", now=NOW, name="at")
    assert isinstance(found, Unclear)
    assert [when.start.isoformat()[:16] for when in found.readings] == [
        "2026-02-28T21:00",
        "2026-03-01T09:00",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("算了", "算了吧，谢谢", "不用了", "取消", "那取消吧", "先别弄了", "我不订了", "没事了"),
        *("never mind", "forget it", "Cancel that, please", "no thanks", "Stop."),
    ],
)
def test_never_mind_is_understood(text: str) -> None:
    assert reply_kind(text, {"order_id": TEXT}, now=NOW) is Reply.NEVER_MIND


@pytest.mark.parametrize(
    ("name", "schema", "text"),
    [
        ("order_id", TEXT, "算了，查下天气"),
        ("order_id", TEXT, "先别弄了，查下天气"),
        ("order_id", TEXT, "forget it, what's the weather?"),
        ("order_id", TEXT, "帮我订一张去成都的票"),
        ("order_id", TEXT, "另外，我的发票呢"),
        ("date", DATE, "明天天气怎么样"),
        ("city", TEXT, "你能做什么？"),
        ("city", TEXT, "show me my orders"),
    ],
)
def test_a_change_of_subject_is_no_answer(name: str, schema: dict[str, Any], text: str) -> None:
    assert reply_kind(text, {name: schema}, now=NOW) is Reply.CHANGE


@pytest.mark.parametrize("text", ["嗯", "hello", "……", ""])
def test_what_is_none_of_these_leaves_the_question_open(text: str) -> None:
    assert reply_kind(text, {"order_id": TEXT}, now=NOW) is Reply.UNCLEAR


def test_one_message_may_answer_either_of_two_questions() -> None:
    wanted = {"order_id": TEXT, "date": DATE}
    assert reply_kind("明天", wanted, now=NOW) is Reply.ANSWER
    assert reply_kind("单号 88231", wanted, now=NOW) is Reply.ANSWER


@given(st.text(max_size=60), st.sampled_from([TEXT, DATE, CABIN, {"type": "integer"}]))
def test_any_message_is_read_without_failing(text: str, schema: dict[str, Any]) -> None:
    assert reply_kind(text, {"order_id": schema}, now=NOW) in Reply
