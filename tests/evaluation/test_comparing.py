"""When two values mean the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.evaluation.cases import ArgumentCheck, CheckKind
from pointsman.evaluation.comparing import equal, holds

SAME = [
    (3, 3.0),
    (3, "3"),
    ("2.50", 2.5),
    ("A  b", "ａ Ｂ"),
    (True, "true"),
    ("2026-03-03", "2026年3月3日"),
    ("2026-03-03", "2026/3/3"),
    ("2026-03-03 15:00", "2026-03-03T15:00:00"),
    ("2026-03-03T15:00:00+08:00", "2026-03-03 15:00"),
    ("2026-03-03T15:00:00+08:00", "2026-03-03T07:00:00Z"),
    ([1, "b"], ["1", "B"]),
    ({"a": 1}, {"a": "1"}),
    (None, None),
]
DIFFERENT = [
    (3, 4),
    (7, "007"),
    ("007", "7"),
    (1, True),
    (True, "yes"),
    ("2026-03-03", "2026-03-04"),
    ("2026-03-03T15:00:00+08:00", "2026-03-03T15:00:00Z"),
    ("2026-03-03", "2026-03-03T15:00:00Z"),
    ([1, 2], [2, 1]),
    ([1], 1),
    ({"a": 1}, {"a": 1, "b": 2}),
    (None, ""),
    (0, None),
    ("x", 3),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_forms_of_one_value_are_equal_both_ways(first: Any, second: Any) -> None:
    assert equal(first, second)
    assert equal(second, first)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_different_values_are_not(first: Any, second: Any) -> None:
    assert not equal(first, second)
    assert not equal(second, first)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_every_value_equals_itself_and_order_does_not_matter(first: Any, second: Any) -> None:
    assert equal(first, first)
    assert equal(first, second) == equal(second, first)


@pytest.mark.parametrize(
    ("kind", "value", "arguments", "good"),
    [
        ("equals", 3, {"p": "3"}, True),
        ("equals", None, {"p": None}, True),
        ("equals", None, {}, False),
        ("matches", "^A", {"p": "Ann"}, True),
        ("matches", "^1", {"p": 12}, True),
        ("matches", "^A", {}, False),
        ("one_of", ["a", "b"], {"p": "B"}, True),
        ("one_of", ["a", "b"], {"p": "c"}, False),
        ("any", True, {"p": ""}, True),
        ("any", True, {}, False),
        ("absent", True, {}, True),
        ("absent", True, {"p": None}, False),
    ],
)
def test_a_check_holds_or_not(
    kind: CheckKind, value: Any, arguments: dict[str, Any], good: bool
) -> None:
    assert holds(ArgumentCheck(kind=kind, value=value), arguments, "p") is good
