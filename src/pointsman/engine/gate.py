"""The only way from a valid call to a tool: the policy allows it, or a person approved exactly it.

``ClearedCall`` is made here and nowhere else.
"""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

from pointsman.domain import sentences
from pointsman.domain.policy import NOTHING_KNOWN, Facts, Rule, assess
from pointsman.domain.runs import PendingApproval
from pointsman.domain.tools import ClearedCall, ValidCall


class Pause(Struct, frozen=True, kw_only=True):
    """A person must decide first: ``by`` is ``user`` (who asked) or a role."""

    by: str
    rule: str
    digest: str


class Refused(Struct, frozen=True, kw_only=True):
    """The call does not run; ``content`` is what the model reads."""

    rule: str
    content: str


_canonical = msgspec.json.Encoder(order="deterministic").encode


def digest(call: ValidCall) -> str:
    """What an approval is bound to: tool, version and canonical arguments (hex)."""
    return sha256(_canonical([call.spec.name, call.spec.digest, call.arguments])).hexdigest()


def clear(
    call: ValidCall,
    rules: Sequence[Rule],
    *,
    facts: Facts = NOTHING_KNOWN,
    approval: PendingApproval | None = None,
    doubtful: bool = False,
) -> ClearedCall | Pause | Refused:
    """Let the call pass, or say who must decide, or refuse it.

    Args:
        facts: what is known besides the arguments.
        approval: what was asked and decided for this call before.
        doubtful: an equal call was started earlier and its outcome is not known (case H18).
    """
    if approval is not None and approval.decision:
        return _decided(call, approval)
    assessment = assess(call.spec, rules, arguments=call.arguments, facts=facts)
    match assessment.verdict:
        case "allow" if not (doubtful and not call.spec.repeatable):
            return ClearedCall(call=call, rule=assessment.rule)
        case "allow":
            return Pause(by="user", rule="an equal call's outcome is unknown", digest=digest(call))
        case "confirm":
            return Pause(by="user", rule=assessment.rule, digest=digest(call))
        case "approve":
            return Pause(by=assessment.by, rule=assessment.rule, digest=digest(call))
        case "deny":
            content = sentences.POLICY_DENIED.format(rule=assessment.rule)
            return Refused(rule=assessment.rule, content=content)


def _decided(call: ValidCall, approval: PendingApproval) -> ClearedCall | Refused:
    rule = f"approval {approval.id} {approval.decision} by {approval.decided_by}"
    if approval.digest != digest(call):
        return Refused(rule=rule, content=sentences.CHANGED)
    match approval.decision:
        case "approved":
            return ClearedCall(call=call, rule=rule)
        case "expired":
            return Refused(rule=rule, content=sentences.EXPIRED)
        case "superseded":
            return Refused(rule=rule, content=sentences.SUPERSEDED)
        case _:
            reason = f": {approval.reason}" if approval.reason else ""
            who = "user" if approval.by == "user" else approval.decided_by
            return Refused(rule=rule, content=sentences.DENIED.format(by=who, reason=reason))


def decision_at(
    approval: PendingApproval, wanted: Literal["approved", "denied"], now: datetime
) -> Literal["approved", "denied", "expired"]:
    """The decision as it counts at this instant: one that comes too late is ``expired``."""
    return "expired" if now >= approval.expires else wanted
