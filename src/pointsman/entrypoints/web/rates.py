"""How often each client may ask: a burst, and then a steady pace.

Kept in this process alone, one number a client; those that have been quiet are forgotten.

Source: the generic cell rate algorithm (ITU-T I.371).
"""

from collections import OrderedDict

from pointsman.domain.limiting import Rate
from pointsman.ports import Clock

CLIENTS = 20_000
"""That are remembered; beyond, the one that was quiet for longest is forgotten."""


class Rates:
    """The pace of many clients."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self._between, self._burst = rate.seconds / rate.calls, rate.seconds
        self._clock = clock
        self._free: OrderedDict[str, float] = OrderedDict()

    def take(self, client: str) -> float:
        """Count a request; 0 when it may pass, else the seconds after which one may again."""
        now = self._clock.monotonic()
        free = max(self._free.get(client, now), now)
        wait = free + self._between - self._burst - now
        if wait > 1e-9:
            return wait
        self._free[client] = free + self._between
        self._free.move_to_end(client)
        if len(self._free) > CLIENTS:
            self._free.popitem(last=False)
        return 0.0
