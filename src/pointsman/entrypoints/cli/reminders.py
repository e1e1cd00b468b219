"""``pointsman reminders``: on the database, with or without a server beside it. What is due is done
by the server, or the next one."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct

from pointsman import bootstrap
from pointsman.domain.reminders import remind_finding, remind_texts
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled
from pointsman.domain.reminders.reminder import OccurrenceState, Reminder, ReminderState
from pointsman.engine.reminders import remind_drafts
from pointsman.engine.reminders.remind_drafts import Draft
from pointsman.engine.service import Service
from pointsman.entrypoints.cli.render import local
from pointsman.entrypoints.cli.runs import journal_of
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.reminders import (
    Doubtful,
    Plain,
    Unconfirmed,
    doubtful,
    drafted,
    occurrence_shape,
    reminder_shape,
    zone_for,
    zone_of,
)
from pointsman.errors import CallerError, NotFound
from pointsman.settings import Settings

WAITS = 4
"""Exit code: something must be settled first."""
CANDIDATES = 5
Move = Literal["pause", "resume", "cancel"]
CURRENT = (ReminderState.ACTIVE, ReminderState.PAUSED)
_STATES = {
    OccurrenceState.FIRED: "reminders.fired",
    OccurrenceState.LATE: "reminders.late",
    OccurrenceState.MISSED: "reminders.missed",
    OccurrenceState.FAILED: "reminders.failed",
}


class Wanted(Struct, frozen=True, kw_only=True):
    """What a command makes, or changes; empty leaves a thing as it is."""

    user: str
    when: str = ""
    text: str = ""
    action: str = ""
    yes: bool = False


async def list_reminders(
    settings: Settings,
    terminal: Terminal,
    *,
    user: str | None,
    state: Sequence[ReminderState],
    limit: int,
    as_json: bool,
) -> int:
    """Print reminders, what is due first before the others."""
    found: Sequence[Reminder] = ()
    if settings.has_database:
        async with bootstrap.opened([], settings) as service:
            found = await service.reminders.list(user, state=state or CURRENT, limit=limit)
    ordered = remind_finding.in_order(found)
    if as_json:
        print_json([reminder_shape(one, terminal.language) for one in ordered])
        return 0
    for one in ordered:
        _print(one, terminal)
    if not ordered:
        terminal.mention("reminders.none")
    return 0


async def show(settings: Settings, terminal: Terminal, prefix: str, *, as_json: bool) -> int:
    """Print all that is known of a reminder, and what became of its last occurrences."""
    async with journal_of(settings) as service:
        found = await _find(service, prefix)
        occurrences = await service.reminders.occurrences(found.id, None)
    if as_json:
        shape = reminder_shape(found, terminal.language)
        print_json({**shape, "occurrences": [occurrence_shape(one) for one in occurrences]})
        return 0
    _print(found, terminal)
    terminal.tell("reminders.owner", user=found.user, agent=found.agent, zone=found.timezone)
    if found.words:
        terminal.tell("reminders.words", words=found.words)
    for call in found.covered:
        terminal.tell("reminders.covered", tool=call.tool, arguments=call.arguments)
    for one in occurrences:
        terminal.tell(
            "reminders.occurrence",
            due=local(one.due),
            state=say(_STATES[one.state], terminal.language),
            at=local(one.fired),
            run=one.run or "-",
            note=one.note,
        )
    return 0


async def add(
    agent: Path, settings: Settings, terminal: Terminal, wanted: Wanted, *, as_json: bool
) -> int:
    """Make a reminder from words."""
    async with bootstrap.opened([agent], settings, alone=True) as service:
        (live,) = service.agents
        plain = Plain(
            user=wanted.user,
            agent=live.spec.name,
            kind="action" if wanted.action else "text",
            content=wanted.action or wanted.text,
            when=wanted.when,
            language=terminal.language,
            confirm=wanted.yes,
        )
        now = service.now().astimezone(zone_for(service, live.spec.name))
        draft = await _drafted(plain, service, terminal, now=now)
        if draft is None:
            return WAITS
        made = await service.reminders.add(
            remind_drafts.reminder_of(
                draft,
                id="",
                user=plain.user,
                agent=plain.agent,
                conversation="",
                language=plain.language,
            )
        )
    if as_json:
        print_json(reminder_shape(made, terminal.language))
    else:
        terminal.answer(remind_drafts.said(draft, terminal.language))
        _print(made, terminal)
    return 0


async def change(
    settings: Settings,
    terminal: Terminal,
    prefix: str,
    wanted: Wanted,
    *,
    agent: Path | None,
    as_json: bool,
) -> int:
    """Change when a reminder is due, or what it says or does."""
    async with _with_agent(settings, agent) as service:
        found = await _find(service, prefix)
        content = wanted.text if found.kind == "text" else wanted.action
        if (wanted.action if found.kind == "text" else wanted.text) or not (content or wanted.when):
            raise CallerError(f"give --when or --{found.kind} to change this reminder")
        if wanted.action and agent is None:
            raise CallerError("an action is planned anew: name its agent's folder with --agent")
        plain = Plain(
            user=found.user,
            agent=found.agent,
            kind=found.kind,
            content=content or found.content,
            when=wanted.when,
            language=terminal.language,
            confirm=wanted.yes,
            mine=found.id,
            planned=not content,
        )
        kept = None if wanted.when else Settled(schedule=found.schedule, words=found.words)
        now = service.now().astimezone(zone_of(found.timezone))
        draft = await _drafted(plain, service, terminal, now=now, when=kept)
        if draft is None:
            return WAITS
        changes = remind_drafts.changes_of(draft, when=bool(wanted.when), what=bool(content))
        made = await service.reminders.change(found.id, found.user, changes)
    return _made(made, terminal, as_json=as_json)


async def snooze(
    settings: Settings, terminal: Terminal, prefix: str, when: str, *, as_json: bool
) -> int:
    """Have it come again later, once."""
    async with journal_of(settings) as service:
        found = await _find(service, prefix)
        now = service.now().astimezone(zone_of(found.timezone))
        meant = remind_drafts.until(Heard(when=when), now)
        if isinstance(meant, Doubt):
            terminal.answer(str(doubtful(meant, terminal.language, service, now)))
            return WAITS
        made = await service.reminders.snooze(found.id, found.user, meant)
    return _made(made, terminal, as_json=as_json)


async def move(
    settings: Settings, terminal: Terminal, prefix: str, what: Move, *, as_json: bool
) -> int:
    """Pause, resume or cancel it."""
    async with journal_of(settings) as service:
        found = await _find(service, prefix)
        book = service.reminders
        moving = {"pause": book.pause, "resume": book.resume, "cancel": book.cancel}[what]
        made = await moving(found.id, found.user)
    return _made(made, terminal, as_json=as_json)


async def _drafted(
    plain: Plain,
    service: Service,
    terminal: Terminal,
    *,
    now: datetime,
    when: Settled | None = None,
) -> Draft | None:
    """The draft; None after saying what must be settled first."""
    try:
        return await drafted(plain, service, now, when)
    except Doubtful as fault:
        terminal.answer(str(fault))
    except Unconfirmed as fault:
        terminal.answer(str(fault))
        terminal.mention("reminders.confirm")
    return None


@asynccontextmanager
async def _with_agent(settings: Settings, agent: Path | None) -> AsyncIterator[Service]:
    """The engine on a database that exists, with the agent if one is named."""
    if not settings.has_database:
        raise NotFound("database", str(settings.database))
    async with bootstrap.opened([agent] if agent else [], settings, alone=True) as service:
        yield service


async def _find(service: Service, prefix: str) -> Reminder:
    """The reminder whose id starts so.

    Raises:
        NotFound: none does.
        CallerError: several do.
    """
    prefix = prefix.strip().lower()
    newest = await service.reminders.list(None, before=prefix + "g", limit=CANDIDATES)
    found = [one for one in newest if prefix and one.id.startswith(prefix)]
    if not found:
        raise NotFound("reminder", prefix)
    if len(found) > 1:
        raise CallerError(
            f"several reminders start with {prefix!r}: {', '.join(one.id for one in found)}"
        )
    return found[0]


def _made(made: Reminder, terminal: Terminal, *, as_json: bool) -> int:
    if as_json:
        print_json(reminder_shape(made, terminal.language))
    else:
        _print(made, terminal)
    return 0


def _print(one: Reminder, terminal: Terminal) -> None:
    due = (
        remind_texts.instant(one.next.astimezone(zone_of(one.timezone)), terminal.language)
        if one.next
        else "-"
    )
    terminal.tell(
        "reminders.row",
        id=one.id,
        line=remind_finding.line(one, terminal.language),
        due=due,
    )
