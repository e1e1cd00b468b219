"""What of a schema the model is shown (cases M09, M10, M12)."""

import json
from typing import Any

import pytest
from hypothesis import given

from pointsman.domain.schemas.schema_check import checker
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.schemas.wire_schemas import MAX_BYTES, wire_schema
from pointsman.errors import ArgumentsInvalid
from tests.cases import CASES
from tests.domain.arguments.test_arguments import json_values


def size(schema: Any) -> int:
    return len(json.dumps(schema, ensure_ascii=False).encode())


def spec_of(parameters: Any, description: str = "d") -> Any:
    return tool_spec(
        source="s", original="t", name="t", description=description, parameters=parameters
    )


def test_m09_recursion_is_unrolled_three_times() -> None:
    wire, notes = wire_schema(CASES["M09"]["input"]["inputSchema"])

    def level(inner: Any) -> dict[str, Any]:
        children = {"type": "array", "items": inner}
        return {"type": "object", "properties": {"name": {"type": "string"}, "children": children}}

    stub = {"type": "object"}
    assert wire == {"type": "object", "properties": {"root": level(level(level(stub)))}}
    assert notes == ()


def test_m09_the_original_still_validates_below_that() -> None:
    spec = spec_of(CASES["M09"]["input"]["inputSchema"])
    deep: Any = {"name": 5}
    for _ in range(10):
        deep = {"name": "n", "children": [deep]}
    with pytest.raises(ArgumentsInvalid, match="got 5, expected string"):
        checker(spec).check({"root": deep})


def doubling(levels: int) -> dict[str, Any]:
    """A schema that grows to 2^levels nodes when its references are followed."""
    defs: dict[str, Any] = {
        f"a{n}": {"properties": {side: {"$ref": f"#/$defs/a{n + 1}"} for side in "lr"}}
        for n in range(levels)
    }
    return {"properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": defs}


HOSTILE: dict[str, Any] = {
    "doubling": doubling(60),
    "root in itself": {"allOf": [{"$ref": "#"}] * 40, "anyOf": [{"$ref": "#"}] * 40},
    "all in all": {
        "properties": {"x": {"$ref": "#/$defs/A"}},
        "$defs": {n: {"anyOf": [{"$ref": f"#/$defs/{m}"} for m in "ABCDEFGH"]} for n in "ABCDEFGH"},
    },
    "unions that multiply": {
        "properties": {"x": {"$ref": "#/$defs/u0"}},
        "$defs": {
            f"u{n}": {
                "anyOf": [{"$ref": f"#/$defs/u{n + 1}"}, {"allOf": [{"$ref": f"#/$defs/u{n + 1}"}]}]
            }
            for n in range(60)
        },
    },
    "a chain": {
        "properties": {"x": {"$ref": "#/$defs/c0"}},
        "$defs": {f"c{n}": {"allOf": [{"$ref": f"#/$defs/c{n + 1}"}]} for n in range(2000)},
    },
    "nested deep": json.loads('{"properties": {"x": ' * 150 + "{}" + "}}" * 150),
    "wide": {
        "properties": {f"p{n}": {"type": "string", "description": "x" * 99} for n in range(3000)}
    },
    "long rules": {"allOf": [{"if": {"const": "y" * 5000}, "then": {"required": ["b"]}}] * 500},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_m09_a_hostile_schema_costs_little_and_stays_small(name: str) -> None:
    """No time is measured: what grows without bound here would not end within the test run."""
    spec = spec_of(HOSTILE[name])
    assert size(spec.wire_parameters) <= MAX_BYTES
    assert len(spec.description) < 4000
    checker(spec).check({})


@pytest.mark.parametrize(
    "reference",
    ["http://169.254.169.254/latest", "file:///etc/passwd", "other.json#/a", "#anchor", 5],
)
def test_m09_other_documents_are_never_read(reference: Any) -> None:
    spec = spec_of({"properties": {"a": {"$ref": reference, "description": "an a"}}})
    assert spec.wire_parameters["properties"] == {"a": {"description": "an a"}}
    checker(spec).check({"a": 1})


def test_references_are_followed_and_their_definitions_left_out() -> None:
    wire, _ = wire_schema(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                "a": {"$ref": "#/$defs/x~1y%25", "description": "mine"},
                "b": {"type": "array", "items": {"$ref": "#/definitions/n/items/0"}},
                "$defs": {"type": "string"},
            },
            "$defs": {"x/y%": {"type": "integer", "description": "theirs"}},
            "definitions": {"n": {"items": [{"type": "number"}]}},
        }
    )
    assert wire == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "mine"},
            "b": {"type": "array", "items": {"type": "number"}},
            "$defs": {"type": "string"},
        },
    }


def test_a_root_that_is_a_reference_is_followed() -> None:
    node = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert wire_schema({"$ref": "#/$defs/N", "$defs": {"N": node}})[0] == node


def test_m10_root_combinators_become_properties_and_words() -> None:
    spec = spec_of(CASES["M10"]["input"]["inputSchema"], "Draws.")
    assert spec.wire_parameters == {
        "type": "object",
        "properties": {"mode": {"type": "string"}, "size": {}},
    }
    assert spec.description == 'Draws.\nIf `mode` is "x", then `size` is given.'
    with pytest.raises(ArgumentsInvalid):
        checker(spec).check({"mode": "x"})


A, B = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "properties", "required", "words"),
    [
        pytest.param(
            {"oneOf": [{"properties": {"a": A}, "required": ["a"]}, {"required": ["b"]}]},
            {"a": A, "b": {}},
            None,
            [
                'Exactly one of these must hold: (1) `a` is given and `a` fits {"type": "string"}; '
                "(2) `b` is given."
            ],
            id="oneOf",
        ),
        pytest.param(
            {
                "anyOf": [
                    {"properties": {"k": {"const": "x"}}},
                    {"properties": {"k": {"enum": ["y"]}}},
                ]
            },
            {"k": {"enum": ["x", "y"]}},
            None,
            ['At least one of these must hold: (1) `k` is "x"; (2) `k` is one of "y".'],
            id="anyOf",
        ),
        pytest.param(
            {"allOf": [{"properties": {"a": A}, "required": ["a"]}, {"properties": {"b": B}}]},
            {"a": A, "b": B},
            ["a"],
            [],
            id="allOf",
        ),
        pytest.param(
            {
                "properties": {"a": A},
                "if": {"properties": {"a": {"const": "x"}}},
                "then": {"required": ["b"]},
                "else": {"properties": {"c": B}},
            },
            {"a": A, "b": {}, "c": B},
            None,
            [
                'If `a` is "x", then `b` is given.',
                'Unless `a` is "x", `c` fits {"type": "integer"}.',
            ],
            id="if",
        ),
        pytest.param(
            {
                "properties": {"a": A},
                "dependentRequired": {"a": ["b", "c"]},
                "not": {"required": ["d"]},
            },
            {"a": A, "b": {}, "c": {}},
            None,
            [
                "This must not hold: `d` is given.",
                "If `a` is given, then `b` is given and `c` is given.",
            ],
            id="dependentRequired and not",
        ),
    ],
)
def test_m10_every_root_combinator_is_put_in_words(
    schema: dict[str, Any], properties: Any, required: Any, words: list[str]
) -> None:
    wire, notes = wire_schema(schema)
    assert wire["properties"] == properties
    assert wire.get("required") == required
    assert wire.keys() <= {"type", "properties", "required"}
    assert list(notes) == words


@pytest.mark.parametrize("variant", [*CASES["M12"]["input"]["variants"], [], True, "x", 5])
def test_m12_no_parameters_is_an_empty_object_schema(variant: Any) -> None:
    spec = spec_of(variant)
    assert spec.wire_parameters == CASES["M12"]["expected"]["sent_schema"]
    checker(spec).check({})


def test_m12_what_php_and_others_send_for_nothing_is_mended_inside_too() -> None:
    wire, _ = wire_schema(
        {
            "type": "array",
            "required": None,
            "properties": {"o": {"type": "object", "properties": []}},
        }
    )
    assert wire == {
        "type": "object",
        "properties": {"o": {"type": "object", "properties": {}}},
    }


def test_the_digest_is_of_source_name_and_parameters() -> None:
    one = spec_of({"properties": {"a": A, "b": B}})
    assert spec_of({"properties": {"b": B, "a": A}}, "other words").digest == one.digest
    assert spec_of({"properties": {"a": B, "b": B}}).digest != one.digest
    other = tool_spec(source="z", original="t", name="t", description="", parameters=one.parameters)
    assert other.digest != one.digest


@given(json_values)
def test_any_json_value_as_a_schema_makes_a_tool(schema: Any) -> None:
    spec = spec_of(schema)
    assert spec.wire_parameters["type"] == "object"
    checker(spec)
