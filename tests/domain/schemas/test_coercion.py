"""Values fitted to a schema: what has one reading, and what is left for the check to refuse."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.schemas.coercion import coerce
from tests.domain.arguments.test_arguments import json_values

NOW = datetime(2025, 3, 1, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
TEXTS = {"type": "array", "items": {"type": "string"}}
WHOLES = {"type": "array", "items": {"type": "integer"}}
PLACES = {
    "type": "array",
    "items": {"type": "object", "properties": {"n": {"type": "integer"}}},
}
NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
UNIT = {"enum": ["celsius", "fahrenheit"]}


def coerced(value: Any, schema: Any, **defs: Any) -> Any:
    root = {"type": "object", "properties": {"x": schema}, "$defs": defs}
    return coerce({"x": value}, root, now=NOW)[0]["x"]


@pytest.mark.parametrize(
    ("schema", "given", "meant"),
    [
        ({"type": "integer"}, "－５", -5),
        ({"type": "integer"}, "１，０００", 1000),
        ({"type": "integer"}, "05", 5),
        ({"type": "integer"}, "5.0", 5),
        ({"type": "integer"}, "1e3", 1000),
        ({"type": "number"}, " 2.50 ", 2.5),
        ({"type": "number"}, "1,234.5", 1234.5),
        ({"type": "number"}, 5, 5),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"type": ["integer", "null"]}, "null", None),
        (NULLABLE, "7", 7),
        (NULLABLE, "None", None),
        ({"type": "string"}, 13800138000, "13800138000"),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"type": ["string", "integer"]}, "7", "7"),
        ({"type": "boolean"}, " YES ", True),
        ({"type": "boolean"}, 0, False),
        (TEXTS, "北京，上海、 广州;深圳；", ["北京", "上海", "广州", "深圳"]),
        (TEXTS, "['a', 'b']", ["a", "b"]),
        (TEXTS, "", ""),
        (WHOLES, 3, [3]),
        (WHOLES, ["3", 4.0], [3, 4]),
        ({"type": "array", "items": {"enum": ["a,b", "c"]}}, "a,b", ["a,b"]),
        ({"type": "array", "items": {"type": "object"}}, {"a": 1}, [{"a": 1}]),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, '{"n": "5"}', {"n": 5}),
        ({"type": "object"}, '{"n": "5"}', {"n": "5"}),
        ({"type": "object"}, '"{\\"n\\": 5}"', {"n": 5}),
        ({"type": "object"}, '```json\n{"n": 5}\n```', {"n": 5}),
        (WHOLES, "```[1, 2]```", [1, 2]),
        (UNIT, "Celsius", "celsius"),
        (UNIT, " ｆahrenheit", "fahrenheit"),
        ({"enum": [1, 2]}, "2", 2),
        ({"const": "Yes"}, "YES", "Yes"),
        ({"$ref": "#/$defs/n"}, "5", 5),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "5", 5),
        ({"oneOf": [{"type": "integer"}, TEXTS]}, "5", 5),
        (
            {"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}},
            ["1", "no"],
            [1, False],
        ),
        ({"additionalProperties": {"type": "integer"}, "properties": {}}, {"a": "1"}, {"a": 1}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1"}, {"a": 1}),
        ({"type": "number"}, ".5", 0.5),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "None", None),
        ({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}, "A", "a"),
        (TEXTS, '"a", "b"', ["a", "b"]),
        (TEXTS, "'a, b', 'c'", ["a, b", "c"]),
        (TEXTS, {"item": ["a", "b"]}, ["a", "b"]),
        (WHOLES, {"item": "3"}, [3]),
        (PLACES, {"items": [{"n": "1"}]}, [{"n": 1}]),
        (PLACES, {"n": "1"}, [{"n": 1}]),
        ({"type": "array", "items": {"type": "object"}}, {"item": 1}, [{"item": 1}]),
        (UNIT, '"celsius"', "celsius"),
        ({"enum": ["in_progress", "done"]}, "In Progress", "in_progress"),
        ({"enum": ["in_progress", "done"]}, "in-progress", "in_progress"),
    ],
)
def test_one_reading_is_taken(schema: Any, given: Any, meant: Any) -> None:
    found = coerced(given, schema, n={"type": "integer"})
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "5.5"),
        ({"type": "integer"}, "3天"),
        ({"type": "integer"}, "50%"),
        ({"type": "integer"}, "￥5"),
        ({"type": "integer"}, "1万"),
        ({"type": "integer"}, "三"),
        ({"type": "integer"}, "5²"),
        ({"type": "integer"}, "①②"),
        ({"type": "number"}, "1½"),
        ({"type": "integer"}, "1.000"),
        ({"type": "integer"}, "1,00"),
        ({"type": "integer"}, "0x10"),
        ({"type": "integer"}, "1_000"),
        ({"type": "integer"}, ""),
        ({"type": "integer"}, "9" * 30),
        ({"type": "integer"}, "1e30"),
        ({"type": "integer"}, 5.5),
        ({"type": "integer"}, True),
        ({"type": "integer"}, [5]),
        ({"type": "number"}, "nan"),
        ({"type": "number"}, "-Infinity"),
        ({"type": "number"}, "1e999"),
        ({"type": "number"}, "1.000,5"),
        ({"type": "boolean"}, "maybe"),
        ({"type": "boolean"}, "on"),
        ({"type": "boolean"}, 2),
        ({"type": "boolean"}, 1.0),
        ({"type": "string"}, 1.50),
        ({"type": "string"}, True),
        ({"type": "string"}, ["北京"]),
        ({"type": ["integer", "boolean"]}, "1"),
        (TEXTS, "a,,b"),
        (TEXTS, "[not json"),
        ({"type": "object"}, '"n"'),
        ({"type": ["object", "null"]}, "n"),
        ({"type": "object"}, '```json\n{"n": 5}\n```\n```json\n{"n": 6}\n```'),
        (TEXTS, 3),
        (WHOLES, "1,000"),
        ({"type": "array"}, "a,b"),
        ({"type": "array", "items": {"type": "object"}}, "a,b"),
        ({"type": "object"}, "[1]"),
        ({"type": "object"}, []),
        (UNIT, "C"),
        ({"enum": ["Ａ", "a"]}, "A"),
        ({"enum": ["in_progress", "in-progress"]}, "in progress"),
        ({"enum": ["1", "2"]}, "-1"),
        ({"enum": ["101", "2"]}, "10-1"),
        ({}, "5"),
        ({"$ref": "https://example.com/n"}, "5"),
        ({"$ref": "#/$defs/loop"}, "5"),
    ],
)
def test_a_value_without_one_reading_stays(schema: Any, value: Any) -> None:
    found = coerced(value, schema, loop={"anyOf": [{"$ref": "#/$defs/loop"}]})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("form", "given", "meant"),
    [
        ("date-time", "2025-3-5 09:00", "2025-03-05T09:00:00+08:00"),
        ("date-time", "2025年3月5日9:00", "2025-03-05T09:00:00+08:00"),
        ("date-time", "2026年03月01日 9时30分", "2026-03-01T09:30:00+08:00"),
        ("date-time", "２０２５/３/５　９：０５", "2025-03-05T09:05:00+08:00"),
        ("date-time", "2025-03-05T09:00:00.5", "2025-03-05T09:00:00.5+08:00"),
        ("date-time", "2025-03-05T09:00+0900", "2025-03-05T09:00:00+09:00"),
        ("date-time", "2025-03-05 09:00:00Z", "2025-03-05T09:00:00Z"),
        ("date", "2025/3/5", "2025-03-05"),
        ("date", "2025年3月5号", "2025-03-05"),
        ("date", "20250305", "2025-03-05"),
        ("date", "2025-03-05T00:00:00", "2025-03-05"),
        ("date", "2025-03-05T00:00:00+08:00", "2025-03-05"),
        ("time", "9:05", "09:05:00+08:00"),
        ("time", "21:05:07Z", "21:05:07Z"),
    ],
)
def test_a_date_or_time_in_a_known_form_is_rewritten(form: str, given: str, meant: str) -> None:
    schema = {"type": "string", "format": form}
    assert coerced(given, schema) == meant
    assert coerced(given, {"anyOf": [schema, {"type": "null"}]}) == meant


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("date-time", "3/5/2025 9:00"),
        ("date-time", "明天9点"),
        ("date-time", "2025-03-05"),
        ("date-time", "9:00"),
        ("date-time", "25-03-05 9:00"),
        ("date-time", "2025-13-05 9:00"),
        ("date-time", "2025-02-30 9:00"),
        ("date-time", "2025-03-05 24:30"),
        ("date-time", "2025年3月5日 9点"),
        ("date-time", "2025-03/05 9:00"),
        ("date", "05.03.2025"),
        ("date", "3月5日"),
        ("date", "2025-03-05 09:00"),
        ("date", "2025-03-05T00:00:00Z"),
        ("date", "20251305"),
        ("time", "9"),
        ("time", "25:00"),
        ("uri", "2025/3/5"),
    ],
)
def test_a_date_or_time_with_two_readings_or_none_stays(form: str, text: str) -> None:
    assert coerced(text, {"type": "string", "format": form}) == text


def test_a_local_time_that_happens_twice_or_never_stays() -> None:
    now = datetime(2025, 1, 1, tzinfo=ZoneInfo("America/New_York"))
    root = {"properties": {"at": {"type": "string", "format": "date-time"}}}
    for text in ("2025-11-02 01:30", "2025-03-09 02:30"):
        assert coerce({"at": text}, root, now=now)[0] == {"at": text}
    assert coerce({"at": "2025-07-01 09:00"}, root, now=now)[0]["at"].endswith("-04:00")


def test_without_a_zone_a_local_time_stays() -> None:
    root = {"properties": {"at": {"type": "string", "format": "date-time"}}}
    assert coerce({"at": "2025-03-05 09:00"}, root)[0] == {"at": "2025-03-05 09:00"}


def test_an_epoch_is_not_taken_for_a_date() -> None:
    assert coerced(1741136400, {"type": "string", "format": "date-time"}) == "1741136400"


ROOT = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "orderId": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "place": {
            "type": "object",
            "properties": {"lat": {"type": "number"}, "name": {"type": "string"}},
            "required": ["lat"],
        },
    },
    "required": ["city"],
}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"city": "a", "extra": 1}, {"city": "a"}),
        ({"city": "a", "orderId": None}, {"city": "a"}),
        ({"city": "a", "note": None}, {"city": "a", "note": None}),
        ({"city": None}, {"city": None}),
        ({"City": "a", "order_id": 5}, {"city": "a", "orderId": "5"}),
        ({"city": "a", "City": "b"}, {"city": "a"}),
        ({"order_id": "a", "orderID": "b"}, {}),
        ({"place": {"lat": "1", "name": None, "x": 1}}, {"place": {"lat": 1, "x": 1}}),
        ({"place": {"lat": None}}, {"place": {"lat": None}}),
    ],
)
def test_keys_are_kept_renamed_or_dropped_by_the_schema(
    given: dict[str, Any], kept: dict[str, Any]
) -> None:
    assert coerce(given, ROOT)[0] == kept


@pytest.mark.parametrize(
    ("schema", "nothing"),
    [
        ({"type": "integer"}, "null"),
        ({"type": "boolean"}, "None"),
        (TEXTS, "undefined"),
        (UNIT | {"type": "string"}, ""),
        ({"type": "string", "pattern": "^[a-z]+$"}, ""),
        ({"type": "string", "minLength": 1}, ""),
        ({"type": "string", "format": "date-time"}, ""),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, ""),
    ],
)
def test_how_models_leave_out_an_optional_value_is_understood(schema: Any, nothing: str) -> None:
    found, notes = coerce({"x": nothing}, {"properties": {"x": schema}}, now=NOW)
    assert (found, bool(notes)) == ({}, True)
    needed = {"properties": {"x": schema}, "required": ["x"]}
    assert coerce({"x": nothing}, needed, now=NOW)[0].keys() == {"x"}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, ""),
        ({"type": "string"}, "null"),
        ({"type": "string", "pattern": "^[a-z]*$"}, ""),
        ({"type": "string", "pattern": "("}, ""),
        ({"enum": ["", "a"]}, ""),
        ({"anyOf": [UNIT, {"type": "string"}]}, ""),
        ({}, "null"),
        ({}, ""),
    ],
)
def test_a_text_that_may_be_meant_is_not_left_out(schema: Any, value: str) -> None:
    assert coerced(value, schema) == value


def test_unknown_keys_stay_where_they_are_welcome() -> None:
    welcome: list[dict[str, Any]] = [
        {"properties": {}, "additionalProperties": True},
        {"properties": {}, "patternProperties": {"^x": {}}},
    ]
    for schema in welcome:
        assert coerce({"x1": 1}, schema)[0] == {"x1": 1}


def test_unknown_keys_inside_a_closed_object_are_dropped() -> None:
    inner = {"properties": {"a": {}}, "additionalProperties": False}
    root = {"properties": {"o": {"type": "object", **inner}}}
    assert coerce({"o": {"a": 1, "b": 2}}, root) == (
        {"o": {"a": 1}},
        ("o.b: there is no such parameter; it was left out",),
    )


def test_the_branch_of_a_union_is_chosen_by_its_tag() -> None:
    def branch(tag: str, kind: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"t": {"const": tag}, "v": {"type": kind}}}

    union = {"oneOf": [branch("n", "integer"), branch("s", "string")]}
    assert coerced({"t": "n", "v": "5"}, union) == {"t": "n", "v": 5}
    assert coerced({"t": "s", "v": "5"}, union) == {"t": "s", "v": "5"}
    assert coerced({"t": "?", "v": "5"}, union) == {"t": "?", "v": "5"}


def test_a_property_of_an_alternative_is_known() -> None:
    root = {
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"properties": {"n": {"type": "integer"}}}, {"required": ["b"]}],
    }
    assert coerce({"a": "x", "n": "5", "b": 1, "c": 1}, root)[0] == {"a": "x", "n": 5, "b": 1}


def test_a_recursive_schema_is_followed_as_deep_as_the_value() -> None:
    node = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/N"}},
    }
    root = {"properties": {"x": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    value = {"x": {"n": "1", "next": {"n": "2", "next": {"n": "3"}}}}
    assert coerce(value, root)[0] == {"x": {"n": 1, "next": {"n": 2, "next": {"n": 3}}}}


def test_schemas_that_refer_to_themselves_without_end_do_no_harm() -> None:
    names = "ABCD"
    everything = [{"$ref": f"#/$defs/{name}"} for name in names]
    defs = {name: {"anyOf": everything, "allOf": everything} for name in names}
    assert coerced("1", {"$ref": "#/$defs/A"}, **defs) == "1"


simple_schemas = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "string"},
            {"type": "integer"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": ["integer", "null"]},
            {"type": "string", "format": "date-time"},
            {"type": "string", "format": "date"},
            {"enum": ["on", "off"]},
        ]
    ),
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items})
        | st.dictionaries(st.sampled_from("abc"), inner).map(
            lambda some: {"type": "object", "properties": some}
        )
        | st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some})
    ),
    max_leaves=6,
)
likely_texts = st.sampled_from(
    [
        "1",
        "1,000",
        "true",
        "否",
        "[1,2]",
        '{"a": "1"}',
        "a,b",
        "ON",
        "2025/3/5 9:00",
        "2025年3月5日",
    ]
)


@given(st.dictionaries(st.sampled_from("abc"), simple_schemas), st.data())
def test_coercing_twice_changes_nothing_more(
    properties: dict[str, Any], data: st.DataObject
) -> None:
    values = st.dictionaries(st.sampled_from("abcd"), json_values | likely_texts, max_size=4)
    root = {"type": "object", "properties": properties}
    once, _ = coerce(data.draw(values), root, now=NOW)
    again, notes = coerce(once, root, now=NOW)
    assert again == once
    assert notes == ()
