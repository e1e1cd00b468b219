"""Who asks, and of which engine: what every route depends on."""

from typing import Annotated, cast

from fastapi import Depends, Request

from pointsman.engine.service import Service


async def current_user() -> str:
    """The login of who asks. There is no sign-in yet, so everybody who reaches the loopback
    interface is one user; nothing in a request chooses another."""
    return "local"


async def engine(request: Request) -> Service:
    """The engine behind this application."""
    return cast(Service, request.app.state.service)


User = Annotated[str, Depends(current_user)]
Engine = Annotated[Service, Depends(engine)]
