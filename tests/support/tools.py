"""Tools whose behaviour a test writes down."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pointsman.domain.limiting import ToolLimits
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.ports import CallContext, Tool

ANY_SOURCE = {"x-source": ["user", "tool", "default", "model"]}
"""A parameter that may be the model's own: for tests of something else than sources."""

Behaviour = Callable[[Mapping[str, Any], CallContext], Awaitable[ToolResult | str]]


class FakeTool:
    """A tool that records its calls and answers as told."""

    def __init__(self, spec: ToolSpec, behaviour: Behaviour | str) -> None:
        self.spec = spec
        self.calls: list[dict[str, Any]] = []
        self.contexts: list[CallContext] = []
        self._behaviour = behaviour

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        self.calls.append(dict(arguments))
        self.contexts.append(context)
        if isinstance(self._behaviour, str):
            return ToolResult(status=ResultStatus.OK, content=self._behaviour)
        answer = await self._behaviour(arguments, context)
        if isinstance(answer, str):
            return ToolResult(status=ResultStatus.OK, content=answer)
        return answer


class FakeSource:
    """A source whose list of tools a test may change."""

    def __init__(self, *tools: Tool, name: str = "python") -> None:
        self.name = name
        self.offered: Sequence[Tool] = tools

    async def open(self) -> None:
        """Nothing starts."""

    async def settle(self, patience: float | None = None) -> None:
        """The list is always current."""

    def tools(self) -> Sequence[Tool]:
        return self.offered

    def absent(self, name: str) -> ToolResult | None:
        return None

    def state(self) -> str:
        return "ready"

    async def aclose(self) -> None:
        """Nothing is held."""


def fake_tool(
    name: str,
    behaviour: Behaviour | str = "ok",
    *,
    required: Sequence[str] = (),
    properties: Mapping[str, Any] | None = None,
    risk: Risk = Risk.READ,
    idempotent: bool = False,
    timeout: float = 30.0,
    retries: int = 2,
    source: str = "python",
    limits: ToolLimits | None = None,
) -> FakeTool:
    """A tool with these parameters, all of them texts unless ``properties`` says else."""
    declared = properties or {parameter: {"type": "string"} for parameter in required}
    spec = tool_spec(
        source=source,
        original=name,
        name=name,
        description=f"does {name}",
        parameters={
            "type": "object",
            "properties": {name: {**of, **ANY_SOURCE} for name, of in declared.items()},
            "required": list(required),
        },
        risk=risk,
        idempotent=idempotent,
        timeout=timeout,
        retries=retries,
        trusted=True,
        limits=limits,
    )
    return FakeTool(spec, behaviour)


def strict_tool(
    name: str,
    properties: Mapping[str, Any],
    behaviour: Behaviour | str = "ok",
    *,
    risk: Risk = Risk.WRITE,
) -> FakeTool:
    """A tool whose parameters are all required, and need sources as any tool's do."""
    spec = tool_spec(
        source="python",
        original=name,
        name=name,
        description=f"does {name}",
        parameters={
            "type": "object",
            "properties": dict(properties),
            "required": list(properties),
        },
        risk=risk,
        trusted=True,
    )
    return FakeTool(spec, behaviour)
