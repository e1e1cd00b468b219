"""The channel: one WebSocket a tab, which tells everything that the tab wants to know.

The client opens and closes topics; each frame of a topic names where it can be taken up again. A
client that reads too slowly is dropped and comes back there. Below: ``channel_topics``, which says
what a topic tells, and ``channel_frames``, which sends it in order and in measure.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Annotated, Literal

import anyio
import msgspec
from fastapi import APIRouter, WebSocket
from msgspec import Struct
from starlette.websockets import WebSocketDisconnect, WebSocketState

from pointsman.adapters.system import SystemClock
from pointsman.domain.limiting import Rate, RateState, take
from pointsman.engine.service import Service
from pointsman.entrypoints.web import channel_topics
from pointsman.entrypoints.web.access import Viewer, anybody, viewer
from pointsman.entrypoints.web.channel_frames import Frames
from pointsman.entrypoints.web.parameters import LARGEST
from pointsman.entrypoints.web.problems import Refusal, problem, refusal_of, refused
from pointsman.entrypoints.web.run_stream import Told
from pointsman.errors import PointsmanError

SESSION_ENDED, TOO_SLOW, TOO_MUCH, RESTARTING = 4401, 4408, 4429, 1012
"""Why the server closes a channel. After all but the first the client may come back."""

TOPICS = 50
"""That one channel may have open."""
MESSAGE = 4_096
"""Characters of a client's message."""
OPS = Rate(calls=240, seconds=60)
"""Messages of one client."""
SESSION = 10.0
"""Seconds between two looks whether the session stands."""

router = APIRouter()

_encode = msgspec.json.Encoder().encode


class Op(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client sends."""

    op: Literal["open", "close", "ping"]
    topic: str = ""
    after: Annotated[int, msgspec.Meta(ge=-1, le=LARGEST)] | None = None


_op = msgspec.json.Decoder(Op).decode


@router.websocket("/api/channel")
async def channel(socket: WebSocket) -> None:
    """Tell what the client asks for, until it leaves, its session ends or the server stops."""
    sockets: Counter[str] = socket.app.state.sockets
    try:
        who = await anybody(await viewer(socket))
        if sockets[who.login] >= socket.app.state.settings.serving.sockets:
            raise Refusal(429, "too many channels are open", headers={"retry-after": "10"})
    except (Refusal, PointsmanError) as fault:
        await socket.send_denial_response(refused(socket.scope, refusal_of(fault)))
        return
    sockets[who.login] += 1
    try:
        await socket.accept()
        await Channel(socket, who).serve()
    finally:
        sockets[who.login] -= 1


class Closed(Exception):
    """The channel is to be closed with this code."""

    def __init__(self, code: int, why: str) -> None:
        self.code, self.why = code, why
        super().__init__(why)


class Channel:
    """One open channel."""

    def __init__(self, socket: WebSocket, who: Viewer) -> None:
        self._socket, self._who = socket, who
        self._service: Service = socket.app.state.service
        self._patience: float = socket.app.state.settings.serving.stall_timeout
        self._clock = SystemClock()
        self._frames = Frames(self._clock)
        self._topics: dict[str, anyio.CancelScope] = {}
        self._ops = RateState()
        self._closed: Closed | None = None

    async def serve(self) -> None:
        """Serve it to its end."""
        async with anyio.create_task_group() as self._tasks:
            for part in (self._read, self._write, self._watch_session, self._watch_server):
                self._tasks.start_soon(self._to_end, part)
        if self._closed and self._socket.application_state is WebSocketState.CONNECTED:
            with anyio.move_on_after(self._patience), suppress(WebSocketDisconnect):
                await self._socket.close(self._closed.code, self._closed.why)

    async def _to_end(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run one part; when it ends, all do."""
        try:
            await part()
        except Closed as why:
            self._closed = self._closed or why
        except WebSocketDisconnect:
            """The client is gone, and nobody waits for a word."""
        self._tasks.cancel_scope.cancel()

    async def _read(self) -> None:
        while (message := await self._socket.receive())["type"] == "websocket.receive":
            admission, self._ops = take(self._ops, OPS, self._clock.now())
            if not admission.allowed:
                raise Closed(TOO_MUCH, "too many messages")
            try:
                await self._take(_op_of(message.get("text") or ""))
            except Refusal as refusal:
                await self._say_fault("", refusal)

    async def _take(self, op: Op) -> None:
        match op.op:
            case "ping":
                await self._send('{"op":"pong"}')
            case "close":
                if scope := self._topics.pop(op.topic, None):
                    scope.cancel()
                self._frames.forget(op.topic)
            case "open":
                await self._take(Op(op="close", topic=op.topic))
                if len(self._topics) >= TOPICS:
                    raise Refusal(429, f"a channel has at most {TOPICS} topics", field="topic")
                scope = self._topics[op.topic] = anyio.CancelScope()
                self._tasks.start_soon(self._tell, op, scope)

    async def _tell(self, op: Op, scope: anyio.CancelScope) -> None:
        """Tell one topic to its end."""
        with scope:
            try:
                told = channel_topics.topic(self._service, self._who, op.topic, op.after)
                async with aclosing(told):
                    async for one in told:
                        await self._frames.put(op.topic, one)
            except (Refusal, PointsmanError) as fault:
                await self._say_fault(op.topic, refusal_of(fault))
        if self._topics.get(op.topic) is scope:
            del self._topics[op.topic]

    async def _say_fault(self, topic: str, refusal: Refusal) -> None:
        body = _encode(problem(refusal, self._socket.scope))
        await self._frames.put(topic, Told(event="error", body=body))

    async def _write(self) -> None:
        await self._frames.serve(self._send)

    async def _send(self, frame: str) -> None:
        try:
            with anyio.fail_after(self._patience):
                await self._socket.send_text(frame)
        except TimeoutError:
            raise Closed(TOO_SLOW, "the client reads too slowly") from None

    async def _watch_session(self) -> None:
        """Raises:
        Closed: whose channel it is may no longer see what it tells.
        """
        while True:
            await self._clock.sleep(SESSION)
            try:
                now = await viewer(self._socket)
            except Refusal:
                raise Closed(SESSION_ENDED, "the session has ended") from None
            except PointsmanError:
                continue  # the database rests: nobody is thrown out for that
            if (now.login, now.roles) != (self._who.login, self._who.roles):
                raise Closed(SESSION_ENDED, "the session has changed")

    async def _watch_server(self) -> None:
        await self._socket.app.state.closing.wait()
        raise Closed(RESTARTING, "the server is stopping")


def _op_of(message: str) -> Op:
    if len(message) > MESSAGE:
        raise Refusal(413, f"a message has at most {MESSAGE} characters")
    try:
        return _op(message)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise Refusal(400, f"the message cannot be read: {fault}") from None
