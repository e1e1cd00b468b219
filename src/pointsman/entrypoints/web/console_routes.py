"""The routes behind the console's pages, and what is behind them."""

from fastapi import FastAPI

from pointsman.engine.service import Service
from pointsman.entrypoints.web import (
    acts_api,
    agents_api,
    conversations_api,
    evaluations_api,
    explain_api,
    intents_api,
    runs_api,
    tools_api,
    usage_api,
)
from pointsman.entrypoints.web.access import KNOWN
from pointsman.entrypoints.web.backstage import Backstage

ROUTERS = (
    acts_api.router,
    agents_api.router,
    conversations_api.router,
    evaluations_api.router,
    explain_api.router,
    intents_api.router,
    runs_api.router,
    tools_api.router,
    usage_api.router,
)


def install(app: FastAPI, service: Service) -> Backstage:
    """Add them; ahead of the routes with a run's or a conversation's id."""
    behind = app.state.backstage = Backstage(service)
    for router in ROUTERS:
        app.include_router(router, dependencies=KNOWN)
    return behind
