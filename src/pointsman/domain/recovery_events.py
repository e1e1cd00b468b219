"""What happens to a run between its workers: one hands it back, or vanishes; a tool is asked
whether a call that was cut off happened; a person looks at a run that nobody carries on."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

Answer = Literal["happened", "not_happened", "unknown"]
"""What a tool knows of an attempt that was cut off. ``not_happened`` also says that it no longer
will: a worker that began it may only be asleep."""


class RunReleased(Struct, frozen=True, kw_only=True, tag="run_released@1"):
    """The worker stopped as planned and left the run to the next one."""

    at: datetime
    reason: str


class RunParked(Struct, frozen=True, kw_only=True, tag="run_parked@1"):
    """Worker after worker vanished on the run without a step forward: it waits for a person.

    Attributes:
        deaths: how many of them.
        step: what the last of them was doing, for people.
        text: what the user reads meanwhile.
    """

    at: datetime
    deaths: int
    step: str
    text: str


class RunUnparked(Struct, frozen=True, kw_only=True, tag="run_unparked@1"):
    """A person lets a parked run go on."""

    at: datetime
    by: str
    reason: str = ""


class AttemptChecked(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="attempt_checked@1"
):
    """The tool was asked whether an attempt that a worker left open happened. It is followed by the
    attempt's end, unless it did not happen: then the call runs again."""

    at: datetime
    call: str
    attempt: int
    answer: Answer
    detail: str = ""
