"""A run's journal as an event stream that can be taken up again at any event."""

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


class Piece(Struct, frozen=True):
    """The data of ``text`` and ``reasoning``."""

    text: str


class Reset(Struct, frozen=True):
    """The data of ``reset``: the pieces since the model was asked are void."""

    attempt: int


class End(Struct, frozen=True):
    """The data of ``end``."""

    status: RunStatus


class RunStream:
    """Writes what happens to a run after a position, until the run has ended. Events are masked by
    what is known of the run then."""

    def __init__(self, service: Service, *, run: str, user: str, after: int) -> None:
        self._service, self._run, self._user, self._after = service, run, user, after

    async def write(self, writer: EventWriter) -> None:
        """Write the stream to its end."""
        mask = RunMask()
        for recorded in await self._service.trace(self._run, self._user):
            mask.learn(recorded.event)
        async with following(
            self._service, self._run, self._user, after=self._after, to_end=True
        ) as seen:
            async for one in seen:
                await _write(writer, one, mask)
        record = await self._service.record(self._run, self._user)
        await writer.event(_encode(End(record.status)), name="end")


async def _write(writer: EventWriter, one: Recorded | News, mask: RunMask) -> None:
    match one:
        case Recorded():
            mask.learn(one.event)
            body, name = ev.encode(mask.masked(one.event)), event_name(one.event)
            await writer.event(body, name=name, id=str(one.position))
        case TextDelta():
            await writer.event(_encode(Piece(one.text)), name="text")
        case ReasoningDelta():
            await writer.event(_encode(Piece(one.text)), name="reasoning")
        case ResetDelta():
            await writer.event(_encode(Reset(one.attempt)), name="reset")
        case Progress():
            await writer.event(_encode(one), name="progress")
        case _:
            pass


def event_name(event: ev.Event) -> str:
    """The event's type without its schema version."""
    return str(type(event).__struct_config__.tag).partition("@")[0]
