"""``pointsman approvals``: what waits for a person, and the person's word on it.

A decision is journaled here, by whoever the command names; the run goes on in the server of the
database when there is one, else here when the agent's folder is known.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pointsman import bootstrap
from pointsman.adapters.system import SystemClock
from pointsman.domain import approval_texts
from pointsman.domain.approvals import USER, Approval, Refusal
from pointsman.domain.record.explanation import explain
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.domain.text import one_line
from pointsman.engine.approvals.asked import Asked, run_of
from pointsman.engine.approvals.desk import Verdict
from pointsman.engine.service import Recorded, Service
from pointsman.entrypoints.approvals import shape
from pointsman.entrypoints.cli import lock, server_api
from pointsman.entrypoints.cli.ask import CODES
from pointsman.entrypoints.cli.render import SHOWN_ID, call_line, local
from pointsman.entrypoints.cli.runs import find, journal_of
from pointsman.entrypoints.cli.screen import Screen
from pointsman.entrypoints.cli.session import driven, only_agent, watch
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.errors import CallerError, Conflict, Forbidden, NotDecided, NotFound
from pointsman.ports import News
from pointsman.settings import Settings

WRONG_USE = 2

Act = Callable[[Service, Approval], Awaitable[Run]]


async def list_approvals(
    settings: Settings, terminal: Terminal, *, by: str | None, as_json: bool
) -> int:
    """Print what waits for a decision, newest first."""
    found: list[Asked] = []
    if settings.has_database:
        async with bootstrap.opened([], settings) as service:
            found = await service.desk.waiting(by)
    if as_json:
        print_json([shape(one) for one in found])
    elif found:
        _print_table(found, terminal)
    else:
        terminal.mention("approvals.none")
    return 0


def _print_table(found: list[Asked], terminal: Terminal) -> None:
    now, language = SystemClock().now(), terminal.language

    def span(seconds: float) -> str:
        for unit, size in (("span.days", 86_400), ("span.hours", 3_600), ("span.minutes", 60)):
            if seconds >= 2 * size:
                return say(unit, language, count=int(seconds // size))
        return say("span.seconds", language, count=max(int(seconds), 0))

    heads = ["id", "risk", "tool", "user", "by", "age", "expires"]
    rows = [
        [
            _short(one.approval.id),
            say(f"risk.{one.call.risk.value}", language),
            one.call.tool,
            one.approval.requester,
            one.approval.by,
            span((now - one.approval.asked).total_seconds()),
            span((one.approval.expires - now).total_seconds()),
        ]
        for one in found
    ]
    terminal.table(heads, rows)


def _short(approval: str) -> str:
    """The id cut to what is unique in practice; every command takes it."""
    run, _, own = approval.partition(".")
    return f"{run[:SHOWN_ID]}.{own}"


async def show(
    settings: Settings, terminal: Terminal, given: str, *, reveal: bool, as_json: bool
) -> int:
    """Print one approval: what, why, where the values come from, who decides."""
    async with journal_of(settings) as service:
        approval = await _named(service, given, waiting=False)
        asked = await service.desk.find(approval.id, None, reveal=reveal)
    if as_json:
        print_json(shape(asked))
        return 0
    run, call, language = asked.run, asked.call, terminal.language
    terminal.tell(
        "approvals.head",
        id=approval.id,
        text=_standing(asked, terminal),
        call=call_line(call.tool, call.arguments, 1000),
        risk=say(f"risk.{call.risk.value}", language),
        agent=run.agent,
        user=asked.approval.requester,
        why=one_line(run.input, 1000),
    )
    terminal.tell(
        "approvals.asked",
        asked=local(asked.approval.asked),
        expires=local(asked.approval.expires),
        by=asked.approval.requester if asked.approval.by == USER else asked.approval.by,
        rule=call.rule,
    )
    told = explain(run.id, asked.events, language)
    for sentence in next(one.sentences for one in told.calls if one.call == call.key):
        terminal.answer(f"  {sentence}")
    for one in asked.refused:
        words = {"by": one.by, "call": one.call, "wanted": one.wanted, "kind": one.kind}
        terminal.tell("explain.vain", **words)
    return 0


def _standing(asked: Asked, terminal: Terminal) -> str:
    language = terminal.language
    return approval_texts.for_user(asked.approval, asked.call.tool, language, reader="")


async def decide(
    settings: Settings,
    terminal: Terminal,
    given: str,
    *,
    approved: bool,
    by: str,
    reason: str,
    folder: Path | None,
    as_json: bool = False,
) -> int:
    """Approve or deny a waiting call."""

    async def act(service: Service, approval: Approval) -> Run:
        verdict: Verdict = "approved" if approved else "denied"
        return await service.desk.decide(
            run_of(approval.id), approval.id, verdict, by=by, reason=reason
        )

    return await _acted(settings, terminal, given, act, folder, as_json=as_json)


async def edit(
    settings: Settings,
    terminal: Terminal,
    given: str,
    arguments: str,
    *,
    by: str,
    reason: str,
    folder: Path,
    as_json: bool = False,
) -> int:
    """Approve a waiting call with other arguments."""
    read = _object(arguments)

    async def act(service: Service, approval: Approval) -> Run:
        return await service.desk.edit(approval.id, read, by=by, reason=reason)

    return await _acted(settings, terminal, given, act, folder, with_agent=True, as_json=as_json)


async def take_over(
    settings: Settings,
    terminal: Terminal,
    given: str,
    *,
    result: str,
    reply: str,
    by: str,
    reason: str,
    folder: Path | None,
    as_json: bool = False,
) -> int:
    """Give the result of a waiting call, or the reply, by hand."""

    async def act(service: Service, approval: Approval) -> Run:
        return await service.desk.take_over(
            approval.id, by=by, result=result, reply=reply, reason=reason
        )

    return await _acted(settings, terminal, given, act, folder, as_json=as_json)


async def _acted(
    settings: Settings,
    terminal: Terminal,
    given: str,
    act: Act,
    folder: Path | None,
    *,
    with_agent: bool = False,
    as_json: bool = False,
) -> int:
    """Do it; then the run goes on in the server, else here with the agent, else later."""
    async with journal_of(settings) as service:
        approval = await _named(service, given, waiting=True)
    owner = lock.owner_of(settings.database)
    served = owner if owner and owner.address else None
    if served is None and folder is not None:
        return await _acted_here(settings, terminal, approval, act, folder, as_json=as_json)
    agents = [folder] if folder and with_agent else []
    async with bootstrap.opened(agents, settings) as service:
        run = await _tried(act, service, approval, terminal)
        if run is None:
            return WRONG_USE
        await _tell(service, terminal, approval, as_json=as_json)
        shared = service.shares
    path = f"/api/runs/{run.id}/resume?scope=all"
    taken_up = shared or (served is not None and await server_api.post(served, path, {}))
    if not run.rests:
        terminal.mention("runs.goes_on_there" if taken_up else "runs.goes_on_later")
    return 0


async def _acted_here(
    settings: Settings,
    terminal: Terminal,
    approval: Approval,
    act: Act,
    folder: Path,
    *,
    as_json: bool,
) -> int:
    async with driven(folder, settings) as service:
        record = await service.record(run_of(approval.id), None)
        if only_agent(service) != record.agent:
            raise CallerError(f"the run is of another agent: {record.agent!r}")
        since = await _request(service, record.id)
        run = await _tried(act, service, approval, terminal)
        if run is None:
            return WRONG_USE
        await _tell(service, terminal, approval, as_json=as_json)
        if run.task is not None:
            await service.request_of(run)
        else:
            since = run
        if run.task is not None or not run.rests:
            screen = Screen(terminal, steps=True, live=False)
            show = _unseen if as_json else screen.show
            run = await watch(service, since.id, None, show, since=since)
    return CODES[run.status]


async def _tried(act: Act, service: Service, approval: Approval, terminal: Terminal) -> Run | None:
    """The run after it; None when it had no effect, and then who did it is told why."""
    try:
        return await act(service, approval)
    except (Forbidden, NotDecided) as fault:
        why = approval_texts.refusal(Refusal(kind=fault.kind), terminal.language)  # type: ignore[arg-type]  # its own words
        terminal.mention("approvals.refused", "red", why=why, detail=fault)
        return None


def _unseen(one: Recorded | News, run: Run | None) -> None:
    """Show nothing of the run: the decision alone is printed."""


async def _request(service: Service, run_id: str) -> Run:
    """The request that a run belongs to, as it stands."""
    run = await service.run(run_id, None)
    while run.task is not None:
        run = await service.run(run.task.run, None)
    return run


async def _tell(service: Service, terminal: Terminal, approval: Approval, *, as_json: bool) -> None:
    """How the approval stands now, or the one that an edit has put in its place."""
    asked = await service.desk.find(approval.id, None)
    if replacement := asked.approval.replaced_by:
        asked = await service.desk.find(replacement, None)
    if as_json:
        return print_json(shape(asked))
    text = _standing(asked, terminal)
    terminal.mention("approvals.done", run=asked.run.id, text=text)


async def _named(service: Service, given: str, *, waiting: bool) -> Approval:
    """The approval whose id is given, or starts so. The start of its run's id will do when only one
    of that run's is meant.

    Args:
        waiting: one that waits is meant, unless the own part of an id is given.

    Raises:
        NotFound: there is none.
        Conflict: the run waits for nobody.
        CallerError: there are several.
    """
    prefix, _, own = given.strip().lower().partition(".")
    record = await find(service, prefix)
    run = await service.run(record.id, None)
    calls = (*run.past, *run.calls)
    found = [one for call in calls for one in (*call.former, call.approval) if one]
    if own:
        found = [one for one in found if one.id.partition(".")[2].startswith(own)]
    elif waiting or run_tasks.waiting(run):
        found = [call.approval for call in run_tasks.waiting(run) if call.approval]
    if not found and (own or not waiting):
        raise NotFound("approval", given)
    if not found:
        raise Conflict(f"run {run.id} waits for nobody ({run.status.value})")
    if len(found) > 1:
        listed = "; ".join(f"{_short(one.id)}: {one.question}" for one in found)
        raise CallerError(f"name one of the approvals of run {run.id}: {listed}")
    return found[0]


def _object(arguments: str) -> dict[str, Any]:
    try:
        value = json.loads(arguments)
    except ValueError as fault:
        raise CallerError(f"the arguments are no JSON: {fault}") from None
    if not isinstance(value, dict):
        raise CallerError("the arguments are no JSON object")
    return value
