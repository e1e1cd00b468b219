"""Every tool of an agent by the one name that the model knows it by.

Names are made safe and unique over all sources; only what stands here can run (R5).
"""

import asyncio
from collections.abc import Mapping, Sequence
from operator import is_

from msgspec.structs import replace

from pointsman.domain import names
from pointsman.domain.tools import ToolSpec
from pointsman.errors import ToolDefinitionError
from pointsman.ports import Tool, ToolSource

PATIENCE = 10.0
"""Seconds that a question to the model waits for sources that are starting."""


class Registry:
    """The tools that the sources offer now."""

    def __init__(self, sources: Sequence[ToolSource]) -> None:
        self.sources = tuple(sources)
        self._seen: tuple[Tool, ...] | None = None
        self._tools: dict[str, Tool] = {}
        self._subsets: dict[tuple[str, ...], tuple[ToolSpec, ...]] = {}
        self.specs: tuple[ToolSpec, ...] = ()
        """What the model is shown: the same tuple as long as nothing changed."""
        self.named: Mapping[str, ToolSpec] = {}
        """The same by their names."""

    async def open(self) -> None:
        """Start every source; slow ones become ready later."""
        for source in self.sources:
            await source.open()
        self._refresh()

    async def settle(self) -> None:
        """Bring the list up to date: sources that are starting, and changes that they announced.

        A source that takes longer than ``PATIENCE`` is done without; its tools appear when it is
        ready (case M18).
        """
        time = asyncio.get_running_loop().time
        end = time() + PATIENCE
        for source in self.sources:
            await source.settle(max(end - time(), 0.0))
        self._refresh()

    async def aclose(self) -> None:
        for source in reversed(self.sources):
            await source.aclose()

    def _refresh(self) -> None:
        tools = tuple([tool for source in self.sources for tool in source.tools()])
        if self._seen is not None and _same(tools, self._seen):
            return
        identities = [(tool.spec.source, tool.spec.original) for tool in tools]
        if len(set(identities)) < len(identities):
            twice = next(pair for pair in identities if identities.count(pair) > 1)
            raise ToolDefinitionError(f"tool {twice[1]!r} is declared twice in {twice[0]!r}")
        exposed = names.assign(
            [(tool.spec.source, tool.spec.original, tool.spec.name) for tool in tools]
        )
        self._tools = dict(zip(exposed, tools, strict=True))
        self.named = {
            name: replace(tool.spec, name=name) if name != tool.spec.name else tool.spec
            for name, tool in self._tools.items()
        }
        self.specs = tuple(self.named.values())
        self._subsets = {}
        self._seen = tools

    def resolve(self, written: str) -> str | None:
        """The registered name that a model's spelling stands for without doubt, or None."""
        if written in self.named:
            return written
        return names.resolve(written, self.named, [source.name for source in self.sources])

    def only(self, names: tuple[str, ...]) -> tuple[ToolSpec, ...]:
        """The tools of these names that are on offer: the same tuple as long as nothing changed."""
        if names not in self._subsets:
            self._subsets[names] = tuple(spec for spec in self.specs if spec.name in names)
        return self._subsets[names]

    def absent(self, written: str) -> str | None:
        """What the model is told of a tool that its source does not offer just now, or no longer;
        None when the name is no source's."""
        for source in self.sources:
            if (told := source.absent(written)) is not None:
                return told.content
        return None

    def spec(self, name: str) -> ToolSpec | None:
        return self.named.get(name)

    def tool(self, name: str) -> Tool | None:
        return self._tools.get(name)


def _same(tools: tuple[Tool, ...], seen: tuple[Tool, ...]) -> bool:
    return len(tools) == len(seen) and all(map(is_, tools, seen))
