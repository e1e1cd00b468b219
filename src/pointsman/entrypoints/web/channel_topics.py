"""What a channel can be asked to tell: a run, one's inbox, that a list has changed.

Each topic is a stream of its own that ends, if at all, with what it is about.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec

from pointsman.engine.notices.inboxes import Unread
from pointsman.engine.service import Service
from pointsman.entrypoints.notices import message_shape
from pointsman.entrypoints.web.access import Viewer
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.run_stream import Told, run_told

RUN = "run:"
LONGEST = 200
"""Characters of a topic's name."""

_encode = msgspec.json.Encoder().encode
_CHANGED = Told(event="changed", body=b"{}")


def topic(service: Service, who: Viewer, name: str, after: int | None) -> AsyncGenerator[Told]:
    """What happens there from now on, or after a position.

    Raises:
        Refusal: there is no such topic.
        NotFound (when read): it is not this viewer's.
    """
    if name.startswith(RUN) and len(name) <= LONGEST:
        owner = None if who.has("operator") else who.login
        return run_told(service, name.removeprefix(RUN), owner, -1 if after is None else after)
    if name in _TOPICS:
        return _TOPICS[name](service, who, after)
    raise Refusal(404, f"there is no topic {name[:LONGEST]!r}", field="topic", code="topic")


async def _inbox(service: Service, who: Viewer, after: int | None) -> AsyncGenerator[Told]:
    async with aclosing(service.mailroom.inboxes.follow(who.login, after)) as seen:
        async for one in seen:
            if isinstance(one, Unread):
                yield Told(event="unread", body=_encode(one))
            else:
                body = _encode(message_shape(one))
                yield Told(event="message", body=body, position=one.seq)


async def _approvals(service: Service, who: Viewer, after: int | None) -> AsyncGenerator[Told]:
    async with aclosing(service.changes.approvals()) as seen:
        async for _ in seen:
            yield _CHANGED


async def _runs(service: Service, who: Viewer, after: int | None) -> AsyncGenerator[Told]:
    async with aclosing(service.changes.runs(who.login)) as seen:
        async for _ in seen:
            yield _CHANGED


async def _reminders(service: Service, who: Viewer, after: int | None) -> AsyncGenerator[Told]:
    async with aclosing(service.reminders.follow(who.login)) as seen:
        async for _ in seen:
            yield _CHANGED


_TOPICS: dict[str, Callable[[Service, Viewer, int | None], AsyncGenerator[Told]]] = {
    "inbox": _inbox,
    "approvals": _approvals,
    "runs": _runs,
    "reminders": _reminders,
}
