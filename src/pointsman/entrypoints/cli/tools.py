"""``pointsman tools``: what an agent can call, and one call made by hand through the same gate."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from pointsman import agentfile, bootstrap
from pointsman.adapters.system import SystemClock
from pointsman.domain.calls import CallState
from pointsman.domain.policy import assess
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.sentences import plain_answer
from pointsman.domain.tools import ResultStatus, ToolSpec
from pointsman.engine.agents import LiveAgent
from pointsman.engine.trial import ORIGIN
from pointsman.entrypoints.cli.ask import CODES
from pointsman.entrypoints.cli.foreground import foreground
from pointsman.entrypoints.cli.screen import Screen
from pointsman.entrypoints.cli.session import Session, Show, confirmations, driven
from pointsman.entrypoints.cli.shapes import run_shape
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.settings import Settings

READY = "ready"


@asynccontextmanager
async def settled(folder: Path) -> AsyncIterator[LiveAgent]:
    """The agent with every tool source started, or known to have failed. No database is touched."""
    live = bootstrap.folder_agent(agentfile.load(folder), SystemClock())
    try:
        await live.open()
        await live.registry.settle()
        yield live
    finally:
        with anyio.CancelScope(shield=True):
            await live.aclose()


async def list_tools(folder: Path, terminal: Terminal, *, as_json: bool) -> int:
    """Print the tools of an agent and how their sources are."""
    async with settled(folder) as live:
        sources = {source.name: source.state() for source in live.registry.sources}
        specs = live.registry.specs
        gates = {spec.name: assess(spec, live.rules).verdict for spec in specs}
    if as_json:
        print_json(
            {
                "agent": live.spec.name,
                "sources": [
                    {"name": name, "state": state, "ready": state == READY}
                    for name, state in sources.items()
                ],
                "tools": [_shape(spec, gates[spec.name]) for spec in specs],
            }
        )
        return 0
    heads = ["tool", "source", "risk", "gate", "required", "title"]
    rows = [
        [
            spec.name,
            spec.source,
            say(f"risk.{spec.risk.value}", terminal.language),
            say(f"gate.{gates[spec.name]}", terminal.language),
            ", ".join(_required(spec)),
            spec.title,
        ]
        for spec in specs
    ]
    terminal.table(heads, rows)
    for name, state in sources.items():
        ready = state == READY
        word = say("source.ready", terminal.language) if ready else state
        terminal.note(f"{'✓' if ready else '✗'} {name}: {word}", "green" if ready else "red")
    return 0


def _required(spec: ToolSpec) -> list[str]:
    required = spec.parameters.get("required", [])
    return [str(name) for name in required] if isinstance(required, list) else []


def _shape(spec: ToolSpec, gate: str) -> dict[str, Any]:
    return {
        "name": spec.name,
        "source": spec.source,
        "original": spec.original,
        "title": spec.title,
        "description": spec.description,
        "risk": spec.risk.value,
        "gate": gate,
        "required": _required(spec),
        "parameters": spec.parameters,
        "timeout": spec.timeout,
        "idempotent": spec.idempotent,
    }


def call(
    folder: Path,
    tool: str,
    arguments: str,
    settings: Settings,
    terminal: Terminal,
    *,
    user: str,
    yes: bool,
    as_json: bool,
) -> int:
    """Carry one call through validation, gate and executor, journaled as a run of its own."""
    screen = Screen(terminal, steps=True, live=False, replies=not as_json)
    with foreground(_trial(folder, settings, user=user, show=screen.show)) as front:
        run = front.carry(partial(front.session.say, f"{tool} {arguments}"))
        while waiting := confirmations(run):
            approved = yes or _confirmed(waiting[0], terminal)
            run = front.carry(partial(front.session.decide, waiting[0], approved=approved))
    if as_json:
        print_json(run_shape(run))
    if run.status is RunStatus.WAITING:
        terminal.mention("wait.role", run=run.id)
    return _code(run)


@asynccontextmanager
async def _trial(
    folder: Path, settings: Settings, *, user: str, show: Show
) -> AsyncIterator[Session]:
    async with driven(folder, settings) as service:
        yield Session(service, user=user, show=show, origin=ORIGIN)


def _confirmed(call: CallState, terminal: Terminal) -> bool:
    """Whether the person at the terminal says yes; nobody there is a no."""
    assert call.approval is not None
    terminal.note(call.approval.question, "yellow")
    try:
        return plain_answer(sys.stdin.readline()) is True
    except KeyboardInterrupt:
        return False


def _code(run: Run) -> int:
    """0 when the tool succeeded, 2 when the call was at fault, 3 when it failed or was refused."""
    calls = (*run.past, *run.calls)
    if run.status is not RunStatus.DONE or not calls or calls[0].result is None:
        return CODES[run.status]
    status = calls[0].result.status
    return {ResultStatus.OK: 0, ResultStatus.REJECTED: 2}.get(status, 3)
