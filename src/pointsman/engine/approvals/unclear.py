"""A yes that decides nothing: what waits is up to somebody else, or several calls wait and it does
not say which (case P14). They go on waiting, and the engine tells the user so.
"""

from collections.abc import Sequence

from msgspec import Struct

from pointsman.domain import approval_texts
from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval
from pointsman.engine.journal import Journal


class Unclear(Struct, frozen=True):
    """What waits, in the order in which it was asked for; at least one."""

    waiting: tuple[Approval, ...]

    def told(self, journal: Journal) -> None:
        """Let the run of the message tell it, before any model is asked."""
        text = approval_texts.unclear(self.waiting, journal.run.language)
        now = journal.clock.now()
        journal.record(ev.RouteChosen(at=now, kind="ask", why="decides nothing", question=text))


def recall(recorded: Sequence[ev.Event], journal: Journal) -> None:
    """Tell it again in a run that is replayed, if it was told: what waited then is not in it."""
    if len(recorded) > 1 and isinstance(recorded[1], ev.RouteChosen):
        journal.record(recorded[1])
