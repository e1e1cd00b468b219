"""A journal with a run of every kind, for tests of the record."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from pointsman.domain.intents import Classification
from pointsman.domain.runs import Run
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Service
from pointsman.errors import ModelUnavailable
from pointsman.ports import Store
from tests.support.engine import approve, message, say, service_of
from tests.support.fake_clock import FakeClock
from tests.support.tools import FakeTool, fake_tool

CARD = "6222026006705354216"


def tools() -> list[FakeTool]:
    """One that reads, one that reads very much, one that pays with a private card."""
    properties = {"card": {"type": "string", "x-private": True, "x-source": ["user", "model"]}}
    pay = fake_tool("pay", "paid", risk=Risk.WRITE, required=["card"], properties=properties)

    async def lose(arguments: Any, context: Any) -> ToolResult:
        return ToolResult(status=ResultStatus.FAILED, content="ERROR: lost")

    return [
        fake_tool("weather", "It rains.", required=["city"]),
        fake_tool("book", "long " * 20_000),
        fake_tool("lose", lose),
        pay,
    ]


def answers(request: Any) -> Any:
    """A model that does what the message says: a tool's name and its arguments."""
    last = request.messages[-1]
    if getattr(last, "call_id", None):
        return "Here you are."
    text = last.text
    if text == "down":
        return ModelUnavailable("the key sk-proj-abcdEFGH1234567890wxyz is refused")
    name, _, arguments = text.partition(" ")
    if name in ("weather", "book", "lose", "pay", "nothing"):
        return [(name, arguments or "{}")]
    return f"You said {text}."


async def filled(store: Store, clock: FakeClock | None = None) -> Service:
    """A service whose store holds a run of every kind."""
    service = await service_of(answers, *tools(), store=store, clock=clock)
    first = await say(service, 'weather {"city": "成都"}')
    await say(service, "hello again", conversation=first.conversation)
    await say(service, "book")
    await say(service, "lose", user="bo")
    await say(service, "nothing")
    await say(service, "down")
    await say(service, "weather {}")
    paid = await say(service, f'pay {{"card": "{CARD}"}}', user="cy")
    await approve(service, paid, by="cy")
    await service.carry(replace(message("hi"), user="cy"))
    await service._loop.drive(paid.id)
    await say(service, 'pay {"card": "4000123412341234"}', user="dee")
    return service


class Saying:
    """A classifier that says what it is told to."""

    name = "said"

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores

    async def classify(self, text: str, *, context: Sequence[str]) -> Any:
        return Classification(scores=self.scores, by="said")


async def held(service: Service, user: str = "cy") -> Run:
    """A run that waits for its user's word."""
    run = await say(service, f'pay {{"card": "{CARD}"}}', user=user)
    assert run.waiting
    return run


def approval_of(run: Run) -> str:
    (call,) = run.waiting
    assert call.approval is not None
    return call.approval.id
