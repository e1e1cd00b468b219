"""What stands in the place of a value, and what only looks so (case A29)."""

from typing import Any

import pytest

from pointsman.domain.values.placeholders import missing, needs

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "城市名，如 北京"},
        "message": {"type": "string", "description": "发给客户的消息"},
        "kind": {"type": "string", "enum": ["none", "all"]},
        "to": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": ["integer", "null"]},
        "count": {"type": "integer"},
        "extra": {"type": "string"},
    },
    "required": ["count", "limit", "to", "kind", "message", "city"],
}
FULL = {"city": "成都", "message": "好", "kind": "none", "to": ["a"], "limit": None, "count": 0}


def absent(**given: Any) -> tuple[str, ...]:
    return missing(FULL | given, needs(SCHEMA))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "  ",
            "\u3000",
            "未知",
            "N/A",
            "n/a.",
            "TBD",
            "ＴＢＤ",
            "待定",
            "待用户确认",
            "null",
            "None",
        ),
        *("\u200b", '""', "“”", "YYYY-MM-DD", "yyyy-mm-dd hh:mm", "HH:mm:ss", "YYYY年MM月DD日"),
        *(
            "undefined",
            "unknown",
            "Unknown.",
            "not specified",
            "未提供",
            "用户未提供",
            "请提供",
            "???",
        ),
        *(
            "？",
            "...",
            "……",
            "——",
            "--",
            "xxx",
            "<city>",
            "<城市>",
            "{city}",
            "{{city}}",
            "${city}",
        ),
        *(
            "[city]",
            "【城市】",
            "[请填写]",
            "(待定)",
            "请提供城市",
            "请输入城市名",
            "请您提供具体的地址",
        ),
        *(
            "用户未提供城市",
            "please provide the city",
            "your_city",
            "your city here",
            "[your city]",
        ),
    ],
)
def test_a_placeholder_for_a_required_value_counts_as_missing(text: str) -> None:
    assert absent(city=text) == ("city",)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "None of these work",
            "unknown caller",
            "N/A 型号",
            "无",
            "空调",
            "-",
            "*",
            ".",
            "..",
            "0",
        ),
        *("/", "NA", "NaN县", "na", "[urgent] call me", "<a href='x'>b</a>", '{"a": 1}', "a {b} c"),
        *(
            "我也不知道该去哪里",
            "请提供发票给财务部，谢谢合作",
            "xx有限公司",
            "x",
            "String",
            "The city",
        ),
        "unknown " * 10,
    ],
)
def test_a_value_is_not_taken_for_a_placeholder(text: str) -> None:
    assert absent(city=text) == ()


@pytest.mark.parametrize(
    "text", ["请提供订单号", "请提供发票", "[Draft]", "please provide the invoice"]
)
def test_a_message_may_ask_for_something(text: str) -> None:
    assert absent(message=text) == ()


def test_a_listed_value_is_a_value() -> None:
    assert absent(kind="none") == ()
    assert absent(kind="unknown") == ("kind",)


def test_null_is_missing_unless_the_schema_allows_it() -> None:
    assert absent(count=None) == ("count",)
    assert absent(limit=None) == ()


def test_a_list_of_placeholders_only_is_missing() -> None:
    assert absent(to=["<email>", ""]) == ("to",)
    assert absent(to=["<email>", "li"]) == ()
    assert absent(to=[]) == ()


def test_missing_ones_are_named_in_the_order_of_the_properties() -> None:
    assert missing({"limit": 1, "kind": "all"}, needs(SCHEMA)) == ("city", "message", "to", "count")


def test_an_optional_placeholder_is_not_asked_for() -> None:
    assert absent(extra="TBD") == ()


def test_what_only_an_alternative_requires_is_not_asked_for() -> None:
    schema = {
        "allOf": [{"required": ["a"]}],
        "anyOf": [{"required": ["b"]}, {"required": ["c"]}],
    }
    assert missing({}, needs(schema)) == ("a",)
