"""The wire shapes of intents and of what a classifier makes of a text."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Sentence(_Taken):
    """Something that a user says, or might."""

    text: str = Field(min_length=1, max_length=2_000)


class IntentTitle(BaseModel):
    """A title in both languages; empty where it has none."""

    zh: str
    en: str


class IntentShape(BaseModel):
    """One thing that users want. At or above ``accept`` it is taken, at or above ``ask`` the user
    is asked; both in [0, 1]."""

    intent: str
    title: IntentTitle
    description: str
    examples: list[str]
    keywords: list[str]
    tools: list[str]
    accept: float
    ask: float


class IntentList(BaseModel):
    """In the file's order; empty for an agent in open mode, which offers all its tools."""

    intents: list[IntentShape]
    classifier: str | None


class ScoreShape(BaseModel):
    """What a classifier gives an intent, with the intent's thresholds; all in [0, 1]."""

    intent: str
    title: IntentTitle
    score: float
    accept: float
    ask: float


class Classified(BaseModel):
    """What would happen to a text: ``decision`` ``tools`` goes on with those of ``intents``,
    ``ask`` asks the ``question``, ``answer`` answers without tools. ``by`` is the classifier that
    decided; ``why`` the rule. Scores are the highest first."""

    scores: list[ScoreShape]
    by: str
    decision: Literal["tools", "ask", "answer"]
    intents: list[str]
    tools: list[str]
    candidates: list[str]
    question: str
    why: str


class Confusion(BaseModel):
    """A run whose intent the user corrected: ``text`` was taken for ``taken`` (or the user was
    asked which of them he means), he then said ``correction`` in the run ``corrected``, and meant
    ``meant``. ``kind`` is ``picked`` when he chose from a question, ``reworded`` when he said it
    again in other words."""

    run: str
    at: datetime
    text: str
    taken: list[str]
    meant: list[str]
    kind: Literal["picked", "reworded"]
    correction: str
    corrected: str
    user: str


class ConfusionList(BaseModel):
    """Newest first; ``before`` is that parameter's value for the next page, if there is one."""

    confusions: list[Confusion]
    before: str | None


class ExampleAdded(BaseModel):
    """The intent as the agent's file has it now; ``version`` is the folder's."""

    intent: IntentShape
    version: str
