"""Signing in, users and tokens, put into the application."""

from fastapi import FastAPI

from pointsman.engine.service import Service
from pointsman.entrypoints.web import accounts_api, oidc, session_api, tokens_api
from pointsman.entrypoints.web.access import KNOWN, Entrance
from pointsman.settings import Settings


def install(app: FastAPI, service: Service, settings: Settings, *, machine: str) -> None:
    """Let people come in to the application.

    Args:
        machine: what the command line beside the server shows, as bearer token; empty for nothing.
    """
    app.state.entrance = Entrance(accounts=service.accounts, settings=settings, machine=machine)
    for part in (session_api, oidc):
        app.include_router(part.router)
    for part in (accounts_api, tokens_api):
        app.include_router(part.router, dependencies=KNOWN)
