"""Whether the server can do its work now, and if not, why: for whoever sends it requests."""

import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

import anyio
from pydantic import BaseModel

from pointsman.engine.service import Service
from pointsman.errors import StoreError
from pointsman.ports.readiness import SaysWhetherReady

log = logging.getLogger("pointsman.web")

PATIENCE = 3.0
"""Seconds for each check."""
STARTING = 1.0
"""Seconds that tool sources get which are not ready yet: some begin when they are first asked."""


class Check(BaseModel):
    """One thing that the server uses: ``problem`` is empty when it is there. One that is not
    ``needed`` may be away: a tool server that has failed leaves the rest of the work to do."""

    name: str
    ok: bool
    problem: str = ""
    needed: bool = True


class Readiness(BaseModel):
    """Whether the server is ready, and what that was read from."""

    ready: bool
    checks: list[Check]


async def look(service: Service, *, closing: bool, drives: bool) -> Readiness:
    """How it stands.

    Args:
        closing: the server is being stopped.
        drives: runs are driven in this process too.
    """
    checks = [_check("server", "it is stopping" if closing else "")]
    checks.append(_check("database", await _timely("the database", _database, service)))
    await _settle(service)
    checks += [
        _of_source(f"tools of {live.spec.name}: {source.name}", source.state())
        for live in service.agents
        for source in live.registry.sources
    ]
    if not drives:
        checks.append(_check("workers", await _timely("the queue", _workers, service)))
    ready = all(check.ok for check in checks if check.needed)
    return Readiness(ready=ready, checks=checks)


async def _settle(service: Service) -> None:
    async with anyio.create_task_group() as tasks:
        for live in service.agents:
            for source in live.registry.sources:
                if source.state() != "ready":
                    tasks.start_soon(source.settle, STARTING)


def _of_source(name: str, state: str) -> Check:
    problem = "" if state == "ready" else state
    return Check(name=name, ok=not problem, problem=problem, needed=state == "starting")


def _check(name: str, problem: str) -> Check:
    return Check(name=name, ok=not problem, problem=problem)


async def _timely(what: str, check: Callable[[Service], Awaitable[str]], service: Service) -> str:
    try:
        with anyio.fail_after(PATIENCE):
            return await check(service)
    except TimeoutError:
        return f"{what} does not answer"
    except StoreError as fault:
        log.warning("not ready: %s", fault)
        return f"{what} failed; the server's log says more"


async def _database(service: Service) -> str:
    store = service.store
    if isinstance(store, SaysWhetherReady):
        return await store.unready()
    await store.record("0" * 32)
    return ""


async def _workers(service: Service) -> str:
    state = await service.workers()
    if state is None or any(worker.alive for worker in state.workers):
        return ""
    heard = max((worker.heard for worker in state.workers), default=None)
    since = timedelta(seconds=round((service.now() - heard).total_seconds())) if heard else None
    return "no worker is alive" + (f" since {since}" if since else "")
