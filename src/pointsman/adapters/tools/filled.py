"""A source whose tools get parameters filled in by the engine, as an agent file declares.

The source knows nothing of it: what the model sees and what is validated no longer has these
parameters, and the engine puts their values in (O7).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.ports import CallContext, Tool, ToolSource


class ContextFilled:
    """``ports.ToolSource`` around another. ``context``: parameter → context field."""

    def __init__(self, source: ToolSource, context: Mapping[str, str]) -> None:
        self._source, self._context = source, dict(context)
        self._made: dict[int, tuple[Tool, _Filled]] = {}

    @property
    def name(self) -> str:
        return self._source.name

    async def open(self) -> None:
        await self._source.open()

    async def settle(self, patience: float | None = None) -> None:
        await self._source.settle(patience)

    def tools(self) -> Sequence[Tool]:
        self._made = {
            id(tool): self._made.get(id(tool)) or (tool, _Filled(tool, self._context))
            for tool in self._source.tools()
        }
        return [filled for _, filled in self._made.values()]

    def absent(self, name: str) -> ToolResult | None:
        return self._source.absent(name)

    def state(self) -> str:
        return self._source.state()

    async def aclose(self) -> None:
        await self._source.aclose()


class _Filled:
    def __init__(self, tool: Tool, context: Mapping[str, str]) -> None:
        self._tool = tool
        self.spec = _without(tool.spec, context)

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await self._tool.call(arguments, context)


def _without(spec: ToolSpec, context: Mapping[str, str]) -> ToolSpec:
    """The specification without the parameters that the engine fills in."""
    properties = spec.parameters.get("properties", {})
    filled = {name: field for name, field in context.items() if name in properties}
    if not filled:
        return spec
    parameters = {
        **spec.parameters,
        "properties": {name: of for name, of in properties.items() if name not in filled},
        "required": [name for name in spec.parameters.get("required", ()) if name not in filled],
    }
    return tool_spec(
        source=spec.source,
        original=spec.original,
        name=spec.name,
        description=spec.description,
        parameters=parameters,
        title=spec.title,
        titles=spec.titles,
        risk=spec.risk,
        timeout=spec.timeout,
        idempotent=spec.idempotent,
        retries=spec.retries,
        trusted=spec.trusted,
        context={**spec.context, **filled},
        limits=spec.limits,
    )
