"""The wire shapes of approvals. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pointsman.domain.approvals import ApprovalState, Choice
from pointsman.domain.tools import Risk
from pointsman.engine.approvals.asked import MOST, Asked
from pointsman.entrypoints.approvals import shape

LONGEST = 20_000
"""Characters of what a person gives in a tool's or the agent's place."""
LONGEST_REASON = 2_000
"""Of why, which the model reads too."""


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Decision(_Taken):
    """A person's word on a waiting call. With ``arguments``, all of them, it is approved with these
    in the place of its own."""

    decision: Literal["approve", "deny"]
    reason: str = Field("", max_length=LONGEST_REASON)
    arguments: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.arguments is not None and self.decision == "deny":
            raise ValueError("arguments go with decision: approve")
        return self


class DecisionOn(Decision):
    """One of several decisions."""

    approval: str


class Decisions(_Taken):
    """Several decisions, each made or not by itself, in order: as many as a list shows."""

    decisions: list[DecisionOn] = Field(min_length=1, max_length=MOST)


class TakeOver(_Taken):
    """A person goes on by hand: the ``result`` of the call, with which the run goes on, or the
    ``reply``, with which it ends."""

    result: str = Field("", max_length=LONGEST)
    reply: str = Field("", max_length=LONGEST)
    reason: str = Field("", max_length=LONGEST_REASON)


class EditShape(BaseModel):
    """What a person put in the place of other arguments; ``former`` are those that changed."""

    at: datetime
    by: str
    changed: list[str]
    former: dict[str, Any]
    reason: str


class RefusedShape(BaseModel):
    """A decision that had no effect, and why."""

    at: datetime
    by: str
    wanted: str
    kind: str


class ApprovalShape(BaseModel):
    """What is to be decided, why, and how it stands."""

    approval: str
    run: str
    conversation: str
    agent: str
    call: str
    tool: str
    risk: Risk
    arguments: dict[str, Any]
    sources: dict[str, dict[str, Any]]
    tainted: list[str]
    rule: str
    by: str
    requester: str
    why: str
    question: str
    asked: datetime
    expires: datetime
    state: ApprovalState
    decided_by: str
    decided_at: datetime | None
    reason: str
    edited_from: str
    replaced_by: str
    edits: list[EditShape]
    refused: list[RefusedShape]
    may: list[Choice]
    text: str

    @classmethod
    def of(cls, asked: Asked) -> "ApprovalShape":
        return cls.model_validate(shape(asked))


class ApprovalList(BaseModel):
    """What waits for a decision, newest run first; ``before`` asks for the next page."""

    approvals: list[ApprovalShape]
    before: str | None = None


class Outcome(BaseModel):
    """What became of one of several decisions: its HTTP ``status``, and ``outcome`` is ``applied``,
    ``unknown``, ``forbidden``, ``own_request``, ``already_settled``, ``expired``,
    ``run_cancelled`` or ``invalid``."""

    approval: str
    status: int
    outcome: str
    detail: str = ""


class Outcomes(BaseModel):
    """One for each decision, in order."""

    results: list[Outcome]
