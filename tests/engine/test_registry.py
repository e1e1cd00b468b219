"""Every tool of an agent by one name."""

from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.names import joined
from pointsman.engine.registry import Registry
from pointsman.errors import ToolDefinitionError
from tests import cases
from tests.support.tools import FakeSource, FakeTool, fake_tool

pytestmark = pytest.mark.anyio


async def registry_of(*sources: FakeSource) -> Registry:
    registry = Registry(sources)
    await registry.open()
    return registry


def served(server: str, *originals: str) -> FakeSource:
    """A tool server's source, with names as such sources give them."""
    return FakeSource(*(_served(server, original) for original in originals), name=server)


def _served(server: str, original: str) -> FakeTool:
    spec = fake_tool(joined(server, original), source=server).spec
    return FakeTool(replace(spec, original=original), "ok")


def names(registry: Registry) -> list[str]:
    return [spec.name for spec in registry.specs]


async def test_the_tools_are_found_by_name() -> None:
    look = fake_tool("look")
    registry = await registry_of(FakeSource(look))
    assert registry.tool("look") is look
    assert registry.spec("look") is look.spec
    assert (registry.tool("pay"), registry.spec("pay")) == (None, None)


@pytest.mark.parametrize("case", cases.params(3, only=("L12",)))
async def test_a_long_name_is_cut_and_stays_the_same(case: dict[str, Any]) -> None:
    server, originals = case["input"]["server"], case["input"]["names"]
    (name,) = names(await registry_of(served(server, *originals)))
    assert len(name) == case["expected"]["max_len"]
    assert names(await registry_of(served(server, *originals))) == [name]


@pytest.mark.parametrize("case", cases.params(3, only=("L13",)))
async def test_two_servers_may_have_a_tool_of_one_name(case: dict[str, Any]) -> None:
    servers = case["input"]["servers"]
    registry = await registry_of(*(served(name, *tools) for name, tools in servers.items()))
    assert names(registry) == case["expected"]["exposed"]


@pytest.mark.parametrize("case", cases.params(3, only=("L14",)))
async def test_names_that_clash_after_cleaning_are_told_apart(case: dict[str, Any]) -> None:
    own = [fake_tool(name) for name in case["input"]["builtins"]]
    server = served(case["input"]["server"], *case["input"]["names"])
    found = names(await registry_of(FakeSource(*own), server))
    assert len(set(found)) == 3
    backwards = names(await registry_of(server, FakeSource(*own)))
    assert sorted(backwards) == sorted(found)


async def test_a_renamed_tool_is_still_called_by_its_own_object() -> None:
    first, second = served("s", "find.a"), served("s", "find_a")
    registry = await registry_of(first, second)
    for source in (first, second):
        (tool,) = source.tools()
        (spec,) = [one for one in registry.specs if one.original == tool.spec.original]
        assert registry.tool(spec.name) is tool


async def test_one_tool_declared_twice_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="'look' is declared twice in 'python'"):
        await registry_of(FakeSource(fake_tool("look"), fake_tool("look")))


async def test_what_the_model_is_shown_is_the_same_object_until_something_changes() -> None:
    source = FakeSource(fake_tool("look"), fake_tool("pay"))
    registry = await registry_of(source)
    shown = registry.specs
    await registry.settle()
    assert registry.specs is shown
    source.offered = source.offered[:1]
    assert registry.specs is shown
    await registry.settle()
    assert names(registry) == ["look"]


async def test_a_near_miss_is_no_name() -> None:
    registry = await registry_of(FakeSource(fake_tool("search_docs")))
    assert registry.resolve("serach_docs") is None
    assert registry.resolve("functions.search_docs") == "search_docs"
