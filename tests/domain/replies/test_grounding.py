"""Which figures are held by the sources of a reply."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.replies.grounding import unsourced
from pointsman.domain.replies.holdings import held
from pointsman.domain.values.figures import figures

NOW = datetime(2026, 5, 1, 10, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
RESULT = (
    '{"rows": [{"id": "A-1001", "price": 12.5, "at": "2026-05-03T01:15:00Z"},'
    ' {"id": "A-1002", "price": 30, "at": "2026-05-07T08:00:00Z"}], "minutes": "90 min",'
    ' "share": 0.237, "km": "34500 米", "high": 22}'
)


def lacking(draft: str) -> list[str]:
    sources = held([RESULT], [], spoken=["明天下午三点要 4 张票"], now=NOW)
    return [one.text for one in unsourced(draft, figures(draft), sources, now=NOW)]


@pytest.mark.parametrize(
    "draft",
    [
        "A-1001 卖 12.5 元，A-1002 卖 30.00 元",
        "id A1001 costs 12.50",
        "一共 42.5 元，平均 21.25 元",
        "A-1002 is 17.5 more",
        "共有 2 条",
        "占 23.7%，约 24%",
        "1.5 小时，也就是 90 分钟",
        "34.5 公里，约 35 公里",
        "22 ℃，即 71.6 °F",
        "5月3日 9:15 和 5月7日16:00",
        "2 天后到",
        "明天（5月2日）下午3点，4 张票",
        "请 5 分钟后再试",
        "有 3 种办法",
        "今年是 2026 年",
    ],
)
def test_what_results_and_words_hold_is_sourced(draft: str) -> None:
    assert lacking(draft) == []


@pytest.mark.parametrize(
    ("draft", "invented"),
    [
        ("A-1003 卖 12.5 元", ["A-1003"]),
        ("卖 13.5 元", ["13.5"]),
        ("共有 5 条", ["5"]),
        ("占 32.7%", ["32.7%"]),
        ("45 分钟", ["45"]),
        ("25 ℃", ["25"]),
        ("5月4日 9:15", ["5月4日"]),
        ("9:45", ["9:45"]),
        ("写信到 x@y.com", ["x@y.com"]),
        ("42.5 元", []),
        ("18 元", ["18"]),
    ],
)
def test_what_nothing_holds_is_not(draft: str, invented: list[str]) -> None:
    assert lacking(draft) == invented
