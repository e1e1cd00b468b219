"""E-mail over SMTP: one message a recipient, so that a bad address fails alone (case N18).

Headers are set through the standard library's ``EmailMessage`` only, from texts without control
characters, and never from encoded words: it decodes those, whatever is in them (case N15). The
``Message-ID`` is the delivery's: a mail that had to be sent twice can be told as one by the
receiver's server.

Source: RFC 5321 (replies), RFC 5322, RFC 2047 (encoded words), RFC 3834 (Auto-Submitted).
"""

import html
from contextlib import suppress
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as POLICY
from email.utils import format_datetime
from typing import Literal

import aiosmtplib
from msgspec import Struct

from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import SENT, Outcome
from pointsman.domain.notices.letters import LIMITS, LONGEST_SUBJECT, is_email, one_line
from pointsman.domain.secrets_shown import without
from pointsman.ports import Clock, Letter

SECONDS = 20.0
"""For one command of the protocol."""


class MailServer(Struct, frozen=True, kw_only=True):
    """Where mail is handed in.

    Attributes:
        sender: address that it comes from; ``title`` is the name before it.
        security: ``starttls`` and ``ssl`` check the server's certificate.
    """

    host: str
    sender: str
    port: int = 587
    title: str = ""
    security: Literal["starttls", "ssl", "none"] = "starttls"
    user: str = ""
    password: str = ""


class EmailNotifier:
    """``ports.Notifier``; the address is a mail address."""

    keyed = False
    timeout = 90.0

    def __init__(
        self,
        server: MailServer,
        clock: Clock,
        *,
        limit: int = LIMITS["email"],
        rate: Rate | None = None,
    ) -> None:
        self._server, self._clock = server, clock
        self.limit, self.rate = limit, rate

    def refuses(self, address: str) -> str:
        return "" if is_email(address) else "this is no e-mail address"

    async def send(self, letter: Letter) -> Outcome:
        try:
            mail = self.mail(letter)
        except (ValueError, MessageError) as fault:
            return Outcome(verdict="failed", detail=f"no mail can be made of it: {fault}")
        return await self._handed_in(mail.as_bytes(policy=POLICY), letter.address)

    def mail(self, letter: Letter) -> EmailMessage:
        """The message: text and HTML, in UTF-8.

        Raises:
            ValueError: the address is none.
        """
        if refused := self.refuses(letter.address):
            raise ValueError(refused)
        server, subject = self._server, _literal(letter.subject)
        mail = EmailMessage(policy=POLICY)
        mail["From"] = _address(server.title, server.sender)
        mail["To"] = _address(letter.name, letter.address)
        mail["Subject"] = (
            f"{subject} ({letter.part}/{letter.parts})" if letter.parts > 1 else subject
        )
        mail["Date"] = format_datetime(self._clock.now())
        mail["Message-ID"] = f"<{letter.key}@{server.sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail["Content-Language"] = "zh-CN" if letter.language == "zh" else "en"
        mail.set_content(letter.text)
        mail.add_alternative(_page(subject, letter), subtype="html")
        return mail

    async def aclose(self) -> None:
        """Nothing is held: each mail has a connection of its own."""

    async def _handed_in(self, mail: bytes, to: str) -> Outcome:
        server = self._server
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.security == "ssl",
            start_tls=server.security == "starttls",
            username=server.user or None,
            password=server.password or None,
            timeout=SECONDS,
        )
        given = False
        try:
            await client.connect()
            await client.mail(server.sender)
            await client.rcpt(to)
            given = True
            await client.data(mail)
        except aiosmtplib.SMTPResponseException as fault:
            return self._refused(fault)
        except (aiosmtplib.SMTPException, OSError) as fault:
            detail = self._shown(f"{type(fault).__name__}: {fault}")
            return Outcome(verdict="unknown" if given else "retry", about="channel", detail=detail)
        else:
            return SENT
        finally:
            with suppress(aiosmtplib.SMTPException, OSError):
                client.close()

    def _refused(self, fault: aiosmtplib.SMTPResponseException) -> Outcome:
        """What a reply says: 5xx is for good, 4xx for now."""
        about: Literal["message", "recipient", "channel"] = "channel"
        if isinstance(fault, aiosmtplib.SMTPRecipientRefused):
            about = "recipient"
        elif isinstance(fault, aiosmtplib.SMTPDataError):
            about = "message"
        return Outcome(
            verdict="failed" if fault.code >= 500 else "retry",
            about=about,
            code=str(fault.code),
            detail=self._shown(fault.message),
        )

    def _shown(self, text: str) -> str:
        return without(" ".join(text.split()), (self._server.password,))


def _address(name: str, address: str) -> Address:
    return Address(display_name=_literal(name, 80), addr_spec=address)


def _literal(text: str, most: int = LONGEST_SUBJECT) -> str:
    """The text on one line, with no encoded word in it (RFC 2047), which may hold line breaks."""
    return one_line(text, most).replace("=?", "= ?")


def _page(subject: str, letter: Letter) -> str:
    text = html.escape(letter.text).replace("\n", "<br>\n")
    language = "zh-CN" if letter.language == "zh" else "en"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{html.escape(subject)}</title></head>\n<body><p>{text}</p></body></html>\n"
    )
