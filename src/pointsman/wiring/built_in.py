"""Pointsman's own tools, by the names that an agent file calls them."""

from collections.abc import Mapping
from typing import Any

from pointsman.adapters.tools.builtin import built_in_spec
from pointsman.engine.notices import notify
from pointsman.engine.reminders import remind_add, remind_tools
from pointsman.engine.surroundings import Surroundings
from pointsman.engine.tasks import planning
from pointsman.errors import ToolDefinitionError
from pointsman.ports import Tool


def built_in(name: str, overrides: Mapping[str, Any], around: Surroundings) -> Tool:
    """A built-in tool.

    Args:
        overrides: what the agent file says over it.
        around: what it reaches when it is called.

    Raises:
        ToolDefinitionError: there is none of that name.
    """
    match name:
        case planning.NAME:
            spec = built_in_spec(name, overrides=overrides, **planning.about())
            return planning.Decomposition(spec)
        case notify.NAME:
            about = notify.about(around.channels)
            spec = built_in_spec(name, overrides=overrides, **about)
            return notify.SystemNotify(spec, around)
        case remind_add.NAME:
            spec = built_in_spec(name, overrides=overrides, **remind_add.about())
            return remind_add.RemindAdd(spec, around)
        case known if known in remind_tools.TOOLS:
            spec = built_in_spec(name, overrides=overrides, **remind_tools.about(name))
            return remind_tools.TOOLS[name](spec, around)
        case unknown:
            raise ToolDefinitionError(f"there is no built-in tool {unknown!r}")
