"""Signing in by an OpenID Connect provider: the way there, and the way back.

The browser keeps the attempt in a cookie meanwhile, so that an answer counts only in the browser
that asked. Below: ``adapters.oidc``, ``engine.accounts.door``.
"""

import base64
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from pointsman.adapters.system import SystemClock
from pointsman.engine.accounts.door import Identity
from pointsman.entrypoints.web import access
from pointsman.entrypoints.web.access import Book, Visit
from pointsman.entrypoints.web.accounts.session_api import admit, former_session
from pointsman.entrypoints.web.problems import Refusal
from pointsman.errors import NotSignedIn
from pointsman.settings import Oidc

router = APIRouter(prefix="/api/session/oidc", tags=["sessions"])

CALLBACK = "/api/session/oidc/callback"
SECONDS = 600
"""For which an attempt lasts."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What the browser keeps: the attempt, and where its user wanted to go."""

    state: str
    nonce: str
    verifier: str
    next: str


@router.get("", status_code=303, response_class=Response)
async def begin(request: Request, next: str = "/") -> Response:
    """Send the browser to the identity provider; ``next`` is the page to come back to."""
    url, attempt = await _provider(request).begin(_redirect(request))
    answer = RedirectResponse(url, 303)
    kept = Kept(
        state=attempt.state, nonce=attempt.nonce, verifier=attempt.verifier, next=_own(next)
    )
    into = access.entrance(request)
    answer.set_cookie(
        _cookie(request),
        base64.urlsafe_b64encode(msgspec.json.encode(kept)).decode(),
        max_age=SECONDS,
        path="/",
        secure=into.secure(request),
        httponly=True,
        samesite="lax",
    )
    return answer


@router.get("/callback", status_code=303, response_class=Response)
async def callback(request: Request, book: Book, visitor: Visit) -> Response:
    """Take the browser back in. What went wrong stands in the address it is sent to."""
    from pointsman.adapters.oidc import Attempt

    settings, into = _settings(request), access.entrance(request)
    try:
        kept = _kept(request)
        attempt = Attempt(state=kept.state, nonce=kept.nonce, verifier=kept.verifier)
        answer = dict(request.query_params)
        vouched = await _provider(request).end(answer, attempt, _redirect(request))
        account = await book.door.admit(_identity(settings, vouched), visitor)
        former = former_session(request)
        opened = await book.door.begin(account, visitor, by="oidc", instead_of=former)
    except NotSignedIn as fault:
        await book.door.turned_away(fault.kind, visitor)
        back: Response = RedirectResponse("/?" + urlencode({"problem": fault.kind}), 303)
    else:
        back = RedirectResponse(kept.next, 303)
        admit(request, back, opened)
    back.delete_cookie(_cookie(request), secure=into.secure(request), httponly=True, samesite="lax")
    return back


def _identity(settings: Oidc, vouched: Any) -> Identity:
    """Who that is here."""
    login = vouched.claim(settings.login_claim)
    if settings.login_claim == "email" and vouched.claim("email_verified") is not True:
        raise NotSignedIn("oidc_email", "the identity provider has not checked the address")
    if not isinstance(login, str) or not login.strip():
        why = f"the identity provider gave no {settings.login_claim}"
        raise NotSignedIn("login_unfit", why)
    granted = granted_by(settings, vouched.claim(settings.groups_claim))
    name = vouched.claim("name")
    return Identity(
        issuer=settings.issuer,
        subject=vouched.subject,
        login=login.strip(),
        name=name[:200] if isinstance(name, str) else "",
        granted=granted,
        welcome=settings.create or bool(granted),
    )


def granted_by(settings: Oidc, groups: object) -> tuple[str, ...]:
    """The roles that these groups give; what is no list of names gives none."""
    named: Sequence[object] = groups if isinstance(groups, list) else [groups]
    roles = {role for one in named if isinstance(one, str) for role in settings.roles.get(one, ())}
    return tuple(sorted(roles))


def _settings(request: Request) -> Oidc:
    settings = access.entrance(request).settings.access.oidc
    if settings is None:
        raise Refusal(404, "this server knows no identity provider")
    return settings


def _provider(request: Request) -> Any:
    """The provider, made at the first sign-in by it."""
    state, settings = request.app.state, _settings(request)
    if getattr(state, "oidc", None) is None:
        from pointsman.adapters.oidc import OidcClient, OidcProvider

        groups = (settings.groups_claim,) if settings.roles else ()
        client = OidcClient(
            issuer=settings.issuer,
            client_id=settings.client_id,
            secret=os.environ.get(settings.secret_env, "").strip(),
            scopes=settings.scopes,
            claims=(settings.login_claim, *groups),
        )
        state.oidc = OidcProvider(client, SystemClock())
    return state.oidc


def _redirect(request: Request) -> str:
    """Where the provider sends the browser back to."""
    public = access.entrance(request).settings.access.public_url
    return (public or str(request.base_url).rstrip("/")) + CALLBACK


def _cookie(request: Request) -> str:
    return access.entrance(request).cookie(request) + "-oidc"


def _kept(request: Request) -> Kept:
    try:
        raw = base64.urlsafe_b64decode(request.cookies.get(_cookie(request), ""))
        return msgspec.json.decode(raw, type=Kept)
    except (ValueError, msgspec.MsgspecError):
        why = "this sign-in was begun elsewhere, or too long ago; begin again"
        raise NotSignedIn("oidc_state", why) from None


def _own(path: str) -> str:
    """A page of ours; the first one for any other."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if plain and "\\" not in path else "/"
