"""How the server is, for machines that watch it: alive, ready, and in figures."""

import hmac
import logging
from collections import Counter
from importlib.metadata import version
from ipaddress import ip_address
from typing import cast

import anyio
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from pointsman.adapters.telemetry.figures import CONTENT_TYPE, Figures
from pointsman.domain.runs import RunStatus
from pointsman.engine import switches
from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import Engine, viewer
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.readiness import Readiness, look
from pointsman.errors import StoreError
from pointsman.ports import KeepsNotices
from pointsman.ports.readiness import CountsDeliveries
from pointsman.ports.reminding import KeepsReminders

log = logging.getLogger("pointsman.web")

PATIENCE = 5.0
"""Seconds for what is looked up in the database."""
MOST = 10_000
"""Open runs that are counted."""

router = APIRouter(tags=["operation"])


class Alive(BaseModel):
    """The server answers."""

    status: str
    version: str


@router.get("/healthz", summary="Whether the server is alive")
async def healthz() -> Alive:
    """Whether the process answers. Looks at nothing else: a database that rests is no reason to
    start the server anew."""
    return Alive(status="ok", version=version("pointsman"))


@router.get(
    "/readyz",
    summary="Whether the server is ready",
    responses={503: {"model": Readiness, "description": "It is not; ``checks`` says why."}},
)
async def readyz(request: Request, service: Engine, response: Response) -> Readiness:
    """Whether the server can do its work: the database answers and has the schema of this release,
    no tool source is starting, and somebody drives the runs. Whoever may not read the
    figures is not told why."""
    state = request.app.state
    found = await look(service, closing=state.closing.is_set(), drives=state.drives)
    if not found.ready:
        response.status_code = 503
    if not await _may_look(request):
        for check in found.checks:
            check.problem = check.problem and "not ready"
    return found


@router.get(
    "/metrics",
    summary="The figures, for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, service: Engine) -> Response:
    """What this process has done since it started, and what waits. For operators, programs on this
    machine, and whoever shows the token of the settings."""
    if not await _may_look(request):
        raise Refusal(403, "the figures are for operators", code="role")
    figures = cast(Figures, request.app.state.figures)
    figures.gauge("channels", "Open channels.", sum(request.app.state.sockets.values()))
    with anyio.move_on_after(PATIENCE):
        for part in (_queue, _outbox, _reminders, _breakers):
            try:
                await part(service, figures)
            except StoreError as fault:
                log.warning("some figures could not be looked up: %s", fault)
    return Response(figures.text(), headers={"content-type": CONTENT_TYPE})


async def _queue(service: Service, figures: Figures) -> None:
    waiting = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.PARKED)
    open_runs = await service.runs(user=None, status=waiting, limit=MOST)
    by_status = Counter(record.status.value for record in open_runs)
    values = {status.value: float(by_status[status.value]) for status in waiting}
    figures.gauge("runs_open", f"Runs that are not over, up to {MOST}.", values, label="status")
    if (state := await service.workers()) is not None:
        figures.gauge("queue_waiting", "Conversations without a worker.", state.waiting)
        alive = sum(worker.alive for worker in state.workers)
        figures.gauge("workers_alive", "Workers that are alive.", alive)


async def _outbox(service: Service, figures: Figures) -> None:
    store = service.store
    if isinstance(store, KeepsNotices) and isinstance(store.outbox, CountsDeliveries):
        counts = await store.outbox.counts()
        values = {status.value: float(count) for status, count in counts.items()}
        figures.gauge("outbox_waiting", "Deliveries that are not over.", values, label="status")


async def _reminders(service: Service, figures: Figures) -> None:
    store = service.store
    if isinstance(store, KeepsReminders):
        due = await store.reminders.next_due()
        late = 0.0 if due is None else max((service.now() - due).total_seconds(), 0.0)
        figures.gauge("reminders_late_seconds", "How long one that is due has waited.", late)


async def _breakers(service: Service, figures: Figures) -> None:
    unwell = (await switches.states(service.store)).unwell
    values = {tool: float(state.mode != "closed") for tool, state in unwell.items()}
    figures.gauge("breaker_open", "1 for a tool that is left alone.", values, label="tool")


async def _may_look(request: Request) -> bool:
    """Whether figures are for whoever asks: an operator, a program on this machine that no proxy
    speaks for, or one that shows the token."""
    token = request.app.state.settings.serving.metrics_token
    shown = request.headers.get("authorization", "")
    if token and hmac.compare_digest(shown.encode(), f"Bearer {token}".encode()):
        return True
    forwarded = any(name in request.headers for name in _FORWARDED)
    if not forwarded and request.client and ip_address(request.client.host).is_loopback:
        return True
    try:
        return (await viewer(request)).has("operator")
    except Refusal:
        return False


_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
