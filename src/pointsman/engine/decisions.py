"""A person's decision on a call that waits, journaled once: whoever comes first decides."""

from typing import Literal

from pointsman.domain import sentences
from pointsman.domain.events import ApprovalDecided, CallRefused
from pointsman.engine import endings, gate
from pointsman.engine.journal import Journal
from pointsman.errors import Conflict, NotFound

Wanted = Literal["approved", "denied"]


async def decide(
    journal: Journal, approval: str, wanted: Wanted, *, by: str, reason: str = ""
) -> Literal["approved", "denied", "expired"]:
    """The decision as it counts and is journaled: one that comes too late is ``expired``.

    Raises:
        NotFound: the run has asked for no such approval.
        Conflict: it is settled already, or the run has ended.
        PositionConflict: somebody else has moved the run on; look again.
    """
    run = journal.run
    calls = (*run.past, *run.calls)
    call = next((c for c in calls if c.approval and c.approval.id == approval), None)
    if call is None or call.approval is None:
        raise NotFound("approval", approval)
    if run.status.ended:
        raise Conflict(f"run {run.id} has ended ({run.status.value})")
    if call.approval.decision:
        raise Conflict(f"already {call.approval.decision} by {call.approval.decided_by}")
    now = journal.clock.now()
    decision = gate.decision_at(call.approval, wanted, now)
    journal.record(
        ApprovalDecided(
            at=now, call=call.key, approval=approval, decision=decision, by=by, reason=reason
        )
    )
    await journal.commit()
    return decision


async def withdraw(journal: Journal, *, by: str) -> None:
    """End a waiting run whose user went on to something else: nothing of it runs.

    Raises:
        PositionConflict: somebody else has moved the run on; look again.
    """
    now = journal.clock.now()
    for call in journal.run.waiting:
        assert call.approval is not None
        journal.record(
            ApprovalDecided(
                at=now, call=call.key, approval=call.approval.id, decision="superseded", by=by
            )
        )
        journal.record(
            CallRefused(at=now, call=call.key, rule=call.rule, content=sentences.SUPERSEDED)
        )
    endings.cancel(journal, by=by, reason="superseded by a new message")
    await journal.commit()
