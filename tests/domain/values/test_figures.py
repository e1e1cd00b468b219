"""Figures in a text: what they are, and what is none."""

import pytest

from pointsman.domain.values.figures import figures


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("订单 T202605010001 共30条", [("id", "T202605010001"), ("number", "30")]),
        ("到了，R-7781；好", [("id", "R-7781")]),
        ("order 987654321 is $30", [("id", "987654321"), ("number", "$30")]),
        ("拨打 138-0000-0000", [("id", "138-0000-0000")]),
        (
            "写信到 a@b.com，见 https://x.cn/1",
            [("contact", "a@b.com"), ("contact", "https://x.cn/1")],
        ),
        (
            "2026-05-02、5月3日 and May 4",
            [("date", "2026-05-02"), ("date", "5月3日"), ("date", "May 4")],
        ),
        ("2026年5月1日是 1 May 2026", [("date", "2026年5月1日"), ("date", "1 May 2026")]),
        ("时间：14:00，下午3点半", [("clock", "14:00"), ("clock", "下午3点半")]),
        ("from 2 to 4 pm", [("clock", "2"), ("clock", "4 pm")]),
        ("三天内退一万二千元", [("number", "三"), ("number", "一万二千")]),
        ("1. 首先\n2. 其次，第3步，一个，两种", []),
        ("24小时在线，COVID-19，GPT-4，100%", []),
        ("2月30日", [("number", "2"), ("number", "30")]),
        (f"钥匙是{'ab1' * 100}，共3天", [("id", "ab1" * 100), ("number", "3")]),
        (f"{'x' * 5000} 共3天", [("number", "3")]),
        (f"见 https://x.cn/{'a' * 300}", [("contact", f"https://x.cn/{'a' * 300}")]),
    ],
)
def test_a_text_is_taken_apart_into_its_figures(text: str, found: list[tuple[str, str]]) -> None:
    assert [(figure.kind, figure.text) for figure in figures(text)] == found


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("17:28", 1048), ("5:28 PM", 1048), ("下午5点28分", 1048), ("12 am", 0), ("3点一刻", 195)],
)
def test_a_clock_time_is_its_minute_of_the_day(text: str, minutes: int) -> None:
    (figure,) = figures(text)
    assert figure.value == minutes


@pytest.mark.parametrize(
    ("text", "value", "step"), [("1,200.50", 1200.5, 0.01), ("3.5万", 35000, 1000), ("42", 42, 1)]
)
def test_a_number_knows_what_its_last_digit_is_worth(text: str, value: float, step: float) -> None:
    (figure,) = figures(text)
    assert figure.value == value
    assert figure.step == pytest.approx(step)
