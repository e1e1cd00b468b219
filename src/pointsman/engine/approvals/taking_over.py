"""A person takes a call or the whole run over: what he says is journaled as his."""

from collections.abc import Sequence

from pointsman.domain import approval_texts, approvals
from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval, ApprovalState, Person, Refusal, settled
from pointsman.domain.calls import CallState, Stage
from pointsman.domain.text import clean
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.approvals.decisions import Act, decided
from pointsman.engine.journal import Journal


def with_result(result: str, *, by: Person, reason: str) -> Act:
    """The person has done by hand what was to be called; the run goes on with what came of it."""

    def act(journal: Journal, call: CallState, approval: Approval) -> Sequence[ev.Event] | Refusal:
        taken = approvals.decide(
            approval, "take_over", by=by, now=journal.clock.now(), reason=reason
        )
        if isinstance(taken, Refusal):
            return taken
        content = f"Done by hand by {by.login}: {clean(result)}"
        return [
            decided(taken),
            ev.ResultGiven(
                at=journal.clock.now(),
                call=call.key,
                by=by.login,
                result=ToolResult(status=ResultStatus.OK, content=content),
            ),
        ]

    return act


def with_reply(reply: str, *, by: Person, reason: str) -> Act:
    """The person answers the user; the run ends with that, and none of its open calls runs."""

    def act(journal: Journal, call: CallState, approval: Approval) -> Sequence[ev.Event] | Refusal:
        now = journal.clock.now()
        taken = approvals.decide(approval, "take_over", by=by, now=now, reason=reason)
        if isinstance(taken, Refusal):
            return taken
        events: list[ev.Event] = []
        for one in journal.run.calls:
            if one.stage is Stage.SETTLED:
                continue
            if one.stage is Stage.WAITING and one.approval:
                state = ApprovalState.TAKEN_OVER
                events.append(
                    decided(settled(one.approval, state, by=by.login, at=now, reason=reason))
                )
            rule = f"taken over by {by.login}"
            content = approval_texts.for_model(taken)
            events.append(ev.CallRefused(at=now, call=one.key, rule=rule, content=content))
        answer = ev.ReplyGiven(at=now, kind="answer", text=clean(reply), by=by.login)
        return [*events, answer]

    return act
