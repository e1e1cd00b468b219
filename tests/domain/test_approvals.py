"""Approvals: who may decide, on what, how long, and only once."""

from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pointsman.domain import approval_texts as texts
from pointsman.domain.agent import Language
from pointsman.domain.approval_texts import question
from pointsman.domain.approvals import (
    Approval,
    ApprovalState,
    Choice,
    Person,
    Refusal,
    RefusalKind,
    decide,
    digest_of,
    edit,
    lapse,
    use,
    withdraw,
)
from pointsman.domain.schemas.tool_specs import tool_spec

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
ANN = Person(login="ann")
BOB = Person(login="bob")
CAROL = Person(login="carol", roles=("finance",))
DIGEST = digest_of("pay", "1", {"amount": 5})


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def asked(name: str = "p1", by: str = "finance", **changes: Any) -> Approval:
    pending = Approval(
        id=name,
        call="1.0",
        digest=DIGEST,
        by=by,
        requester="ann",
        asked=START,
        expires=at(24),
    )
    return replace(pending, **changes)


def given_by(
    person: Person, choice: Choice = "approve", *, after: float = 1, **changes: Any
) -> Approval:
    found = decide(asked(**changes), choice, by=person, now=at(after))
    assert isinstance(found, Approval)
    return found


def refused(answer: Any) -> str:
    assert isinstance(answer, Refusal)
    return answer.kind


def test_a_digest_binds_tool_version_and_arguments() -> None:
    same = digest_of("pay", "1", {"b": [1], "a": "中"})
    assert same == digest_of("pay", "1", {"a": "中", "b": [1]})
    others = [
        digest_of("pay2", "1", {"a": "中", "b": [1]}),
        digest_of("pay", "2", {"a": "中", "b": [1]}),
        digest_of("pay", "1", {"a": "中", "b": [2]}),
        digest_of("pay", "1", {"a": "中", "b": ["1"]}),
        digest_of("pay", "1", {"a": "中"}),
    ]
    assert len({same, *others}) == 6


def test_a_digest_exists_for_whatever_json_holds() -> None:
    assert digest_of("t", "1", {"a": "\ud800", "b": 10**30, "c": float("nan")})


@pytest.mark.parametrize(
    ("by", "own", "person", "choice", "outcome"),
    [
        ("user", False, ANN, "approve", "approved"),
        ("user", False, ANN, "deny", "denied"),
        ("user", False, CAROL, "approve", "forbidden"),
        ("user", False, BOB, "deny", "forbidden"),
        ("finance", False, CAROL, "approve", "approved"),
        ("finance", False, CAROL, "deny", "denied"),
        ("finance", False, CAROL, "take_over", "taken_over"),
        ("finance", False, BOB, "approve", "forbidden"),
        ("finance", False, BOB, "take_over", "forbidden"),
        ("finance", False, ANN, "approve", "forbidden"),
        ("finance", False, ANN, "deny", "denied"),
        ("finance", False, Person(login="ann", roles=("finance",)), "approve", "own_request"),
        ("finance", True, Person(login="ann", roles=("finance",)), "approve", "approved"),
        ("finance", True, ANN, "approve", "forbidden"),
    ],
)
def test_who_may_decide(by: str, own: bool, person: Person, choice: Choice, outcome: str) -> None:
    """Case P18."""
    found = decide(asked(by=by, own=own), choice, by=person, now=at(1))
    assert (found.kind if isinstance(found, Refusal) else found.state.value) == outcome


def test_a_decision_names_who_when_and_why() -> None:
    found = decide(asked(), "deny", by=CAROL, now=at(1), reason="too risky")
    assert isinstance(found, Approval)
    assert (found.decided_by, found.decided_at, found.reason) == ("carol", at(1), "too risky")
    assert found.requester == "ann"


@pytest.mark.parametrize("second", ["approve", "deny", "take_over"])
def test_the_first_decision_stands(second: Choice) -> None:
    """Cases P05, P06."""
    first = given_by(CAROL, "deny")
    again = decide(first, second, by=CAROL, now=at(2))
    assert again == Refusal(kind="already_settled", approval=first)


def test_a_late_decision_finds_the_approval_expired_not_denied() -> None:
    """Case P16."""
    late = decide(asked(), "approve", by=CAROL, now=at(24))
    assert isinstance(late, Refusal)
    assert late.kind == "expired"
    assert late.approval == lapse(asked(), at(24))
    assert lapse(asked(), at(24)).state is ApprovalState.EXPIRED
    assert lapse(asked(), at(23.9)) == asked()


@pytest.mark.parametrize(
    ("state", "kind"),
    [(ApprovalState.CANCELLED, "run_cancelled"), (ApprovalState.SUPERSEDED, "already_settled")],
)
def test_nothing_is_decided_after_the_run_went_away(
    state: Literal[ApprovalState.SUPERSEDED, ApprovalState.CANCELLED], kind: str
) -> None:
    """Case P20."""
    gone = withdraw(asked(), state, by="ann", now=at(1))
    assert refused(decide(gone, "approve", by=CAROL, now=at(2))) == kind
    assert refused(use(gone, DIGEST, at(2))) == kind


def test_withdrawing_leaves_what_is_settled() -> None:
    settled = given_by(CAROL)
    assert withdraw(settled, ApprovalState.CANCELLED, by="ann", now=at(2)) is settled
    expired = withdraw(asked(), ApprovalState.CANCELLED, by="ann", now=at(30))
    assert expired.state is ApprovalState.EXPIRED


def test_an_approval_is_used_once_and_on_what_was_shown() -> None:
    approved = given_by(CAROL)
    assert refused(use(approved, digest_of("pay", "1", {"amount": 6}), at(2))) == "changed"
    used = use(approved, DIGEST, at(2))
    assert isinstance(used, Approval)
    assert used.used == at(2)
    assert refused(use(used, DIGEST, at(2))) == "already_used"


@pytest.mark.parametrize("choice", ["deny", "take_over"])
def test_only_a_yes_can_be_used(choice: Choice) -> None:
    assert refused(use(given_by(CAROL, choice), DIGEST, at(2))) == "already_settled"
    assert refused(use(asked(), DIGEST, at(2))) == "not_approved"


def test_a_yes_that_nobody_used_lapses_too() -> None:
    approved = given_by(CAROL, after=20)
    assert isinstance(use(approved, DIGEST, at(43)), Approval)
    assert refused(use(approved, DIGEST, at(44))) == "expired"


def test_an_edit_closes_the_old_approval_and_asks_anew() -> None:
    changed = digest_of("pay", "1", {"amount": 4})
    found = edit(asked(), changed, new_id="p2", by=CAROL, now=at(1))
    assert not isinstance(found, Refusal)
    old, new = found
    assert (old.state, old.decided_by, old.replaced_by) == (ApprovalState.EDITED, "carol", "p2")
    assert (new.state, new.digest, new.edited_from) == (ApprovalState.PENDING, changed, "p1")
    assert new.expires == at(25)
    approved = decide(new, "approve", by=CAROL, now=at(2))
    assert isinstance(approved, Approval)
    assert refused(use(approved, DIGEST, at(3))) == "changed"
    assert isinstance(use(approved, changed, at(3)), Approval)


@pytest.mark.parametrize(("person", "kind"), [(BOB, "forbidden"), (ANN, "forbidden")])
def test_who_may_not_approve_may_not_edit(person: Person, kind: str) -> None:
    assert refused(edit(asked(), "d", new_id="p2", by=person, now=at(1))) == kind
    assert refused(edit(given_by(CAROL), "d", new_id="p2", by=CAROL, now=at(2))) == (
        "already_settled"
    )


_steps = st.lists(
    st.tuples(
        st.sampled_from(["approve", "deny", "take_over", "edit", "cancel", "use", "use other"]),
        st.sampled_from([ANN, BOB, CAROL]),
        st.floats(0, 30),
    ),
    max_size=12,
)


@given(_steps, st.booleans())
def test_no_history_uses_an_approval_twice_or_without_a_yes(
    steps: list[tuple[str, Person, float]], own: bool
) -> None:
    approval, uses, now = asked(own=own), 0, 0.0
    for action, person, hours in steps:
        now += hours
        before = approval
        answer: Approval | Refusal
        match action:
            case "approve" | "deny" | "take_over":
                answer = decide(approval, action, by=person, now=at(now))
            case "edit":
                edited = edit(approval, "e", new_id="p2", by=person, now=at(now))
                answer = edited if isinstance(edited, Refusal) else edited[0]
            case "cancel":
                answer = withdraw(approval, ApprovalState.CANCELLED, by="ann", now=at(now))
            case _:
                answer = use(approval, DIGEST if action == "use" else "other", at(now))
        if isinstance(answer, Refusal):
            continue
        approval = answer
        if before.state is not ApprovalState.PENDING:
            assert approval.state is before.state
        if approval.used and not before.used:
            uses += 1
            assert action == "use"
            assert approval.decided_by == "carol"
    assert uses <= 1


@pytest.mark.parametrize("state", ApprovalState)
@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("by", ["user", "finance"])
def test_every_state_has_its_own_words(state: ApprovalState, language: Language, by: str) -> None:
    said = texts.for_user(asked(by=by, state=state, decided_by="carol"), "退款", language)
    assert "退款" in said
    assert "{" not in said
    ends = set(ApprovalState) - {state}
    assert said not in {texts.for_user(asked(by=by, state=end), "退款", language) for end in ends}


def test_an_expired_approval_is_never_called_declined() -> None:
    """Case P16."""
    expired = asked(state=ApprovalState.EXPIRED)
    assert "declined" not in texts.for_user(expired, "Pay", "en")
    assert "Ask again" in texts.for_user(expired, "Pay", "en")
    assert "重新提出" in texts.for_user(expired, "退款", "zh")
    assert "expired" in texts.for_model(expired)


@pytest.mark.parametrize(
    ("approval", "said"),
    [
        (
            asked(by="user", state=ApprovalState.DENIED, decided_by="ann", reason="too risky"),
            "DENIED by user: too risky. Do not retry unless asked.",
        ),
        (
            asked(state=ApprovalState.DENIED, decided_by="ann"),
            "DENIED by user. Do not retry unless asked.",
        ),
        (
            asked(state=ApprovalState.DENIED, decided_by="carol"),
            "DENIED by carol. Do not retry unless asked.",
        ),
        (
            asked(state=ApprovalState.TAKEN_OVER, decided_by="carol"),
            "NOT RUN: carol takes this over and does it by hand. Do not do it; tell the user.",
        ),
        (asked(state=ApprovalState.APPROVED), ""),
    ],
)
def test_the_model_reads_why_a_call_did_not_run(approval: Approval, said: str) -> None:
    """Case P02."""
    assert texts.for_model(approval) == said


@pytest.mark.parametrize(
    "state", [state for state in ApprovalState if state is not ApprovalState.APPROVED]
)
def test_the_model_reads_something_of_every_other_state(state: ApprovalState) -> None:
    assert texts.for_model(asked(state=state, decided_by="carol"))


def test_the_asking_user_is_addressed() -> None:
    denied = asked(by="user", state=ApprovalState.DENIED, decided_by="ann", reason="太贵")
    assert texts.for_user(denied, "退款", "zh") == "您没有同意，「退款」没有执行（太贵）。"
    assert texts.for_user(denied, "Refund", "en") == "You declined: “Refund” was not run (太贵)."
    waiting = asked()
    assert texts.for_user(waiting, "退款", "zh") == "「退款」还没有执行，正在等待finance批准。"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_refused_decision_is_explained(language: Language) -> None:
    said = {texts.refusal(Refusal(kind=kind), language) for kind in get_args(RefusalKind)}
    assert len(said) == 9


REFUND = tool_spec(
    source="python",
    original="refund",
    name="refund",
    description="",
    title="退款",
    titles={"zh": "退款", "en": "Refund"},
    parameters={
        "type": "object",
        "properties": {"n": {"type": "number"}},
    },
    said={"n": {"x-title": {"zh": "金额", "en": "amount"}}, "no such": {}},
    context={"login": "user"},
)


@pytest.mark.parametrize(
    ("by", "language", "said"),
    [
        ("user", "zh", "我将执行「退款」：金额：5。确认吗？（回复“确认”或“取消”）"),
        ("user", "en", "I am about to run “Refund”: amount: 5. Shall I? (reply “yes” or “no”)"),
        ("boss", "zh", "「退款」（金额：5）需要boss批准，我在等待批准。"),
        ("boss", "en", "“Refund” (amount: 5) needs the approval of boss; I am waiting for it."),
    ],
)
def test_a_question_names_the_call_by_its_titles(by: str, language: Language, said: str) -> None:
    assert question(REFUND, {"n": 5, "login": "ann"}, language, by=by) == said


def test_a_call_without_arguments_is_asked_about_too() -> None:
    assert question(REFUND, {"login": "ann"}, "en", by="user").startswith(
        "I am about to run “Refund”. Shall I?"
    )
