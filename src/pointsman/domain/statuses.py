"""Where a run stands, in one word."""

from enum import StrEnum


class RunStatus(StrEnum):
    """Where a run stands, for people and locks.

    Attributes:
        ended: nothing more happens.
        rests: nothing more happens by itself: it has ended, or a person is to do something.
    """

    ended: bool
    rests: bool

    QUEUED = "queued"
    RUNNING = "running"
    SPLIT = "split"
    """Its tasks run, as runs of their own; costs nothing meanwhile."""
    WAITING = "waiting"
    """For a person's decision; costs nothing meanwhile."""
    PARKED = "parked"
    """Its workers vanished again and again: a person resumes or cancels it."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    def __init__(self, word: str) -> None:
        self.ended = word in ("done", "failed", "cancelled")
        self.rests = self.ended or word in ("waiting", "parked")
