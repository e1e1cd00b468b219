"""What built-in tools reach when they are called. ``bootstrap`` makes it before the agents, whose
tools hold it, and fills it in when the engine stands."""

from collections.abc import Iterable

from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.reminders.remind_drafts import Drafting
from pointsman.errors import ToolSourceError


class Surroundings:
    """One a process. Where no engine stands (``tools list``), nothing is filled in.

    Attributes:
        channels: names of those that are set up, besides the ones that every agent may name.
    """

    def __init__(self, channels: Iterable[str] = ()) -> None:
        self.channels = tuple(channels)
        self._mailroom: Mailroom | None = None
        self._drafting: Drafting | None = None

    def notify_by(self, mailroom: Mailroom) -> None:
        """Fill in what notifications need."""
        self._mailroom = mailroom

    @property
    def mailroom(self) -> Mailroom:
        """Raises:
        ToolSourceError: no engine stands here.
        """
        if self._mailroom is None:
            raise ToolSourceError("notifications are not set up here")
        return self._mailroom

    def remind_by(self, drafting: Drafting) -> None:
        """Fill in what reminders need."""
        self._drafting = drafting

    @property
    def drafting(self) -> Drafting:
        """Raises:
        ToolSourceError: no engine stands here.
        """
        if self._drafting is None:
            raise ToolSourceError("reminders are not set up here")
        return self._drafting
