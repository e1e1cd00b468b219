"""Asks the server that owns the database, when there is one: it drives the run and must know."""

import json
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

import anyio.to_thread

from pointsman.entrypoints.cli.lock import Owner
from pointsman.errors import Conflict, InfrastructureError

SECONDS = 30.0


async def post(owner: Owner, path: str, body: dict[str, Any]) -> bool:
    """Post to the server's API; False when it knows no such thing: it serves one user's own runs.

    Raises:
        Conflict: the server refused; says why.
        InfrastructureError: it does not answer.
    """
    return await anyio.to_thread.run_sync(partial(_post, owner, path, body))


def _post(owner: Owner, path: str, body: dict[str, Any]) -> bool:
    request = Request(  # noqa: S310 - an address on loopback, from our own lock file
        owner.address + path,
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {owner.secret}",
        },
        method="POST",
    )
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=SECONDS) as answer:
            answer.read()
            return True
    except HTTPError as fault:
        if fault.code == HTTPStatus.NOT_FOUND:
            return False
        raise Conflict(_reason(fault)) from None
    except (URLError, OSError) as fault:
        reason = getattr(fault, "reason", fault)
        raise InfrastructureError(
            f"the server at {owner.address} (process {owner.pid}) does not answer: {reason}"
        ) from None


def _reason(fault: HTTPError) -> str:
    """What the server said, as one sentence."""
    try:
        body = json.loads(fault.read())
    except ValueError:
        body = None
    said = body.get("detail") or body.get("error") if isinstance(body, dict) else None
    if isinstance(said, dict):
        said = said.get("message")
    return str(said or f"the server answered {fault.code} {fault.reason}")
