"""What every channel promises, on each of them: it says yes only when the other side did, tells
what is for good from what may pass, and shows no secret."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.notifiers.apprise import AppriseNotifier
from pointsman.adapters.notifiers.email import EmailNotifier, MailServer
from pointsman.adapters.notifiers.inbox import InboxNotifier
from pointsman.adapters.notifiers.robots import KINDS, WebhookNotifier
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.ports import Letter, Notifier
from tests.support.mail_server import PASSWORD, USER, mail_server
from tests.support.robot_server import KEY, robot_server

pytestmark = pytest.mark.anyio

LETTER = Letter(
    key="0123456789abcdef0123456789abcdef",
    address="",
    name="王芳",
    subject="日报",
    text="知识库 178 个，用户 51 个。",
)


class Played(Struct, frozen=True):
    """A channel with another side.

    Attributes:
        address: one that it takes; ``none`` one that can be none.
        texts: what arrived at the other side.
        broken: the same channel with a key that is no good; None where there is no key.
        away: the same channel with nobody on the other side.
    """

    channel: Notifier
    address: str
    none: str
    texts: Callable[[], Awaitable[list[str]]]
    broken: Notifier | None = None
    away: Notifier | None = None


async def _inbox(stack: AsyncExitStack, folder: Path) -> Played:
    store = sqlite(folder / "inbox.db")
    stack.push_async_callback(store.aclose)
    channel = InboxNotifier(store.inbox, MemoryBus(), SystemClock())

    async def texts() -> list[str]:
        return [one.text for one in await store.inbox.messages("wangfang")]

    return Played(channel, "wangfang", " ", texts)


async def _email(stack: AsyncExitStack, folder: Path) -> Played:
    server = await stack.enter_async_context(mail_server(folder / "mail", guarded=True))

    def speaking(password: str, port: int) -> EmailNotifier:
        reached = MailServer(
            host="127.0.0.1",
            port=port,
            security="none",
            user=USER,
            password=password,
            sender="bot@a.test",
        )
        return EmailNotifier(reached, SystemClock())

    async def texts() -> list[str]:
        bodies = [mail.get_body(("plain",)) for _, mail in server.mails()]
        return [body.get_content().rstrip() for body in bodies if body]

    right, wrong = speaking(PASSWORD, server.port), speaking("SECRET-wrong", server.port)
    return Played(right, "wang@a.test", "wang", texts, wrong, speaking(PASSWORD, 1))


def _robot(kind: str) -> Callable[[AsyncExitStack, Path], Awaitable[Played]]:
    async def made(stack: AsyncExitStack, folder: Path) -> Played:
        robots = await stack.enter_async_context(robot_server())
        path = kind.partition("_")[0]

        def speaking(url: str) -> WebhookNotifier:
            return WebhookNotifier(KINDS[kind], {"产品群": url})

        async def texts() -> list[str]:
            return [_text(one) for one in robots.taken]

        return Played(
            speaking(robots.address(path)),
            "产品群",
            "别的群",
            texts,
            speaking(robots.address(path, "SECRET-wrong")) if path != "webhook" else None,
            speaking(f"http://127.0.0.1:1/?key={KEY}"),
        )

    return made


async def _apprise(stack: AsyncExitStack, folder: Path) -> Played:
    robots = await stack.enter_async_context(robot_server())
    url = robots.address("webhook").replace("http://", "json://")

    async def texts() -> list[str]:
        return [one["message"] for one in robots.taken]

    return Played(
        AppriseNotifier({"": url + "&-to={to}"}),
        "wang",
        " ",
        texts,
        None,
        AppriseNotifier({"": f"json://127.0.0.1:1/{KEY}?to={{to}}"}),
    )


def _text(body: dict[str, object]) -> str:
    inner = body.get("markdown") or body.get("content") or body
    if body.get("msgtype") == "text":
        inner = body["text"]
    assert isinstance(inner, dict)
    return str(inner.get("content") or inner.get("text"))


MADE = {
    "system": _inbox,
    "email": _email,
    "wecom": _robot("wecom"),
    "wecom_text": _robot("wecom_text"),
    "dingtalk": _robot("dingtalk"),
    "feishu": _robot("feishu"),
    "webhook": _robot("webhook"),
    "apprise": _apprise,
}


@pytest.fixture(params=MADE)
async def played(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Played]:
    async with AsyncExitStack() as stack:
        one = await MADE[request.param](stack, tmp_path)
        yield one
        for channel in filter(None, (one.channel, one.broken, one.away)):
            await channel.aclose()


async def test_what_was_taken_is_sent_and_arrives_whole(played: Played) -> None:
    outcome = await played.channel.send(replace(LETTER, address=played.address))
    assert (outcome.verdict, outcome.detail) == ("sent", "")
    assert await played.texts() == [LETTER.text]


async def test_an_address_is_known_for_one(played: Played) -> None:
    assert played.channel.refuses(played.address) == ""
    assert played.channel.refuses(played.none)


async def test_a_bad_key_is_the_channels_fault_and_for_good(
    played: Played, caplog: pytest.LogCaptureFixture
) -> None:
    if played.broken is None:
        return
    with caplog.at_level(logging.DEBUG, "pointsman"):
        outcome = await played.broken.send(replace(LETTER, address=played.address))
    assert (outcome.verdict, outcome.about) == ("failed", "channel")
    assert outcome.code
    assert "SECRET" not in f"{outcome} {caplog.text}"
    assert await played.texts() == []


async def test_a_side_that_is_away_may_be_back_later(played: Played) -> None:
    if played.away is None:
        return
    outcome = await played.away.send(replace(LETTER, address=played.address))
    assert (outcome.verdict, outcome.about) in (("retry", "channel"), ("unknown", "channel"))
    assert outcome.detail
    assert not any(secret in str(outcome) for secret in (KEY, PASSWORD))


async def test_a_channel_that_takes_keys_takes_a_message_once(played: Played) -> None:
    letter = replace(LETTER, address=played.address)
    assert (await played.channel.send(letter)).ok
    assert (await played.channel.send(letter)).ok
    assert len(await played.texts()) == (1 if played.channel.keyed else 2)


async def test_a_part_of_the_longest_length_is_taken(played: Played) -> None:
    limit = played.channel.limit or 1000
    text = "通" * (min(limit, 5000) // 3)
    assert (await played.channel.send(replace(LETTER, address=played.address, text=text))).ok
    assert await played.texts() == [text]
