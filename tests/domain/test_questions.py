"""One short question for what is missing, in the parameters' own words (R6)."""

from typing import Any

import pytest

from pointsman.domain.agent import Language
from pointsman.domain.questions import ask_for, told

ZH: dict[str, Any] = {
    "city": {"title": "城市", "description": "要查询天气的城市"},
    "date": {"description": "出发日期，格式为 2025-03-05"},
    "mode": {"title": "出行方式", "enum": ["驾车", "骑行"]},
    "order_id": {"type": "string"},
    "to": {"title": "邮箱", "x-title": {"zh": "收件邮箱", "en": "address of the receiver"}},
}
EN: dict[str, Any] = {
    "city": {"title": "City"},
    "date": {"description": "The day of departure, as 2025-03-05."},
    "mode": {"$ref": "#/$defs/Mode"},
    "orderId": {"type": "string"},
    "url": {"title": "URL of the page"},
    "note": {"description": "Everything that the person who will read this should know of it"},
}
DEFS = {"Mode": {"description": "way to travel", "enum": ["car", "bike"]}}


@pytest.mark.parametrize(
    ("missing", "properties", "language", "question"),
    [
        (["city"], ZH, "zh", "请问城市是什么？"),
        (["city", "date"], ZH, "zh", "请问城市和出发日期是什么？"),
        (["city", "date", "mode"], ZH, "zh", "请问城市、出发日期和出行方式（驾车、骑行）是什么？"),
        (["order_id"], ZH, "zh", "请问order id是什么？"),
        (["city"], EN, "en", "What is the city?"),
        (["city", "date"], EN, "en", "What are the city and the day of departure?"),
        (["city", "orderId", "mode"], EN, "en",
         "What are the city, the order id and the way to travel (car / bike)?"),
        (["url"], EN, "en", "What is the URL of the page?"),
        (["note"], EN, "en", "What is the note?"),
        (["city"], ZH, "en", "What is 城市?"),
        (["to"], ZH, "zh", "请问收件邮箱是什么？"),
        (["to"], ZH, "en", "What is the address of the receiver?"),
    ],
)  # fmt: skip
def test_missing_values_make_one_question(
    missing: list[str], properties: dict[str, Any], language: Language, question: str
) -> None:
    assert ask_for(missing, {"properties": properties, "$defs": DEFS}, language) == question


def test_many_options_are_not_read_out() -> None:
    schema = {"properties": {"n": {"enum": list(range(50))}}}
    assert ask_for(["n"], schema, "en") == "What is the n?"


@pytest.mark.parametrize(
    ("arguments", "language", "said"),
    [
        ({"city": "成都", "to": "a@b.cn"}, "zh", "城市：成都，收件邮箱：a@b.cn"),
        ({"to": "a@b.cn", "n": 3}, "en", "address of the receiver: a@b.cn, n: 3"),
        ({"amount": 600.0, "rate": 0.5}, "en", "amount: 600, rate: 0.5"),
        ({"urgent": True, "note": None}, "zh", "urgent：是，note：无"),
        ({"urgent": False, "days": [1, 2]}, "en", "urgent: no, days: 1, 2"),
        ({"where": {"x": 1}}, "en", 'where: {"x": 1}'),
        ({"city": "成都，金额：5"}, "zh", "城市：“成都，金额：5”"),
        ({"city": ""}, "zh", "城市：“”"),
        ({"to": " a@b.cn"}, "en", "address of the receiver: “ a@b.cn”"),
        ({"note": "a\u202egpj.exe"}, "en", "note: a[U+202E]gpj.exe"),
        ({"note": [{"x": "a\u200bb"}]}, "en", 'note: [{"x": "a[U+200B]b"}]'),
        ({"city": "成都", "note": "a\nb"}, "zh", "\n- 城市：成都\n- note：“a\nb”\n"),
        ({}, "en", ""),
    ],
)
def test_arguments_are_told_by_their_titles(
    arguments: dict[str, Any], language: Language, said: str
) -> None:
    assert told(arguments, {"properties": ZH}, language) == said


def test_long_arguments_are_told_in_full() -> None:
    assert told({"text": "x" * 900}, {"properties": {}}, "en") == f"\n- text: {'x' * 900}\n"
