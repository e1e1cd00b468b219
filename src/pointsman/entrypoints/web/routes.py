"""Every route of the server, in the order in which they are tried.

They are put together once for all applications of a process: FastAPI works out the parameters of a
route again for each router that takes it in.
"""

from fastapi import APIRouter

from pointsman.entrypoints.web import channel, documents, mcp_route, operation
from pointsman.entrypoints.web.access import KNOWN
from pointsman.entrypoints.web.accounts import (
    accounts_api,
    directory_api,
    oidc,
    session_api,
    tokens_api,
)
from pointsman.entrypoints.web.console_api import (
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
from pointsman.entrypoints.web.native import (
    approvals_api,
    calendar_api,
    native_api,
    notices_api,
    reminders_api,
)
from pointsman.entrypoints.web.openai import openai_api, responses_api

ROUTES = APIRouter(generate_unique_id_function=documents.operation_id)

for _router in (
    mcp_route.router,
    # The console's pages; ahead of the routes with a run's or a conversation's id.
    acts_api.router,
    agents_api.router,
    conversations_api.router,
    evaluations_api.router,
    explain_api.router,
    intents_api.router,
    runs_api.router,
    tools_api.router,
    usage_api.router,
    openai_api.router,
    responses_api.router,
    native_api.router,
    approvals_api.router,
    notices_api.deliveries_router,
    notices_api.inbox_router,
    reminders_api.router,
    calendar_api.router,
    accounts_api.router,
    directory_api.router,
    tokens_api.router,
):
    ROUTES.include_router(_router, dependencies=KNOWN)

for _router in (channel.router, operation.router, session_api.router, oidc.router):
    ROUTES.include_router(_router)  # each of these asks for itself who calls
