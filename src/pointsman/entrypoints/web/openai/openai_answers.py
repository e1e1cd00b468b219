"""What a run is to the client that asked for a chat completion: text, calls, usage, or an error."""

import msgspec
from msgspec import UNSET
from msgspec.structs import astuple

from pointsman.domain.messages import Stop, Usage
from pointsman.domain.runs import Run, RunStatus
from pointsman.entrypoints.web.following import Begun
from pointsman.entrypoints.web.openai.openai_confirmations import pending
from pointsman.entrypoints.web.openai.openai_shapes import (
    Answer,
    Choice,
    Completion,
    CompletionDetails,
    GivenCall,
    GivenFunction,
    PromptDetails,
    TokenUsage,
)
from pointsman.entrypoints.web.problems import Refusal

_FAULTS = {"model": 502, "empty": 502, "internal": 500, "context": 400}
"""Failures that are errors rather than answers, by reason; limits end with an honest answer."""

encode = msgspec.json.Encoder().encode


def completion(run: Run, begun: Begun) -> Completion:
    """The answer of a run that rests.

    Raises:
        Refusal: there is none, and nothing was run that a repeated request would run again.
    """
    fault = fault_of(run)
    if fault is not None and not any(call.attempts for call in (*run.past, *run.calls)):
        raise fault
    calls = calls_of(run, streamed=False)
    message = Answer(content=text_of(run) or None, tool_calls=calls or UNSET)
    return Completion(
        id=completion_id(begun),
        created=int(run.created.timestamp()),
        model=run.agent,
        choices=(Choice(message=message, finish_reason=finish_reason(run)),),
        usage=usage_of(run, begun),
    )


def text_of(run: Run) -> str:
    """What the user reads of a run that rests: its reply, or the question that is asked now."""
    approval = None if run.status.ended else pending(run)
    return approval.question if approval else run.said


def fault_of(run: Run) -> Refusal | None:
    """The error that a failed run is to the client; None for one that has an answer.

    Clients of OpenAI's repeat what fails with 5xx. The model was asked again already, with pauses.
    """
    status = _FAULTS.get(run.failure) if run.status is RunStatus.FAILED else None
    if status is None:
        return None
    code = "context_length_exceeded" if run.failure == "context" else f"{run.failure}_failed"
    return Refusal(status, run.reply, code=code, headers={"x-should-retry": "false"})


def finish_reason(run: Run) -> str:
    if run.kind == "calls":
        return "tool_calls"
    if run.failure == "filtered":
        return "content_filter"
    if run.kind == "answer" and run.stop in (Stop.LENGTH, Stop.FILTERED):
        return run.stop.value
    return "stop"


def calls_of(run: Run, *, streamed: bool) -> tuple[GivenCall, ...]:
    return tuple(
        GivenCall(
            id=call.id,
            type="function",
            function=GivenFunction(name=call.name, arguments=call.arguments),
            index=index if streamed else UNSET,
        )
        for index, call in enumerate(run.handed)
    )


def completion_id(begun: Begun) -> str:
    """Another one for each request, though two of them may concern one run."""
    return f"chatcmpl-{begun.run}" + (f"-{begun.after}" if begun.since else "")


def usage_of(run: Run, begun: Begun) -> TokenUsage:
    """The tokens of this request: those before a confirmation were told with the question."""
    before = begun.since.usage if begun.since else Usage()
    used = Usage(
        **{
            field: now - then
            for field, now, then in zip(
                Usage.__struct_fields__, astuple(run.usage), astuple(before), strict=True
            )
        }
    )
    return TokenUsage(
        prompt_tokens=used.prompt,
        completion_tokens=used.completion,
        total_tokens=used.total,
        prompt_tokens_details=PromptDetails(cached_tokens=used.cached),
        completion_tokens_details=CompletionDetails(reasoning_tokens=used.reasoning),
    )
