"""Whose roles count, and from when on: in policies and approvals, without a restart."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.accounts import Account
from pointsman.domain.tools import Risk
from pointsman.engine.accounts.roster import Roster
from pointsman.engine.accounts.users import COMMAND_LINE
from tests.support.accounts import accounts_of, add
from tests.support.engine import say, service_of
from tests.support.fake_clock import START, FakeClock
from tests.support.scripted_model import results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    made = sqlite(tmp_path / "test.db", synchronous="normal")
    yield made
    await made.aclose()


def test_the_roles_of_settings_and_accounts_are_one() -> None:
    roster = Roster({"finance": ("li",), "admin": ("zhao",)})
    li = Account(login="li", created=START, roles=("approver",))
    roster.fill([li, Account(login="wang", created=START, roles=("finance",))])
    assert roster["finance"] == ("li", "wang")
    assert roster["approver"] == ("li",)
    assert roster.roles(li) == {"user", "approver", "finance"}
    zhao = Account(login="zhao", created=START)
    assert roster.roles(zhao) == {"user", "approver", "operator", "admin"}


def test_an_account_that_is_closed_has_no_role_of_its_own() -> None:
    roster = Roster({})
    roster.see(Account(login="li", created=START, roles=("finance",)))
    assert roster["finance"] == ("li",)
    roster.see(Account(login="li", created=START, roles=("finance",), state="disabled"))
    assert dict(roster) == {}


async def test_a_role_counts_in_the_policy_as_soon_as_it_is_given(store: SqlStore) -> None:
    accounts = accounts_of(store)
    await add(accounts, "ann")
    service = await service_of(
        lambda request: " / ".join(results(request)) or [("book", "{}")],
        fake_tool("book", "booked", risk=Risk.WRITE),
        policy=[
            {"tool": "book", "when": "role == 'finance'", "then": "allow"},
            {"tool": "book", "then": "deny"},
        ],
        roles=accounts.roster,
        accounts=accounts,
    )
    assert "booked" not in (await say(service)).reply
    await accounts.change("ann", roles=["finance"], by=COMMAND_LINE)
    assert "booked" in (await say(service)).reply
    await accounts.change("ann", roles=[], by=COMMAND_LINE)
    assert "booked" not in (await say(service)).reply
    await service.aclose()


async def test_what_another_process_has_changed_is_seen_at_the_next_look(
    store: SqlStore, tmp_path: Path
) -> None:
    clock, other = FakeClock(), sqlite(tmp_path / "test.db", synchronous="normal")
    here, there = accounts_of(store, clock), accounts_of(other)
    assert not await here.required()
    await add(there, "root", "admin")
    assert not await here.required()  # it looks once a second
    clock.advance(1)
    assert await here.required()
    assert here.roster["admin"] == ("root",)
    await add(there, "li", "finance")
    await here.refresh()
    assert here.roster["finance"] == ("li",)
    await other.aclose()
