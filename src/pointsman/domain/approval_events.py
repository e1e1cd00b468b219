"""What people do to a call that waits for them, as events; ``events`` says what an event is."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.approvals import RefusalKind
from pointsman.domain.tools import ToolResult


class ApprovalAsked(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="approval_asked@1"):
    """A person must decide. ``digest`` binds the answer to tool, version and arguments.

    Attributes:
        by: ``user`` for the asking user's own confirmation, else the role that may approve.
        question: what the person reads.
        own: who asked may approve too, if he has the role.
    """

    at: datetime
    call: str
    approval: str
    by: str
    rule: str
    digest: str
    question: str
    expires: datetime
    own: bool = False


class ApprovalDecided(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="approval_decided@1"
):
    """A person decided, or the time ran out; then ``by`` is who came too late, or ``clock``."""

    at: datetime
    call: str
    approval: str
    decision: Literal["approved", "denied", "expired", "superseded", "taken_over"]
    by: str
    reason: str = ""


class ApprovalEdited(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="approval_edited@1"
):
    """A person put other arguments in the place of those that were shown: that approval is closed,
    and another is asked for exactly these.

    Attributes:
        approval: the one that is closed.
        editor: login of the person.
        replacement: id of the new approval; ``by`` to ``own`` are of it, as in ``ApprovalAsked``.
        arguments: all of the call, as they are now.
        changed: the parameters that differ; ``former`` holds what they were, if they were given.
        tainted: what is still tainted.
    """

    at: datetime
    call: str
    approval: str
    editor: str
    replacement: str
    by: str
    rule: str
    digest: str
    question: str
    expires: datetime
    arguments: dict[str, Any]
    changed: tuple[str, ...]
    former: dict[str, Any]
    own: bool = False
    notes: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    reason: str = ""


class DecisionRefused(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="decision_refused@1"
):
    """Somebody wanted to decide and may not, or came after another. It changes nothing, and may
    stand after the run's end."""

    at: datetime
    call: str
    approval: str
    wanted: Literal["approve", "deny", "edit", "take_over"]
    by: str
    kind: RefusalKind
    reason: str = ""


class ResultGiven(Struct, frozen=True, kw_only=True, tag="result_given@1"):
    """A person did by hand what was to be called; this came of it."""

    at: datetime
    call: str
    by: str
    result: ToolResult
