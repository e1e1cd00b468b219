"""Agents are replaced while runs go on."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.messages import ModelRequest
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.agents import LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.renewal import Renewal
from pointsman.engine.service import Service
from pointsman.errors import AgentFileError
from pointsman.ports import Tool
from tests.support.engine import approve, message, say, service_of, serving
from tests.support.fake_clock import FakeClock
from tests.support.function_model import HeldModel
from tests.support.scripted_model import Answer, ScriptedModel, results
from tests.support.tools import FakeSource, fake_tool

pytestmark = pytest.mark.anyio


class Source(FakeSource):
    """A source that knows whether it was closed."""

    closed = False

    async def aclose(self) -> None:
        self.closed = True


def books(request: ModelRequest) -> Answer:
    found = results(request)
    return f"old: {found}" if found else [("book", '{"what": "train"}')]


async def renewed(service: Service, script: Any, tools: Sequence[Tool] = ()) -> LiveAgent:
    """Put an agent with another model in the place of ``desk``; the old one."""
    old = service.agents.get("desk")
    fresh = replace(old, model=ScriptedModel(script), registry=Registry([Source(*tools)]))
    await fresh.open()
    service.agents.put(fresh)
    return old


async def test_a_drive_ends_with_the_agent_that_it_began_with() -> None:
    model, source = HeldModel("by the ", "old one"), Source()
    service = await service_of(model, sources=[source])
    async with serving(service):
        run = await service.submit(message())
        await model.told.wait()
        await renewed(service, lambda request: "by the new one")
        for _ in range(3):
            await service.agents.close_retired()
        open_still = not source.closed
        model.go.set()
        assert (await service.wait(run, "ann")).reply == "by the old one"
        assert (await service.wait(await service.submit(message()), "ann")).reply == (
            "by the new one"
        )
    await service.agents.close_retired()
    assert open_still
    assert source.closed
    await service.aclose()


async def test_a_run_that_waits_goes_on_with_the_new_agent() -> None:
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    service = await service_of(books, tool)
    run = await say(service)
    assert run.status is RunStatus.WAITING
    await renewed(service, lambda request: f"new: {results(request)}", [tool])
    async with serving(service):
        await approve(service, run)
        ended = await service.wait(run.id, "ann")
    assert ended.reply == "new: ['booked']"
    assert len(tool.calls) == 1


async def test_a_call_whose_tool_changed_since_it_was_shown_is_not_run() -> None:
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    other = fake_tool("book", "booked", required=["what", "why"], risk=Risk.WRITE)
    service = await service_of(books, tool)
    run = await say(service)
    await renewed(service, lambda request: f"new: {results(request)}", [other])
    async with serving(service):
        await approve(service, run)
        await service.wait(run.id, "ann")
    assert tool.calls == other.calls == []


async def test_an_agent_that_cannot_be_loaded_goes_on_as_it_was() -> None:
    service = await service_of(lambda request: "as before")
    live = replace(service.agents.get("desk"), home="/nowhere")
    service.agents.put(live)

    def load(live: LiveAgent) -> LiveAgent:
        raise AgentFileError("no such file", file="agent.yaml")

    service.agents.load = load
    renewal = Renewal(service.agents, MemoryStore(), FakeClock())
    with pytest.raises(AgentFileError):
        await renewal.renew("desk")
    assert service.agents.get("desk") is not None
    assert (await say(service)).reply == "as before"


async def test_every_process_takes_up_what_one_publishes_and_nothing_else() -> None:
    store, loads = MemoryStore(), dict[str, int]()
    processes = []
    for name in ("one", "other"):
        service = await service_of(lambda request: "hi")
        service.agents.put(replace(service.agents.get("desk"), home="/somewhere"))

        def load(live: LiveAgent, name: str = name) -> LiveAgent:
            loads[name] = loads.get(name, 0) + 1
            return replace(live, registry=Registry([Source()]))

        service.agents.load = load
        processes.append(Renewal(service.agents, store, FakeClock()))
    one, other = processes
    for _ in range(2):
        await one.look()
        await other.look()
    assert loads == {}
    await one.renew("desk")
    for _ in range(2):
        await one.look()
        await other.look()
    assert loads == {"one": 1, "other": 1}
    await other.renew("desk")
    await one.look()
    await other.look()
    assert loads == {"one": 2, "other": 2}
