"""The machine's clock and randomness: the only place that reads them."""

import random
import secrets
import time
from datetime import UTC, datetime

import anyio


class SystemClock:
    """``ports.Clock`` on the machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    def new_id(self) -> str:
        """A UUID version 7 (RFC 9562) as 32 hex digits."""
        millis = time.time_ns() // 1_000_000
        tail = secrets.randbits(74)
        value = millis << 80 | 7 << 76 | (tail >> 62) << 64 | 2 << 62 | tail & (1 << 62) - 1
        return f"{value:032x}"

    def random(self) -> float:
        return random.random()  # noqa: S311 - jitter, not a secret
