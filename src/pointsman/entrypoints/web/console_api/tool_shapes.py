"""The wire shapes of tools as operators see them. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.domain.tools import Risk


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Trying(_Taken):
    """The arguments of a call that is tried, as a model would write them."""

    arguments: dict[str, Any] = {}


class Switching(_Taken):
    """An operator's switch. A tool that is off is off the model's list, and a call of it is
    refused, in every worker."""

    on: bool
    reason: str = Field("", max_length=500)


class BreakerShape(BaseModel):
    """A circuit breaker that has counted failures; ``since`` is when it opened."""

    state: Literal["closed", "open", "half_open"]
    since: datetime | None
    failures: int


class OffShape(BaseModel):
    """Who switched a tool off, and why."""

    by: str
    at: datetime
    reason: str


class LastError(BaseModel):
    """A call that went wrong; ``code`` is the status of its result: ``error``, ``failed``,
    ``timeout`` or ``uncertain``."""

    at: datetime
    run: str
    code: str
    message: str


class ToolRow(BaseModel):
    """A tool as it stands. ``source_state`` is ``ready``, ``starting``, or a sentence about a
    fault. Counts and milliseconds are of calls that ran in the ``days`` asked for. ``policy`` says
    in sentences what the gate does with its calls; ``verdict`` in a word: ``allow``, ``confirm``,
    ``approve`` or ``deny``."""

    agent: str
    tool: str
    title: str
    description: str
    source: str
    source_state: str
    risk: Risk
    parameters: dict[str, Any]
    breaker: BreakerShape | None
    calls: int
    ok: int
    failed: int
    p50_ms: float | None
    p95_ms: float | None
    last_errors: list[LastError]
    verdict: str
    policy: list[str]
    off: OffShape | None


class SourceRow(BaseModel):
    """Where an agent's tools come from, and how it is; also one that offers no tool now."""

    agent: str
    source: str
    state: str


class ToolList(BaseModel):
    """The tools of every agent, or of one."""

    tools: list[ToolRow]
    sources: list[SourceRow]
    days: int
