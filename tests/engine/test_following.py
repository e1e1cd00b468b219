"""Whoever follows a run reads each text once, whenever he comes and whatever is lost."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from pointsman.domain import events as ev
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    ResetDelta,
    Stop,
    TextDelta,
)
from pointsman.domain.tools import RawCall, Risk
from pointsman.engine.following import rest_of
from pointsman.engine.service import Recorded
from pointsman.ports import CallContext, Missed
from tests.support.engine import message, service_of, serving
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


class Held:
    """A tool that a test lets go on, and a model that calls it and says something before."""

    def __init__(self) -> None:
        self.called, self.go = anyio.Event(), anyio.Event()
        # Of a tool that changes something, all before the call is in the journal.
        self.tool = fake_tool("look", self._look, risk=Risk.WRITE)

    async def _look(self, arguments: Mapping[str, Any], context: CallContext) -> str:
        self.called.set()
        await self.go.wait()
        return "a chair"

    def answer(self, request: ModelRequest) -> Any:
        if len(request.messages) > 2:
            return "There is a chair."
        call = RawCall(id="a", name="look", arguments="{}")
        reply = AssistantMessage(text="Let me look.", calls=(call,))
        return ModelReply(message=reply, stop=Stop.TOOL_CALLS, model="scripted")


async def test_pieces_of_an_answer_that_the_journal_has_are_not_told_to_who_comes_later() -> None:
    held = Held()
    service = await service_of(held.answer, held.tool, policy=({"then": "allow"},))
    told: list[Any] = []
    async with serving(service):
        run = await service.submit(message(stream=True))
        await held.called.wait()
        with anyio.fail_after(60):
            async for one in service.follow(run, "ann"):
                told.append(one)
                held.go.set()
    answered = [one.event.turn for one in told if _is(one, ev.ModelAnswered)]
    pieces = [one.text for one in told if isinstance(one, TextDelta)]
    assert answered == [1, 2]
    assert "Let me look." not in "".join(pieces)


def _is(one: Any, kind: type[ev.Event]) -> bool:
    return isinstance(one, Recorded) and isinstance(one.event, kind)


async def test_a_follower_that_missed_every_signal_reads_the_journal() -> None:
    service = await service_of(["hello"])
    run = await service.submit(message())
    bus = service._bus
    quiet = await service_of(["hello"], store=service._store)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            seen: list[Any] = []

            async def follow() -> None:
                seen.extend([one async for one in service.follow(run, "ann")])

            tasks.start_soon(follow)
            await anyio.wait_all_tasks_blocked()
            await quiet._loop.drive(run)
            assert len(seen) == 0
            bus.publish(run, Missed())
    assert seen == await service.trace(run, "ann")


VOID = ResetDelta(2)


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("", [TextDelta("There is a chair.")]),
        ("There is a chair.", []),
        ("The", [TextDelta("re is a chair.")]),
        ("Let me look. There is a", [TextDelta(" chair.")]),
        ("Everything is done.", [VOID, TextDelta("There is a chair.")]),
        ("It begins with a T", [VOID, TextDelta("There is a chair.")]),
    ],
)
def test_what_a_reader_lacks_of_a_reply_is_told(told: str, wanted: list[Delta]) -> None:
    assert list(rest_of("There is a chair.", told)) == wanted
