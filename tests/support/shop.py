"""The support agent of ``examples``: its tools alone, and the whole agent on an engine."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from pointsman import agentfile, bootstrap
from pointsman.adapters.classifiers.rules import Rules
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.tools.functions import FunctionTool, FunctionTools
from pointsman.adapters.tools.imports import load_functions
from pointsman.domain.agent import Language
from pointsman.domain.events import Event
from pointsman.domain.runs import Run
from pointsman.domain.tools import ToolResult
from pointsman.engine.service import Service, Submission
from pointsman.evaluation.cases import Setup
from pointsman.evaluation.staging import CaseClock, rigged
from pointsman.ports import CallContext, ChatModel

FOLDER = Path(__file__).parents[2] / "examples" / "support"
MAY_DAY = datetime(2026, 5, 1, 10, tzinfo=ZoneInfo("Asia/Shanghai"))


def shop_tools() -> dict[str, FunctionTool]:
    """The agent's tools by name, without an engine."""
    source = FunctionTools("python", load_functions("tools", folder=FOLDER))
    return {one.spec.name: one for one in source.tools()}


async def use(
    name: str,
    arguments: dict[str, Any],
    *,
    user: str = "u001",
    language: Language = "zh",
    said: str = "",
    key: str = "run:0.0",
) -> ToolResult:
    """Call a tool once, as the engine would."""
    tool = shop_tools()[name]
    filled = dict.fromkeys(tool.spec.context, user)
    context = CallContext(
        run="run",
        conversation="conversation",
        user=user,
        agent="support",
        input=said,
        language=language,
        now=MAY_DAY,
        key=key,
        progress=lambda fraction, message: None,
    )
    return await tool.call({**arguments, **filled}, context)


class Visit:
    """The whole agent on an engine of its own; one conversation of one user."""

    def __init__(self, service: Service, user: str, language: Language) -> None:
        self.service = service
        self._user, self._language = user, language
        self._conversation = ""

    async def say(self, text: str) -> Run:
        """The run of a message, carried until it ends or waits."""
        run = await self.service.carry(
            Submission(
                agent="support",
                user=self._user,
                text=text,
                conversation=self._conversation,
                language=self._language,
            )
        )
        self._conversation = run.conversation
        return run

    async def events(self, run: Run) -> list[Event]:
        """What the journal holds of a run."""
        return [one.event for one in await self.service.trace(run.id, None)]


@asynccontextmanager
async def visit(
    *,
    model: ChatModel | None = None,
    fail: Mapping[str, str] | None = None,
    rules_only: bool = False,
    user: str = "u001",
    language: Language = "zh",
) -> AsyncIterator[Visit]:
    """The agent as shipped, offline, or with another model in its place.

    Args:
        fail: tool → the error that it gives, or ``timeout``.
        rules_only: intents by words and patterns alone, as a core install tells them.
    """
    clock = CaseClock(MAY_DAY)
    live = bootstrap.folder_agent(agentfile.load(FOLDER), clock)
    live = rigged(live, Setup(fail=dict(fail or {})))
    if rules_only:
        live = replace(live, classifier=Rules(live.intents.values()))
    if model is not None:
        live = replace(live, model=model)
    service = bootstrap.service_of([live], MemoryStore(), clock)
    await service.open()
    try:
        yield Visit(service, user, language)
    finally:
        await service.aclose()


def ran(run: Run) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a run that a tool answered, with what the model gave."""
    return [
        (call.tool, {name: value for name, value in call.arguments.items() if name != "user_id"})
        for call in (*run.past, *run.calls)
        if call.attempts
    ]
