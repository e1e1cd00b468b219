"""RawCall → ValidCall through every stage (group 2 of the shared cases)."""

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import RawCall, ToolSpec, ValidCall
from pointsman.engine.validation import check
from pointsman.errors import (
    ArgumentsInvalid,
    ArgumentsMalformed,
    ArgumentsMissing,
    ModelFacingError,
)
from tests.cases import CASES, params

NOW = datetime(2025, 3, 1, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


def spec_of(schema: Any, **more: Any) -> ToolSpec:
    return tool_spec(
        source="python",
        original="get_weather",
        name="get_weather",
        description="",
        parameters=schema,
        **more,
    )


def checked(
    arguments: Any, schema: Any = CITY, *, filled: dict[str, Any] | None = None, **more: Any
) -> ValidCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = RawCall(id="c1", name="get_weather", arguments=text)
    spec = spec_of(schema, **more)
    return check(call, key="1.0", spec=spec, context_values=filled or {}, now=NOW)


@pytest.mark.parametrize("case", params(2))
def test_arguments_are_read_as_meant_or_refused(case: dict[str, Any]) -> None:
    sent, expected = case["input"], case["expected"]
    if expected["outcome"] == "accept":
        call = checked(sent["arguments"], sent["schema"])
        wanted = expected["value"]
        assert {name: call.arguments[name] for name in wanted} == wanted
        assert json.dumps(call.arguments).count("true") == json.dumps(wanted).count("true")
        assert call.notes or not expected.get("repaired")
    else:
        with pytest.raises(ModelFacingError):
            checked(sent["arguments"], sent["schema"])
    for refused in expected.get("also_reject", ()):
        with pytest.raises(ModelFacingError):
            checked(refused, sent["schema"])


def test_a03_keys_that_the_schema_does_not_know_are_dropped_with_a_note() -> None:
    call = checked(CASES["A03"]["input"]["arguments"])
    assert call.arguments == {"city": "北京"}
    assert any(note.startswith("note:") for note in call.notes)


def test_a20_full_width_punctuation_inside_values_is_kept() -> None:
    assert checked('{"city":"北京，中国"}').arguments == {"city": "北京，中国"}


def test_a21_malformed_json_is_named_as_such_and_the_schema_is_repeated() -> None:
    with pytest.raises(ArgumentsMalformed) as fault:
        checked(CASES["A21"]["input"]["arguments"])
    assert "malformed JSON" in str(fault.value)
    assert "'city'" in str(fault.value)
    assert '"days": {"type": "integer"}' in str(fault.value)
    assert "truncated" not in str(fault.value)
    assert "cut" not in str(fault.value)


@pytest.mark.parametrize(
    ("form", "said", "meant"),
    [
        ("date-time", "明天9点", "2025-03-02T09:00:00+08:00"),
        ("date-time", "明天下午三点", "2025-03-02T15:00:00+08:00"),
        ("date-time", "下周三下午三点", "2025-03-05T15:00:00+08:00"),
        ("date-time", "tomorrow 9am", "2025-03-02T09:00:00+08:00"),
        ("date-time", "in 3 hours", "2025-03-01T13:00:00+08:00"),
        ("date-time", "2025年3月5日9点", "2025-03-05T09:00:00+08:00"),
        ("date-time", "2025年3月5日 上午9:00", "2025-03-05T09:00:00+08:00"),
        ("date-time", " 2025-03-05 9:00 PM ", "2025-03-05T21:00:00+08:00"),
        ("date", "明天", "2025-03-02"),
        ("date", "下周三", "2025-03-05"),
        ("date", "March 5, 2025", "2025-03-05"),
    ],
)
def test_a28_words_for_a_time_are_read_by_the_time_parser(form: str, said: str, meant: str) -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string", "format": form}}}
    call = checked({"at": said}, schema)
    assert call.arguments == {"at": meant}
    assert call.notes


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("date-time", "3/5/2025 9:00"),
        ("date-time", "9点"),
        ("date-time", "今天9点"),
        ("date-time", "3月5日9点"),
        ("date-time", "明天"),
        ("date-time", "每天9点"),
        ("date-time", "明天9点之前"),
        ("date-time", "明天9点到10点"),
        ("date-time", "明天上午9点去北京"),
        ("date-time", "2025-02-30 上午9:00"),
        ("date-time", "尽快"),
        ("date-time", "1741136400"),
        ("date", "3月5日"),
        ("date", "下周"),
        ("date", "明天9点"),
    ],
)
def test_a28_words_for_no_one_time_are_refused(form: str, said: str) -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string", "format": form}}}
    with pytest.raises(ArgumentsInvalid, match="expected a date"):
        checked({"at": said}, schema)


def test_a_local_time_that_happens_twice_is_refused() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}}
    call = RawCall(id="c", name="get_weather", arguments='{"at":"2025-11-02 01:30"}')
    now = datetime(2025, 1, 1, tzinfo=ZoneInfo("America/New_York"))
    with pytest.raises(ArgumentsInvalid):
        check(call, key="1.0", spec=spec_of(schema), context_values={}, now=now)


def test_a29_a_missing_value_is_told_apart_from_a_wrong_one() -> None:
    with pytest.raises(ArgumentsMissing) as fault:
        checked({"city": "", "days": "many"})
    assert fault.value.missing == ("city",)


def test_m24_the_error_names_field_got_and_expected() -> None:
    case = CASES["M24"]["input"]
    with pytest.raises(ArgumentsInvalid) as fault:
        checked(case["arguments"], case["inputSchema"])
    assert fault.value.problems == ('n: got "abc", expected integer',)


def test_a_well_formed_call_passes_without_a_note() -> None:
    call = checked({"city": "北京", "days": 3})
    assert (call.arguments, call.notes, call.key) == ({"city": "北京", "days": 3}, (), "1.0")


def test_the_keys_of_an_object_inside_are_read_as_the_others_are() -> None:
    place = {"type": "object", "properties": {"city_name": {"type": "string"}}}
    call = checked({"at": {"cityName": "北京"}}, {"type": "object", "properties": {"at": place}})
    assert call.arguments == {"at": {"city_name": "北京"}}
    assert call.notes == ("at.city_name: it was written 'cityName'",)


def test_a_tool_without_parameters_takes_any_call_as_an_empty_one() -> None:
    for arguments in ("", "{}", "null", "[]", '{"random": 1}'):
        assert checked(arguments, None).arguments == {}


def test_context_parameters_are_filled_by_the_engine_alone() -> None:
    call = checked(
        {"city": "北京", "login": "root", "at": "1999-01-01"},
        filled={"user": "li", "now": NOW},
        context={"login": "user", "at": "now"},
    )
    assert call.arguments == {"city": "北京", "login": "li", "at": "2025-03-01T10:00:00+08:00"}
    assert [note.partition(":")[0] for note in call.notes] == ["login", "at"]


def test_context_is_filled_where_more_properties_are_forbidden() -> None:
    closed = CITY | {"additionalProperties": False}
    call = checked({"city": "北京"}, closed, filled={"user": "li"}, context={"login": "user"})
    assert call.arguments == {"city": "北京", "login": "li"}


def test_m10_a_rule_at_the_root_still_holds() -> None:
    schema = CASES["M10"]["input"]["inputSchema"]
    assert checked({"mode": "y"}, schema).arguments == {"mode": "y"}
    assert checked({"mode": "x", "size": 2}, schema).arguments == {"mode": "x", "size": 2}
    with pytest.raises(ArgumentsInvalid, match="size: got nothing"):
        checked({"mode": "x"}, schema)


def test_two_tools_of_one_digest_are_not_confused() -> None:
    one = spec_of(CITY)
    other = spec_of({"type": "object", "properties": {"n": {"type": "integer"}}})
    for spec, arguments in ((one, '{"city":"a"}'), (other, '{"n":1}'), (one, '{"city":"a"}')):
        stamped = replace(spec, digest="the same")
        call = RawCall(id="c", name="t", arguments=arguments)
        valid = check(call, key="1.0", spec=stamped, context_values={}, now=NOW)
        assert valid.arguments == json.loads(arguments)
