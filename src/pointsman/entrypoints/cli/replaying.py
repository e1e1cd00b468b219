"""``pointsman audit replay``: recorded runs under today's agent and policy."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from pointsman import bootstrap
from pointsman.domain.record.comparison import Difference
from pointsman.engine.service import Service
from pointsman.entrypoints.cli.runs import find
from pointsman.entrypoints.cli.session import only_agent
from pointsman.entrypoints.cli.terminal import Terminal, one_line, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.replays import again
from pointsman.errors import CallerError, NotFound
from pointsman.ports import RunRecord
from pointsman.settings import Settings


async def replay(
    folder: Path,
    settings: Settings,
    terminal: Terminal,
    prefix: str | None,
    *,
    all_runs: bool,
    reclassify: bool,
    as_json: bool,
) -> int:
    """Run journaled runs again under today's agent, and print the decisions that differ."""
    if all_runs == (prefix is not None):
        raise CallerError("replay what? give a run or --all")
    if not settings.has_database:
        raise NotFound("database", str(settings.database))
    shapes: list[dict[str, Any]] = []
    async with bootstrap.opened([folder], settings) as service:
        live = service.agents.get(only_agent(service))
        await live.registry.settle()
        async for record in _replayed(service, live.spec.name, prefix):
            found, problem = await again(service, record, reclassify=reclassify)
            if not as_json:
                _print_differences(record, found, problem, terminal)
            shapes.append(
                {
                    "run": record.id,
                    "differences": msgspec.to_builtins(found),
                    "problem": problem or None,
                }
            )
    differing = sum(1 for shape in shapes if shape["differences"] or shape["problem"])
    if as_json:
        print_json(shapes)
    else:
        key = "audit.replay_differs" if differing else "audit.replay_same"
        style = "yellow" if differing else "green"
        terminal.tell(key, style, runs=len(shapes), differing=differing)
    return 1 if differing else 0


async def _replayed(service: Service, agent: str, prefix: str | None) -> AsyncIterator[RunRecord]:
    """The run that was named, or every run of the agent, newest first."""
    if prefix is not None:
        record = await find(service, prefix)
        if record.agent != agent:
            raise CallerError(f"the run is of another agent: {record.agent!r}")
        yield record
        return
    before: str | None = None
    while page := await service.runs(user=None, agent=agent, before=before, limit=200):
        for record in page:
            yield record
        before = page[-1].id


def _print_differences(
    record: RunRecord, found: list[Difference], problem: str, terminal: Terminal
) -> None:
    if not found and not problem:
        return
    terminal.answer(f"{record.id}  {one_line(record.input, 100)}", "bold")
    if problem:
        terminal.answer(f"  ✗ {problem}", "red")
    for one in found:
        about = say(f"audit.about_{one.about}", terminal.language)
        place = f"{one.call} {about}".strip()
        never = say("audit.never", terminal.language)
        terminal.answer(f"  {place}", "yellow")
        recorded, now = one_line(one.recorded, 300) or never, one_line(one.now, 300) or never
        terminal.tell("audit.recorded", decision=recorded)
        terminal.tell("audit.now", decision=now)
