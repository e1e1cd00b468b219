"""What processes say to one another over PostgreSQL's LISTEN/NOTIFY.

Every process hears what is said to all and what is said to it alone. Nothing is kept: who is not
connected does not hear it. Above: ``PostgresBus``, which knows what the messages mean.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import anyio
import psycopg
from psycopg import sql

log = logging.getLogger("pointsman.bus")

ALL = "pointsman"
"""The channel that every process listens to."""
LIMIT = 7_900
"""Bytes of a message; PostgreSQL takes 7,999 with the number before it."""
AT_ONCE = 200
"""Messages of one statement."""
MOST = 10_000
"""Messages that wait for a lost connection; the oldest go."""
PAUSE = 0.3
"""Seconds before a lost connection is opened again."""
QUIET = 10.0
"""Seconds of silence after which a connection is tried."""

_NOTIFY = "SELECT pg_notify(channel, said) FROM unnest(%s::text[], %s::text[]) AS x(channel, said)"


class Line:
    """One process's line to the others."""

    def __init__(self, conninfo: str, name: str) -> None:
        """Args:
        name: of this process, unique; letters and digits.
        """
        self._conninfo = conninfo
        self.inbox = f"{ALL}_{name}"
        """The channel that this process alone listens to."""
        self.listens = False
        self._first = asyncio.Event()
        self._said: deque[tuple[str, bytes]] = deque(maxlen=MOST)
        self._waiting = asyncio.Event()
        self._count = 0

    def say(self, message: bytes, *, to: str = ALL) -> None:
        """Send a message of at most ``LIMIT`` bytes, as soon as there is a connection."""
        assert len(message) <= LIMIT
        self._said.append((to, message))
        self._waiting.set()

    async def ready(self, patience: float) -> None:
        """Wait until others are heard, or so many seconds."""
        with anyio.move_on_after(patience):
            await self._first.wait()

    async def serve(self, hear: Callable[[bytes], None], begin: Callable[[], None]) -> None:
        """Hear and speak until cancelled.

        Args:
            begin: called whenever the line stands (again): what was said before is lost.
        """
        # Tasks of their own: psycopg lets go of a connection when it is cancelled, and must be
        # cancelled once for that, not again and again.
        tasks = [asyncio.create_task(one) for one in (self._listen(hear, begin), self._speak())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()
        finally:
            for task in tasks:
                task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait(tasks)

    async def _listen(self, hear: Callable[[bytes], None], begin: Callable[[], None]) -> None:
        while True:
            try:
                async with await self._connected() as connection:
                    for channel in (ALL, self.inbox):
                        await connection.execute(
                            sql.SQL("LISTEN {}").format(sql.Identifier(channel))
                        )
                    self.listens = True
                    self._first.set()
                    begin()
                    await self._hear(connection, hear)
            except psycopg.Error as fault:
                log.warning("news of other processes are not heard: %s", _first_line(fault))
            finally:
                self.listens = False
            await anyio.sleep(PAUSE)

    async def _hear(
        self, connection: psycopg.AsyncConnection, hear: Callable[[bytes], None]
    ) -> None:
        while True:
            async for notice in connection.notifies(timeout=QUIET):
                hear(notice.payload.partition(" ")[2].encode())
            await connection.execute("SELECT 1")

    async def _speak(self) -> None:
        while True:
            try:
                async with await self._connected() as connection:
                    # Nobody waits for the disk to hear something that is not kept.
                    await connection.execute("SET synchronous_commit = off")
                    while True:
                        await self._waiting.wait()
                        await self._send(connection)
            except psycopg.Error as fault:
                log.warning("nothing can be told to other processes: %s", _first_line(fault))
            await anyio.sleep(PAUSE)

    async def _send(self, connection: psycopg.AsyncConnection) -> None:
        batch = [self._said.popleft() for _ in range(min(len(self._said), AT_ONCE))]
        if not self._said:
            self._waiting.clear()
        # Equal messages of one transaction are told once; numbered, none are equal.
        numbered = [f"{self._count + at} {said.decode()}" for at, (_, said) in enumerate(batch)]
        self._count += len(batch)
        await connection.execute(_NOTIFY, ([to for to, _ in batch], numbered))

    async def _connected(self) -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)


def _first_line(fault: Exception) -> str:
    return str(fault).partition("\n")[0]
