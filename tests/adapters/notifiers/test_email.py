"""E-mail: right in UTF-8, one header a line, and each SMTP answer taken for what it says."""

from collections.abc import AsyncIterator
from email.header import decode_header
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.notifiers.email import EmailNotifier
from pointsman.adapters.notifiers.email import MailServer as Reached
from pointsman.ports import Letter
from tests.cases import params
from tests.support.fake_clock import FakeClock
from tests.support.mail_server import MailServer, mail_server

pytestmark = pytest.mark.anyio

LETTER = Letter(
    key="0123456789abcdef0123456789abcdef",
    address="wang@a.test",
    name="王芳",
    subject="知识库与用户统计",
    text="知识库 178 个，\n用户 51 个 <确认>。",
)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[MailServer]:
    async with mail_server(tmp_path / "mail") as running:
        yield running


def speaking(port: int, **more: Any) -> EmailNotifier:
    given = {"sender": "bot@a.test", "title": "扳道工", "security": "none", **more}
    return EmailNotifier(Reached(host="127.0.0.1", port=port, **given), FakeClock())


async def test_a_mail_arrives_in_utf_8_as_text_and_as_a_page(server: MailServer) -> None:
    assert (await speaking(server.port).send(LETTER)).ok
    ((to, mail),) = server.mails()
    assert to == "wang@a.test"
    assert mail["Subject"] == LETTER.subject
    assert str(mail["From"]) == "扳道工 <bot@a.test>"
    assert str(mail["To"]) == "王芳 <wang@a.test>"
    assert mail["Message-ID"] == f"<{LETTER.key}@a.test>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"].datetime == FakeClock().now().replace(microsecond=0)
    assert mail.get_content_type() == "multipart/alternative"
    plain, page = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain is not None
    assert page is not None
    assert {plain.get_content_charset(), page.get_content_charset()} == {"utf-8"}
    assert plain.get_content().replace("\r\n", "\n").rstrip() == LETTER.text
    assert "用户 51 个 &lt;确认&gt;。" in page.get_content()


async def test_headers_are_plain_ascii_on_the_wire(server: MailServer) -> None:
    raw = speaking(server.port).mail(LETTER).as_bytes()
    head = raw.partition(b"\r\n\r\n")[0]
    assert head.isascii()
    subject = next(line for line in head.splitlines() if line.startswith(b"Subject:"))
    text, charset = decode_header(subject.decode().partition(": ")[2])[0]
    assert isinstance(text, bytes)
    assert text.decode(charset or "ascii") in LETTER.subject


@pytest.mark.parametrize("case", params(9, only=("N15",)))
async def test_nothing_begins_another_header(case: dict[str, Any], server: MailServer) -> None:
    channel = speaking(server.port)
    hostile = replace(LETTER, subject=case["input"]["subject"], name="A\r\nBcc: x@evil.test")
    assert (await channel.send(hostile)).ok
    ((to, mail),) = server.mails()
    assert to == LETTER.address
    assert mail["Subject"] == case["expected"]["subject"]
    assert mail["Bcc"] is None
    outcome = await channel.send(replace(LETTER, address=case["input"]["to"]))
    assert outcome.verdict == "failed"
    assert len(server.mails()) == 1


@pytest.mark.parametrize(
    "word",
    [
        "=?utf-8?q?=0d=0aBcc:x@evil.test?=",
        "=?utf-8?b?DQpCY2M6IHhAZXZpbC50ZXN0?=",
        "日报 =?utf-8?q?a=0d=0aBcc:_x@evil.test=0d=0a?= 完",
        "=\u200b?utf-8?q?=0aBcc:x@evil.test?=",
        "==?utf-8?q?=0aBcc:x@evil.test?=",
    ],
)
async def test_an_encoded_word_is_not_decoded_into_another_header(
    word: str, server: MailServer
) -> None:
    """N15: the words are the message's, not the protocol's."""
    assert (await speaking(server.port).send(replace(LETTER, subject=word, name=word))).ok
    ((to, mail),) = server.mails()
    assert to == LETTER.address
    assert mail["Bcc"] is None
    assert [one.addr_spec for one in mail["To"].addresses] == [LETTER.address]
    assert mail.get_content_type() == "multipart/alternative"


@pytest.mark.parametrize(
    ("address", "verdict", "about", "code"),
    [
        ("bad@a.test", "failed", "recipient", "550"),
        ("later@a.test", "retry", "recipient", "451"),
        ("spam@a.test", "failed", "message", "554"),
    ],
)
async def test_5xx_is_for_good_and_4xx_for_now(
    address: str, verdict: str, about: str, code: str, server: MailServer
) -> None:
    outcome = await speaking(server.port).send(replace(LETTER, address=address))
    assert (outcome.verdict, outcome.about, outcome.code) == (verdict, about, code)


async def test_a_server_that_dies_after_the_text_leaves_it_unknown(server: MailServer) -> None:
    outcomes = []

    async def send() -> None:
        outcomes.append(await speaking(server.port).send(replace(LETTER, address="slow@a.test")))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        await anyio.sleep(1)
        server.process.kill()
    assert outcomes[0].verdict == "unknown"


async def test_a_server_without_tls_gets_nothing_where_tls_is_wanted(server: MailServer) -> None:
    outcome = await speaking(server.port, security="starttls").send(LETTER)
    assert not outcome.ok
    assert server.mails() == []


async def test_parts_say_which_they_are_in_the_subject(server: MailServer) -> None:
    mail = speaking(server.port).mail(replace(LETTER, part=2, parts=3))
    assert mail["Subject"] == f"{LETTER.subject} (2/3)"
