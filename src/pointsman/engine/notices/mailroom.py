"""What a process has for notifications: where they are handed in, who is who, what carries them,
and the inboxes."""

from collections.abc import Callable, Iterable

from pointsman.engine.notices.channels import Channels
from pointsman.engine.notices.inboxes import Inboxes
from pointsman.engine.notices.post import Post
from pointsman.engine.outbox import Postman
from pointsman.ports import Bus, Clock, Directory, Inbox, Outbox


class Mailroom:
    """One a process."""

    def __init__(
        self,
        outbox: Outbox,
        inbox: Inbox,
        channels: Channels,
        directory: Directory,
        clock: Clock,
        bus: Bus,
        *,
        alerts: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Args:
        alerts: gives the logins that are told what could not be delivered.
        """
        self.channels, self.directory = channels, directory
        self.post = Post(outbox, channels, clock, bus, alerts=alerts)
        self.postman = Postman(self.post, outbox, clock, bus)
        self.inboxes = Inboxes(inbox, bus, clock)

    async def aclose(self) -> None:
        await self.channels.aclose()
