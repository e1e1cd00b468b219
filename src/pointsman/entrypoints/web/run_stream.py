"""A run's journal as a stream that can be taken up again at any event."""

from collections.abc import AsyncGenerator

import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.masking import RunMask
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.domain.runs import RunStatus
from pointsman.engine.service import Recorded, Service
from pointsman.entrypoints.web.following import following
from pointsman.entrypoints.web.streams import EventWriter
from pointsman.ports import News, Progress

_encode = msgspec.json.Encoder().encode


class Told(Struct, frozen=True, kw_only=True):
    """One word of a stream.

    Attributes:
        event: its kind.
        body: JSON; empty for a piece of ``text``, which may be joined with the next.
        position: where the stream can be taken up after it; None for what is not kept.
    """

    event: str
    body: bytes = b""
    text: str = ""
    position: int | None = None

    @property
    def json(self) -> bytes:
        """The body, also of a piece."""
        return self.body or _encode(Piece(self.text))


class Piece(Struct, frozen=True):
    """The data of ``text`` and ``reasoning``."""

    text: str


class Reset(Struct, frozen=True):
    """The data of ``reset``: the pieces since the model was asked are void."""

    attempt: int


class End(Struct, frozen=True):
    """The data of ``end``."""

    status: RunStatus


async def run_told(
    service: Service, run: str, user: str | None, after: int
) -> AsyncGenerator[Told]:
    """What happens to a run after a position, until it has ended. Events are masked by what is
    known of the run then.

    Args:
        user: who must own it; None for an operator.

    Raises:
        NotFound: no such run of this user.
    """
    mask = RunMask()
    for recorded in await service.trace(run, user):
        mask.learn(recorded.event)
    async with following(service, run, user, after=after, to_end=True) as seen:
        async for one in seen:
            if told := _told(one, mask):
                yield told
    record = await service.record(run, user)
    yield Told(event="end", body=_encode(End(record.status)))


def _told(one: Recorded | News, mask: RunMask) -> Told | None:
    match one:
        case Recorded():
            mask.learn(one.event)
            body = ev.encode(mask.masked(one.event))
            return Told(event=event_name(one.event), body=body, position=one.position)
        case TextDelta():
            return Told(event="text", text=one.text)
        case ReasoningDelta():
            return Told(event="reasoning", text=one.text)
        case ResetDelta():
            return Told(event="reset", body=_encode(Reset(one.attempt)))
        case Progress():
            return Told(event="progress", body=_encode(one))
        case _:
            return None


class RunStream:
    """Writes what happens to a run after a position, until the run has ended."""

    def __init__(self, service: Service, *, run: str, user: str | None, after: int) -> None:
        self._service, self._run, self._user, self._after = service, run, user, after

    async def write(self, writer: EventWriter) -> None:
        """Write the stream to its end."""
        async for told in run_told(self._service, self._run, self._user, self._after):
            id = "" if told.position is None else str(told.position)
            await writer.event(told.json, name=told.event, id=id)


def event_name(event: ev.Event) -> str:
    """The event's type without its schema version."""
    return str(type(event).__struct_config__.tag).partition("@")[0]
