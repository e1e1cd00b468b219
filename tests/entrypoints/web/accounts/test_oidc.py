"""Signing in by an identity provider: a real one on loopback, with every fault that counts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pointsman.engine.accounts.users import COMMAND_LINE
from pointsman.engine.service import Service
from pointsman.entrypoints.web.accounts.oidc import granted_by
from pointsman.settings import Access, Oidc, Settings
from pointsman.settings.access import OIDC_SECRET
from tests.support.accounts import PASSWORD, Browser, House, house
from tests.support.engine import service_of
from tests.support.oidc_provider import CLIENT, SECRET, Provider, provider

pytestmark = pytest.mark.anyio

ROLES = {"finance-team": ("finance", "approver"), "ops": ("operator",)}


async def hello(**given: Any) -> Service:
    return await service_of(["hello"], **given)


@asynccontextmanager
async def joined(folder: Path, idp: Provider, **more: Any) -> AsyncIterator[House]:
    """A server that knows the provider."""
    given: dict[str, Any] = {"create": True, "roles": ROLES, **more}
    oidc = Oidc(issuer=idp.issuer, client_id=CLIENT, name="Acme", **given)
    settings = Settings(access=Access(oidc=oidc))
    async with house(folder, hello, users={"root": ["admin"]}, settings=settings) as made:
        yield made


@pytest.fixture
async def idp(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv(OIDC_SECRET, SECRET)
    async with provider() as made:
        yield made


@pytest.fixture
async def full(tmp_path: Path, idp: Provider) -> AsyncIterator[House]:
    async with joined(tmp_path, idp) as made:
        yield made


async def sent_there(browser: Browser, next: str = "/runs?x=1") -> str:
    async with browser.ask("GET", f"/api/session/oidc?next={next}") as answer:
        assert answer.status == 303
        return str(answer.headers["Location"])


async def back(browser: Browser, idp: Provider, where: str) -> str:
    """Where the browser is in the end, after the provider has sent it back."""
    async with browser.http.get(where, allow_redirects=False) as there:
        assert there.status == 302
        callback = there.headers["Location"]
    async with browser.http.get(callback, allow_redirects=False) as answer:
        assert answer.status == 303, await answer.text()
        return str(answer.headers["Location"])


async def sign_in(browser: Browser, idp: Provider) -> str:
    return await back(browser, idp, await sent_there(browser))


def problem_of(location: str) -> str:
    (problem,) = parse_qs(urlsplit(location).query)["problem"]
    return problem


async def test_who_signs_in_there_is_signed_in_here(full: House, idp: Provider) -> None:
    idp.user = {
        "sub": "1", "preferred_username": "ann", "name": "Ann Lee", "groups": ["finance-team", "x"]
    }  # fmt: skip
    browser = await full.browser()
    assert (await browser.json("GET", "/api/session"))["oidc"] == {"name": "Acme"}
    assert await sign_in(browser, idp) == "/runs?x=1"
    session = await browser.json("GET", "/api/session")
    assert (session["login"], session["name"], session["signed_in"]) == ("ann", "Ann Lee", True)
    assert session["roles"] == ["approver", "finance", "user"]
    assert "finance" in full.accounts.roster
    (_, *rest), root = browser.http.cookie_jar, await full.browser("root")
    assert rest == []  # the attempt's cookie is gone
    shown = (await root.json("GET", "/api/users"))["users"]
    assert [(u["login"], u["source"]) for u in shown] == [("ann", "oidc"), ("root", "password")]


async def test_a_client_without_a_secret_signs_people_in_too(tmp_path: Path, idp: Provider) -> None:
    idp.public = True
    async with joined(tmp_path, idp, secret_env="NO_SUCH_VARIABLE") as made:
        assert await sign_in(await made.browser(), idp) == "/runs?x=1"


async def test_roles_follow_the_groups_at_each_sign_in(full: House, idp: Provider) -> None:
    idp.user = {"sub": "1", "preferred_username": "ann", "groups": ["ops"]}
    browser = await full.browser()
    await sign_in(browser, idp)
    assert (await browser.json("GET", "/api/session"))["roles"] == ["operator", "user"]
    idp.user = {"sub": "1", "preferred_username": "renamed", "groups": []}
    again = await full.browser()
    await sign_in(again, idp)
    session = await again.json("GET", "/api/session")
    assert (session["login"], session["roles"]) == ("ann", ["user"])  # the subject counts
    assert (await browser.json("GET", "/api/session"))["roles"] == ["user"]  # there too
    entries = await full.accounts.entries(login="ann")
    assert "roles_changed" in [one.event for one in entries]


async def test_the_account_with_a_password_is_never_taken_for_his(
    full: House, idp: Provider
) -> None:
    for login in ("root", "ROOT", "Ｒoot"):
        idp.user = {"sub": "evil", "preferred_username": login, "groups": ["ops"]}
        browser = await full.browser()
        assert problem_of(await sign_in(browser, idp)) == "login_taken"
        assert not (await browser.json("GET", "/api/session"))["signed_in"]
    kept = (await full.accounts.get("root")).account
    assert (kept.subject, kept.granted, kept.source) == ("", (), "password")


async def test_the_account_of_another_subject_is_not_his(full: House, idp: Provider) -> None:
    await sign_in(await full.browser(), idp)
    idp.user = {"sub": "2", "preferred_username": "ann"}
    assert problem_of(await sign_in(await full.browser(), idp)) == "login_taken"


async def test_who_has_no_account_and_no_group_is_turned_away_unless_one_awaits_him(
    tmp_path: Path, idp: Provider
) -> None:
    async with joined(tmp_path, idp, create=False) as made:
        assert problem_of(await sign_in(await made.browser(), idp)) == "not_invited"
        await made.accounts.add("ann", by=COMMAND_LINE, roles=["finance"], source="oidc")
        browser = await made.browser()
        await sign_in(browser, idp)
        assert (await browser.json("GET", "/api/session"))["roles"] == ["finance", "user"]
        idp.user = {"sub": "2", "preferred_username": "bob", "groups": ["ops"]}
        assert await sign_in(await made.browser(), idp) == "/runs?x=1"


async def test_the_program_s_own_logins_are_nobodys(full: House, idp: Provider) -> None:
    for login in ("local", "operator", "a b", "../x"):
        idp.user = {"sub": login, "preferred_username": login}
        assert problem_of(await sign_in(await full.browser(), idp)) == "login_unfit"


async def test_who_is_disabled_here_stays_out(full: House, idp: Provider) -> None:
    await sign_in(await full.browser(), idp)
    await full.accounts.change("ann", state="disabled", by=COMMAND_LINE)
    assert problem_of(await sign_in(await full.browser(), idp)) == "account_disabled"


async def test_an_account_of_the_provider_has_no_password(full: House, idp: Provider) -> None:
    await sign_in(await full.browser(), idp)
    for password in ("", PASSWORD):
        body = {"login": "ann", "password": password}
        assert await (await full.browser()).status("POST", "/api/session", body) == 401
    root = await full.browser("root")
    assert await root.status("POST", "/api/users/ann/reset", {}) == 409


async def test_an_answer_counts_only_in_the_browser_that_asked_and_once(
    full: House, idp: Provider
) -> None:
    asking, other = await full.browser(), await full.browser()
    async with asking.http.get(await sent_there(asking), allow_redirects=False) as there:
        callback = there.headers["Location"]
    async with other.http.get(callback, allow_redirects=False) as answer:
        assert problem_of(answer.headers["Location"]) == "oidc_state"
    await sent_there(other)  # with an attempt of its own
    async with other.http.get(callback, allow_redirects=False) as answer:
        assert problem_of(answer.headers["Location"]) == "oidc_state"
    assert await sign_in(asking, idp) == "/runs?x=1"
    async with asking.http.get(callback, allow_redirects=False) as answer:
        assert problem_of(answer.headers["Location"]) == "oidc_state"


async def test_who_refuses_there_is_told_so(full: House, idp: Provider) -> None:
    idp.user = None
    assert problem_of(await sign_in(await full.browser(), idp)) == "oidc_refused"


@pytest.mark.parametrize("sign", ["other key", "none", "shared"])
async def test_an_id_token_that_the_provider_did_not_sign_is_not_believed(
    full: House, idp: Provider, sign: str
) -> None:
    idp.sign = sign
    assert problem_of(await sign_in(await full.browser(), idp)) == "oidc_token"
    assert [one.account.login for one in await full.accounts.all()] == ["root"]
    (newest, *_) = await full.accounts.entries()
    assert (newest.event, newest.about) == ("sign_in_failed", {"by": "oidc", "why": "oidc_token"})


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody else"},
        {"aud": [CLIENT, "somebody else"], "azp": "somebody else"},
        {"aud": None},
        {"iss": "https://evil.test"},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"at_hash": "wrong"},
    ],
)
async def test_an_id_token_for_another_purpose_is_not_believed(
    full: House, idp: Provider, claims: dict[str, Any]
) -> None:
    idp.claims = claims
    assert problem_of(await sign_in(await full.browser(), idp)) == "oidc_token"


async def test_a_provider_that_changes_its_key_is_still_understood(
    full: House, idp: Provider
) -> None:
    await sign_in(await full.browser(), idp)
    idp.change_key()
    assert await sign_in(await full.browser(), idp) == "/runs?x=1"


async def test_what_only_the_user_endpoint_tells_is_looked_up_there(
    full: House, idp: Provider
) -> None:
    idp.user = {"sub": "1", "preferred_username": "ann", "groups": ["ops"]}
    idp.only_userinfo = {"preferred_username", "groups"}
    browser = await full.browser()
    await sign_in(browser, idp)
    assert (await browser.json("GET", "/api/session"))["roles"] == ["operator", "user"]
    idp.another = {"sub": "2", "preferred_username": "root"}
    assert problem_of(await sign_in(await full.browser(), idp)) == "oidc_token"


async def test_an_address_is_a_login_only_when_it_was_checked(
    tmp_path: Path, idp: Provider
) -> None:
    async with joined(tmp_path, idp, login_claim="email") as made:
        idp.user = {"sub": "1", "email": "ann@acme.test"}
        for unchecked in (False, "true", None):
            idp.user["email_verified"] = unchecked
            assert problem_of(await sign_in(await made.browser(), idp)) == "oidc_email"
        idp.user["email_verified"] = True
        browser = await made.browser()
        assert await sign_in(browser, idp) == "/runs?x=1"
        assert (await browser.json("GET", "/api/session"))["login"] == "ann@acme.test"


async def test_a_provider_that_calls_itself_otherwise_is_not_used(
    full: House, idp: Provider
) -> None:
    idp.calls_itself = "https://evil.test"
    said = await (await full.browser()).json("GET", "/api/session/oidc", status=401)
    assert said["code"] == "oidc_settings"


@pytest.mark.parametrize(
    "next", ["https://evil.test", "//evil.test", "/%5Cevil.test", "/\\evil.test", "x", "/%09/evil"]
)
async def test_nobody_is_sent_elsewhere_afterwards(full: House, idp: Provider, next: str) -> None:
    browser = await full.browser()
    assert await back(browser, idp, await sent_there(browser, next)) == "/"


async def test_without_a_provider_there_is_nothing_to_go_to(tmp_path: Path) -> None:
    async with house(tmp_path, hello, users={"root": ["admin"]}) as made:
        browser = await made.browser()
        assert (await browser.json("GET", "/api/session"))["oidc"] is None
        assert await browser.status("GET", "/api/session/oidc") == 404
        assert await browser.status("GET", "/api/session/oidc/callback?code=1&state=2") == 404


@pytest.mark.parametrize(
    ("groups", "roles"),
    [
        (["finance-team", "ops"], ("approver", "finance", "operator")),
        ("ops", ("operator",)),
        ([{"ops": 1}, 5, None, "OPS"], ()),
        ({"ops": True}, ()),
        (None, ()),
    ],
)
def test_only_groups_that_the_settings_name_give_roles(
    groups: object, roles: tuple[str, ...]
) -> None:
    settings = Oidc(issuer="https://id.test", client_id=CLIENT, roles=ROLES)
    assert granted_by(settings, groups) == roles
