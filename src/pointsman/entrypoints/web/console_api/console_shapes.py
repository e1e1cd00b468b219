"""The wire shapes of conversations as a list, of runs found by what happened in them, and of what a
person makes of a run. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.domain.runs import RunStatus
from pointsman.entrypoints.web.native.native_shapes import Tokens

Rating = Literal["up", "down"]


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Renaming(_Taken):
    """What a conversation is called; empty for the first words of its first message again."""

    title: str = Field(max_length=200)


class Opinion(_Taken):
    """What the user thinks of a reply; ``rating`` null takes it back."""

    rating: Rating | None
    comment: str = Field("", max_length=2_000)


class LastRun(BaseModel):
    """The newest run of a conversation; texts are cut to a line."""

    run: str
    status: RunStatus
    input: str
    reply: str


class ConversationRow(BaseModel):
    """A conversation in a list; ``title`` is the user's, or the first words of the first
    message."""

    conversation: str
    agent: str
    title: str
    created: datetime
    updated: datetime
    runs: int
    last: LastRun | None


class ConversationList(BaseModel):
    """The last used first; ``before`` is that parameter's value for the next page, if there is
    one."""

    conversations: list[ConversationRow]
    before: str | None


class FoundRun(BaseModel):
    """A run in a list of those that were looked for. What is known of a run once it has ended
    (``intents`` to ``denials``) is empty or 0 until then; ``ms`` is then the time that it has taken
    so far. ``kind`` is that of the reply; ``code`` why it failed."""

    run: str
    conversation: str
    agent: str
    user: str
    status: RunStatus
    kind: str
    failure: str
    origin: str
    input: str
    reply: str
    created: datetime
    updated: datetime
    ms: int
    usage: Tokens
    intents: list[str]
    tools: list[str]
    asks: int
    confirmations: int
    approvals: int
    denials: int
    rating: Rating | None
    comment: str


class FoundRuns(BaseModel):
    """Newest first; ``before`` is that parameter's value for the next page, if there is one."""

    runs: list[FoundRun]
    before: str | None


class Bucket(BaseModel):
    """How many runs began from ``at`` on, ``step_seconds`` long, and how many of them failed."""

    at: datetime
    count: int
    failed: int


class Histogram(BaseModel):
    """Runs over time; empty when there are none. The last bucket holds ``to``."""

    from_: datetime | None = Field(alias="from")
    to: datetime | None
    step_seconds: int
    buckets: list[Bucket]


class CallExplanation(BaseModel):
    """One call: what became of it, in a word and in the reader's language (``said``), and why.
    ``verdict`` is ``ran``, ``failed``, ``uncertain``, ``by_hand``, ``not_run``, ``waiting`` or
    ``open_call``."""

    call: str
    line: str
    verdict: str
    said: str
    sentences: list[str]


class Explanation(BaseModel):
    """Why each call of a run ran or did not, from its journal alone; ``text`` is all of it."""

    run: str
    text: str
    opening: list[str]
    calls: list[CallExplanation]
    ending: list[str]


class DifferenceShape(BaseModel):
    """A decision that comes out differently under today's agent; ``recorded`` and ``now`` are
    empty where it did not come to that."""

    call: str
    about: Literal["route", "validation", "gate", "reply", "end"]
    recorded: str
    now: str


class Replayed(BaseModel):
    """A run carried through again from its journal; nothing outside is called. ``problem`` says why
    it could not be."""

    run: str
    same: bool
    differences: list[DifferenceShape]
    problem: str | None


class CaseWanted(_Taken):
    """Into which suite a case goes: the name of a file in the agent's ``evaluation`` folder, made
    when it is not there. Without, the case is only shown."""

    suite: str = Field("", max_length=100)
    id: str = Field("", max_length=128)


class CaseMade(BaseModel):
    """The evaluation case made of a run: as ``text`` (YAML) to show. ``suite`` is the file that it
    stands in now, with so many ``cases``; null when it was only shown."""

    case: str
    text: str
    suite: str | None
    cases: int
