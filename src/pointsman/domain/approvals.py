"""A person's decision on one call: who may give it, what it is bound to, how long it holds.

An approval holds the digest of tool, version and arguments, so it lets through exactly what was
shown. It is decided once, by whoever comes first, and used once. Every transition gives the new
approval, or a ``Refusal`` as a value: a refused attempt is recorded too (case P06). Storing an
approval, and checking that nobody else moved it on meanwhile, is the journal's part.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

USER = "user"
"""``Approval.by`` when the asking user's own word is wanted."""


class ApprovalState(StrEnum):
    """Where an approval stands; all but the first are final."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    """The user went on to something else."""
    TAKEN_OVER = "taken_over"
    """A person does it by hand."""
    EDITED = "edited"
    """Other arguments were put in its place, under an approval of their own."""
    CANCELLED = "cancelled"
    """The run was stopped."""


class Person(Struct, frozen=True, kw_only=True):
    """Who decides."""

    login: str
    roles: tuple[str, ...] = ()


def person(login: str, holders: Mapping[str, Sequence[str]]) -> Person:
    """The person of this login; ``holders``: role → logins."""
    return Person(
        login=login,
        roles=tuple(role for role, logins in holders.items() if login in logins and role != USER),
    )


class Approval(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that a call waits for, or has got.

    Attributes:
        call: the call's key in its run.
        digest: of what may run, see ``digest_of``.
        by: ``user``, or the role that may decide.
        requester: login of the asking user; the call runs with this identity, whoever approves.
        asked, expires: the span in which it can be decided; an approval given may be used for as
            long again.
        own: the requester may approve too, if he has the role.
        decided_by, decided_at, reason: of the end state.
        used: when the call that it let through was over.
        question: what the person reads.
        edited_from: id of the approval whose arguments this one changes.
        replaced_by: id of the approval that came of an edit.
    """

    id: str
    call: str
    digest: str
    by: str
    requester: str
    asked: datetime
    expires: datetime
    own: bool = False
    state: ApprovalState = ApprovalState.PENDING
    decided_by: str = ""
    decided_at: datetime | None = None
    reason: str = ""
    used: datetime | None = None
    question: str = ""
    edited_from: str = ""
    replaced_by: str = ""

    @property
    def decision(self) -> str:
        """The end state in a word; empty while nobody has decided."""
        return "" if self.state is ApprovalState.PENDING else self.state.value


Choice = Literal["approve", "deny", "take_over"]
RefusalKind = Literal[
    "unknown",
    "forbidden",
    "own_request",
    "already_settled",
    "expired",
    "run_cancelled",
    "not_approved",
    "already_used",
    "changed",
]


class Refusal(Struct, frozen=True, kw_only=True):
    """A transition that did not happen. ``approval`` stands as it was, and may be None when there
    is none of that id."""

    kind: RefusalKind
    approval: Approval | None = None


_ENDS: dict[Choice, ApprovalState] = {
    "approve": ApprovalState.APPROVED,
    "deny": ApprovalState.DENIED,
    "take_over": ApprovalState.TAKEN_OVER,
}


def digest_of(tool: str, version: str, arguments: Mapping[str, Any]) -> str:
    """What an approval is bound to (hex): equal for the same JSON arguments in any key order."""
    canonical = json.dumps([tool, version, arguments], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def lapse(approval: Approval, now: datetime) -> Approval:
    """The approval as it stands at this instant: ``expired`` when nobody decided in time."""
    if approval.state is not ApprovalState.PENDING or now < approval.expires:
        return approval
    return replace(approval, state=ApprovalState.EXPIRED, decided_at=approval.expires)


def decide(
    approval: Approval, choice: Choice, *, by: Person, now: datetime, reason: str = ""
) -> Approval | Refusal:
    """The approval after a person's decision. The first one counts (P05, P06)."""
    if (refusal := _closed(approval, now)) or (refusal := _not_theirs(approval, choice, by)):
        return refusal
    return settled(approval, _ENDS[choice], by=by.login, at=now, reason=reason)


def settled(
    approval: Approval, state: ApprovalState, *, by: str, at: datetime, reason: str = ""
) -> Approval:
    """The approval in this end state. One that was given holds from then as long as it could be
    decided."""
    given = state is ApprovalState.APPROVED
    return replace(
        approval,
        state=state,
        decided_by=by,
        decided_at=at,
        reason=reason,
        expires=at + (approval.expires - approval.asked) if given else approval.expires,
    )


def edit(
    approval: Approval, digest: str, *, new_id: str, by: Person, now: datetime
) -> tuple[Approval, Approval] | Refusal:
    """The approval, closed, and a new pending one for other arguments (of this digest).

    The engine validates the arguments and asks the policy between this and the new decision. Only
    who may approve may edit.
    """
    if (refusal := _closed(approval, now)) or (refusal := _not_theirs(approval, "approve", by)):
        return refusal
    closed = replace(
        approval,
        state=ApprovalState.EDITED,
        decided_by=by.login,
        decided_at=now,
        replaced_by=new_id,
    )
    span = approval.expires - approval.asked
    return closed, replace(
        approval, id=new_id, digest=digest, asked=now, expires=now + span, edited_from=approval.id
    )


def withdraw(
    approval: Approval,
    state: Literal[ApprovalState.SUPERSEDED, ApprovalState.CANCELLED],
    *,
    by: str,
    now: datetime,
) -> Approval:
    """The approval after its run went away; a final one stays as it is."""
    approval = lapse(approval, now)
    if approval.state is not ApprovalState.PENDING:
        return approval
    return replace(approval, state=state, decided_by=by, decided_at=now)


def use(approval: Approval, digest: str, now: datetime) -> Approval | Refusal:
    """The approval as spent on the call of this digest: once, in time, and on nothing else."""
    if approval.state is not ApprovalState.APPROVED:
        return _closed(approval, now) or Refusal(kind="not_approved", approval=approval)
    if approval.used is not None:
        return Refusal(kind="already_used", approval=approval)
    if approval.digest != digest:
        return Refusal(kind="changed", approval=approval)
    if now >= approval.expires:
        return Refusal(kind="expired", approval=approval)
    return replace(approval, used=now)


def _closed(approval: Approval, now: datetime) -> Refusal | None:
    """Why nothing can be decided any more."""
    approval = lapse(approval, now)
    match approval.state:
        case ApprovalState.PENDING:
            return None
        case ApprovalState.EXPIRED:
            return Refusal(kind="expired", approval=approval)
        case ApprovalState.CANCELLED:
            return Refusal(kind="run_cancelled", approval=approval)
        case _:
            return Refusal(kind="already_settled", approval=approval)


def _not_theirs(approval: Approval, choice: Choice, by: Person) -> Refusal | None:
    """Why this person may not decide so (P18). Who asked may always say no to his own request."""
    asked_it = by.login == approval.requester
    if approval.by == USER:
        return None if asked_it else Refusal(kind="forbidden", approval=approval)
    if asked_it and choice == "deny":
        return None
    if approval.by not in by.roles:
        return Refusal(kind="forbidden", approval=approval)
    if asked_it and not approval.own:
        return Refusal(kind="own_request", approval=approval)
    return None
