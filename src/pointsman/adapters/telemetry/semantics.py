"""The names that OpenTelemetry's conventions for generative AI give things, and our own.

The conventions are in development: what changes in them changes here, and nowhere else.

Source: github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai, of late 2026.
"""

from typing import Any

import msgspec

from pointsman.domain.messages import Usage

OPERATION, PROVIDER = "gen_ai.operation.name", "gen_ai.provider.name"
REQUEST_MODEL, RESPONSE_MODEL = "gen_ai.request.model", "gen_ai.response.model"
AGENT_NAME, CONVERSATION = "gen_ai.agent.name", "gen_ai.conversation.id"
FINISH, STREAM = "gen_ai.response.finish_reasons", "gen_ai.request.stream"
TOOL_NAME, TOOL_CALL = "gen_ai.tool.name", "gen_ai.tool.call.id"
TOOL_RESULT, TOKEN_TYPE = "gen_ai.tool.call.result", "gen_ai.token.type"
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
ERROR = "error.type"

RUN, RUN_STATUS, ORIGIN = "pointsman.run.id", "pointsman.run.status", "pointsman.run.origin"
PARENT_RUN, TASK = "pointsman.run.parent", "pointsman.task"
TURN, ATTEMPT = "pointsman.turn", "pointsman.attempt"
INTENTS, ROUTE, CLASSIFIER = "pointsman.intents", "pointsman.route", "pointsman.classifier"
RISK, RULE = "pointsman.risk", "pointsman.rule"
APPROVAL, APPROVAL_BY = "pointsman.approval", "pointsman.approval.by"

_DOUBLING = tuple(0.01 * 2**power for power in range(14))
OPERATION_DURATION = ("gen_ai.client.operation.duration", "A model's whole answer.", _DOUBLING)
TOOL_DURATION = ("gen_ai.execute_tool.duration", "One attempt at a tool.", _DOUBLING)
AGENT_DURATION = (
    "gen_ai.invoke_agent.duration",
    "A run, as long as it is driven.",
    tuple(0.1 * 2**power for power in range(13)),
)
TOKEN_USAGE = (
    "gen_ai.client.token.usage",
    "Tokens of one answer.",
    tuple(4**power for power in range(14)),
)
"""Metrics: name, description, upper bounds of the buckets."""

_PROVIDERS = {"kimi": "moonshot_ai"}
"""Of our presets, those that are called otherwise."""


def operation(name: str, model: str) -> dict[str, str]:
    """What every span of this operation says.

    Args:
        model: as the journal has it, ``preset/name``; empty when it is not known.
    """
    use, _, named = model.partition("/")
    told = {OPERATION: name, PROVIDER: _PROVIDERS.get(use, use) if named else "pointsman"}
    if model:
        told[REQUEST_MODEL] = named or model
    return told


def named(tags: dict[str, str]) -> str:
    """The name of a span with these tags."""
    return " ".join(filter(None, (tags[OPERATION], tags.get(REQUEST_MODEL, ""))))


def usage(used: Usage | None) -> dict[str, int]:
    """Tokens, as spans say them; nothing when nobody has counted them."""
    if used is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": used.prompt,
        "gen_ai.usage.output_tokens": used.completion,
        "gen_ai.usage.cache_read.input_tokens": used.cached,
        "gen_ai.usage.reasoning.output_tokens": used.reasoning,
    }


def said(role: str, text: str) -> Any:
    """One message of text, as JSON."""
    return msgspec.json.encode(
        [{"role": role, "parts": [{"type": "text", "content": text}]}]
    ).decode()
