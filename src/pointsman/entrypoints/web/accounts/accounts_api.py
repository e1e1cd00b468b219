"""Users, for administrators: invite, change, reset, end sessions; and the security log."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from pointsman.entrypoints.links import invitation
from pointsman.entrypoints.web.access import Book, Keeper, acting
from pointsman.entrypoints.web.accounts.account_shapes import (
    Ended,
    EntryList,
    EntryShape,
    Invited,
    LinkShape,
    NewUser,
    UserChange,
    UserList,
    UserShape,
)
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes

router = APIRouter(prefix="/api", tags=["users"])


@router.get("/users")
async def users(who: Keeper, book: Book) -> UserList:
    """All users, by login."""
    return UserList(users=[UserShape.of(one) for one in await book.all()])


@router.post("/users", status_code=201, openapi_extra=takes(NewUser))
async def add(
    who: Keeper, given: Annotated[NewUser, Depends(body(NewUser))], book: Book, request: Request
) -> Invited:
    """Invite somebody. Give him the link: with it he chooses his password."""
    made, code = await book.add(
        given.login,
        name=given.name,
        roles=given.roles,
        source=given.source,
        by=acting(who, request),
    )
    user = UserShape.of(await book.get(made.login))
    return Invited(user=user, invitation=invitation(code) if code else None)


@router.patch("/users/{login}", openapi_extra=takes(UserChange))
async def change(
    who: Keeper,
    login: str,
    given: Annotated[UserChange, Depends(body(UserChange))],
    book: Book,
    request: Request,
) -> UserShape:
    """Change a user's roles, name or state. The last administrator stays one (409)."""
    await book.change(
        login,
        name=given.name,
        roles=given.roles,
        state=given.state,
        by=acting(who, request),
    )
    return UserShape.of(await book.get(login))


@router.post("/users/{login}/reset")
async def reset(login: str, who: Keeper, book: Book, request: Request) -> LinkShape:
    """A link by which the user chooses another password. The old one is over at once."""
    return LinkShape(link=invitation(await book.reset(login, by=acting(who, request))))


@router.delete("/users/{login}/sessions")
async def end_sessions(login: str, who: Keeper, book: Book, request: Request) -> Ended:
    """End all sessions of a user."""
    return Ended(ended=await book.end_sessions(login, by=acting(who, request)))


@router.get("/audit/accounts")
async def entries(
    who: Keeper,
    book: Book,
    login: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> EntryList:
    """The security log, newest first: sign-ins, failures, changes of roles, tokens."""
    found = await book.entries(login=login, limit=limit + 1, before=before)
    page = found[:limit]
    return EntryList(
        entries=[EntryShape.of(one) for one in page],
        before=page[-1].seq if len(found) > limit else None,
    )
