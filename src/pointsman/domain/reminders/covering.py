"""What a user confirmed when a reminder was made: the calls that were shown then, and no other.

A call that a due reminder's run makes is covered when the same tool, of the same version, has the
same arguments as one that was shown. What the engine fills in (who, when, in which words) is left
out of the comparison, since it is another at each time; what a tool prepared (whom a name means) is
not.

Above: the reminders and the gate. Below: ``approvals``, which makes the digest.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from pointsman.domain import approvals
from pointsman.domain.tools import ToolSpec

FILLED = frozenset({"user", "agent", "conversation", "run", "input", "now"})
"""Context fields that the engine fills in, another value at each time."""


class Covered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that was shown to the user and confirmed by him.

    Attributes:
        arguments: as they were shown.
        open: names of the arguments that were shown as still to be written when the time comes
            (the text of a message with figures that nobody knows yet). All others are fixed.
        digest: see ``digest_of``.
    """

    tool: str
    digest: str
    arguments: dict[str, Any] = {}
    open: tuple[str, ...] = ()


class ReminderOf(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which occurrence of which reminder a run carries out.

    Attributes:
        key: ``schedule.occasion_key`` of the occurrence.
        late: seconds that it began after it was due.
        covered: the calls that need no further word, each once in the whole occurrence; without
            their arguments.
    """

    reminder: str
    key: str
    due: datetime
    late: float = 0.0
    covered: tuple[Covered, ...] = ()


def cover(spec: ToolSpec, arguments: Mapping[str, Any], open: tuple[str, ...] = ()) -> Covered:
    """The call as confirmed. Only what was really shown to the user may be given here.

    Args:
        arguments: checked and prepared, as ``ValidCall.arguments``.
        open: names of arguments that were shown as still to be written.
    """
    shown = {name: value for name, value in arguments.items() if name not in open}
    return Covered(
        tool=spec.name, arguments=shown, digest=digest_of(spec, arguments, open), open=open
    )


def digest_of(spec: ToolSpec, arguments: Mapping[str, Any], open: tuple[str, ...] = ()) -> str:
    """What a confirmation in advance is bound to (hex): tool, version, and the arguments without
    those that the engine fills in and those that are open."""
    filled = {name for name, field in spec.context.items() if field in FILLED}
    fixed = {name: v for name, v in arguments.items() if name not in filled and name not in open}
    return approvals.digest_of(spec.name, spec.digest, {"fixed": fixed, "open": sorted(open)})


def covering(
    covered: tuple[Covered, ...], spec: ToolSpec, arguments: Mapping[str, Any]
) -> tuple[int, ...]:
    """The places of the confirmed calls that this call may stand for."""
    return tuple(
        place
        for place, one in enumerate(covered)
        if one.tool == spec.name and one.digest == digest_of(spec, arguments, one.open)
    )
