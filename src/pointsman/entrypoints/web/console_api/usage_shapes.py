"""The wire shapes of figures over time. Times are in UTC, ISO 8601."""

from datetime import datetime

from pydantic import BaseModel, Field


class Figures(BaseModel):
    """What runs that began in a span add up to. ``cached`` is part of ``prompt``, ``reasoning`` of
    ``completion``. ``asks`` are questions for values or for the intent, ``confirmations`` those to
    the asking user, ``approvals`` those to somebody with a role, ``denials`` the answers that were
    no. Milliseconds are of whole runs without the time in which they waited for people."""

    conversations: int
    runs: int
    failed: int
    prompt: int
    cached: int
    completion: int
    reasoning: int
    asks: int
    confirmations: int
    approvals: int
    denials: int
    up: int
    down: int
    p50_ms: float | None
    p95_ms: float | None
    tool_calls: int
    tool_ok: int


class Step(Figures):
    """The figures of one hour or one day from ``at`` on, in the zone asked for."""

    at: datetime


class IntentCount(BaseModel):
    intent: str
    count: int


class ToolCount(BaseModel):
    """Calls that ran, and those that went well."""

    agent: str
    tool: str
    calls: int
    ok: int


class AgentCount(Figures):
    """The figures of one agent."""

    agent: str


class UsageReport(BaseModel):
    """Figures over a span, step by step without gaps, and in all. ``caught_up`` is false while runs
    that have ended are still to be counted."""

    from_: datetime = Field(alias="from")
    to: datetime
    step: str
    series: list[Step]
    totals: Figures
    intents: list[IntentCount]
    tools: list[ToolCount]
    agents: list[AgentCount]
    caught_up: bool
