"""How often somebody may try to sign in: a decision as a value; storing it is the store's part.

An attempt is counted before the password is looked at, and taken back when it was right, so that
many at once get no more than many in a row. What is counted are logins as they were typed, known or
not, and addresses.
"""

import math
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace


class Lockout(Struct, frozen=True, kw_only=True):
    """When attempts must wait. Times in seconds.

    Attributes:
        free: attempts before the first wait.
        first, most: how long that is, and the longest; it doubles from one to the other.
        forget: without an attempt for so long, all is as new.
    """

    free: int
    first: float = 30.0
    most: float = 900.0
    forget: float = 3600.0


OF_LOGIN = Lockout(free=5)
OF_ADDRESS = Lockout(free=50)
"""Many people may share an address."""


class Attempts(Struct, frozen=True, kw_only=True):
    """What is known of a login or an address: failures in a row, and until when it must wait."""

    failures: int
    last: datetime
    until: datetime | None = None

    def wait(self, now: datetime) -> int:
        """Whole seconds until the next attempt; 0 when it may be made now."""
        return 0 if self.until is None else max(0, math.ceil((self.until - now).total_seconds()))


def attempted(before: Attempts | None, rule: Lockout, now: datetime) -> Attempts:
    """After one more attempt, which may be made: ``before.wait(now)`` is 0."""
    forgotten = before is None or now - before.last > timedelta(seconds=rule.forget)
    failures = 1 if forgotten or before is None else before.failures + 1
    until = None
    if failures >= rule.free:
        doubled = rule.first * 2 ** min(failures - rule.free, 32)
        until = now + timedelta(seconds=min(doubled, rule.most))
    return Attempts(failures=failures, last=now, until=until)


def forgiven(before: Attempts) -> Attempts | None:
    """After the attempt turned out right, for an address: it no longer counts."""
    left = before.failures - 1
    return replace(before, failures=left, until=None) if left > 0 else None
