"""The product as a peer of the harness: ``Agent.run`` with its journal in a file, on the event loop
that ``pointsman serve`` takes. EVENT_LOOP=asyncio takes the standard library's."""

import os
import tempfile
from pathlib import Path
from typing import Any, Literal

import uvloop

from pointsman import (
    Agent,
    AssistantMessage,
    Limits,
    ModelSpec,
    ReasoningDelta,
    ResetDelta,
    Risk,
    TextDelta,
    UserMessage,
    tool,
)

# The harness's own prototypes journal without waiting for the disk; JOURNAL_SYNC=full waits.
SYNC: Literal["full", "normal"] = "full" if os.environ.get("JOURNAL_SYNC") == "full" else "normal"

loop_factory = None if os.environ.get("EVENT_LOOP") == "asyncio" else uvloop.new_event_loop
"""What the harness makes its loop with."""


def agent_of(job: Any) -> Agent:
    os.environ["BENCH_KEY"] = job.api_key
    folder = Path(tempfile.mkdtemp(prefix="bench-journal-"))
    return Agent(
        "bench",
        instructions=job.system,
        model=ModelSpec(
            use="compatible", name=job.model, base_url=job.base_url, key_env="BENCH_KEY"
        ),
        tools=[tool(risk=Risk.READ)(function) for function in job.tools],
        limits=Limits(calls_per_turn=16),
        journal=folder / "journal.db",
        synchronous=SYNC,
    )


async def run(job: Any) -> str:
    """One conversation; the final text."""

    def setup() -> tuple[Agent, list[UserMessage | AssistantMessage]]:
        kinds = {"user": UserMessage, "assistant": AssistantMessage}
        return agent_of(job), [kinds[one["role"]](text=one["content"]) for one in job.history]

    def on_delta(delta: TextDelta | ReasoningDelta | ResetDelta) -> None:
        if isinstance(delta, TextDelta):
            job.on_token(delta.text)

    agent: Agent
    agent, history = job.once(setup)
    reply = await agent.run(job.prompt, history=history, on_delta=on_delta if job.stream else None)
    return reply.text
