"""Which calls may run at once, which need a person's word."""

from typing import Any

import pytest

from pointsman.domain.policy import Assessment, assess, rules_from
from pointsman.domain.tools import Risk
from tests.support.tools import fake_tool


def verdict(risk: Risk, *entries: dict[str, Any]) -> Assessment:
    return assess(fake_tool("pay", risk=risk).spec, rules_from(entries))


@pytest.mark.parametrize(
    ("risk", "expected"),
    [(Risk.READ, "allow"), (Risk.WRITE, "confirm"), (Risk.CRITICAL, "approve")],
)
def test_without_a_rule_the_risk_decides(risk: Risk, expected: str) -> None:
    found = verdict(risk)
    assert (found.verdict, found.rule) == (expected, f"default for {risk.value}")


@pytest.mark.parametrize(
    ("entries", "expected", "rule"),
    [
        pytest.param([{"tool": "pay", "then": "deny"}], "deny", "policy rule 1", id="by name"),
        pytest.param([{"risk": "write", "then": "allow"}], "allow", "policy rule 1", id="by risk"),
        pytest.param([{"then": "approve"}], "approve", "policy rule 1", id="every call"),
        pytest.param(
            [{"tool": "mail", "then": "deny"}, {"tool": "pay", "then": "allow"}],
            "allow",
            "policy rule 2",
            id="another tool's rule is passed over",
        ),
        pytest.param(
            [{"tool": "pay", "then": "deny"}, {"then": "allow"}],
            "deny",
            "policy rule 1",
            id="the first that matches",
        ),
        pytest.param(
            [{"tool": "pay", "risk": "critical", "then": "allow"}],
            "confirm",
            "default for write",
            id="name and risk must both match",
        ),
        pytest.param(
            [{"tool": "pay", "when": "amount < 5", "then": "allow"}],
            "confirm",
            "default for write",
            id="an allow with a condition loosens nothing",
        ),
        pytest.param(
            [{"tool": "pay", "when": "amount > 5", "then": "approve"}],
            "approve",
            "policy rule 1",
            id="a stricter rule holds without its condition",
        ),
    ],
)
def test_the_first_rule_that_matches_decides(
    entries: list[dict[str, Any]], expected: str, rule: str
) -> None:
    found = verdict(Risk.WRITE, *entries)
    assert (found.verdict, found.rule) == (expected, rule)


def test_a_rule_names_who_approves() -> None:
    assert verdict(Risk.WRITE, {"then": "approve", "by": "finance"}).by == "finance"
    assert verdict(Risk.CRITICAL).by == "approver"
