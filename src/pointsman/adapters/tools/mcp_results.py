"""What a tool server answered, as a ``ToolResult``.

Read tolerantly: the call has happened, so whatever can be understood of its answer is passed on.
"""

import re
from collections.abc import Mapping
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, HEADER_MISMATCH

from pointsman.domain import retry
from pointsman.domain.results import content, json_text
from pointsman.domain.text import clean
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec

SENT = "pointsman/sent"
STATUS = "pointsman/status"

_SESSION_GONE = re.compile(
    r"session.*(not found|invalid|expired|terminated|valid|unknown|closed|not exist)"
    r"|(not found|invalid|expired|terminated|valid|unknown|no such|missing).*session",
    re.IGNORECASE | re.DOTALL,
)
# What the SDK says of its own when a request was sent and its answer cannot be had any more.
_ANSWER_LOST = (
    "Connection closed",
    "SSE stream",
    "Failed to parse",
    "Unexpected content type",
    "server answered a request with 202",
)
_ERROR_FLAGS = (True, "true", "True")
_ABOUT_THE_RESULT = frozenset("_meta isError resultType ttlMs cacheScope".split())
_RETRY_LATER = (None, 408, 425, 429)
"""HTTP statuses, or none for a server that could not be reached."""


def result_of(answer: Mapping[str, Any], arguments: Mapping[str, Any], language: str) -> ToolResult:
    """The result that a ``tools/call`` answer tells of.

    Args:
        arguments: of the call.
        language: of the words for an empty result.
    """
    kind = answer.get("resultType", "complete")
    if kind == "input_required":
        return _error(f"the tool needs an input that cannot be passed on: {_wanted(answer)}")
    if kind != "complete":
        return _error(f"the tool gave a result of an unknown kind, {clean(str(kind))[:64]!r}")
    told, data, odd = json_text(answer.get("structuredContent", _unwrapped(answer)))
    blocks = answer.get("content")
    texts = [_told(block) for block in (blocks if isinstance(blocks, list) else [blocks])]
    text = "\n".join(text for text in texts if text)
    if answer.get("isError") in _ERROR_FLAGS:
        return _error(text or ("the tool failed" if data is None else told), data)
    bare: Any = text
    if odd or not text.strip():  # a text that repeats numbers which are none is no JSON
        bare = data["result"] if isinstance(data, dict) and data.keys() == {"result"} else data
    text, _, _ = content(bare, arguments, language)
    return ToolResult(status=ResultStatus.OK, content=text, data=data)


def _unwrapped(answer: Mapping[str, Any]) -> Any:
    """What a server answered that does not wrap its value as the protocol wants it."""
    if "content" in answer:
        return None
    bare = {name: value for name, value in answer.items() if name not in _ABOUT_THE_RESULT}
    return bare.get("toolResult") if bare.keys() == {"toolResult"} else bare or None


def _error(text: str, data: Any = None) -> ToolResult:
    if not text.startswith("ERROR"):
        text = f"ERROR: {text}"
    return ToolResult(status=ResultStatus.ERROR, content=text, data=data)


def _told(block: Any) -> str:
    """One content block in words; what no model can read as text is named and measured."""
    if isinstance(block, str):
        return clean(block)
    if not isinstance(block, dict):
        return ""
    kind = block.get("type")
    resource = block.get("resource")
    if kind in ("text", None) and block.get("text") is not None:
        told = block["text"]
        return clean(told) if isinstance(told, str) else json_text(told)[0]
    if kind in ("image", "audio"):
        return f"[{kind}: {_kind_of(block)}, {_size(block.get('data'))}]"
    if kind == "resource_link":
        about = [block.get(part) for part in ("title", "name", "uri", "description")]
        return f"[link: {_words(*about)}]"
    if kind == "resource" and isinstance(resource, dict):
        place = _words(resource.get("uri"))
        if isinstance(resource.get("text"), str):
            return f"[resource: {place}]\n{clean(resource['text'])}"
        return f"[resource: {place}, {_kind_of(resource)}, {_size(resource.get('blob'))}]"
    return f"[content of an unknown kind: {_words(kind)}]"


def _kind_of(part: Mapping[str, Any]) -> str:
    return _words(part.get("mimeType")) or "unknown type"


def _words(*parts: Any) -> str:
    """The parts that are texts, in one short line."""
    line = ", ".join(dict.fromkeys(part for part in parts if isinstance(part, str) and part))
    return " ".join(clean(line).split())[:300]


def _size(encoded: Any) -> str:
    """The size of what a base64 text stands for."""
    size = len(encoded) * 3 // 4 if isinstance(encoded, str) else 0
    return f"{size} bytes" if size < 1024 else f"{size // 1024} KB"


def _wanted(answer: Mapping[str, Any]) -> str:
    requests = answer.get("inputRequests")
    asked = requests.values() if isinstance(requests, dict) else ()
    messages = [
        request["params"].get("message")
        for request in asked
        if isinstance(request, dict) and isinstance(request.get("params"), dict)
    ]
    return _words(*messages) or "it did not say what"


def session_gone(error: MCPError) -> bool:
    """Whether the server says that it does not know our session any more: it ran nothing."""
    return bool(_SESSION_GONE.search(f"{error.message} {error.data or ''}"))


def stale_definition(error: MCPError) -> bool:
    """Whether the server refused the call because it knows the tool with other parameters."""
    return error.code == HEADER_MISMATCH


def unreachable(error: MCPError) -> bool:
    """Whether no connection to the server could be made."""
    return _about(error).get(SENT) is False and STATUS not in _about(error)


def _about(error: MCPError) -> Mapping[str, Any]:
    return error.data if isinstance(error.data, dict) else {}


def failure_of(error: MCPError, why: str, spec: ToolSpec, *, ended: bool) -> ToolResult:
    """The result of a call that got an error instead of an answer.

    Args:
        why: the error's message, fit to be shown.
        ended: the connection is closed.
    """
    about = _about(error)
    if SENT in about:
        if about[SENT]:
            return lost(why, spec)
        return not_run(why, retryable=about.get(STATUS) in _RETRY_LATER)
    if stale_definition(error):
        return not_run("the tool's parameters have changed; look at its definition again")
    if error.message.startswith(_ANSWER_LOST) or (ended and error.code == CONNECTION_CLOSED):
        return lost(why, spec)
    return _error(_words(why) or f"the tool failed with code {error.code}")


def not_run(why: str, *, retryable: bool = False) -> ToolResult:
    """The result of a call that surely did not reach the tool."""
    return ToolResult(status=ResultStatus.FAILED, content=f"ERROR: {why}", retryable=retryable)


def lost(why: str, spec: ToolSpec) -> ToolResult:
    """The result of a call that was sent and whose answer cannot be had."""
    if spec.repeatable:
        return not_run(why, retryable=True)
    return retry.uncertain(why)
