"""``ports.Passwords`` with Argon2id, in threads of its own, a few at a time: each takes 64 MiB and
some 50 ms of all cores.

Source: RFC 9106, section 4, the second recommended option, which is argon2-cffi's default.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pointsman.domain.accounts import normal_password

T = TypeVar("T")

AT_ONCE = 2


class Argon2Passwords:
    """Hashes of this process."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """Args:
        hasher: how much work a hash is; as the RFC recommends by default.
        """
        self._hasher = hasher or PasswordHasher()
        self._limit = anyio.CapacityLimiter(AT_ONCE)
        self._nobodys = ""

    async def hashed(self, password: str) -> str:
        return await self._beside(partial(self._hasher.hash, normal_password(password)))

    async def fits(self, password: str, hashed: str) -> bool:
        if not self._nobodys:
            self._nobodys = await self.hashed("nobody's")
        checked = partial(self._fits, normal_password(password), hashed or self._nobodys)
        return await self._beside(checked) and bool(hashed)

    def outdated(self, hashed: str) -> bool:
        return self._hasher.check_needs_rehash(hashed)

    def _fits(self, password: str, hashed: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _beside(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=self._limit)
