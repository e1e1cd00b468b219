"""One sentence a fault: field, what was got, what was expected."""

import json
from typing import Any

import pytest

from pointsman.domain.schemas.schema_check import checker
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.errors import ArgumentsInvalid


def problems(value: Any, properties: dict[str, Any], **root: Any) -> tuple[str, ...]:
    parameters = {"type": "object", "properties": properties, **root}
    spec = tool_spec(source="s", original="t", name="t", description="", parameters=parameters)
    try:
        checker(spec).check(value)
    except ArgumentsInvalid as fault:
        return fault.problems
    return ()


LISTED = {"enum": [f"option number {n}" for n in range(100)]}


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        ({"type": "integer"}, "abc", 'x: got "abc", expected integer'),
        ({"type": ["integer", "null"]}, "a", 'x: got "a", expected integer or null'),
        ({"enum": ["是", "否"]}, "也许", 'x: got "也许", expected one of "是", "否"'),
        ({"const": 1}, 2, "x: got 2, expected 1"),
        ({"maximum": 5}, 9, "x: got 9, expected maximum 5"),
        ({"minLength": 2}, "a", 'x: got "a", expected minLength 2'),
        ({"pattern": "^[A-Z]+$"}, "a", 'x: got "a", expected pattern "^[A-Z]+$"'),
        ({"uniqueItems": True}, [1, 1], "x: got [1, 1], expected uniqueItems"),
        (
            {"type": "string", "format": "date-time"},
            "明天9点",
            'x: got "明天9点", expected a date-time such as 2025-03-05T09:00:00+08:00',
        ),
        ({"format": "uuid"}, "a", 'x: got "a", expected text of the format uuid'),
        ({"items": {"type": "integer"}}, [1, "b"], 'x.1: got "b", expected integer'),
        ({"required": ["y"]}, {}, "x.y: got nothing, expected a value"),
        ({"additionalProperties": False}, {"y": 1}, "x: got 1, expected nothing more there"),
        (
            {"properties": {"z": {}}, "additionalProperties": False},
            {"y": 1},
            'x: got unknown keys ["y"], expected none',
        ),
        (
            {"anyOf": [{"type": "integer"}, {"enum": ["a"]}]},
            "b",
            'x: got "b", expected integer or one of "a"',
        ),
    ],
)
def test_a_fault_is_one_sentence(schema: Any, value: Any, sentence: str) -> None:
    assert problems({"x": value}, {"x": schema}) == (sentence,)


def test_every_fault_is_told_up_to_a_limit() -> None:
    told = problems(
        {f"p{n}": 1 for n in range(12)}, {f"p{n}": {"type": "string"} for n in range(12)}
    )
    assert told[0] == "p0: got 1, expected string"
    assert told[-1] == "and 4 more problems"
    assert len(told) == 9


def test_long_values_and_long_lists_of_options_are_cut() -> None:
    (sentence,) = problems({"x": "v" * 5000}, {"x": LISTED})
    assert len(sentence) < 600
    assert sentence.count("…") == 2


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_never_fits(number: float) -> None:
    assert problems({"x": number}, {"x": {"type": "number", "maximum": 5}})


def test_a_schema_of_an_older_draft_is_read_as_such() -> None:
    older = "http://json-schema.org/draft-04/schema#"
    assert problems({"x": 5}, {"x": {"maximum": 5, "exclusiveMaximum": True}}, **{"$schema": older})


@pytest.mark.parametrize(
    "broken",
    [
        {"x": {"type": "strng"}},
        {"x": {"pattern": "("}},
        {"x": {"$ref": "http://example.com/x"}},
        {"x": {"minimum": "five"}},
    ],
)
def test_a_schema_that_cannot_be_compiled_lets_everything_pass(broken: dict[str, Any]) -> None:
    assert problems({"x": "anything"}, broken) == ()


def test_an_unknown_dialect_is_read_as_the_current_one() -> None:
    told = problems({"x": 1}, {"x": {"type": "string"}}, **{"$schema": "https://example.com/mine"})
    assert told == ("x: got 1, expected string",)


def test_a_checker_is_made_once() -> None:
    def spec_of(parameters: Any) -> Any:
        return tool_spec(source="s", original="t", name="t", description="", parameters=parameters)

    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    one = checker(spec_of(parameters))
    assert checker(spec_of(json.loads(json.dumps(parameters)))) is one
