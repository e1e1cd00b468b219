"""A reply that does not hold: mended by a model that can, else said by the engine itself."""

from collections.abc import Sequence

import pytest

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, ModelReply, Stop, UserMessage
from pointsman.domain.runs import Run
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.service import Service
from pointsman.errors import ModelUnavailable
from tests.support.engine import events, say, service_of
from tests.support.scripted_model import Answer, ScriptedModel
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

LIE = "Ok, the report was sent to Bob."
TRUTH = "Sending it failed, the report was not sent."
CALL: Answer = [("send_report", "{}")]


def failing() -> FakeTool:
    async def fail(arguments: object, context: object) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content="ERROR: no such mailbox")

    return fake_tool("send_report", fail)


def by_rules(text: str) -> ModelReply:
    """What an offline model says."""
    message = AssistantMessage(text=text, by_rules=True)
    return ModelReply(message=message, stop=Stop.STOP, model="offline")


def notes(model: ScriptedModel) -> list[str]:
    """What the engine wrote to the model about its drafts."""
    return [
        one.text
        for request in model.requests
        for one in request.messages
        if isinstance(one, UserMessage) and one.text.startswith("Your reply was not shown")
    ]


async def told(
    model: Sequence[Answer], fallback: Sequence[Answer] = ()
) -> tuple[Service, ScriptedModel, ScriptedModel, Run]:
    first, second = ScriptedModel(model), ScriptedModel(fallback or [ModelUnavailable("down")])
    service = await service_of(first, failing(), fallback=second, language="en")
    return service, first, second, await say(service, "send the report to Bob")


async def actions(service: Service, run: Run) -> list[str]:
    return [one.action for one in await events(service, run.id, ev.ReplyChecked)]


async def test_a_model_mends_its_draft_once() -> None:
    service, model, _, run = await told([CALL, LIE, TRUTH])
    assert (run.reply, await actions(service, run)) == (TRUTH, ["ask_again"])
    assert len(notes(model)) == 1


async def test_a_second_lie_is_replaced() -> None:
    service, _, _, run = await told([CALL, LIE])
    assert await actions(service, run) == ["ask_again", "fall_back"]
    assert run.reply == "“send_report” did not succeed: no such mailbox"


async def test_rules_are_not_asked_to_mend_what_they_wrote() -> None:
    """They would take the note for the user's words."""
    service, model, _, run = await told([CALL, by_rules(LIE)])
    assert run.reply == "“send_report” did not succeed: no such mailbox"
    assert await actions(service, run) == ["fall_back"]
    assert notes(model) == []


async def test_what_rules_make_of_the_note_is_no_reply() -> None:
    """The model that was to mend its draft cannot be reached any more."""
    down = ModelUnavailable("down")
    service, _, offline, run = await told([CALL, LIE, down], [by_rules("I can: send reports.")])
    assert len(notes(offline)) == 1
    assert run.reply == "“send_report” did not succeed: no such mailbox"
    assert await actions(service, run) == ["ask_again", "fall_back"]


async def test_the_first_lie_of_a_fallback_is_replaced_at_once() -> None:
    down = ModelUnavailable("down")
    service, model, _, run = await told([CALL, down], [by_rules(LIE)])
    assert run.reply == "“send_report” did not succeed: no such mailbox"
    assert await actions(service, run) == ["fall_back"]
    assert notes(model) == []
