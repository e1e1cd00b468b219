"""Which of the intents that were asked about an answer picks."""

import pytest

from pointsman.domain.intents import Intent
from pointsman.domain.routing import picked

INTENTS = {
    name: Intent(name=name, title={"zh": zh, "en": en})
    for name, zh, en in (
        ("orders", "订单查询", "Order status"),
        ("refund", "申请退款", "Request a refund"),
        ("rules", "退款规则", "Refund policy"),
    )
}
TWO, THREE = ("orders", "refund"), ("orders", "refund", "rules")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1", ("orders",)),
        ("２。", ("refund",)),
        ("3", ("rules",)),
        ("4", ()),
        ("0", ()),
        ("一", ("orders",)),
        ("第一个", ("orders",)),
        ("第二个吧", ("refund",)),
        ("我要第三个", ("rules",)),
        ("就第2个好了", ("refund",)),
        ("选二", ("refund",)),
        ("第一项", ("orders",)),
        ("最后一个", ("rules",)),
        ("最后那个，谢谢", ("rules",)),
        ("前者", ("orders",)),
        ("the first", ("orders",)),
        ("The first one.", ("orders",)),
        ("the second one", ("refund",)),
        ("second", ("refund",)),
        ("third one please", ("rules",)),
        ("the last one", ("rules",)),
        ("the last one, please", ("rules",)),
        ("number two", ("refund",)),
        ("option 3", ("rules",)),
        ("#2", ("refund",)),
        ("No. 1", ("orders",)),
        ("I want the second one", ("refund",)),
        ("I'd like the first", ("orders",)),
        ("1和2", ("orders", "refund")),
        ("1, 3", ("orders", "rules")),
        ("第一个和第三个", ("orders", "rules")),
        ("the first and the third", ("orders", "rules")),
        ("1 and 7", ()),
        ("都要", THREE),
        ("全部", THREE),
        ("全都要", THREE),
        ("三个都要", THREE),
        ("都办", THREE),
        ("all of them", THREE),
        ("All, please", THREE),
        ("both", ()),
        ("两个", ()),
        ("都不是", ()),
        ("都不要", ()),
        ("neither", ()),
        ("none of them", ()),
        ("订单查询", ("orders",)),
        ("订单查询吧", ("orders",)),
        ("order status", ("orders",)),
        ("规则", ("rules",)),
        ("退款", ()),
        ("refund policy, please", ("rules",)),
        ("订单查询和退款规则", ("orders", "rules")),
        ("订单查询和退款规则有什么区别", ()),
        ("我的订单到哪了", ()),
        ("one moment", ()),
        ("第一次买", ()),
        ("yes", ()),
        ("", ()),
    ],
)
def test_an_answer_picks_of_three(text: str, names: tuple[str, ...]) -> None:
    assert picked(text, THREE, INTENTS) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("both", TWO),
        ("Both of them, please", TWO),
        ("两个都要", TWO),
        ("两个", TWO),
        ("俩都要", TWO),
        ("all", TWO),
        ("后者", ("refund",)),
        ("the latter", ("refund",)),
        ("最后一个", ("refund",)),
        ("3", ()),
    ],
)
def test_an_answer_picks_of_two(text: str, names: tuple[str, ...]) -> None:
    assert picked(text, TWO, INTENTS) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [("是", ("orders",)), ("Yes!", ("orders",)), ("好的", ("orders",)), ("不", ())],
)
def test_one_is_confirmed(text: str, names: tuple[str, ...]) -> None:
    assert picked(text, ("orders",), INTENTS) == names
