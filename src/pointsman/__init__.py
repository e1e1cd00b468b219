"""Pointsman (扳道工): control, honesty and recovery for language-model agents.

The model understands. The engine decides what runs. Tools give the results. The journal remembers.
The names below are the whole public Python API; each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pointsman.adapters.tools.functions import FromContext, ToolError, tool
    from pointsman.adapters.tools.happened import Happened
    from pointsman.adapters.tools.signatures import Private, Source
    from pointsman.domain.agent import Limits, ModelSpec
    from pointsman.domain.messages import (
        AssistantMessage,
        ModelParams,
        ReasoningDelta,
        ResetDelta,
        SystemMessage,
        TextDelta,
        ToolMessage,
        Usage,
        UserMessage,
    )
    from pointsman.domain.tools import Risk, ToolResult
    from pointsman.errors import PointsmanError
    from pointsman.ports import CallContext
    from pointsman.python_api import Agent, Reply

__version__ = "0.1.0"

_HOMES = {
    "Agent": "pointsman.python_api",
    "AssistantMessage": "pointsman.domain.messages",
    "CallContext": "pointsman.ports",
    "FromContext": "pointsman.adapters.tools.functions",
    "Happened": "pointsman.adapters.tools.happened",
    "Limits": "pointsman.domain.agent",
    "ModelParams": "pointsman.domain.messages",
    "ModelSpec": "pointsman.domain.agent",
    "PointsmanError": "pointsman.errors",
    "Private": "pointsman.adapters.tools.signatures",
    "ReasoningDelta": "pointsman.domain.messages",
    "Reply": "pointsman.python_api",
    "ResetDelta": "pointsman.domain.messages",
    "Risk": "pointsman.domain.tools",
    "Source": "pointsman.adapters.tools.signatures",
    "SystemMessage": "pointsman.domain.messages",
    "TextDelta": "pointsman.domain.messages",
    "ToolError": "pointsman.adapters.tools.functions",
    "ToolMessage": "pointsman.domain.messages",
    "ToolResult": "pointsman.domain.tools",
    "Usage": "pointsman.domain.messages",
    "UserMessage": "pointsman.domain.messages",
    "tool": "pointsman.adapters.tools.functions",
}

__all__ = [
    "Agent",
    "AssistantMessage",
    "CallContext",
    "FromContext",
    "Happened",
    "Limits",
    "ModelParams",
    "ModelSpec",
    "PointsmanError",
    "Private",
    "ReasoningDelta",
    "Reply",
    "ResetDelta",
    "Risk",
    "Source",
    "SystemMessage",
    "TextDelta",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "Usage",
    "UserMessage",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pointsman' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
