"""API tokens: one's own, and for administrators those of others. No token makes another: who
steals one has it until it expires, and no longer."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from pointsman.engine.accounts.users import Accounts, By
from pointsman.entrypoints.web.access import Book, Keeper, Member, acting
from pointsman.entrypoints.web.accounts.account_shapes import (
    MadeToken,
    NewToken,
    TokenList,
    TokenShape,
    given,
)
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes

router = APIRouter(prefix="/api", tags=["tokens"])


@router.get("/tokens")
async def own(who: Member, book: Book) -> TokenList:
    """One's own tokens, newest first."""
    return await _list(book, who.login)


@router.post("/tokens", status_code=201, openapi_extra=takes(NewToken))
async def make(
    who: Member, wanted: Annotated[NewToken, Depends(body(NewToken))], book: Book, request: Request
) -> MadeToken:
    """Make a token for oneself. It is shown this once."""
    return await _make(book, who.login, wanted, acting(who, request))


@router.delete("/tokens/{token}", status_code=204)
async def revoke(token: str, who: Member, book: Book, request: Request) -> None:
    """Revoke one's own token."""
    by = acting(who, request)
    await book.tokens.revoke(token, who.login, by=by.login, address=by.address)


@router.get("/users/{login}/tokens")
async def theirs(login: str, who: Keeper, book: Book) -> TokenList:
    """The tokens of a user, newest first."""
    return await _list(book, (await book.get(login)).account.login)


@router.post("/users/{login}/tokens", status_code=201, openapi_extra=takes(NewToken))
async def make_theirs(
    who: Member,
    admin: Keeper,
    login: str,
    wanted: Annotated[NewToken, Depends(body(NewToken))],
    book: Book,
    request: Request,
) -> MadeToken:
    """Make a token for a user, such as one that only programs use. It is shown this once."""
    return await _make(book, login, wanted, acting(admin, request))


@router.delete("/users/{login}/tokens/{token}", status_code=204)
async def revoke_theirs(login: str, token: str, who: Keeper, book: Book, request: Request) -> None:
    """Revoke a user's token."""
    by = acting(who, request)
    login = (await book.get(login)).account.login
    await book.tokens.revoke(token, login, by=by.login, address=by.address)


async def _list(book: Accounts, login: str) -> TokenList:
    return TokenList(tokens=[TokenShape.of(one) for one in await book.tokens.of(login)])


async def _make(book: Accounts, login: str, wanted: NewToken, by: By) -> MadeToken:
    made = await book.tokens.make(
        login,
        name=wanted.name,
        scopes=wanted.scopes,
        days=wanted.days,
        by=by.login,
        address=by.address,
    )
    return MadeToken(token=made.secret, **given(made.token))
