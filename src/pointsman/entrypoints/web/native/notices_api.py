"""The native API for notifications: hand one in, see how each delivery stands, read one's inbox,
and hold a stream of it open (O6, O8, N19).

Below: ``engine.notices.mailroom``. A delivery belongs to who sent it, a message to the owner of its
inbox.
"""

from contextlib import aclosing
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Header, Query
from msgspec import Struct
from starlette.responses import Response

from pointsman.adapters.system import SystemClock
from pointsman.domain.notices.delivery import DeliveryStatus, Kind
from pointsman.engine.notices import notify
from pointsman.engine.notices.addressing import Wanting
from pointsman.engine.notices.inboxes import Inboxes, Unread
from pointsman.entrypoints.notices import message_shape
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.notice_shapes import (
    DeliveryList,
    DeliveryShape,
    InboxPage,
    Mark,
    MessageShape,
    NewNotice,
    UnreadShape,
)
from pointsman.entrypoints.web.parameters import LARGEST, place
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.streams import EventStream, EventWriter

MOST = 200
"""On one page."""

deliveries_router = APIRouter(prefix="/api/deliveries", tags=["notifications"])
inbox_router = APIRouter(prefix="/api/inbox", tags=["notifications"])

_encode = msgspec.json.Encoder().encode


@deliveries_router.post("", status_code=202, openapi_extra=takes(NewNotice))
async def send(
    user: User, notice: Annotated[NewNotice, Depends(body(NewNotice))], service: Engine
) -> DeliveryList:
    """Hand a message in. It is accepted, not sent: how it stands is read under each delivery's
    id."""
    try:
        taken = await notify.hand_in(
            notice.arguments(),
            service.mailroom,
            key=f"{user}:{notice.key or SystemClock().new_id()}",
            sender=user,
            language=notice.language,
        )
    except Wanting as wanting:
        raise Refusal(400, str(wanting), field=wanting.missing, code="unclear") from None
    return DeliveryList(deliveries=[DeliveryShape.of(one) for one in taken], before=None)


@deliveries_router.get("")
async def deliveries(
    service: Engine,
    user: User,
    status: Annotated[tuple[DeliveryStatus, ...], Query()] = (),
    channel: str | None = None,
    run: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: str | None = None,
) -> DeliveryList:
    """What the user, or an agent for him, has sent, newest first, a page at a time."""
    found = await service.mailroom.post.deliveries(
        sender=user, status=status, channel=channel, run=run, limit=limit + 1, before=before
    )
    page = found[:limit]
    return DeliveryList(
        deliveries=[DeliveryShape.of(one) for one in page],
        before=page[-1].id if len(found) > limit else None,
    )


@deliveries_router.get("/{delivery}")
async def delivery(delivery: str, service: Engine, user: User) -> DeliveryShape:
    """One delivery, as it stands."""
    return DeliveryShape.of(await service.mailroom.post.delivery(delivery, user))


@deliveries_router.post("/{delivery}/retry", status_code=202)
async def retry(delivery: str, service: Engine, user: User) -> DeliveryShape:
    """Try a delivery again that was given up, from the part that failed."""
    return DeliveryShape.of(await service.mailroom.post.retry(delivery, user))


@inbox_router.get("")
async def messages(
    service: Engine,
    user: User,
    unread: bool = False,
    kind: Kind | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
) -> InboxPage:
    """The user's messages, newest first, a page at a time."""
    inboxes = service.mailroom.inboxes
    found = await inboxes.messages(user, unread=unread, kind=kind, before=before, limit=limit + 1)
    page = found[:limit]
    return InboxPage(
        messages=[MessageShape.of(one) for one in page],
        unread=await inboxes.unread(user),
        before=page[-1].seq if len(found) > limit else None,
    )


@inbox_router.get("/unread")
async def unread(service: Engine, user: User) -> UnreadShape:
    """How many messages the user has not read."""
    return UnreadShape(unread=await service.mailroom.inboxes.unread(user))


@inbox_router.post("/read")
async def read_all(service: Engine, user: User) -> UnreadShape:
    """Mark every message as read."""
    await service.mailroom.inboxes.mark_all(user)
    return UnreadShape(unread=await service.mailroom.inboxes.unread(user))


@inbox_router.post("/{message}/read", openapi_extra=takes(Mark))
async def mark(
    user: User, message: str, mark: Annotated[Mark, Depends(body(Mark))], service: Engine
) -> UnreadShape:
    """Mark a message as read or unread."""
    await service.mailroom.inboxes.mark(user, message, read=mark.read)
    return UnreadShape(unread=await service.mailroom.inboxes.unread(user))


@inbox_router.get(
    "/events",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    service: Engine,
    user: User,
    after: Annotated[
        int | None, Query(ge=0, le=LARGEST, description="seq of the last message seen")
    ] = None,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """What arrives in the user's inbox, as an event stream without end.

    ``message`` is one that arrived; its id is the message's ``seq``, from which a stream can be
    taken up again. ``unread`` tells how many there are whenever that changes. Without a place to
    begin, the stream begins now.
    """
    after = place(last_event_id, after)
    return EventStream(_Stream(service.mailroom.inboxes, user, after).write)


class _Stream(Struct, frozen=True):
    """Writes one user's inbox as it grows."""

    inboxes: Inboxes
    user: str
    after: int | None

    async def write(self, writer: EventWriter) -> None:
        """Write until cancelled."""
        async with aclosing(self.inboxes.follow(self.user, self.after)) as seen:
            async for one in seen:
                if isinstance(one, Unread):
                    await writer.event(_encode(one), name="unread")
                else:
                    shaped = _encode(message_shape(one))
                    await writer.event(shaped, name="message", id=str(one.seq))
