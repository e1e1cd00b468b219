"""``pointsman notify``, ``deliveries`` and ``inbox``: on the database, with or without a server."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import anyio

from pointsman import bootstrap
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus
from pointsman.domain.notices.delivery_texts import channel_title, state
from pointsman.engine.notices import notify
from pointsman.engine.notices.inboxes import Unread
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.entrypoints.cli.render import local
from pointsman.entrypoints.cli.runs import journal_of
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.notices import delivery_shape, message_shape
from pointsman.errors import CallerError, NotFound
from pointsman.ports import Clock, InboxMessage
from pointsman.settings import Settings

FAILED, WAITS = 3, 4
CANDIDATES = 5


@asynccontextmanager
async def _carrying(mailroom: Mailroom) -> AsyncIterator[None]:
    """What is in the outbox is carried here too while the block runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(mailroom.postman.serve)
        yield
        tasks.cancel_scope.cancel()


async def send(
    settings: Settings,
    terminal: Terminal,
    arguments: Mapping[str, Any],
    *,
    clock: Clock,
    sender: str,
    wait: float,
    as_json: bool,
) -> int:
    """Send a message, and print how each delivery stands after so many seconds, or before."""
    async with bootstrap.opened([], settings) as service:
        room = service.mailroom
        async with _carrying(room):
            taken = await notify.hand_in(
                arguments,
                room,
                key=f"{sender}:{clock.new_id()}",
                sender=sender,
                language=terminal.language,
            )
            stand = await room.post.settled([one.id for one in taken], wait)
    _print(stand, terminal, as_json=as_json)
    if all(one.status is DeliveryStatus.SENT for one in stand):
        return 0
    return FAILED if all(one.status.ended for one in stand) else WAITS


async def list_deliveries(
    settings: Settings,
    terminal: Terminal,
    *,
    status: Sequence[DeliveryStatus],
    channel: str | None,
    sender: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """Print deliveries, newest first."""
    found: list[Delivery] = []
    if settings.has_database:
        async with bootstrap.opened([], settings) as service:
            found = await service.mailroom.post.deliveries(
                status=status, channel=channel, sender=sender, limit=limit
            )
    _print(found, terminal, as_json=as_json)
    return 0


async def show(settings: Settings, terminal: Terminal, prefix: str, *, as_json: bool) -> int:
    """Print all that is known of a delivery."""
    async with journal_of(settings) as service:
        found = await _find(service.mailroom, prefix)
    if as_json:
        print_json(delivery_shape(found))
        return 0
    _print_row(found, terminal)
    terminal.tell("notices.address", address=found.address)
    terminal.tell("notices.attempts", attempts=found.attempts, parts=found.parts, done=found.done)
    if not found.status.ended:
        terminal.tell("notices.next", at=local(found.due))
    terminal.tell(
        "notices.source", sender=found.sender or "-", run=found.run or "-", agent=found.agent or "-"
    )
    if found.fallback_of:
        terminal.tell("notices.instead", id=found.fallback_of)
    return 0


async def retry(settings: Settings, terminal: Terminal, prefix: str) -> int:
    """Try a delivery again that was given up."""
    async with journal_of(settings) as service:
        found = await _find(service.mailroom, prefix)
        await service.mailroom.post.retry(found.id, None)
    terminal.tell("notices.anew", id=found.id)
    return 0


async def inbox(
    settings: Settings, terminal: Terminal, *, user: str, unread: bool, limit: int, as_json: bool
) -> int:
    """Print a user's messages, newest first."""
    found: list[InboxMessage] = []
    count = 0
    if settings.has_database:
        async with bootstrap.opened([], settings) as service:
            inboxes = service.mailroom.inboxes
            found = await inboxes.messages(user, unread=unread, limit=limit)
            count = await inboxes.unread(user)
    if as_json:
        print_json({"messages": [message_shape(one) for one in found], "unread": count})
        return 0
    for one in found:
        _print_message(one, terminal)
    terminal.mention("notices.unread" if found else "notices.empty", count=count)
    return 0


async def read(
    settings: Settings, terminal: Terminal, *, user: str, messages: Sequence[str]
) -> int:
    """Mark messages as read; all of the user's when none is named."""
    async with journal_of(settings) as service:
        inboxes = service.mailroom.inboxes
        for message in messages:
            await inboxes.mark(user, message)
        count = len(messages) if messages else await inboxes.mark_all(user)
    terminal.tell("notices.marked", count=count)
    return 0


async def watch(settings: Settings, terminal: Terminal, *, user: str, as_json: bool) -> int:
    """Print what arrives in a user's inbox, until interrupted."""
    async with journal_of(settings) as service:
        if not as_json:
            terminal.mention("notices.watching", user=user)
        async with aclosing(service.mailroom.inboxes.follow(user)) as seen:
            async for one in seen:
                if isinstance(one, Unread):
                    continue
                if as_json:
                    print_json(message_shape(one))
                else:
                    _print_message(one, terminal)
    return 0


async def _find(mailroom: Mailroom, prefix: str) -> Delivery:
    """The delivery whose id starts so.

    Raises:
        NotFound: none does.
        CallerError: several do.
    """
    prefix = prefix.strip().lower()
    newest = await mailroom.post.deliveries(before=prefix + "g", limit=CANDIDATES)
    found = [one for one in newest if prefix and one.id.startswith(prefix)]
    if not found:
        raise NotFound("delivery", prefix)
    if len(found) > 1:
        raise CallerError(
            f"several deliveries start with {prefix!r}: {', '.join(one.id for one in found)}"
        )
    return found[0]


def _print(found: Sequence[Delivery], terminal: Terminal, *, as_json: bool) -> None:
    if as_json:
        print_json([delivery_shape(one) for one in found])
        return
    for one in found:
        _print_row(one, terminal)
    if not found:
        terminal.mention("notices.none")


def _print_row(one: Delivery, terminal: Terminal) -> None:
    why = " ".join(part for part in (one.code, one.error) if part)
    terminal.tell(
        "notices.row",
        id=one.id,
        at=local(one.created),
        channel=channel_title(one.channel, terminal.language),
        name=one.name or one.address,
        state=state(one, terminal.language),
        why=f" ({why})" if why else "",
        subject=one.subject,
    )


def _print_message(one: InboxMessage, terminal: Terminal) -> None:
    terminal.tell(
        "notices.message",
        seq=one.seq,
        mark=" " if one.read else "●",
        at=local(one.at),
        sender=one.sender or "-",
        subject=one.subject,
    )
    terminal.answer(one.text)
