"""The inbox as a channel (``system``): stored, and told at once to whoever looks at it (O8)."""

from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import SENT, Outcome
from pointsman.domain.notices.letters import LIMITS
from pointsman.errors import StoreError
from pointsman.ports import Bus, Clock, Inbox, InboxMessage, Letter, Signal, inbox_news


class InboxNotifier:
    """``ports.Notifier``; the address is the user's login, and a key brings a message once."""

    limit = LIMITS["inbox"]
    keyed = True
    rate: Rate | None = None
    timeout = 30.0

    def __init__(self, inbox: Inbox, bus: Bus, clock: Clock) -> None:
        self._inbox, self._bus, self._clock = inbox, bus, clock

    def refuses(self, address: str) -> str:
        return "" if address.strip() else "there is no login"

    async def send(self, letter: Letter) -> Outcome:
        message = InboxMessage(
            id=letter.key,
            user=letter.address,
            subject=letter.subject,
            text=letter.text,
            at=self._clock.now(),
            kind=letter.kind,
            sender=letter.sender,
            run=letter.run,
            agent=letter.agent,
        )
        try:
            await self._inbox.add(message)
        except StoreError as fault:
            return Outcome(verdict="retry", about="channel", detail=str(fault))
        self._bus.publish(inbox_news(letter.address), Signal(0))
        return SENT

    async def aclose(self) -> None:
        """Nothing is held."""
