"""What people are asked to decide, over all runs: read from the journals, for lists and forms."""

import logging
from collections.abc import AsyncIterator, Collection
from datetime import datetime
from typing import get_args

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval, Choice, Person, decide, lapse
from pointsman.domain.calls import CallState
from pointsman.domain.masking import masked_events
from pointsman.domain.runs import Run, RunStatus, fold
from pointsman.domain.sources import Source
from pointsman.engine.calling import APPROVAL_LIFETIME
from pointsman.errors import JournalCorrupt, NotFound
from pointsman.ports import Row, RunRecord, Store

log = logging.getLogger("pointsman.approvals")

MOST = 1000
"""Approvals in a list."""
PAGE = 200


class Asked(Struct, frozen=True, kw_only=True):
    """One approval, with all that one needs to know for it.

    Attributes:
        approval: as it stands now; ``run`` and ``call`` are as the journal has them.
        sources: path of a value → where it came from; none for what a person put in.
        edits, refused: what people did to it, in order.
        events: of the whole run.
        may: what the person who looks may decide now.
    """

    run: Run
    call: CallState
    approval: Approval
    sources: dict[str, Source]
    edits: tuple[ev.ApprovalEdited, ...]
    refused: tuple[ev.DecisionRefused, ...]
    may: tuple[Choice, ...]
    events: tuple[ev.Event, ...]


def concerns(approval: Approval, by: Person) -> bool:
    """Whether it is this person's: he asked, or it is up to his role."""
    return by.login == approval.requester or approval.by in by.roles


def _concerned(call: CallState, by: Person) -> bool:
    """Whether any approval of the call is this person's: who put other arguments in the place of
    the former ones sees what became of them, also when they are up to somebody else."""
    return any(concerns(one, by) for one in (*call.former, call.approval) if one)


async def waiting(
    store: Store, now: datetime, *, by: Person | None, limit: int = MOST, before: str | None = None
) -> list[Asked]:
    """What waits for a decision, newest run first, the calls of a run in their order.

    Args:
        by: only what concerns this person; None for an operator (everything). Private values are
            masked for all but the person who asked.
        limit: as soon as there are so many; those of one run are never parted.
        before: only of older runs than this one.
    """
    found: list[Asked] = []
    async for record in _waiting(store, before):
        if len(found) >= limit:
            break
        run, events = await _whole(store, record.id, by)
        for call in run.waiting if run else ():
            approval = call.approval
            if run and approval and (by is None or concerns(approval, by)):
                found.append(_asked(run, call, approval, events, by, now))
    return found


async def find(
    store: Store, approval: str, now: datetime, *, by: Person | None, reveal: bool = False
) -> Asked:
    """The approval of this id, whatever became of it.

    Args:
        by: who looks; None for an operator.
        reveal: show private values to an operator.

    Raises:
        NotFound: there is none, or it does not concern this person.
    """
    run_id = run_of(approval)
    rows = await store.rows(run_id)
    if rows:
        run, events = _read(run_id, rows, by, reveal=reveal)
        asked = run.approval(approval)
        if asked and (by is None or _concerned(asked[0], by)):
            return _asked(run, *asked, events, by, now)
    raise NotFound("approval", approval)


async def overdue(store: Store, now: datetime, agents: Collection[str]) -> list[Approval]:
    """What nobody decided in time, of the runs of these agents."""
    found: list[Approval] = []
    async for record in _waiting(store):
        if record.agent in agents and record.created + APPROVAL_LIFETIME <= now:
            run, _ = await _whole(store, record.id, None)
            waiting = [call.approval for call in run.waiting if call.approval] if run else []
            found += (one for one in waiting if one.expires <= now)
    return found


async def _waiting(store: Store, before: str | None = None) -> AsyncIterator[RunRecord]:
    """The runs that wait, newest first."""
    while page := await store.records(status=(RunStatus.WAITING,), limit=PAGE, before=before):
        for record in page:
            yield record
        before = page[-1].id


async def _whole(store: Store, run_id: str, by: Person | None) -> tuple[Run | None, list[ev.Event]]:
    """A run with its events; one that cannot be read hides no other."""
    try:
        return _read(run_id, await store.rows(run_id), by, reveal=False)
    except JournalCorrupt as fault:
        log.error("run %s is left out: %s", run_id, fault)
        return None, []


def run_of(approval: str) -> str:
    """The run that an approval belongs to: its id begins with the run's."""
    return approval.partition(".")[0]


def _read(
    run_id: str, rows: tuple[Row, ...], by: Person | None, *, reveal: bool
) -> tuple[Run, list[ev.Event]]:
    events = [ev.decode(row.body) for row in rows]
    run = fold(run_id, events)
    if reveal or (by is not None and by.login == run.user):
        return run, events
    events = masked_events(events)
    return fold(run_id, events), events


def _asked(
    run: Run,
    call: CallState,
    approval: Approval,
    events: list[ev.Event],
    by: Person | None,
    now: datetime,
) -> Asked:
    validated = [e for e in events if isinstance(e, ev.CallValidated) and e.call == call.key]
    sources = validated[-1].sources if validated else {}
    return Asked(
        run=run,
        call=call,
        approval=lapse(approval, now),
        sources={
            path: source
            for path, source in sources.items()
            if path.split(".")[0] not in call.edited
        },
        edits=tuple(e for e in events if isinstance(e, ev.ApprovalEdited) and e.call == call.key),
        refused=tuple(
            e for e in events if isinstance(e, ev.DecisionRefused) and e.call == call.key
        ),
        may=_choices(approval, by, now) if by else (),
        events=tuple(events),
    )


def _choices(approval: Approval, by: Person, now: datetime) -> tuple[Choice, ...]:
    return tuple(
        choice
        for choice in get_args(Choice)
        if isinstance(decide(approval, choice, by=by, now=now), Approval)
    )
