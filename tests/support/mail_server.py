"""A mail server process: takes mail over SMTP and leaves each as a file. Addresses choose its
answers.

    python -m tests.support.mail_server FOLDER

It writes the port that it listens on to ``FOLDER/port``.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Any

import anyio
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

REFUSED = {"bad": "550 5.1.1 no such user", "later": "451 4.7.1 greylisted, try again later"}
SPAM = "554 5.7.1 message looks like spam"
USER, PASSWORD = "bot", "hunter2-secret"


class Taking:
    """What the server does with mail."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if refusal := REFUSED.get(address.partition("@")[0]):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        if any(one.startswith("spam") for one in envelope.rcpt_tos):
            return SPAM
        if any(one.startswith("slow") for one in envelope.rcpt_tos):
            await asyncio.sleep(3600)
        self._count += 1
        part = self._folder / f"{self._count:03}.part"
        part.write_bytes(f"{','.join(envelope.rcpt_tos)}\n".encode() + content)
        part.rename(part.with_suffix(".eml"))
        return "250 Message accepted"


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: Any
) -> AuthResult:
    right = isinstance(given, LoginPassword) and given.password == PASSWORD.encode()
    return AuthResult(success=right, handled=right)


async def _serve(folder: Path, *, guarded: bool) -> None:
    taking = Taking(folder)

    def session() -> SMTP:
        return SMTP(
            taking,
            hostname="mail.test",
            enable_SMTPUTF8=True,
            authenticator=_authenticate,
            auth_required=guarded,
            auth_require_tls=False,
        )

    listener = socket.create_server(("127.0.0.1", 0))
    server = await asyncio.get_running_loop().create_server(session, sock=listener)
    part = folder / "port.part"
    part.write_text(str(listener.getsockname()[1]))
    part.rename(folder / "port")
    await server.serve_forever()


class MailServer:
    """The running process, seen from a test."""

    def __init__(self, folder: Path, process: asyncio.subprocess.Process) -> None:
        self._folder, self.process = folder, process
        self.port = int((folder / "port").read_text())

    def mails(self) -> list[tuple[str, EmailMessage]]:
        """What arrived, in order: the envelope's recipients, and the mail."""
        found = []
        for file in sorted(self._folder.glob("*.eml")):
            to, _, raw = file.read_bytes().partition(b"\n")
            mail = BytesParser(EmailMessage, policy=default).parsebytes(raw)
            found.append((to.decode(), mail))
        return found


@asynccontextmanager
async def mail_server(folder: Path, *, guarded: bool = False) -> AsyncIterator[MailServer]:
    """A mail server process while the block runs.

    Args:
        guarded: only who signs in may hand mail in.
    """
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240 - once, before anything waits
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-m", "tests.support.mail_server", str(folder)),
        *(["guarded"] if guarded else []),
    )
    try:
        async with asyncio.timeout(60):
            while not await anyio.Path(folder / "port").exists():
                assert process.returncode is None, "the mail server ended at its start"
                await asyncio.sleep(0.02)
        yield MailServer(folder, process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), guarded="guarded" in sys.argv))
