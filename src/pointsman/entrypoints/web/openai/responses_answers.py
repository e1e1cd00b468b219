"""What a run is to the client that asked for a response."""

import json
from typing import Any

from msgspec.structs import replace

from pointsman.domain.approvals import USER
from pointsman.domain.messages import Stop
from pointsman.domain.runs import Run, RunStatus
from pointsman.entrypoints.web.following import Begun
from pointsman.entrypoints.web.openai.openai_answers import fault_of, text_of, usage_of
from pointsman.entrypoints.web.openai.responses_history import response_id
from pointsman.entrypoints.web.openai.responses_requests import LABEL, wants_items
from pointsman.entrypoints.web.openai.responses_shapes import (
    AgentResponse,
    ApprovalItem,
    ConversationOf,
    FunctionCallItem,
    Incomplete,
    InputDetails,
    MessageItem,
    OutputDetails,
    OutputItem,
    OutputText,
    ResponseFault,
    ResponseRequest,
    ResponseStatus,
    ResponseUsage,
)


def answer_of(
    run: Run, begun: Begun, request: ResponseRequest | None = None, *, text: str | None = None
) -> AgentResponse:
    """The response that a run is now.

    Args:
        request: what it answers; None for one that is asked for later.
        text: what was shown of it, when that is more than its last words.
    """
    status, stored = status_of(run), request is None or request.store is not False
    output: list[OutputItem] = []
    if run.rests:
        said = text_of(run) if text is None else text
        output += [message_of(begun, said, run)] if said else []
        output += calls_of(run)
        output += approvals_of(run) if request is None or wants_items(request) else []
    fault = fault_of(run)
    response = AgentResponse(
        id=response_id(begun, stored=stored),
        created_at=int(run.created.timestamp()),
        status=status,
        model=run.agent,
        output=tuple(output),
        conversation=ConversationOf(id=run.conversation),
        usage=_usage(run, begun) if run.rests else None,
        error=ResponseFault(code="server_error", message=fault.detail) if fault else None,
        incomplete_details=_incomplete(run),
        store=stored,
    )
    return replace(response, **_echoed(request)) if request else response


def _echoed(request: ResponseRequest) -> dict[str, Any]:
    """What clients expect to be given back."""
    kept = {"instructions", "previous_response_id", "temperature", "top_p", "max_output_tokens"}
    choice = request.tool_choice if isinstance(request.tool_choice, str) else "auto"
    tools = [one.model_dump(exclude_none=True) for one in request.tools or ()]
    for tool in tools:
        if tool["type"] == "function":
            tool.setdefault("parameters", None)
            tool.setdefault("strict", None)
    return {
        **request.model_dump(include=kept),
        "metadata": request.metadata or {},
        "tools": tuple(tools),
        "tool_choice": choice,
        "background": bool(request.background),
    }


def status_of(run: Run) -> ResponseStatus:
    """How far the response is; a run that waits for a person has been told in full."""
    if run.status is RunStatus.CANCELLED:
        return "cancelled"
    if fault_of(run) is not None:
        return "failed"
    if _incomplete(run) is not None:
        return "incomplete"
    if run.rests:
        return "completed"
    return "queued" if run.status is RunStatus.QUEUED else "in_progress"


def _incomplete(run: Run) -> Incomplete | None:
    if run.failure == "filtered" or (run.kind == "answer" and run.stop is Stop.FILTERED):
        return Incomplete(reason="content_filter")
    if run.kind == "answer" and run.stop is Stop.LENGTH:
        return Incomplete(reason="max_output_tokens")
    return None


def message_of(begun: Begun, text: str, run: Run | None = None) -> MessageItem:
    """What was said, as an item; without a run, what is said now."""
    cut = run is not None and _incomplete(run) is not None
    return MessageItem(
        id=f"msg_{response_id(begun)[5:]}",
        status="in_progress" if run is None else "incomplete" if cut else "completed",
        content=(OutputText(text=text),) if run is not None else (),
    )


def calls_of(run: Run) -> list[FunctionCallItem]:
    """The calls that the client is to run."""
    return [
        FunctionCallItem(
            id=f"fc_{run.id}_{index}", call_id=one.id, name=one.name, arguments=one.arguments
        )
        for index, one in enumerate(run.handed)
    ]


def approvals_of(run: Run) -> list[ApprovalItem]:
    """What waits for the user's own word."""
    if run.status.ended:
        return []
    return [
        ApprovalItem(
            id=f"mcpr_{call.approval.id}",
            name=call.tool,
            arguments=json.dumps(call.arguments, ensure_ascii=False),
            server_label=LABEL,
        )
        for call in run.waiting  # those of tasks are asked for in words
        if call.approval is not None and call.approval.by == USER
    ]


def _usage(run: Run, begun: Begun) -> ResponseUsage:
    used = usage_of(run, begun)
    return ResponseUsage(
        input_tokens=used.prompt_tokens,
        input_tokens_details=InputDetails(cached_tokens=used.prompt_tokens_details.cached_tokens),
        output_tokens=used.completion_tokens,
        output_tokens_details=OutputDetails(
            reasoning_tokens=used.completion_tokens_details.reasoning_tokens
        ),
        total_tokens=used.total_tokens,
    )
