"""Amounts in text, read only where there is one reading."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.values.amounts import Amount, read_amount


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,200.50 元", "1200.50", "CNY"),
        ("¥1200.5", "1200.5", "CNY"),
        ("１２００元", "1200", "CNY"),
        ("RMB 500", "500", "CNY"),
        ("人民币500元", "500", "CNY"),
        ("$600", "600", "USD"),
        ("600美元", "600", "USD"),
        ("HK$5", "5", "HKD"),
        ("-¥5", "-5", "CNY"),
        ("- 5", "-5", ""),
        ("5k", "5000", ""),
        ("1.2万元", "12000", "CNY"),
        ("3百万", "3000000", ""),
        ("3.5 million dollars", "3500000", "USD"),
        ("五百元", "500", "CNY"),
        ("一万二", "12000", ""),
        ("两千零五", "2005", ""),
        ("三点五", "3.5", ""),
        ("50%", "50", "%"),
        ("25 kg", "25", "kg"),
        ("5 dozen", "5", "dozen"),
    ],
)
def test_an_amount_has_a_value_and_a_unit(text: str, value: str, unit: str) -> None:
    assert read_amount(text) == Amount(value=Decimal(value), unit=unit)


@pytest.mark.parametrize(
    "text",
    [
        *"|abc|1.200,50|1,20|1e3|007|500.|1 2|¥5 美元|5元6角|万|三二百|三点|١٢".split("|"),
        "9" * 70,
    ],
)
def test_what_has_no_single_reading_is_no_amount(text: str) -> None:
    assert read_amount(text) is None


@given(st.text(alphabet="0123456789,.+-$¥%元万百千一二三点 ke", max_size=12) | st.text(max_size=70))
def test_reading_never_fails(text: str) -> None:
    found = read_amount(text)
    assert found is None or found.value.is_finite()
