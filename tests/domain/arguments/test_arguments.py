"""Text from a model → one object: every repair that has one reading, and every refusal."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pointsman.domain.arguments.reading import parse, unwrap
from pointsman.domain.text import clean
from pointsman.errors import ArgumentsMalformed

BEIJING = {"city": "北京"}
BOTH = {"city": "北京", "days": 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("{'city': '北京', 'days': 3}", BOTH, id="single quotes"),
        pytest.param(
            "{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}, id="python"
        ),
        pytest.param('{"note": \'it"s\'}', {"note": 'it"s'}, id="mixed quotes"),
        pytest.param('{city: "北京", days: 3}', BOTH, id="keys without quotes"),
        pytest.param('{"city": "北京", // 城市\n "days": 3}', BOTH, id="line comment"),
        pytest.param('{"city": "北京", /* , */ "days": 3 # 天\n}', BOTH, id="block comment"),
        pytest.param('\ufeff{"city":"北京"}', BEIJING, id="byte order mark"),
        pytest.param('\u3000{"city":\u00a0"北京"}', BEIJING, id="blanks of other scripts"),
        pytest.param('{"city":"北京"}{"city":"北京"}', BEIJING, id="the same object twice"),
        pytest.param('{}{"city":"北京"}', BEIJING, id="an empty object first"),
        pytest.param('{"city":"北京"}{}', BEIJING, id="an empty object last"),
        pytest.param('{{"city":"北京"}}', BEIJING, id="braces doubled"),
        pytest.param('{“city": "北京", “days": 3}', BOTH, id="curly mark opens, plain one closes"),
        pytest.param('{"city”: “北京"}', BEIJING, id="plain mark opens, curly one closes"),
        pytest.param(
            '{“note”: "他说“好”"}', {"note": "他说“好”"}, id="curly marks inside plain ones"
        ),
        pytest.param(
            '{“note”: “他说"好"”}', {"note": '他说"好"'}, id="plain marks inside curly ones"
        ),
        pytest.param('{"a": undefined}', {"a": None}, id="JavaScript"),
        pytest.param('{\\n  "city": "北京"\\n}', BEIJING, id="line ends written out"),
        pytest.param('"city":"北京","days":3}', BOTH, id="no opening brace"),
        pytest.param('"city":"北京"', BEIJING, id="no braces"),
        pytest.param('{"city":"北京","days":3}}', BOTH, id="a closer too many"),
        pytest.param('{"tags":["a","b"}', {"tags": ["a", "b"]}, id="an inner closer missing"),
        pytest.param('{"a":{"b":[{"c":true', {"a": {"b": [{"c": True}]}}, id="closers missing"),
        pytest.param('{"city":"北京" "days":3}', BOTH, id="no comma"),
        pytest.param('{"city":"北京",,"days":3}', BOTH, id="two commas"),
        pytest.param('{\\"city\\": \\"北京\\"}', BEIJING, id="quotes escaped"),
        pytest.param(
            '{\\\\\\"city\\\\\\": \\\\\\"北京\\\\\\"}', BEIJING, id="quotes escaped twice"
        ),
        pytest.param('{"note":"say \\\\"hi\\\\""}', {"note": 'say "hi"'}, id="inner over-escaped"),
        pytest.param('{""city"": ""北京""}', BEIJING, id="quotes doubled"),
        pytest.param("{&quot;city&quot;: &quot;北京&quot;}", BEIJING, id="html entities"),
        pytest.param('{"city":"北京","city":"北京"}', BEIJING, id="a key twice, one value"),
        pytest.param('{"path":"C:\\Users\\张"}', {"path": "C:\\Users\\张"}, id="windows path"),
        pytest.param('{"re":"\\d+"}', {"re": "\\d+"}, id="bad escape"),
        pytest.param('{"n": +5, "x": .5, "y": 1_000}', {"n": 5, "x": 0.5, "y": 1000}, id="numbers"),
        pytest.param(
            "{“city”：“北京，中国”，“days”：３}", BOTH | {"city": "北京，中国"}, id="wide"
        ),
        pytest.param('{"city":"北京，中国",}', {"city": "北京，中国"}, id="wide comma in a value"),
        pytest.param('<think>{"city":"x"}</think>{"city":"北京"}', BEIJING, id="thinking"),
        pytest.param('```json\n{"city":"北京"}\n```', BEIJING, id="fence"),
        pytest.param('get_weather({"city":"北京"})', BEIJING, id="call syntax"),
        pytest.param('<tool_call>{"city":"北京"}</tool_call>', BEIJING, id="markup"),
        pytest.param('[TOOL_CALLS]{"city":"北京"}', BEIJING, id="control token"),
        pytest.param('[{"city":"北京"}]', BEIJING, id="in a list"),
        pytest.param(
            '"\\"{\\\\\\"city\\\\\\":\\\\\\"北京\\\\\\"}\\""', BEIJING, id="encoded thrice"
        ),
        pytest.param('"{\n  \\"city\\": \\"北京\\"\n}"', BEIJING, id="encoded, raw newlines"),
        pytest.param("null", {}, id="null"),
        pytest.param("None", {}, id="None"),
        pytest.param("[]", {}, id="empty list"),
        pytest.param('{"a":"x\\u0000y"}', {"a": "xy"}, id="NUL"),
        pytest.param('{"a":"x\\ud83dy"}', {"a": "x\ufffdy"}, id="lone surrogate"),
        pytest.param('{"a":"\\ud83d\\ude00",}', {"a": "😀"}, id="surrogate pair in a repair"),
    ],
)
def test_text_with_one_reading_is_read_and_the_repair_is_noted(
    text: str, value: dict[str, Any]
) -> None:
    parsed = parse(text)
    assert parsed.value == value
    assert parsed.notes


@pytest.mark.parametrize("text", ["", "  \n\t", "{}"])
def test_blank_text_is_no_arguments(text: str) -> None:
    assert parse(text).value == {}
    assert parse(text).notes == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"city":"北京', id="cut inside a string"),
        pytest.param('{"city":"北京","days":', id="cut after a colon"),
        pytest.param('{"city":"北京",', id="cut after a comma"),
        pytest.param('{"city":"北京","da', id="cut inside a key"),
        pytest.param('{"city":"北京","days":1', id="cut where a number may go on"),
        pytest.param('{"tags":[', id="cut after a bracket"),
        pytest.param("{", id="only a brace"),
        pytest.param('{"city":"北京"}{"city":"上海"}', id="two objects"),
        pytest.param('{"city":"北京"}{}{"days":3}', id="two objects and an empty one"),
        pytest.param('{"a": “x", "b": "y”}', id="marks that pair in two ways"),
        pytest.param('{“a": "1", "b”: "2", c: 3}', id="marks that do not pair"),
        pytest.param('[{"city":"北京"},{"city":"上海"}]', id="a list of two"),
        pytest.param('{"city":"北京","city":"上海"}', id="a key with two values"),
        pytest.param('{"city":"北京"},"days":3}', id="closed too early"),
        pytest.param('{"city":"北京"}, }days": 3}', id="members after the object"),
        pytest.param('city": "北京", "o": {"k": 1}', id="members before the object"),
        pytest.param('{"ci\\qy": "北京"}', id="a backslash in a key"),
        pytest.param('{"x":{"a":[1,2},"b":3}', id="a closer that fits two ways"),
        pytest.param('{"city": 北京, "days": 3}', id="value without quotes"),
        pytest.param('{"city": 北京", "days": 3}', id="value with half a pair of quotes"),
        pytest.param('{"note":"他说"好"了"}', id="quotes inside quotes"),
        pytest.param("{'note': 'it's'}", id="apostrophe inside single quotes"),
        pytest.param("{“a”：“他说“好””}", id="curly quotes inside curly quotes"),
        pytest.param('{"a":[1,,2]}', id="a hole in a list"),
        pytest.param('{"a":["x" "y"]}', id="texts side by side in a list"),
        pytest.param('{"path":"C:\\new\\data"}', id="backslashes that are escapes and not"),
        pytest.param('{"n":007}', id="leading zeros"),
        pytest.param('{"n":0x10}', id="hexadecimal"),
        pytest.param('{"n":50%}', id="percent"),
        pytest.param('{"n":5²}', id="an exponent"),
        pytest.param('{"n":1,000}', id="thousands without quotes"),
        pytest.param('{"n":NaN}', id="NaN"),
        pytest.param("{'n':-Infinity}", id="infinity in a repair"),
        pytest.param('{"n":1e999}', id="out of range"),
        pytest.param('{"n":9007199254740993.0}', id="digits that a double loses"),
        pytest.param("{\\name: 1}", id="a backslash before a key"),
        pytest.param('{"n":18446744073709551616}', id="more than 64 bits"),
        pytest.param('{"city":"北京" // note, "days":3}', id="a comment that hides the rest"),
        pytest.param("city=北京", id="no object"),
        pytest.param("5", id="a number"),
        pytest.param('["北京"]', id="a list of texts"),
        pytest.param('"北京"', id="a text"),
        pytest.param('{"a":' * 65 + "1" + "}" * 65, id="too deep"),
        pytest.param('{"a":' + "[" * 100_000, id="far too deep"),
        pytest.param("{a:" * 70 + "1" + "}" * 70, id="too deep in a repair"),
        pytest.param('{"a":"' + "x" * 1_000_000 + '"}', id="too long"),
    ],
)
def test_text_without_one_reading_is_refused(text: str) -> None:
    with pytest.raises(ArgumentsMalformed):
        parse(text)


@pytest.mark.parametrize(
    "text", ["", "{", '{"a":"b"', '{"a":1,}', "{'a':1}", '{"a":1}}', '[{"a":1}']
)
def test_nothing_of_a_cut_call_is_repaired(text: str) -> None:
    with pytest.raises(ArgumentsMalformed, match="cut off"):
        parse(text, cut=True)


def test_whole_arguments_of_a_reply_that_was_cut_elsewhere_are_read() -> None:
    assert parse('{"a":1}', cut=True).value == {"a": 1}


def test_sixty_four_levels_are_not_too_deep() -> None:
    assert parse('{"a":' * 64 + "1" + "}" * 64).notes == ()


def test_a_thousand_flat_brackets_are_not_deep() -> None:
    assert len(parse(json.dumps({"a": [[]] * 1000})).value["a"]) == 1000


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.mark.parametrize(
    "wrapped",
    [
        {"arguments": BEIJING},
        {"args": BEIJING},
        {"input": {"parameters": BEIJING}},
        {"get_weather": BEIJING},
        {"parameters": '{"city": "北京"}'},
        {"name": "get_weather", "arguments": BEIJING},
        {"type": "function", "name": "get_weather", "parameters": BEIJING},
        {"tool_name": "get_weather", "tool_input": BEIJING},
        {"action": "get_weather", "action_input": '{"city": "北京"}'},
        {"function": {"name": "get_weather", "arguments": BEIJING}},
        {"tool_call": {"name": "get_weather", "arguments": '{"city": "北京"}'}},
        {"arguments": [BEIJING]},
    ],
)
def test_a_wrapper_that_the_schema_does_not_know_is_taken_off(wrapped: dict[str, Any]) -> None:
    unwrapped = unwrap(wrapped, schema=SCHEMA, tool="get_weather")
    assert unwrapped.value == BEIJING
    assert unwrapped.notes


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"input": BEIJING}, {"properties": {"input": {"type": "object"}}}),
        ({"input": BEIJING}, {"properties": {}, "additionalProperties": True}),
        ({"args": "北京"}, SCHEMA),
        ({"args": BEIJING, "days": 1}, SCHEMA),
        ({"name": "other", "arguments": BEIJING}, SCHEMA),
        ({"other": BEIJING}, SCHEMA),
        ({"function": {"name": "other", "arguments": BEIJING}}, SCHEMA),
        ({"tool_name": "get_weather", "input": BEIJING, "arguments": BEIJING}, SCHEMA),
        ({"arguments": [BEIJING, BEIJING]}, SCHEMA),
    ],
)
def test_what_may_be_an_argument_stays(value: dict[str, Any], schema: dict[str, Any]) -> None:
    assert unwrap(value, schema=schema, tool="get_weather").value == value


texts = st.text().map(clean)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
objects = st.dictionaries(texts, json_values, max_size=5)


@given(objects, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_is_read_as_it_is_and_without_a_note(
    value: dict[str, Any], escaped: bool, indent: int | None
) -> None:
    parsed = parse(json.dumps(value, ensure_ascii=escaped, indent=indent))
    assert parsed.value == value
    assert parsed.notes == ()


PIECES = (
    *"{}[]:,\"'“”，：\\\n#/ 北1-.",
    *("//", "/*", "*/", '\\"', "\\u", '""', '"a"', '"a":', "{}", "e9", "true", "None", "NaN"),
    *("```", "<think>", "</think>", "&quot;", "\ufeff", "\x00", "\ud800"),
)
almost_json = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(st.text() | almost_json)
@example("{" * 3000)
@example("[" * 3000)
@example('"' * 3001)
@example("'" + '\\"{' * 1000)
def test_no_text_raises_anything_but_malformed(text: str) -> None:
    try:
        parsed = parse(text)
    except ArgumentsMalformed:
        return
    assert parse(json.dumps(parsed.value)).value == parsed.value


@given(objects, st.data())
def test_what_is_cut_off_is_never_completed_with_other_values(
    value: dict[str, Any], data: st.DataObject
) -> None:
    """A repair may add closing brackets and nothing else: every value that it takes was there."""
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text)))]
    try:
        read = parse(cut).value
    except ArgumentsMalformed:
        return
    assert _is_start_of(read, value)


def _is_start_of(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_start_of(item, whole[key]) for key, item in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_start_of, part, whole))
    return bool(part == whole)
