"""Where a run stands, in one word."""

from enum import StrEnum


class RunStatus(StrEnum):
    """Where a run stands, for people and locks."""

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

    @property
    def ended(self) -> bool:
        return self in _ENDED

    @property
    def rests(self) -> bool:
        """Whether nothing more happens by itself: it has ended, or a person is to do something."""
        return self in _RESTS


_ENDED = (RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED)
_RESTS = (*_ENDED, RunStatus.WAITING, RunStatus.PARKED)
