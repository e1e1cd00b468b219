"""The machine's clock and randomness: the only place that reads them."""

import random
import secrets
import time
from datetime import UTC, datetime
from functools import partial

import anyio


class SystemClock:
    """``ports.Clock`` on the machine's own clock."""

    def __init__(self) -> None:
        self._millis, self._tail = 0, 0

    now = staticmethod(partial(datetime.now, UTC))
    monotonic = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    def new_id(self) -> str:
        """A UUID version 7 (RFC 9562, section 6.2, method 2) as 32 hex digits: each is above the
        one before it, also within a millisecond and when the clock goes back."""
        millis = time.time_ns() // 1_000_000
        if millis > self._millis:
            self._millis, self._tail = millis, secrets.randbits(73)
        else:
            self._tail += 1 + secrets.randbits(32)
        millis, tail = self._millis, self._tail
        value = millis << 80 | 7 << 76 | (tail >> 62) << 64 | 2 << 62 | tail & (1 << 62) - 1
        return f"{value:032x}"

    def random(self) -> float:
        return random.random()  # noqa: S311 - jitter, not a secret


def secret() -> bytes:
    """256 random bits that nobody can guess."""
    return secrets.token_bytes(32)
