"""Conversations with the offline model against scripted tools, as the engine would hold them."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from msgspec import Struct

from pointsman.adapters.models.offline import OfflineModel
from pointsman.domain.agent import Language
from pointsman.domain.messages import (
    Message,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.prompt import system_prompt
from pointsman.domain.tools import ToolSpec

Tools = Mapping[str, Callable[[dict[str, Any]], Any]]


class Turn(Struct, frozen=True):
    """What one message led to. ``rounds``: the calls of each reply, name and arguments."""

    rounds: tuple[tuple[tuple[str, dict[str, Any]], ...], ...]
    reply: str

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        return [call for calls in self.rounds for call in calls]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


def spec(name: str) -> ToolSpec:
    return ToolSpec(
        name=name,
        source="test",
        original=name,
        description="",
        parameters={"type": "object"},
        wire_parameters={"type": "object"},
        digest="",
    )


class Talk:
    """One conversation. A tool that returns text gives that text, else its JSON."""

    def __init__(
        self, model: OfflineModel, tools: Tools, *, today: date, language: Language = "en"
    ) -> None:
        now = datetime.combine(today, time(15, 5, 30))
        self.messages: list[Message] = [
            SystemMessage(text=system_prompt("Be kind.", now, language))
        ]
        self._model, self._tools = model, tools
        self._specs = tuple(map(spec, tools))

    def request(self) -> ModelRequest:
        return ModelRequest(messages=tuple(self.messages), tools=self._specs)

    def say(self, text: str) -> Turn:
        self.messages.append(UserMessage(text=text))
        rounds: list[tuple[tuple[str, dict[str, Any]], ...]] = []
        for _ in range(10):
            message = self._model.answer(self.request())
            self.messages.append(message)
            if not message.calls:
                return Turn(tuple(rounds), message.text)
            calls = [(call.name, json.loads(call.arguments)) for call in message.calls]
            rounds.append(tuple(calls))
            for call, (name, arguments) in zip(message.calls, calls, strict=True):
                result = self._tools[name](arguments)
                content = result if isinstance(result, str) else json.dumps(result)
                self.messages.append(ToolMessage(call_id=call.id, name=name, content=content))
        raise AssertionError("the model does not come to an end")

    def say_all(self, texts: Sequence[str]) -> Turn:
        """The turn of the last text."""
        return [self.say(text) for text in texts][-1]
