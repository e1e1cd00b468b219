"""An operator's switch of a tool of an agent, which all workers share through the store.

A tool that is off is off the model's list, and a call of it is refused; ``engine.health`` sees to
both.
"""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.breaker import BreakerState
from pointsman.engine import sharing
from pointsman.ports import Store

TOOLS = "breakers"
"""The key of what is shared."""

_OFF: dict[Language, tuple[str, str]] = {
    "en": (
        "ERROR: not run: {tool} was switched off by an operator{reason}. Do without it, or tell "
        "the user.",
        ": {reason}",
    ),
    "zh": (
        "ERROR: 未执行：运维人员已停用工具 {tool}{reason}。请不用它完成，或告诉用户。",
        "，原因：{reason}",
    ),
}


class Off(Struct, frozen=True, kw_only=True):
    """Who switched a tool off, when, and why."""

    by: str
    at: datetime
    reason: str = ""


class ToolStates(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all workers know of the tools: one value, so that it costs one look.

    Attributes:
        unwell: source/original → the breaker of a tool that has failed.
        off: ``key`` → the switch of a tool that is off.
    """

    unwell: dict[str, BreakerState] = {}
    off: dict[str, Off] = {}


NOTHING = ToolStates()


def key(agent: str, tool: str) -> str:
    """A tool of an agent; names of agents hold no slash."""
    return f"{agent}/{tool}"


async def states(store: Store) -> ToolStates:
    """What is known of the tools.

    Raises:
        StoreError: the database failed.
    """
    return sharing.read(await store.shared(TOOLS), ToolStates) or NOTHING


async def switch(store: Store, agent: str, tool: str, off: Off | None) -> bool:
    """Switch a tool off, or on (None); whether that changed anything.

    Raises:
        StoreError: the database failed.
    """

    def change(state: ToolStates) -> tuple[bool, ToolStates]:
        left = {name: one for name, one in state.off.items() if name != key(agent, tool)}
        had = len(left) < len(state.off)
        if off is not None:
            left[key(agent, tool)] = off
        return had is (off is None), replace(state, off=left)

    return await sharing.changed(store, TOOLS, NOTHING, change)


def refusal(tool: str, off: Off, language: Language) -> str:
    """What is told of a call of a tool that is off."""
    text, why = _OFF[language]
    return text.format(tool=tool, reason=why.format(reason=off.reason) if off.reason else "")
