"""Who asks, and of which engine: what every route depends on."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, cast

from fastapi import Depends, Request
from msgspec import Struct

from pointsman.engine.service import Service
from pointsman.entrypoints.web.problems import Refusal

Role = Literal["user", "approver", "operator", "admin"]


class Viewer(Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        login: what everything of his belongs to.
        roles: what he may do besides. An operator sees the runs of all and what the machinery
            does; an admin may do all, and minds the users.
    """

    login: str
    roles: frozenset[str] = frozenset({"user"})

    def has(self, role: Role) -> bool:
        """Whether he may do what this role may."""
        return role in self.roles or "admin" in self.roles


async def viewer() -> Viewer:
    """There is no sign-in yet, so everybody who reaches the loopback interface is one user, who
    minds the machine; nothing in a request chooses another."""
    return Viewer(login="local", roles=frozenset({"user", "approver", "operator", "admin"}))


async def current_user(who: Annotated[Viewer, Depends(viewer)]) -> str:
    """The login of who asks."""
    return who.login


def needs(role: Role) -> Callable[..., Awaitable[Viewer]]:
    """A dependency that lets only those pass who have the role.

    Raises (when asked):
        Refusal: 403.
    """

    async def checked(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
        if not who.has(role):
            raise Refusal(403, f"this needs the role {role}", code="role")
        return who

    return checked


async def engine(request: Request) -> Service:
    """The engine behind this application."""
    return cast(Service, request.app.state.service)


User = Annotated[str, Depends(current_user)]
Who = Annotated[Viewer, Depends(viewer)]
Operator = Annotated[Viewer, Depends(needs("operator"))]
Admin = Annotated[Viewer, Depends(needs("admin"))]
Engine = Annotated[Service, Depends(engine)]
