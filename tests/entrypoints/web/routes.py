"""Who may ask which route. A route that is not here fails ``test_every_route_as_every_role``.

``open``      everybody, also who has not signed in
``user``      every user; a token needs the scope chat
``who``       every user, and operators for all; a token needs chat, operate or admin
``look``      every user; a token needs chat or approve
``decide``    every user (what he may decide is the desk's to say); a token needs approve
``operator``  operators and administrators; a token needs operate or admin
``keeper``    administrators; a token needs admin
``member``    who has signed in himself in a browser; no token
``keeping``   administrators who have signed in themselves
"""

from collections.abc import Iterator, Sequence

from fastapi import FastAPI
from starlette.routing import BaseRoute

ROUTES: dict[str, str] = {
    "GET /api/openapi.json": "open",
    "GET /healthz": "open",
    "GET /readyz": "open",
    "GET /metrics": "open",
    "GET /api/session": "open",
    "POST /api/session": "open",
    "DELETE /api/session": "open",
    "POST /api/setup": "open",
    "POST /api/invitations/{code}": "open",
    "GET /api/session/oidc": "open",
    "GET /api/session/oidc/callback": "open",
    "PATCH /api/session": "member",
    "GET /api/tokens": "member",
    "POST /api/tokens": "member",
    "DELETE /api/tokens/{token}": "member",
    "GET /api/users": "keeper",
    "POST /api/users": "keeper",
    "PATCH /api/users/{login}": "keeper",
    "POST /api/users/{login}/reset": "keeper",
    "DELETE /api/users/{login}/sessions": "keeper",
    "GET /api/audit/accounts": "keeper",
    "GET /api/directory": "keeper",
    "POST /api/directory/find": "keeper",
    "GET /api/users/{login}/tokens": "keeper",
    "POST /api/users/{login}/tokens": "keeping",
    "DELETE /api/users/{login}/tokens/{token}": "keeper",
    "POST /v1/chat/completions": "user",
    "GET /v1/models": "user",
    "GET /v1/models/{name}": "user",
    "POST /v1/responses": "user",
    "GET /v1/responses/{response}": "user",
    "POST /v1/responses/{response}/cancel": "user",
    "DELETE /v1/responses/{response}": "user",
    "GET /api/acts": "operator",
    "GET /api/agents": "user",
    "POST /api/messages": "user",
    "GET /api/conversations": "user",
    "GET /api/conversations/{conversation}": "user",
    "PATCH /api/conversations/{conversation}": "user",
    "DELETE /api/conversations/{conversation}": "user",
    "GET /api/conversations/{conversation}/export": "user",
    "GET /api/runs": "who",
    "GET /api/runs/histogram": "who",
    "GET /api/runs/{run}": "who",
    "GET /api/runs/{run}/graph": "who",
    "GET /api/runs/{run}/trace": "who",
    "GET /api/runs/{run}/events": "who",
    "GET /api/runs/{run}/results/{result}": "who",
    "GET /api/runs/{run}/explain": "who",
    "POST /api/runs/{run}/cancel": "who",
    "POST /api/runs/{run}/resume": "who",
    "POST /api/runs/{run}/rate": "user",
    "POST /api/runs/{run}/replay": "operator",
    "POST /api/runs/{run}/case": "operator",
    "GET /api/tools": "operator",
    "POST /api/tools/{agent}/{tool}/try": "operator",
    "POST /api/tools/{agent}/{tool}/switch": "operator",
    "GET /api/agents/{agent}/files": "operator",
    "GET /api/agents/{agent}/draft": "operator",
    "PUT /api/agents/{agent}/draft": "keeper",
    "DELETE /api/agents/{agent}/draft": "keeper",
    "POST /api/agents/{agent}/draft/check": "keeper",
    "POST /api/agents/{agent}/draft/try": "keeper",
    "POST /api/agents/{agent}/draft/publish": "keeper",
    "GET /api/agents/{agent}/versions": "operator",
    "GET /api/agents/{agent}/versions/{number}": "operator",
    "POST /api/agents/{agent}/versions/{number}/restore": "keeper",
    "GET /api/agents/{agent}/intents": "operator",
    "POST /api/agents/{agent}/intents/{intent}/examples": "keeper",
    "POST /api/agents/{agent}/classify": "operator",
    "GET /api/agents/{agent}/confusions": "operator",
    "GET /api/evaluations": "operator",
    "POST /api/evaluations": "operator",
    "GET /api/evaluations/{evaluation}": "operator",
    "GET /api/evaluations/{evaluation}/compare/{other}": "operator",
    "GET /api/usage": "user",
    "GET /api/usage/report": "who",
    "GET /mcp": "user",
    "POST /mcp": "user",
    "DELETE /mcp": "user",
    "GET /api/calendar": "user",
    "GET /api/reminders": "user",
    "POST /api/reminders": "user",
    "POST /api/reminders/preview": "user",
    "GET /api/reminders/{reminder}": "user",
    "PATCH /api/reminders/{reminder}": "user",
    "POST /api/reminders/{reminder}/snooze": "user",
    "POST /api/reminders/{reminder}/pause": "user",
    "POST /api/reminders/{reminder}/resume": "user",
    "POST /api/reminders/{reminder}/cancel": "user",
    "GET /api/approvals": "look",
    "GET /api/approvals/{approval}": "look",
    "POST /api/approvals": "decide",
    "POST /api/approvals/{approval}": "decide",
    "POST /api/approvals/{approval}/take-over": "decide",
    "POST /api/deliveries": "user",
    "GET /api/deliveries": "user",
    "GET /api/deliveries/{delivery}": "user",
    "POST /api/deliveries/{delivery}/retry": "user",
    "GET /api/inbox": "user",
    "GET /api/inbox/unread": "user",
    "POST /api/inbox/read": "user",
    "POST /api/inbox/{message}/read": "user",
    "GET /api/inbox/events": "user",
    "WEBSOCKET /api/channel": "who",
}

LETS_IN: dict[str, str] = {
    "open": "nobody user approver operator admin chat approve operate administer machine",
    "user": "user approver operator admin chat machine",
    "who": "user approver operator admin chat operate administer machine",
    "look": "user approver operator admin chat approve machine",
    "decide": "user approver operator admin approve machine",
    "operator": "operator admin operate administer machine",
    "keeper": "admin administer",
    "member": "user approver operator admin",
    "keeping": "admin",
}
"""For each kind of route, who is let in: signed in with a role, by a token of a scope whose owner
has all roles, or the command line beside the server."""

VISITORS = LETS_IN["open"].split()


def routes_of(app: FastAPI) -> Iterator[str]:
    """Every route of the application, as ``METHOD /path``."""
    yield from _routes(app.routes, "")


def _routes(routes: Sequence[BaseRoute], prefix: str) -> Iterator[str]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            context = route.include_context  # type: ignore[attr-defined]  # FastAPI's own
            yield from _routes(included.routes, prefix + context.prefix)
            continue
        path = prefix + route.path  # type: ignore[attr-defined]  # of every kind that we have
        methods = getattr(route, "methods", None) or {"WEBSOCKET"}
        yield from (f"{method} {path}" for method in sorted(set(methods) - {"HEAD"}))
