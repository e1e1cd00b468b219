"""An engine on a scripted model, for tests of the loop."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.system import SystemClock
from pointsman.domain.agent import AgentSpec
from pointsman.domain.events import Event, decode
from pointsman.domain.intents import Intent
from pointsman.domain.messages import AssistantMessage, Message, ToolMessage
from pointsman.domain.policy import rules_from
from pointsman.domain.runs import Run, fold
from pointsman.engine.accounts.users import Accounts
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service, Submission
from pointsman.ports import Append, ChatModel, Classifier, Clock, Store, Tool, ToolSource
from tests.support.scripted_model import Script, ScriptedModel
from tests.support.tools import FakeSource


async def service_of(
    script: Script | ChatModel,
    *tools: Tool,
    store: Store | None = None,
    clock: Clock | None = None,
    fallback: ChatModel | None = None,
    policy: Sequence[dict[str, Any]] = (),
    sources: Sequence[ToolSource] = (),
    intents: Sequence[Intent] = (),
    classifier: Classifier | None = None,
    roles: Mapping[str, Sequence[str]] | None = None,
    mailroom: Mailroom | None = None,
    accounts: Accounts | None = None,
    alone: bool = False,
    **spec: Any,
) -> Service:
    """A service with one agent, ``desk``; its tools are opened, nothing is driven yet."""
    model = ScriptedModel(script) if isinstance(script, list) or callable(script) else script
    agent = AgentSpec(name="desk", policy=tuple(policy), **spec)
    live = LiveAgent(
        spec=agent,
        model=model,  # type: ignore[arg-type]
        fallback=fallback,
        registry=Registry([FakeSource(*tools), *sources] if tools or not sources else sources),
        rules=rules_from(agent.policy),
        intents={intent.name: intent for intent in intents},
        classifier=classifier,
    )
    service = Service(
        agents=Agents(live),
        store=store or MemoryStore(),
        queue=LocalQueue(pauses=()),
        bus=MemoryBus(),
        clock=clock or SystemClock(),
        roles=roles,
        mailroom=mailroom,
        accounts=accounts,
        alone=alone,
    )
    await service.open()
    return service


E = TypeVar("E", bound=Event)


@asynccontextmanager
async def serving(service: Service) -> AsyncIterator[None]:
    """The service drives what is queued while the block runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service.serve)
        yield
        tasks.cancel_scope.cancel()


async def say(service: Service, text: str = "hi", *, user: str = "ann", **more: Any) -> Run:
    """Submit a message and drive it here and now."""
    return await service.carry(message(text, user=user, **more))


def message(text: str = "hi", *, user: str = "ann", **more: Any) -> Submission:
    return Submission(agent="desk", user=user, text=text, **more)


async def events(service: Service, run: str, kind: type[E]) -> list[E]:
    """The run's events of a kind, in order."""
    trace = await service.trace(run, None)
    return [one.event for one in trace if isinstance(one.event, kind)]


async def approve(service: Service, run: Run, *, by: str = "ann") -> None:
    """Say yes to everything that the run waits for."""
    for call in run.waiting:
        assert call.approval is not None
        await service.decide(run.id, call.approval.id, "approved", by=by)


def tool_texts(messages: Sequence[Message]) -> list[str]:
    """The contents of the tool messages, in order."""
    return [one.content for one in messages if isinstance(one, ToolMessage)]


def is_paired(messages: Sequence[Message]) -> bool:
    """Whether every call is followed by exactly one result, in order, and nothing else is one."""
    due: list[str] = []
    for one in messages:
        if isinstance(one, ToolMessage):
            if not due or due.pop(0) != one.call_id:
                return False
        elif due:
            return False
        elif isinstance(one, AssistantMessage):
            due = [call.id for call in one.calls]
    return not due


async def copied(source: Store, run: str, rows: int, target: Store) -> None:
    """A run as a crash left it: only its first rows are in the other store."""
    stored = await source.load(run)
    assert stored is not None
    kept = stored.rows[:rows]
    state = fold(run, [decode(row.body) for row in kept])
    record = replace(
        stored.record,
        status=state.status,
        position=state.position,
        reply=state.reply,
        usage=state.usage,
    )
    transcript = state.messages if state.status.ended else None
    await target.append(Append(expected=-1, rows=kept, run=record, transcript=transcript))
