"""Intents by words and patterns."""

import pytest

from pointsman.adapters.classifiers.cascade import Cascade
from pointsman.adapters.classifiers.rules import Rules
from pointsman.domain.intents import Intent
from tests.support.classifier import FakeClassifier

pytestmark = pytest.mark.anyio

INTENTS = (
    Intent(name="order_query", keywords=("订单", "物流", "退款进度", "order", "parcel")),
    Intent(name="human_support", keywords=("人工", "客服", "投诉", "complaint")),
    Intent(name="knowledge_query", keywords=("规则", "流程", "怎么", "policy", "how do i")),
    Intent(name="refund", keywords=("退款",), patterns=(r"refund\s+\d+",)),
    Intent(name="general_chat", keywords=("你好", "hello")),
)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("退款规则是什么", "knowledge_query"),
        ("我要投诉，转人工客服", "human_support"),
        ("你好，今天天气不错", "general_chat"),
        ("ＨＥＬＬＯ", "general_chat"),
        ("我的訂單到哪了", "order_query"),
        ("Where is my ORDER?", "order_query"),
        ("I have a complaint", "human_support"),
        ("refund 500", "refund"),
    ],
)
async def test_the_words_of_an_intent_point_to_it(text: str, intent: str) -> None:
    only = [one for one in INTENTS if one.name != "refund" or intent == "refund"]
    said = await Rules(only).classify(text, context=())
    assert said.best is not None
    assert said.best[0] == intent
    assert said.best[1] >= 0.6


async def test_r12_the_articles_order_sentence_is_an_order_query() -> None:
    said = await Rules(INTENTS).classify("帮我查一下订单123456789的退款进度", context=())
    assert said.scores == {"order_query": 0.9}


async def test_a_clause_with_words_of_two_intents_is_unsure() -> None:
    said = await Rules(INTENTS).classify("我的订单怎么处理？", context=())
    assert said.scores == {"order_query": 0.5, "knowledge_query": 0.5}


async def test_two_clauses_may_want_two_things() -> None:
    said = await Rules(INTENTS).classify("投诉流程的规则是什么？顺便查一下订单", context=())
    assert said.scores["order_query"] == 0.9


async def test_without_any_word_the_rules_abstain() -> None:
    said = await Rules(INTENTS).classify("天空是蓝色的", context=())
    assert said.abstains
    assert said.scores == {}


async def test_a_latin_word_counts_only_whole() -> None:
    said = await Rules(INTENTS).classify("the border is closed", context=())
    assert said.abstains


async def test_the_next_is_asked_only_when_the_first_is_unsure() -> None:
    second = FakeClassifier(lambda text: {"refund": 0.8})
    cascade = Cascade([Rules(INTENTS), second], {one.name: one for one in INTENTS})
    assert (await cascade.classify("你好", context=())).by == "rules"
    assert second.asked == []
    assert (await cascade.classify("我的订单怎么处理", context=())).by == "fake"
    assert (await cascade.classify("天空", context=())).scores == {"refund": 0.8}
