"""The directory, for administrators: who is in it, and whom a description means (O6)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pointsman.entrypoints.web.access import Admin, Engine
from pointsman.entrypoints.web.accounts.directory_shapes import (
    ContactShape,
    Description,
    Meant,
    PeopleList,
    PersonShape,
)
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes

MOST = 500
"""On one page."""

router = APIRouter(prefix="/api/directory", tags=["users"])


@router.get("", summary="The people of the directory")
async def people(
    who: Admin,
    service: Engine,
    login: Annotated[str | None, Query(max_length=255)] = None,
    q: Annotated[str, Query(max_length=200, description="Held by something of them.")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: Annotated[str | None, Query(description="As the last answer gave it.")] = None,
) -> PeopleList:
    """By login. Without a directory's file, the logins that are known."""
    found = [
        one
        for one in service.mailroom.directory.people()
        if (login is None or one.login.casefold() == login.casefold())
        and (before is None or one.login > before)
        and one.holds(q)
    ]
    page = found[:limit]
    return PeopleList(
        people=[PersonShape.of(one) for one in page],
        before=page[-1].login if len(found) > limit else None,
    )


@router.post("/find", openapi_extra=takes(Description), summary="Whom a description means")
async def find(
    who: Admin,
    given: Annotated[Description, Depends(body(Description))],
    service: Engine,
) -> Meant:
    """As for a message that you send. Nothing is sent, and nothing kept."""
    found = await service.mailroom.directory.find(given.words, asking=who.login)
    return Meant(
        people=[ContactShape.of(one) for one in found.people],
        candidates=[ContactShape.of(one) for one in found.candidates],
        departments=list(found.departments),
    )
