"""Which next words correct how the last ones were taken."""

import pytest

from pointsman.domain.corrections import corrects


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("退款规则是什么", "不是，我要查订单的退款进度"),
        ("查订单", "我说的是退货规则"),
        ("查订单", "错了，是查发票"),
        ("天气怎么样", "我要的是路线，不是天气"),
        ("check my order", "no, I want a refund"),
        ("refund", "I meant the refund of order 5"),
        ("refund policy", "Not that. The status of my refund"),
        ("weather in Paris", "actually, plan a route"),
        ("where is my parcel 123", "my parcel 123, where is it"),
        ("帮我查一下我的快递", "帮我查一下我的快递到哪了"),
    ],
)
def test_a_correction_is_told_by_its_beginning_or_by_saying_it_again(said: str, then: str) -> None:
    assert corrects(said, then)


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("退款规则是什么", "谢谢，再帮我查一下天气"),
        ("check my order", "thanks, now book a table"),
        ("what is the price of tea?", "order 2 cups of milk"),
        ("hello", "nothing works here"),
        ("你好", ""),
        ("", "hello"),
    ],
)
def test_a_new_wish_is_none(said: str, then: str) -> None:
    assert not corrects(said, then)
