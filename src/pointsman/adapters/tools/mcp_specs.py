"""A tool as its server describes it, as a ``ToolSpec``.

What a server says about its own tools counts only if the agent file trusts the server.
"""

from collections.abc import Mapping
from typing import Any

from pointsman.adapters.tools.mcp_settings import McpSettings, McpToolSettings
from pointsman.domain import names
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.text import clean
from pointsman.domain.tools import Risk, ToolSpec

_LONGEST_TITLE = 80


def spec_of(tool: Mapping[str, Any], settings: McpSettings) -> ToolSpec:
    """The spec of a ``tools/list`` entry; the agent file's word stands over the server's."""
    original: str = tool["name"]
    hints = tool.get("annotations") if settings.trusted else None
    hints = hints if isinstance(hints, dict) else {}
    said = settings.tools.get(original) or McpToolSettings()
    risk = said.risk or settings.risk
    if risk is None:
        risk = Risk.READ if hints.get("readOnlyHint") is True else Risk.WRITE
    idempotent = said.idempotent
    if idempotent is None:
        idempotent = hints.get("idempotentHint") is True
    described = tool.get("description")
    return tool_spec(
        source=settings.name,
        original=original,
        name=names.safe(names.joined(settings.name_prefix, original, settings.joiner)),
        description=clean(described) if isinstance(described, str) else "",
        parameters=tool.get("inputSchema"),
        title=said.title or (_title(tool, hints) if settings.trusted else ""),
        titles=said.titles,
        said=said.parameters,
        risk=risk,
        timeout=said.timeout or settings.call_timeout,
        idempotent=idempotent,
        retries=2 if said.retries is None else said.retries,
        trusted=settings.trusted,
        limits=said.limits,
    )


def _title(tool: Mapping[str, Any], hints: Mapping[str, Any]) -> str:
    title = tool.get("title") or hints.get("title")
    return " ".join(clean(title).split())[:_LONGEST_TITLE] if isinstance(title, str) else ""
