"""A channel that another process carries: here its secret is not known."""

from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import Outcome
from pointsman.ports import Letter


class AbsentNotifier:
    """``ports.Notifier`` that sends nothing; ``why`` is for people."""

    limit = 0
    keyed = False
    rate: Rate | None = None
    timeout = 1.0

    def __init__(self, why: str) -> None:
        self.why = why

    def refuses(self, address: str) -> str:
        return "" if address.strip() else "there is no address"

    async def send(self, letter: Letter) -> Outcome:
        return Outcome(verdict="retry", about="channel", detail=self.why)

    async def aclose(self) -> None:
        """Nothing is held."""
