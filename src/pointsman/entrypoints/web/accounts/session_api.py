"""Signing in and out in a browser, and the links by which one comes in for the first time.

These routes are for everybody, so each looks itself at who asks. Below: ``engine.accounts.door``,
``engine.accounts.users``.
"""

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from pointsman.domain.accounts import csrf_of
from pointsman.engine.accounts.door import Opened
from pointsman.entrypoints.web import access
from pointsman.entrypoints.web.access import Book, Entrance, Member, Viewer, Visit
from pointsman.entrypoints.web.accounts.account_shapes import (
    Acceptance,
    Credentials,
    OidcShape,
    SessionChange,
    SessionShape,
    SetUp,
)
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes

router = APIRouter(prefix="/api", tags=["sessions"])


@router.get("/session")
async def session(request: Request) -> SessionShape:
    """Who asks, and how one signs in here."""
    return await shaped(request, await access.entrance(request).known(request))


@router.post("/session", openapi_extra=takes(Credentials))
async def sign_in(
    given: Annotated[Credentials, Depends(body(Credentials))],
    request: Request,
    response: Response,
    book: Book,
    visitor: Visit,
) -> SessionShape:
    """Sign in with a password. The answer to a login that there is not is that to a wrong
    password; after some failures it is 429, with ``retry_after``."""
    opened = await book.door.sign_in(
        given.login,
        given.password.get_secret_value(),
        visitor,
        instead_of=former_session(request),
    )
    return await entered(request, response, opened)


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, book: Book, visitor: Visit) -> None:
    """Sign out. The browser forgets what the console has kept in it."""
    into = access.entrance(request)
    who = await into.known(request)
    if who is not None and who.by == "session":
        await book.door.sign_out(who.session, who.login, visitor)
    response.delete_cookie(
        into.cookie(request), secure=into.secure(request), httponly=True, samesite="lax"
    )
    response.headers["clear-site-data"] = '"storage"'


@router.patch("/session", openapi_extra=takes(SessionChange))
async def change(
    who: Member,
    given: Annotated[SessionChange, Depends(body(SessionChange))],
    request: Request,
    book: Book,
    visitor: Visit,
) -> SessionShape:
    """Change what is given of one's own account. A new password ends all other sessions."""
    if given.password is not None:
        await book.door.change_password(
            who.login,
            given.password.old.get_secret_value(),
            given.password.new.get_secret_value(),
            visitor,
            session=who.session,
        )
    await book.set_up_as(
        who.login, language=given.language, timezone=given.timezone, name=given.name
    )
    return await shaped(request, who)


@router.post("/setup", status_code=201, openapi_extra=takes(SetUp))
async def set_up(
    given: Annotated[SetUp, Depends(body(SetUp))],
    request: Request,
    response: Response,
    book: Book,
    visitor: Visit,
) -> SessionShape:
    """Make the first administrator with the code that the server has printed, and sign him in.
    From then on everybody must sign in."""
    account = await book.set_up(
        given.code,
        given.login,
        given.password.get_secret_value(),
        name=given.name,
        address=visitor.address,
    )
    opened = await book.door.begin(account, visitor, by="setup")
    return await entered(request, response, opened)


@router.post("/invitations/{code}", openapi_extra=takes(Acceptance))
async def accept(
    code: str,
    given: Annotated[Acceptance, Depends(body(Acceptance))],
    request: Request,
    response: Response,
    book: Book,
    visitor: Visit,
) -> SessionShape:
    """Choose a password with the code of an invitation or a reset, once, and sign in."""
    secret = given.password.get_secret_value()
    account = await book.accept(code, secret, address=visitor.address)
    former = former_session(request)
    opened = await book.door.begin(account, visitor, by="link", instead_of=former)
    return await entered(request, response, opened)


async def entered(request: Request, response: Response, opened: Opened) -> SessionShape:
    """The answer to who has just come in, with the session's cookie."""
    admit(request, response, opened)
    roles = access.entrance(request).accounts
    assert roles is not None
    who = Viewer(
        login=opened.account.login,
        roles=roles.roster.roles(opened.account),
        by="session",
        session=opened.secret,
    )
    return await shaped(request, who)


def admit(request: Request, response: Response, opened: Opened) -> None:
    """Give the browser its session's cookie."""
    into: Entrance = access.entrance(request)
    response.set_cookie(
        into.cookie(request),
        opened.secret,
        max_age=int(opened.lasts.total_seconds()),
        path="/",
        secure=into.secure(request),
        httponly=True,
        samesite="lax",
    )


def former_session(request: Request) -> str:
    """The session that the browser shows, whatever it is worth."""
    return request.cookies.get(access.entrance(request).cookie(request), "")


async def shaped(request: Request, who: Viewer | None) -> SessionShape:
    """Who asks, as he is told."""
    into = access.entrance(request)
    oidc = into.settings.access.oidc
    there = into.accounts is None or await into.accounts.required()
    about: dict[str, Any] = {"name": None, "language": None, "timezone": None}
    if who is not None and who.by in ("session", "token") and into.accounts is not None:
        account = (await into.accounts.get(who.login)).account
        about = {name: getattr(account, name) or None for name in about}
    return SessionShape(
        signed_in=who is not None and who.by in ("session", "token"),
        sign_in_required=who is None or await into.sign_in_required(),
        set_up="done" if there else "needed",
        login=None if who is None else who.login,
        roles=[] if who is None else sorted(who.roles),
        csrf=csrf_of(who.session) if who is not None and who.session else None,
        oidc=OidcShape(name=oidc.name) if oidc is not None and there else None,
        version=version("pointsman"),
        **about,
    )
