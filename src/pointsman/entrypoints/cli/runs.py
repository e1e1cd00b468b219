"""``pointsman runs``: what the journal holds, and a person's hand on it. Works on the database,
with or without a server beside it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pointsman import bootstrap
from pointsman.domain.masking import masked_events
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine.service import Recorded, Service
from pointsman.entrypoints import graphs
from pointsman.entrypoints.cli import lock, server_api
from pointsman.entrypoints.cli.render import advance, local, print_runs, story, tokens
from pointsman.entrypoints.cli.shapes import event_shape, record_shape, run_shape
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.errors import CallerError, Conflict, JournalCorrupt, NotFound
from pointsman.ports import RunRecord
from pointsman.settings import Settings

CANDIDATES = 5
RETRIES = 5
"""How often a cancel is tried against another process that appends to the run at the same time."""


@asynccontextmanager
async def journal_of(settings: Settings) -> AsyncIterator[Service]:
    """The engine without agents, on a database that exists.

    Raises:
        NotFound: there is no database.
    """
    if not settings.has_database:
        raise NotFound("database", str(settings.database))
    async with bootstrap.opened([], settings) as service:
        yield service


async def list_runs(
    settings: Settings,
    terminal: Terminal,
    *,
    status: list[RunStatus],
    agent: str | None,
    user: str | None,
    conversation: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """Print runs, newest first."""
    found: list[RunRecord] = []
    if settings.has_database:
        async with bootstrap.opened([], settings) as service:
            found = await service.runs(
                user=user,
                agent=agent,
                conversation=conversation,
                status=tuple(status),
                limit=limit,
            )
    if as_json:
        print_json([record_shape(record) for record in found])
    elif found:
        print_runs(found, terminal)
    else:
        terminal.mention("runs.none", place=settings.database)
    return 0


async def find(service: Service, prefix: str) -> RunRecord:
    """The run whose id starts so.

    Raises:
        NotFound: none does.
        CallerError: several do.
    """
    prefix = prefix.strip().lower()
    # "g" sorts after every hexadecimal digit: the newest ids below are those with the prefix.
    newest = await service.runs(user=None, before=prefix + "g", limit=CANDIDATES)
    found = [record for record in newest if prefix and record.id.startswith(prefix)]
    if not found:
        raise NotFound("run", prefix)
    if len(found) > 1:
        raise CallerError(
            f"several runs start with {prefix!r}: {', '.join(record.id for record in found)}"
        )
    return found[0]


async def show(
    settings: Settings, terminal: Terminal, prefix: str, *, as_json: bool, reveal: bool = False
) -> int:
    """Print the story of a run, and whether its journal holds."""
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        trace = await service.trace(record.id, None)
        if not reveal:
            trace = masked(trace)
        broken = ""
        try:
            await service.run(record.id, None)
        except JournalCorrupt as fault:
            broken = str(fault)
        if as_json:
            run: Run | None = None
            for recorded in trace:
                run = advance(run, record.id, recorded.event)
            assert run is not None
            events = [event_shape(recorded) for recorded in trace]
            print_json({**run_shape(run), "verified": not broken, "events": events})
            return 1 if broken else 0
    _print_head(record, terminal)
    for line in story(record.id, trace, terminal.language):
        terminal.answer(line.text, line.style)
    terminal.answer("")
    terminal.tell("runs.usage", tokens=tokens(record.usage, terminal.language))
    if broken:
        terminal.tell("runs.broken", "red", problem=broken)
        return 1
    terminal.tell("runs.verified", "dim", count=len(trace))
    return 0


async def graph(
    settings: Settings, terminal: Terminal, prefix: str, *, as_json: bool, reveal: bool = False
) -> int:
    """Print the tasks that a request was split into, as they stand.

    Raises:
        NotFound: there is no such run, or it was not split.
    """
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        trace, now = await service.trace(record.id, None), service.now()
    run: Run | None = None
    for recorded in trace if reveal else masked(trace):
        run = advance(run, record.id, recorded.event)
    assert run is not None
    shaped = graphs.shape(run, terminal.language, now)
    if as_json:
        print_json(shaped)
    else:
        terminal.answer(shaped["text"])
    return 0


def masked(trace: list[Recorded]) -> list[Recorded]:
    """The events as a view may show them."""
    shown = masked_events([recorded.event for recorded in trace])
    return [
        Recorded(position=recorded.position, event=event)
        for recorded, event in zip(trace, shown, strict=True)
    ]


def _print_head(record: RunRecord, terminal: Terminal) -> None:
    terminal.tell(
        "runs.head",
        "bold",
        run=record.id,
        status=say(f"status.{record.status.value}", terminal.language),
        agent=record.agent,
        user=record.user,
        conversation=record.conversation,
        created=local(record.created),
    )


async def cancel(settings: Settings, terminal: Terminal, prefix: str, *, reason: str) -> int:
    """Stop a run, through the server that drives it when there is one."""
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        if record.status.ended:
            raise Conflict(f"run {record.id} has ended already ({record.status.value})")
        if await _told(settings, f"/api/runs/{record.id}/cancel?scope=all", {"reason": reason}):
            status = (await service.record(record.id, None)).status
        else:
            status = await _cancel_here(service, record.id, reason)
    if status is not RunStatus.CANCELLED:
        raise Conflict(f"run {record.id} is {status.value}")
    terminal.tell("runs.cancelled", run=record.id)
    return 0


async def resume(
    settings: Settings, terminal: Terminal, prefix: str, *, by: str, reason: str
) -> int:
    """Let a parked run go on: by the workers of its database, its server, or the next start."""
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        await service.unpark(record.id, None, by=by, reason=reason)
        shared = service.shares
    terminal.tell("runs.resumed", run=record.id)
    if not shared and not await _told(settings, f"/api/runs/{record.id}/resume?scope=all", {}):
        terminal.mention("runs.goes_on_later")
    return 0


async def _told(settings: Settings, path: str, body: dict[str, str]) -> bool:
    """Whether there is a server of this database that did it."""
    owner = lock.owner_of(settings.database)
    return owner is not None and bool(owner.address) and await server_api.post(owner, path, body)


async def _cancel_here(service: Service, run: str, reason: str) -> RunStatus:
    """Journal the cancel; a process that drives the run meanwhile finds that it lost it."""
    status = RunStatus.RUNNING
    for _ in range(RETRIES):
        status = (await service.cancel(run, None, reason=reason)).status
        if status.ended:
            break
    return status
