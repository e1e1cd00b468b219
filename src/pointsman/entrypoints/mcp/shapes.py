"""The agents as tools, and runs as results, in the shapes of the Model Context Protocol."""

from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from pointsman.domain.approvals import USER
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import Risk
from pointsman.engine.agents import LiveAgent
from pointsman.entrypoints.mcp.texts import say

LOOK = "pointsman_run"
"""The tool that tells what became of a run."""
_MOST_NAMED = 20
_INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "message": {
            "type": "string",
            "minLength": 1,
            "description": "What the user wants, in his own words.",
        },
        "conversation": {
            "type": "string",
            "description": "Goes on with this conversation; a fresh one without it.",
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
_LOOK_INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {"run": {"type": "string", "description": "As an agent's answer named it."}},
    "required": ["run"],
    "additionalProperties": False,
}
_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {
            "type": "string",
            "enum": ["done", "question", "waiting", "running", "parked", "failed", "cancelled"],
        },
        "text": {"type": "string"},
        "conversation": {"type": "string"},
        "run": {"type": "string"},
        "waiting": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "approval": {"type": "string"},
                    "by": {"type": "string"},
                    "tool": {"type": "string"},
                    "question": {"type": "string"},
                },
                "required": ["approval", "by", "tool", "question"],
            },
        },
    },
    "required": ["status", "text", "conversation", "run", "waiting"],
}


def result_of(run: Run) -> CallToolResult:
    """The run for the caller: what it says, and how to go on with it."""
    waiting = run_tasks.waiting(run) if run.status is RunStatus.WAITING else ()
    text = "\n\n".join(part for part in (run.said, *_how_to_go_on(run)) if part)
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content={
            "status": _status(run),
            "text": run.said,
            "conversation": run.conversation,
            "run": run.id,
            "waiting": [
                {
                    "approval": call.approval.id,
                    "by": call.approval.by,
                    "tool": call.tool,
                    "question": call.approval.question,
                }
                for call in waiting
                if call.approval is not None
            ],
        },
        is_error=run.status is RunStatus.FAILED,
    )


def _status(run: Run) -> str:
    if run.status is RunStatus.DONE:
        return "question" if run.kind == "question" else "done"
    known = {RunStatus.WAITING, RunStatus.PARKED, RunStatus.FAILED, RunStatus.CANCELLED}
    return run.status.value if run.status in known else "running"


def _how_to_go_on(run: Run) -> list[str]:
    language, names = run.language, {"conversation": run.conversation, "run": run.id, "look": LOOK}
    if not run.rests:
        return [say("running", language, **names)]
    if run.status is not RunStatus.WAITING:
        return [say("answer", language, **names)] if run.kind == "question" else []
    told = []
    waiting = [call.approval for call in run_tasks.waiting(run) if call.approval is not None]
    if any(one.by == USER for one in waiting):
        told.append(say("confirm", language, **names))
    told += [
        say("approve", language, **names, role=one.by, approval=one.id)
        for one in waiting
        if one.by != USER
    ]
    return told or [say("answer", language, **names)]


def tool_of(live: LiveAgent) -> Tool:
    """An agent."""
    spec, tools = live.spec, live.registry.specs
    title = spec.title or spec.name
    abilities = [one.title.get(spec.language, "") or name for name, one in live.intents.items()]
    abilities = abilities or [tool.titled(spec.language) for tool in tools]
    about = f": {', '.join(abilities[:_MOST_NAMED])}" if abilities else ""
    return Tool(
        name=spec.name,
        title=title,
        description=f"{title}{about}. An agent; say in words what the user wants.",
        input_schema=_INPUT,
        output_schema=_OUTPUT,
        annotations=ToolAnnotations(
            read_only_hint=all(tool.risk is Risk.READ for tool in tools), open_world_hint=True
        ),
    )


def look_tool() -> Tool:
    """What tells of runs."""
    return Tool(
        name=LOOK,
        title="What became of it",
        description="What became of a request to an agent: its reply, or what it waits for.",
        input_schema=_LOOK_INPUT,
        output_schema=_OUTPUT,
        annotations=ToolAnnotations(read_only_hint=True),
    )
