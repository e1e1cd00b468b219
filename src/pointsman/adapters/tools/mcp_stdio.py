"""The SDK's stdio transport, with the server's stderr read to its end (case M17)."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.client.stdio import StdioServerParameters, stdio_client

from pointsman.adapters.tools.mcp_settings import Secrets
from pointsman.domain.text import clean

KEPT = 8192
_CHUNK = 65536
_LAST_READS = 16


class StderrTail:
    """The last 8 KB that a server wrote to stderr."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._spare = max((len(value.encode()) for value in secrets.values), default=0)
        self._bytes = b""

    def feed(self, chunk: bytes) -> None:
        """Take what the server wrote next."""
        self._bytes = (self._bytes + chunk)[-(KEPT + self._spare) :]

    def text(self) -> str:
        """What is kept, without secrets: not even a piece of one that the cut left over."""
        text = clean(self._bytes.decode(errors="replace")).lstrip("\ufffd")
        if len(self._bytes) == KEPT + self._spare:
            text = text[self._overlap(text) :]
            # A line without its start may hold a secret that nothing marks as one any more.
            text = text.partition("\n")[2] or text
        return self._secrets.mask(text)[-KEPT:]

    def _overlap(self, text: str) -> int:
        """How many characters at the start of the text are the end of a secret."""
        return max(
            (
                n
                for value in self._secrets.values
                for n in range(1, len(value))
                if text.startswith(value[-n:])
            ),
            default=0,
        )

    def last_line(self) -> str:
        """The last line that says something, at most 300 characters; may be empty."""
        lines = [line.strip() for line in self.text().splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


@asynccontextmanager
async def stdio_transport(
    command: list[str], *, env: Mapping[str, str], cwd: str, stderr: StderrTail
) -> AsyncGenerator[Any]:
    """Start the server and stop it at the end, whatever happens in between.

    It inherits no more of our environment than a program needs to start (the SDK's list).
    """
    parameters = StdioServerParameters(
        command=command[0],
        args=command[1:],
        env=dict(env),
        cwd=cwd or None,
        encoding_error_handler="replace",
    )
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        with os.fdopen(writing, "w") as theirs:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_drain, reading, stderr)
                async with stdio_client(parameters, errlog=theirs) as streams:
                    yield streams
                tasks.cancel_scope.cancel()
    finally:
        for _ in range(_LAST_READS):
            if not _read(reading, stderr):
                break
        os.close(reading)


async def _drain(reading: int, stderr: StderrTail) -> None:
    """Read all the time: a server whose stderr is full stops answering."""
    while True:
        await anyio.wait_readable(reading)
        _read(reading, stderr)


def _read(reading: int, stderr: StderrTail) -> bool:
    """Read what is there; False when there is nothing or the pipe is closed."""
    try:
        chunk = os.read(reading, _CHUNK)
    except BlockingIOError:
        return False
    stderr.feed(chunk)
    return bool(chunk)
