"""A client of a test server, with all that it told, and the questions that tests ask."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pointsman.adapters.models.chat_completions import ChatCompletions
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    Delta,
    ModelReply,
    ModelRequest,
    TextDelta,
    UserMessage,
)
from pointsman.errors import ModelError
from tests.support.fake_clock import FakeClock
from tests.support.histories import tool_spec
from tests.support.model_server import Dialect, ModelServer

QUESTION = ModelRequest(messages=(UserMessage(text="你好"),), tools=(tool_spec(),))
STREAMED = ModelRequest(messages=QUESTION.messages, tools=QUESTION.tools, stream=True)


class Asked:
    """A client of a server, with all that it told."""

    def __init__(self, spec: ModelSpec, **options: Any) -> None:
        self.clock = FakeClock()
        self.told: list[Delta] = []
        self.news = asyncio.Event()
        options.setdefault("environment", {})
        self.model = ChatCompletions(
            spec, clock=self.clock, call_later=self.clock.call_later, **options
        )

    def tell(self, delta: Delta) -> None:
        self.told.append(delta)
        self.news.set()

    async def ask(self, request: ModelRequest = QUESTION) -> ModelReply:
        return await self.model.ask(request, self.tell)

    async def fails(self, request: ModelRequest = QUESTION) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await self.ask(request)
        return caught.value

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.told if isinstance(delta, TextDelta))


@asynccontextmanager
async def asking(spec: ModelSpec, **options: Any) -> AsyncIterator[Asked]:
    """A client that is closed at the end."""
    asked = Asked(spec, **options)
    try:
        yield asked
    finally:
        await asked.model.aclose()


@asynccontextmanager
async def served(
    *script: Any, dialect: Dialect = "openai", spec: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[tuple[ModelServer, Asked]]:
    """A scripted server and a client of it, which leave no task behind."""
    before = asyncio.all_tasks()
    async with (
        ModelServer(script, dialect=dialect) as server,
        asking(server.spec(**(spec or {})), **options) as asked,
    ):
        yield server, asked
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before
