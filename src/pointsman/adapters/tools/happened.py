"""A tool's word on a call that was cut off: did it happen?

    def was_booked(arguments, context):
        booking = bookings.find(key=context.key)
        return Happened.yes(f"{booking.room} is booked") if booking else Happened.unknown()

    @tool(check=was_booked)
    def book(room: str, context: FromContext) -> str: ...

It is asked when a worker began the call and vanished. ``no`` lets the call run again, and says that
the first one no longer can: the worker that began it may be only asleep, and wake.
"""

import inspect
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pointsman.domain.recovery_events import Answer
from pointsman.errors import ToolDefinitionError


class Happened(Struct, frozen=True, kw_only=True):
    """Whether the call happened, and what it returned then."""

    answer: Answer
    value: Any = None

    @classmethod
    def yes(cls, value: Any) -> "Happened":
        """It did; ``value`` is what the tool returned or would have."""
        return cls(answer="happened", value=value)

    @classmethod
    def no(cls) -> "Happened":
        """It did not, and no longer will: it may run again, under another key."""
        return cls(answer="not_happened")

    @classmethod
    def unknown(cls) -> "Happened":
        """Nobody knows: a person is to look."""
        return cls(answer="unknown")


Check = Callable[..., Any]
"""Takes the call's arguments as a dict, and the ``CallContext`` whose ``key`` the call was given;
gives ``Happened``. It may be async."""


def checked_by(check: Any, where: str) -> Check:
    """The check, if it can be one.

    Raises:
        ToolDefinitionError: it cannot be called with the arguments and the context.
    """
    if not callable(check):
        raise ToolDefinitionError(f"{where}: check must be a function, not {check!r}")
    try:
        inspect.signature(check).bind({}, None)
    except TypeError:
        raise ToolDefinitionError(
            f"{where}: the check must take two values: the arguments and the context"
        ) from None
    return check  # type: ignore[no-any-return]  # callable() says that it is one
