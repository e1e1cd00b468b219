"""Tools that Pointsman brings itself. An agent file names them: ``- builtin: System_Notify``.

They are made where what they reach is known (``bootstrap``); here they are a source like any other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.limiting import ToolLimits
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.ports import Tool

SOURCE = "pointsman"
"""The source's name."""


def built_in_spec(
    name: str, *, overrides: Mapping[str, Any] | None = None, **said: Any
) -> ToolSpec:
    """The specification of a built-in tool.

    Args:
        name: for the model and for the agent file.
        overrides: what the agent file says over it: fields of ``agentfile.ToolOverrides``.
        said: what it says of itself, as ``schemas.tool_spec`` takes it.
    """
    given = dict(overrides or {})
    own: ToolLimits = said.pop("limits", ToolLimits())
    limits = ToolLimits(
        at_once=given.pop("at_once", own.at_once),
        rate=given.pop("rate", own.rate),
        breaker=given.pop("breaker", own.breaker),
    )
    parameters = given.pop("parameters", {})
    about = {"source": SOURCE, "original": name, "name": name, "trusted": True}
    return tool_spec(**{**about, **said, **given, "limits": limits, "said": dict(parameters)})


class BuiltIn:
    """``ports.ToolSource`` of some built-in tools; always ready."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.name = SOURCE
        self._tools = tuple(tools)

    async def open(self) -> None:
        """Nothing to start."""

    async def settle(self, patience: float | None = None) -> None:
        """Nothing to wait for."""

    def tools(self) -> Sequence[Tool]:
        return self._tools

    def absent(self, name: str) -> ToolResult | None:
        return None

    def state(self) -> str:
        return "ready"

    async def aclose(self) -> None:
        """Nothing to let go of."""
