"""What logins, passwords, tokens and roles may be, and how often one may try."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain import accounts
from pointsman.domain.accounts import Account
from pointsman.domain.throttling import Attempts, Lockout, attempted, forgiven

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULE = Lockout(free=3, first=30, most=100, forget=600)


@pytest.mark.parametrize(
    "login", ["a", "李雷", "ann.lee@example.com", "ann-lee", "a_b", "Ann", "x9"]
)
def test_such_logins_will_do(login: str) -> None:
    assert accounts.login_fault(login) == ""


@pytest.mark.parametrize(
    "login",
    ["", " ", "a b", "-a", "a-", "_a", "a/b", "a\n", "a\u200bb", "ａnn", "x" * 65, "local", "LOCAL",
     "Operator", "system", "../x", "a:b", "a#b", "ﬁ"],
)  # fmt: skip
def test_such_logins_will_not_do(login: str) -> None:
    assert accounts.login_fault(login)


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("short", "password_too_short"),
        ("x" * 257, "password_too_long"),
        ("aaaaaaaaaaaa", "password_too_simple"),
        ("abababababab", "password_too_simple"),
        ("Password1234", "password_too_simple"),
        ("my name is ANN-LEE!", "password_like_login"),
        ("正确的马电池订书钉真的", ""),
        ("correct horse battery", ""),
    ],
)
def test_a_password_is_long_and_not_the_first_that_is_guessed(password: str, fault: str) -> None:
    assert accounts.password_fault(password, "ann-lee") == fault


def test_a_password_is_the_same_from_every_keyboard() -> None:
    assert accounts.normal_password("ｐａｓｓ①") == accounts.normal_password("pass1")


@given(st.binary(min_size=32, max_size=32))
def test_a_token_is_known_by_its_form_and_a_mistyped_one_is_not(secret: bytes) -> None:
    token = accounts.api_token(secret)
    assert accounts.is_api_token(token)
    assert token.startswith("pm_")
    assert len(token) == 52
    for place in (3, 20, 51):
        other = "a" if token[place] != "a" else "b"
        assert not accounts.is_api_token(token[:place] + other + token[place + 1 :])
    assert not accounts.is_api_token(token + "\n")


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_two_secrets_make_two_tokens(one: bytes, other: bytes) -> None:
    assert (accounts.api_token(one) == accounts.api_token(other)) is (one == other)


def test_an_admin_may_do_all_and_everybody_is_a_user() -> None:
    admin = Account(login="a", created=NOON, roles=("admin",))
    clerk = Account(login="b", created=NOON, roles=("finance",), granted=("operator",))
    assert admin.own_roles == {"user", "approver", "operator", "admin"}
    assert clerk.own_roles == {"user", "finance", "operator"}
    assert not clerk.is_admin


@pytest.mark.parametrize(
    ("scopes", "roles"),
    [
        (("chat",), {"user"}),
        (("approve",), {"approver", "finance"}),
        (("operate",), {"operator"}),
        (("admin",), {"admin"}),
        (("chat", "operate"), {"user", "operator"}),
        ((), set()),
        (("root",), set()),
    ],
)
def test_a_scope_leaves_its_roles_and_no_more(scopes: tuple[str, ...], roles: set[str]) -> None:
    held = accounts.completed(["admin", "finance"])
    assert accounts.within(held, scopes) == roles


def test_a_scope_gives_nobody_a_role() -> None:
    assert accounts.within(frozenset({"user"}), accounts.SCOPES) == {"user"}
    assert not accounts.may_have(frozenset({"user"}), "admin")
    assert accounts.may_have(frozenset({"user"}), "chat")


def test_the_wait_doubles_up_to_the_longest() -> None:
    known, now, waits = None, NOON, []
    for _ in range(7):
        known = attempted(known, RULE, now)
        waits.append(known.wait(now))
        now += timedelta(seconds=known.wait(now))
    assert waits == [0, 0, 30, 60, 100, 100, 100]


def test_after_a_rest_all_is_as_new() -> None:
    known = Attempts(failures=50, last=NOON)
    assert attempted(known, RULE, NOON + timedelta(seconds=601)).failures == 1
    assert attempted(known, RULE, NOON + timedelta(seconds=600)).failures == 51


def test_a_right_attempt_no_longer_counts() -> None:
    before = Attempts(failures=3, last=NOON, until=NOON + timedelta(seconds=30))
    after = forgiven(before)
    assert after is not None
    assert (after.failures, after.wait(NOON)) == (2, 0)
    assert forgiven(Attempts(failures=1, last=NOON)) is None


@given(st.integers(1, 10_000))
def test_no_number_of_failures_waits_longer_than_the_longest(failures: int) -> None:
    known = attempted(Attempts(failures=failures, last=NOON), RULE, NOON)
    assert known.wait(NOON) <= RULE.most
