"""Which calls may run at once, which need a person's word."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.conditions import ConditionFault
from pointsman.domain.policy import VERDICTS, Assessment, Facts, assess, loosens, rules_from
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
            "policy rule 1 (amount > 5; cannot be decided)",
            id="a stricter rule holds without its condition",
        ),
    ],
)
def test_the_first_rule_that_matches_decides(
    entries: list[dict[str, Any]], expected: str, rule: str
) -> None:
    found = verdict(Risk.WRITE, *entries)
    assert (found.verdict, found.rule) == (expected, rule)


def test_a_rule_lets_who_asked_approve_only_where_it_says_so() -> None:
    assert not verdict(Risk.WRITE, {"then": "approve"}).own
    assert verdict(Risk.WRITE, {"then": "approve", "own": True}).own


def test_a_rule_names_who_approves() -> None:
    assert verdict(Risk.WRITE, {"then": "approve", "by": "finance"}).by == "finance"
    assert verdict(Risk.CRITICAL).by == "approver"


SATURDAY = datetime(2026, 5, 2, 22, 15, tzinfo=UTC)
FACTS = Facts(user="ann", roles=("staff",), at=SATURDAY, origin="user")
BIG = {"tool": "pay", "when": "amount > 500", "then": "approve", "by": "finance"}


def judged(
    *entries: dict[str, Any], risk: Risk = Risk.WRITE, facts: Facts = FACTS, **arguments: Any
) -> Assessment:
    spec = fake_tool("pay", risk=risk).spec
    return assess(spec, rules_from(entries), arguments=arguments, facts=facts)


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ("amount > 500", True),
        ("to == 'bob'", True),
        ("tool == 'pay' and risk == 'write'", True),
        ("user == 'ann'", True),
        ("role == 'staff'", True),
        ("role == 'boss'", False),
        ("hour >= 18", True),
        ("weekday in [sat, sun]", True),
        ("origin == 'user'", True),
        ("tainted", False),
        ("arguments.user == 'eve'", True),
    ],
)
def test_a_condition_reads_arguments_and_facts(when: str, holds: bool) -> None:
    found = judged({"when": when, "then": "deny"}, amount="1,200 元", to="bob", user="eve")
    assert found.verdict == ("deny" if holds else "confirm")


def test_an_argument_never_stands_for_a_fact() -> None:
    loose = {"when": "role == 'boss' or user == 'root'", "then": "allow"}
    assert judged(loose, roles=["boss"], role="boss", user="root").verdict == "confirm"
    assert judged(loose, facts=Facts(), roles=["boss"], user="root").verdict == "confirm"


@pytest.mark.parametrize(
    ("entries", "amount", "verdict", "by"),
    [
        pytest.param([BIG], 501, "approve", "finance", id="the condition holds"),
        pytest.param([BIG], 500, "confirm", "approver", id="it does not"),
        pytest.param([BIG], "a lot", "approve", "finance", id="unknown is strict"),
        pytest.param([{"when": "amount < 5", "then": "allow"}], 4, "allow", "approver", id="loose"),
        pytest.param(
            [{"when": "amount < 5", "then": "allow"}], "few", "confirm", "approver", id="not loose"
        ),
        pytest.param(
            [{"when": "amount < 5", "then": "allow"}, {"then": "deny"}],
            "few",
            "deny",
            "approver",
            id="unknown looks at what follows",
        ),
        pytest.param(
            [{"when": "amount < 500", "then": "confirm"}, {"then": "approve", "by": "boss"}],
            "few",
            "approve",
            "boss",
            id="the stricter of two ways",
        ),
    ],
)
def test_an_unknown_condition_never_loosens(
    entries: list[dict[str, Any]], amount: Any, verdict: str, by: str
) -> None:
    found = judged(*entries, amount=amount)
    assert (found.verdict, found.by) == (verdict, by)


def test_a_milder_rule_of_a_critical_tool_needs_certainty() -> None:
    mild = {"when": "amount < 5", "then": "confirm"}
    assert judged(mild, risk=Risk.CRITICAL, amount=4).verdict == "confirm"
    assert judged(mild, risk=Risk.CRITICAL, amount="few").verdict == "approve"


@pytest.mark.parametrize(
    ("pattern", "matches"), [("pay", True), ("p*", True), ("*", True), ("crm__*", False)]
)
def test_a_tool_is_named_or_given_as_a_pattern(pattern: str, matches: bool) -> None:
    assert judged({"tool": pattern, "then": "deny"}).verdict == ("deny" if matches else "confirm")


TAINTED = Facts(tainted=("to",))


@pytest.mark.parametrize(
    ("risk", "entries", "verdict"),
    [
        pytest.param(Risk.READ, [], "confirm", id="reading is confirmed"),
        pytest.param(Risk.WRITE, [], "approve", id="a change is approved"),
        pytest.param(Risk.CRITICAL, [], "approve", id="critical stays critical"),
        pytest.param(Risk.WRITE, [{"then": "allow"}], "approve", id="no rule lets it through"),
        pytest.param(
            Risk.WRITE,
            [{"risk": "critical", "then": "allow"}],
            "approve",
            id="not even one for the raised risk",
        ),
        pytest.param(
            Risk.WRITE,
            [{"tool": "pay", "when": "tainted", "then": "allow"}],
            "allow",
            id="unless it speaks of taint",
        ),
        pytest.param(Risk.READ, [{"tool": "pay", "then": "allow"}], "allow", id="reading may pass"),
        pytest.param(Risk.READ, [{"risk": "read", "then": "allow"}], "confirm", id="raised risk"),
        pytest.param(
            Risk.WRITE, [{"risk": "write", "then": "deny"}], "deny", id="its own risk's strict rule"
        ),
        pytest.param(
            Risk.WRITE, [{"risk": "critical", "then": "deny"}], "deny", id="the raised risk's rule"
        ),
        pytest.param(
            Risk.WRITE, [{"risk": "write", "then": "confirm"}], "approve", id="now too mild"
        ),
        pytest.param(Risk.WRITE, [{"when": "tainted", "then": "deny"}], "deny", id="by condition"),
    ],
)
def test_values_from_untrusted_content_raise_the_risk(
    risk: Risk, entries: list[dict[str, Any]], verdict: str
) -> None:
    """B1."""
    assert judged(*entries, risk=risk, facts=TAINTED).verdict == verdict


def test_a_computed_risk_counts_in_place_of_the_declared_one() -> None:
    assert judged(facts=Facts(risk=Risk.READ)).verdict == "allow"
    assert judged(facts=Facts(risk=Risk.CRITICAL)).verdict == "approve"
    found = judged(facts=Facts(risk=Risk.READ, tainted=("q",)))
    assert (found.verdict, found.risk) == ("confirm", Risk.WRITE)


@pytest.mark.parametrize(
    ("risk", "then", "loosened"),
    [
        (Risk.READ, "allow", False),
        (Risk.WRITE, "allow", True),
        (Risk.WRITE, "confirm", False),
        (Risk.WRITE, "deny", False),
        (Risk.CRITICAL, "confirm", True),
        (Risk.CRITICAL, "allow", True),
        (Risk.CRITICAL, "approve", False),
    ],
)
def test_a_rule_that_loosens_the_default_is_named(risk: Risk, then: str, loosened: bool) -> None:
    assert judged({"then": then}, risk=risk).loosened is loosened
    (rule,) = rules_from([{"then": then, "when": "amount < 5"}])
    assert loosens(rule, fake_tool("pay", risk=risk).spec) is loosened


def test_a_rule_of_another_tool_or_risk_loosens_nothing() -> None:
    spec = fake_tool("pay", risk=Risk.WRITE).spec
    other, risky = rules_from([{"tool": "m*", "then": "allow"}, {"risk": "read", "then": "allow"}])
    assert not loosens(other, spec)
    assert not loosens(risky, spec)


def test_the_reason_is_said_in_both_languages() -> None:
    found = judged(BIG, amount=900)
    assert found.rule == "policy rule 1 (amount > 500)"
    assert found.reason == {
        "zh": "策略第 1 条（amount > 500）：需要finance批准",
        "en": "policy rule 1 (amount > 500): it needs the approval of finance",
    }
    assert "条件无法判定" in judged(BIG).reason["zh"]
    assert "to 的值只来自不可信内容" in judged(facts=TAINTED).reason["zh"]
    assert judged(facts=TAINTED).rule == "default for critical, raised: to untrusted"


def test_a_condition_that_cannot_be_read_is_no_rule() -> None:
    with pytest.raises(ConditionFault, match="column 8: expected =="):
        rules_from([{"when": "amount = 5", "then": "allow"}])


_conditions = st.sampled_from(
    ["a > 5", "a <= 5", "b == 'x'", "not b == 'x'", "a > 5 and b == 'x'", "a > 5 or tainted"]
)
_entries = st.fixed_dictionaries(
    {"then": st.sampled_from(VERDICTS)},
    optional={"when": _conditions, "risk": st.sampled_from([risk.value for risk in Risk])},
)
_values = st.sampled_from([1, 9, "x", "y", "9 元"])


@given(
    st.lists(_entries, max_size=5),
    st.sampled_from(Risk),
    st.dictionaries(st.sampled_from("ab"), _values),
    st.dictionaries(st.sampled_from("ab"), _values),
    st.booleans(),
)
def test_knowing_more_never_makes_a_verdict_stricter(
    entries: list[dict[str, Any]],
    risk: Risk,
    known: dict[str, Any],
    more: dict[str, Any],
    tainted: bool,
) -> None:
    """That is: not knowing never loosens."""
    facts = Facts(tainted=("a",)) if tainted else Facts()
    unknowing = judged(*entries, risk=risk, facts=facts, **known)
    knowing = judged(*entries, risk=risk, facts=facts, **(more | known))
    assert VERDICTS.index(unknowing.verdict) >= VERDICTS.index(knowing.verdict)


@given(st.lists(_entries, max_size=5), st.sampled_from([Risk.WRITE, Risk.CRITICAL]))
def test_untrusted_values_reach_a_risky_tool_only_past_a_person(
    entries: list[dict[str, Any]], risk: Risk
) -> None:
    """B1."""
    plain = [entry for entry in entries if "tainted" not in entry.get("when", "")]
    assert judged(*plain, risk=risk, facts=TAINTED, a=9, b="x").verdict != "allow"
