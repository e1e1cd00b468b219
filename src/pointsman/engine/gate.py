"""The only way from a valid call to a tool: the policy allows it, or a person approved exactly it.

``ClearedCall`` is made here and nowhere else.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from pointsman.domain import approval_texts, approvals, sentences
from pointsman.domain.approvals import USER, Approval, ApprovalState
from pointsman.domain.policy import NOTHING_KNOWN, Facts, Rule, assess
from pointsman.domain.tools import ClearedCall, ValidCall


class Pause(Struct, frozen=True, kw_only=True):
    """A person must decide first: ``by`` is ``user`` (who asked) or a role; with ``own`` who asked
    may approve too, if he has the role."""

    by: str
    rule: str
    digest: str
    own: bool = False


class Refused(Struct, frozen=True, kw_only=True):
    """The call does not run; ``content`` is what the model reads."""

    rule: str
    content: str


def digest(call: ValidCall) -> str:
    """What an approval of this call is bound to."""
    return approvals.digest_of(call.spec.name, call.spec.digest, call.arguments)


def clear(
    call: ValidCall,
    rules: Sequence[Rule],
    *,
    now: datetime,
    facts: Facts = NOTHING_KNOWN,
    approval: Approval | None = None,
    doubtful: bool = False,
    covered: str = "",
) -> ClearedCall | Pause | Refused:
    """Let the call pass, or say who must decide, or refuse it. A person's yes never carries a call
    past what the policy says now: it may have become stricter since it was asked.

    Args:
        facts: what is known besides the arguments.
        approval: what was asked and decided for this call before.
        doubtful: an equal call was started earlier and its outcome is not known (case H18).
        covered: by what the asking user confirmed exactly this call in advance.
    """
    given = _decided(call, approval, now) if approval is not None and approval.decision else None
    if isinstance(given, Refused):
        return given
    assessment = assess(call.spec, rules, arguments=call.arguments, facts=facts)
    match assessment.verdict:
        case "allow" | "confirm" if given is not None:
            return given
        case "approve" if given is not None and approval and approval.by == assessment.by:
            return given
        case "allow" if not (doubtful and not call.spec.repeatable):
            return ClearedCall(call=call, rule=assessment.rule)
        case "allow":
            return Pause(by=USER, rule="an equal call's outcome is unknown", digest=digest(call))
        case "confirm" if covered and not doubtful:
            return ClearedCall(call=call, rule=covered)
        case "confirm":
            return Pause(by=USER, rule=assessment.rule, digest=digest(call))
        case "approve":
            return Pause(
                by=assessment.by, rule=assessment.rule, digest=digest(call), own=assessment.own
            )
        case "deny":
            content = sentences.POLICY_DENIED.format(rule=assessment.rule)
            return Refused(rule=assessment.rule, content=content)


def _decided(call: ValidCall, approval: Approval, now: datetime) -> ClearedCall | Refused:
    rule = f"approval {approval.id} {approval.decision} by {approval.decided_by}"
    used = approvals.use(approval, digest(call), now)
    if isinstance(used, Approval):
        return ClearedCall(call=call, rule=rule)
    if approval.state is not ApprovalState.APPROVED:
        return Refused(rule=rule, content=approval_texts.for_model(approval))
    if used.kind == "expired":
        return Refused(rule=rule, content=approval_texts.LAPSED)
    return Refused(rule=rule, content=sentences.CHANGED)
