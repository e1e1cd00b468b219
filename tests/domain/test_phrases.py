"""Where a value stands in a text, through each normal form."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.phrases import assembled, fold, spans
from pointsman.domain.values.meanings import means
from pointsman.domain.values.numerals import numbers, whole_number
from pointsman.domain.values.units import quantities, whole_quantity

NUMBERS: list[tuple[str, float]] = [
    ("325", 325),
    ("３２５", 325),
    ("三百二十五", 325),
    ("two hundred and six", 206),
    ("twenty-five", 25),
    ("两千", 2000),
    ("一千零五", 1005),
    ("一百二", 120),
    ("3万5", 35_000),
    ("1.5万", 15_000),
    ("五百万", 5_000_000),
    ("12k", 12_000),
    ("half a million", 500_000),
    ("1,200.50", 1200.5),
    ("￥1,200.50", 1200.5),
    ("百分之二十", 20),
    ("20%", 20),
    ("半", 0.5),
    ("一个半", 1.5),
    ("-1000", -1000),
    ("负三", -3),
    ("negative five", -5),
    ("二〇二六", 2026),
    ("三点五", 3.5),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS, ids=[text for text, _ in NUMBERS])
def test_a_number_is_read_however_it_is_written(text: str, value: float) -> None:
    assert whole_number(fold(text)) == value


@pytest.mark.parametrize("text", ["帮我查一下", "统一处理", "一样", "万一", "ABC123"])
def test_a_word_that_only_holds_a_numeral_is_no_number(text: str) -> None:
    assert numbers(fold(text)) == ()


FOUND: list[tuple[Any, str, str, str]] = [
    ("abc", "给 ABC 发邮件", "ABC", "exact"),
    ("ABC123", "单号是ＡＢＣ１２３。", "ＡＢＣ１２３", "width"),
    ("ABC-123", "订单abc123", "abc123", "separators"),
    ("abc123", "单号 ABC-123 的", "ABC-123", "separators"),
    ("20260501", "号码 2026 0501", "2026 0501", "separators"),
    ("13800000000", "电话+86 138-0000-0000", "138-0000-0000", "separators"),
    ("+8613800000000", "电话是13800000000", "13800000000", "separators"),
    (500, "退五百块", "五百", "number"),
    (1200.5, "付￥1,200.50", "￥1,200.50", "number"),
    (0.2, "打20%的折扣", "20%", "number"),
    (-118.2437, "经度-118.2437", "-118.2437", "number"),
    (-155.58, "155.58° W", "155.58", "number"),
    (120, "2个小时", "2个小时", "quantity"),
    ("1-week", "in the next week", "the next week", "quantity"),
    ("北京市", "我在北京", "北京", "place"),
    ("Beijing", "我在北京", "北京", "place"),
    ("内蒙古自治区", "去内蒙古玩", "内蒙古", "place"),
    ("四川省成都市", "四川成都", "四川成都", "place"),
    ("CN", "中国和美国", "中国", "place"),
    ("张先生", "小张说的", "小张", "person"),
    ("Mr Zhang", "张先生来了", "张先生", "person"),
    ("a@b.com", "发到a@b.com吧", "a@b.com", "exact"),
]


@pytest.mark.parametrize(
    ("value", "text", "words", "form"), FOUND, ids=[f"{v} in {t}" for v, t, _, _ in FOUND]
)
def test_a_value_is_found_through_its_normal_form(
    value: Any, text: str, words: str, form: str
) -> None:
    found = spans(value, text)
    assert [(text[one.start : one.end], one.form) for one in found] == [(words, form)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("12", "123"),
        ("12", "12.5"),
        ("3456", "123456"),
        ("cat", "category"),
        ("0123", "123"),
        ("张伟", "小张说的"),
        ("李", "黎明"),
        (5, "ABC5"),
        ("", "text"),
        (True, "true"),
        (None, "None"),
    ],
)
def test_a_value_that_was_not_said_is_not_found(value: Any, text: str) -> None:
    assert spans(value, text) == ()


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("48h", "time", 172_800),
        ("半小时", "time", 1800),
        ("一个半小时", "time", 5400),
        ("3天半", "time", 302_400),
        ("two and a half hours", "time", 9000),
        ("1w", "time", 604_800),
        ("5公里", "length", 5000),
        ("半年", "months", 6),
    ],
)
def test_a_quantity_is_the_same_in_every_unit(text: str, kind: str, amount: float) -> None:
    assert whole_quantity(text) == (kind, amount)
    assert (quantities(text)[0].kind, quantities(text)[0].amount) == (kind, amount)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("economy", "订经济舱，2个成人"),
        ("Weekly", "我们每周使用"),
        ("high", "优先级为高，最多十条"),
        ("small_car", "分别为小型车和大型车"),
        ("Google Finance", "用谷歌金融数据"),
        ("remote_shutdown", "I want to remotely shutdown my console"),
        ("driver_license", "verify my driver's license"),
        ("walking", "步行去"),
    ],
)
def test_a_choice_is_understood_in_other_words(option: str, text: str) -> None:
    assert means(option, text)


@pytest.mark.parametrize(("option", "text"), [("high", "提高效率"), ("low", "流程"), ("bus", "忙")])
def test_a_character_inside_a_longer_word_is_not_a_choice(option: str, text: str) -> None:
    assert not means(option, text)


def test_a_text_may_be_put_together_from_what_was_said() -> None:
    assert assembled("效率提升", ("在提升课内教学效率方面",))
    assert assembled("smart bulbs, thermostat", ("such as smart bulbs and a thermostat",))
    assert not assembled("李芳", ("发给李伟和王芳",))


@given(st.integers(0, 99_999_999))
def test_every_whole_number_is_found_in_digits_with_and_without_groups(number: int) -> None:
    assert spans(number, f"共{number}元")
    assert spans(number, f"a total of {number:,} yuan")


@given(st.text(max_size=80), st.text(max_size=40))
def test_spans_lie_inside_any_text(text: str, value: str) -> None:
    for one in spans(value, text):
        assert 0 <= one.start < one.end <= len(text)


@given(st.text(min_size=3, max_size=30, alphabet="abc你好12 ,。-"))
def test_reading_any_text_never_fails(text: str) -> None:
    numbers(text)
    quantities(text)
    means(text, text)
