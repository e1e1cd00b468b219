"""What a confirmation in advance lets through: exactly the calls that were shown."""

from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.reminders.covering import cover, covering
from pointsman.domain.tools import ToolSpec
from tests.support.tools import fake_tool

SPEC: ToolSpec = replace(
    fake_tool("notify", required=("message", "to")).spec,
    context={"by": "user", "words": "input", "recipients": "recipients"},
)
SHOWN: dict[str, Any] = {
    "message": "hi",
    "to": ["wang"],
    "by": "ann",
    "words": "tell wang at five",
    "recipients": [{"login": "wang", "address": "w@a.test"}],
}


def test_the_call_that_was_shown_is_covered() -> None:
    assert covering((cover(SPEC, SHOWN),), SPEC, dict(reversed(SHOWN.items()))) == (0,)


def test_what_the_engine_fills_in_is_another_at_each_time() -> None:
    later = SHOWN | {"words": "tell wang", "by": "ann"}
    assert covering((cover(SPEC, SHOWN),), SPEC, later) == (0,)


@pytest.mark.parametrize(
    "changed",
    [
        {"message": "bye"},
        {"to": ["wang", "li"]},
        {"recipients": [{"login": "wang", "address": "other@a.test"}]},
        {"extra": 1},
    ],
)
def test_any_other_difference_is_not_covered(changed: dict[str, Any]) -> None:
    assert covering((cover(SPEC, SHOWN),), SPEC, SHOWN | changed) == ()


def test_another_tool_or_version_is_not_covered() -> None:
    covered = (cover(SPEC, SHOWN),)
    assert covering(covered, replace(SPEC, digest="newer"), SHOWN) == ()
    assert covering(covered, replace(SPEC, name="shout"), SHOWN) == ()


def test_an_open_argument_may_be_anything_and_the_others_may_not() -> None:
    covered = (cover(SPEC, SHOWN, ("message",)),)
    assert "message" not in covered[0].arguments
    assert covering(covered, SPEC, SHOWN | {"message": "2 and 3"}) == (0,)
    assert covering(covered, SPEC, SHOWN | {"message": "2 and 3", "to": ["li"]}) == ()


def test_an_open_call_does_not_stand_for_a_fixed_one() -> None:
    fixed, open_one = cover(SPEC, SHOWN), cover(SPEC, SHOWN, ("message",))
    assert fixed.digest != open_one.digest
    assert covering((fixed, open_one, fixed), SPEC, SHOWN) == (0, 1, 2)
