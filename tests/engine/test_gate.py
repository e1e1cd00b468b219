"""The only way from a valid call to a tool."""

import ast
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import pointsman
from pointsman.domain.approvals import Approval, ApprovalState
from pointsman.domain.policy import Rule, rules_from
from pointsman.domain.tools import ClearedCall, Risk, ValidCall
from pointsman.engine import gate
from pointsman.engine.gate import Pause, Refused
from tests.support.fake_clock import START
from tests.support.tools import fake_tool


def valid(risk: Risk = Risk.WRITE, *, idempotent: bool = False, **arguments: Any) -> ValidCall:
    spec = fake_tool("pay", risk=risk, idempotent=idempotent).spec
    return ValidCall(key="1.0", spec=spec, arguments=arguments)


def clear(call: ValidCall, rules: Sequence[Rule] = (), **more: Any) -> Any:
    return gate.clear(call, rules, **{"now": START, **more})


def pending(call: ValidCall, state: str = "pending", **more: Any) -> Approval:
    made = Approval(
        id="p1",
        call="1.0",
        by="user",
        digest=gate.digest(call),
        requester="ann",
        asked=START,
        expires=START + timedelta(hours=24),
        state=ApprovalState(state),
        decided_by="" if state == "pending" else "ann",
    )
    return replace(made, **more)


@pytest.mark.parametrize(
    ("risk", "expected"),
    [(Risk.READ, ClearedCall), (Risk.WRITE, Pause), (Risk.CRITICAL, Pause)],
)
def test_the_risk_decides_when_no_rule_does(risk: Risk, expected: type) -> None:
    assert isinstance(clear(valid(risk)), expected)


def test_a_pause_names_who_must_decide_and_on_what() -> None:
    call = valid(amount=5)
    pause = clear(call, rules_from([{"then": "approve", "by": "finance"}]))
    assert pause == Pause(by="finance", rule="policy rule 1", digest=gate.digest(call))
    assert isinstance(confirm := clear(call), Pause)
    assert confirm.by == "user"


def test_a_rule_can_deny() -> None:
    refused = clear(valid(Risk.READ), rules_from([{"then": "deny"}]))
    assert isinstance(refused, Refused)
    assert refused.content == "DENIED by policy (policy rule 1). Do not retry."


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("denied", "DENIED by user. Do not retry unless asked."),
        ("expired", "NOT RUN: the approval expired"),
        ("superseded", "NOT RUN: the user wrote a new message"),
    ],
)
def test_what_was_not_approved_does_not_run(decision: str, said: str) -> None:
    call = valid(Risk.READ)
    refused = clear(call, approval=pending(call, decision))
    assert isinstance(refused, Refused)
    assert refused.content.startswith(said)


def test_what_was_approved_runs_by_that_approval() -> None:
    call = valid()
    assert clear(call, approval=pending(call, "approved")) == ClearedCall(
        call=call, rule="approval p1 approved by ann"
    )


def test_a_denial_by_another_names_who_and_why() -> None:
    call = valid()
    approval = pending(call, "denied", by="finance", decided_by="bob", reason="too much")
    refused = clear(call, approval=approval)
    assert isinstance(refused, Refused)
    assert refused.content == "DENIED by bob: too much. Do not retry unless asked."


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(valid(amount=6), id="other arguments"),
        pytest.param(valid(amount=5, more=1), id="more arguments"),
        pytest.param(
            replace(valid(amount=5), spec=fake_tool("pay", required=["to"]).spec),
            id="another version of the tool",
        ),
        pytest.param(
            replace(valid(amount=5), spec=replace(valid().spec, name="refund")), id="another tool"
        ),
    ],
)
def test_an_approval_is_good_for_exactly_what_was_shown(other: ValidCall) -> None:
    refused = clear(other, approval=pending(valid(amount=5), "approved"))
    assert isinstance(refused, Refused)
    assert "changed after the approval was asked" in refused.content


def test_an_open_approval_lets_nothing_pass() -> None:
    call = valid()
    assert isinstance(clear(call, approval=pending(call)), Pause)


def test_a_doubtful_call_needs_a_word_unless_it_may_be_repeated() -> None:
    allow = rules_from([{"then": "allow"}])
    assert isinstance(clear(valid(), allow), ClearedCall)
    pause = clear(valid(), allow, doubtful=True)
    assert isinstance(pause, Pause)
    assert (pause.by, pause.rule) == ("user", "an equal call's outcome is unknown")
    assert isinstance(clear(valid(idempotent=True), allow, doubtful=True), ClearedCall)


@given(st.permutations([("a", 1), ("b", [1, {"x": 1, "y": 2}]), ("c", None)]))
def test_the_digest_does_not_depend_on_the_order_of_the_arguments(
    pairs: list[tuple[str, Any]],
) -> None:
    ordered = valid(a=1, b=[1, {"y": 2, "x": 1}], c=None)
    assert gate.digest(valid(**dict(pairs))) == gate.digest(ordered)


@pytest.mark.parametrize(("late", "made"), [(-1, ClearedCall), (0, Refused), (1, Refused)])
def test_an_approval_that_was_given_lapses(late: int, made: type) -> None:
    call = valid()
    approval = pending(call, "approved")
    outcome = clear(call, approval=approval, now=approval.expires + timedelta(seconds=late))
    assert isinstance(outcome, made)
    if isinstance(outcome, Refused):
        assert "approved, but too long ago" in outcome.content


@pytest.mark.parametrize(
    ("asked", "now", "made"),
    [
        ("user", {"then": "allow"}, ClearedCall),
        ("user", {"then": "confirm"}, ClearedCall),
        ("user", {"then": "approve", "by": "boss"}, Pause),
        ("user", {"then": "deny"}, Refused),
        ("finance", {"then": "confirm"}, ClearedCall),
        ("finance", {"then": "approve", "by": "finance"}, ClearedCall),
        ("finance", {"then": "approve", "by": "boss"}, Pause),
        ("finance", {"then": "deny"}, Refused),
    ],
)
def test_a_yes_does_not_carry_a_call_past_a_policy_that_has_become_stricter(
    asked: str, now: dict[str, Any], made: type
) -> None:
    call = valid()
    outcome = clear(call, rules_from([now]), approval=pending(call, "approved", by=asked))
    assert isinstance(outcome, made)
    if isinstance(outcome, Pause):
        assert outcome.by == "boss"


def test_a_no_stays_one_under_a_milder_policy() -> None:
    call = valid()
    allowed = rules_from([{"then": "allow"}])
    assert isinstance(clear(call, allowed, approval=pending(call, "denied")), Refused)


def test_only_the_gate_makes_a_cleared_call() -> None:
    root = Path(pointsman.__file__).parent
    makers = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "ClearedCall"
    }
    assert makers == {"engine/gate.py"}


def test_what_was_confirmed_in_advance_stands_in_for_the_users_word_alone() -> None:
    passed = clear(valid(), covered="by the user, before")
    assert isinstance(passed, ClearedCall)
    assert passed.rule == "by the user, before"
    assert isinstance(clear(valid(Risk.CRITICAL), covered="by the user, before"), Pause)
    assert isinstance(clear(valid(), covered="by the user, before", doubtful=True), Pause)
    denied = rules_from([{"then": "deny"}])
    assert isinstance(clear(valid(), denied, covered="by the user, before"), Refused)
