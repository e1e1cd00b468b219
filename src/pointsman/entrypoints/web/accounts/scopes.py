"""Whose runs a request may see: one's own, and for operators those of all."""

from typing import Annotated, Literal

from fastapi import Depends, Query

from pointsman.entrypoints.web.access import Who
from pointsman.entrypoints.web.problems import Refusal

Scope = Literal["mine", "all"]


AllOrMine = Annotated[
    Scope,
    Query(description="`all`: those of every user, for operators. Else another's is not found."),
]


async def readable(who: Who, scope: AllOrMine = "mine") -> str | None:
    """Whose runs may be read by their ids: None for those of all.

    Raises:
        Refusal: 403.
    """
    if scope == "mine":
        return who.login
    if not who.has("operator"):
        raise Refusal(403, "this needs the role operator", code="role", field="scope")
    return None


async def listed(
    who: Who,
    scope: AllOrMine = "mine",
    user: Annotated[
        str | None, Query(description="Those of this user; of another's only with `scope=all`.")
    ] = None,
) -> str | None:
    """Whose runs are listed: None for those of all.

    Raises:
        Refusal: 403.
    """
    if await readable(who, scope) is None:
        return user
    if user not in (None, who.login):
        raise Refusal(403, "another user's need scope=all", code="role", field="user")
    return who.login


Reads = Annotated[str | None, Depends(readable)]
Lists = Annotated[str | None, Depends(listed)]
