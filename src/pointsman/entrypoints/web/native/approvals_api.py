"""The native API for those who decide: what waits, and their word on it.

Below: ``engine.approvals.desk``, which knows the roles of each login. What does not concern a user
looks like what does not exist; deciding on it is refused, and recorded (case P18).
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pointsman.engine.approvals.asked import MOST, run_of
from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import Decider, Engine, Waiter
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.approval_shapes import (
    ApprovalList,
    ApprovalShape,
    Decision,
    DecisionOn,
    Decisions,
    Outcome,
    Outcomes,
    TakeOver,
)
from pointsman.entrypoints.web.problems import refusal_of
from pointsman.errors import CallerError, NotFound

router = APIRouter(prefix="/api/approvals", tags=["approvals"])


@router.get("")
async def approvals(
    service: Engine,
    user: Waiter,
    limit: Annotated[int, Query(ge=1, le=MOST)] = MOST,
    before: str | None = None,
) -> ApprovalList:
    """What waits for a decision and concerns the user: what he asked for, and what is up to a role
    of his. Private values are shown to who asked alone. A page at a time, newest run first; a run
    with several decisions is never parted, so that a page may hold a few more."""
    found = await service.desk.waiting(user, limit=limit + 1, before=before)
    page = found
    if len(found) > limit:  # the last run begins the next page, unless it is all of this one
        page = [one for one in found if one.run.id != found[-1].run.id] or found
    cut = len(found) > limit
    return ApprovalList(
        approvals=[ApprovalShape.of(one) for one in page],
        before=page[-1].run.id if cut else None,
    )


@router.post("", status_code=207, openapi_extra=takes(Decisions))
async def decide_on_several(
    user: Decider, decisions: Annotated[Decisions, Depends(body(Decisions))], service: Engine
) -> Outcomes:
    """Decide on several calls. Each is decided by itself: one that is unknown, settled or not the
    user's to decide stops no other (case P04)."""
    return Outcomes(results=[await _outcome(one, service, user) for one in decisions.decisions])


@router.get("/{approval}")
async def approval(approval: str, service: Engine, user: Waiter) -> ApprovalShape:
    """An approval that concerns the user, whatever became of it."""
    return ApprovalShape.of(await service.desk.find(approval, user))


@router.post("/{approval}", openapi_extra=takes(Decision))
async def decide(
    user: Decider,
    approval: str,
    decision: Annotated[Decision, Depends(body(Decision))],
    service: Engine,
) -> ApprovalShape:
    """Decide on a waiting call, once. With other arguments the answer is the approval of these,
    which still waits when the policy wants somebody else for them."""
    await _decide(approval, decision, service, user)
    return await _current(approval, service, user)


@router.post("/{approval}/take-over", openapi_extra=takes(TakeOver))
async def take_over(
    user: Decider,
    approval: str,
    by_hand: Annotated[TakeOver, Depends(body(TakeOver))],
    service: Engine,
) -> ApprovalShape:
    """Go on by hand: give the result of the call, or the reply that ends the run."""
    await service.desk.take_over(
        approval, by=user, result=by_hand.result, reply=by_hand.reply, reason=by_hand.reason
    )
    return await _current(approval, service, user)


async def _decide(approval: str, decision: Decision, service: Service, user: str) -> None:
    desk, reason = service.desk, decision.reason
    if decision.decision == "deny":
        await desk.decide(run_of(approval), approval, "denied", by=user, reason=reason)
    elif decision.arguments is None:
        await desk.decide(run_of(approval), approval, "approved", by=user, reason=reason)
    else:
        await desk.edit(approval, decision.arguments, by=user, reason=reason)


async def _current(approval: str, service: Service, user: str) -> ApprovalShape:
    """The approval, or the one that an edit has put in its place."""
    found = await service.desk.find(approval, None)
    return ApprovalShape.of(await service.desk.find(found.approval.replaced_by or approval, user))


async def _outcome(decision: DecisionOn, service: Service, user: str) -> Outcome:
    approval = decision.approval
    try:
        await _decide(approval, decision, service, user)
    except CallerError as fault:
        refusal = refusal_of(fault)
        unknown = isinstance(fault, NotFound)
        return Outcome(
            approval=approval,
            status=refusal.status,
            outcome=refusal.code or ("unknown" if unknown else "invalid"),
            detail=refusal.detail,
        )
    return Outcome(approval=approval, status=200, outcome="applied")
