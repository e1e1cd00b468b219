"""Keywords that providers refuse a whole request for, and what they are read as."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.schemas.schema_check import checker
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.schemas.wire_schemas import wire_schema
from pointsman.errors import ArgumentsInvalid
from tests.domain.arguments.test_arguments import json_values

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def sent(node: Any) -> Any:
    """What is sent of a parameter with this schema."""
    wire, _ = wire_schema({"type": "object", "properties": {"x": node}})
    return wire["properties"]["x"]


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": ["array", "null"]}, {"type": ["array", "null"], "items": {}}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": TEXT}),
        (
            {"type": "array", "items": [TEXT, WHOLE, TEXT]},
            {"type": "array", "items": {"anyOf": [TEXT, WHOLE]}},
        ),
        (
            {"type": "array", "prefixItems": [TEXT]},
            {"type": "array", "prefixItems": [TEXT], "items": {"anyOf": [TEXT]}},
        ),
        ({"type": "array", "items": []}, {"type": "array", "items": {}}),
    ],
)
def test_m10_an_array_says_with_one_schema_what_is_in_it(node: Any, wanted: Any) -> None:
    assert sent(node) == wanted


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        ("int", "integer"),
        ("String", "string"),
        ("float", "number"),
        ("any", None),
        ("file", None),
        (["string", "null"], ["string", "null"]),
        (["str", "string", "any"], ["string"]),
        ([], None),
        (None, None),
        ({"type": "string"}, None),
    ],
)
def test_m12_a_type_is_one_that_there_is(declared: Any, wanted: Any) -> None:
    assert sent({"type": declared, "description": "d"}).get("type") == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        ({**TEXT, "required": True}, TEXT),
        ({"type": "object", "required": ["a", "a"]}, {"type": "object", "required": ["a"]}),
        ({"enum": []}, {}),
        ({"enum": "a"}, {}),
        ({"enum": ["a", "a", 1, True, 1]}, {"enum": ["a", 1, True]}),
        ({**WHOLE, "minimum": 1, "exclusiveMinimum": True}, {**WHOLE, "exclusiveMinimum": 1}),
        ({**WHOLE, "maximum": 9, "exclusiveMaximum": False}, {**WHOLE, "maximum": 9}),
        ({**WHOLE, "minimum": "1", "multipleOf": 0}, WHOLE),
        ({**TEXT, "minLength": -1, "maxLength": 1.5, "pattern": None, "format": 5}, TEXT),
        ({**TEXT, "description": None, "title": ["t"]}, TEXT),
        ({"anyOf": []}, {}),
        ({"oneOf": {"type": "string"}}, {}),
        ({"type": "object", "additionalProperties": "no"}, {"type": "object"}),
        ({**TEXT, "default": None, "const": ""}, {**TEXT, "default": None, "const": ""}),
    ],
)
def test_m10_a_keyword_with_no_legal_value_is_left_out(node: Any, wanted: Any) -> None:
    assert sent(node) == wanted


def test_a_property_may_be_called_like_a_keyword() -> None:
    named = {"type": "object", "properties": {"type": TEXT, "enum": WHOLE, "items": TEXT}}
    assert sent(named) == named


def test_arguments_are_checked_by_what_an_odd_type_stands_for() -> None:
    spec = tool_spec(
        source="s",
        original="t",
        name="t",
        description="d",
        parameters={"type": "object", "properties": {"n": {"type": "int"}}},
    )
    checker(spec).check({"n": 5})
    with pytest.raises(ArgumentsInvalid, match="expected integer"):
        checker(spec).check({"n": "abc"})


_ODD = st.dictionaries(
    st.sampled_from("type items enum required minimum exclusiveMinimum anyOf".split()),
    json_values,
)


@given(_ODD)
def test_whatever_a_server_writes_is_sent_as_a_legal_schema(node: Any) -> None:
    jsonschema_rs.validator_for(sent(node))
