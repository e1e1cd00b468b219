"""What tools made of calls before they were confirmed, from a journal: for a replay, which asks no
directory."""

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain import events as ev
from pointsman.domain.record import comparison
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.ports import CallContext, Prepared, PreparedTool, Tool, Unready

Preparations = dict[str, Prepared | Unready]
"""By the call's key among the replies."""


def preparations(recorded: Sequence[ev.Event]) -> Preparations:
    """What was made of each call; the values are still by the names of their parameters."""
    keys = comparison.keys_by_reply(recorded)
    found: Preparations = {}
    for event in recorded:
        if isinstance(event, ev.CallValidated):
            found[keys[event.call]] = Prepared(values=event.arguments)
        elif isinstance(event, ev.CallRejected) and event.kind in ("unsourced", "invalid"):
            found[keys[event.call]] = Unready(
                content=event.content, missing=event.missing, question=event.question
            )
    return found


def with_preparing(recorded: Tool, tool: Tool, found: Preparations) -> Tool:
    """The recorded tool, which prepares as the real one did, if that prepares at all."""
    if not isinstance(tool, PreparedTool):
        return recorded
    return _Recorded(recorded, tool, found)


class _Recorded:
    """``ports.PreparedTool``."""

    def __init__(self, recorded: Tool, tool: PreparedTool, found: Preparations) -> None:
        self._recorded, self._tool, self._found = recorded, tool, found

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await self._recorded.call(arguments, context)

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        made = self._found.get(context.key.rpartition(":")[2], Prepared(values={}))
        if isinstance(made, Unready):
            return made
        values = {
            field: made.values[name]
            for name, field in self.spec.context.items()
            if name in made.values and name not in arguments
        }
        return Prepared(values=values)

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        return self._tool.told(arguments, language)
