"""What a store keeps beside the journals for those who look at many runs at once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from pointsman.domain.record.run_figures import RunFigures
from pointsman.domain.runs import RunStatus
from pointsman.ports.storage import RunRecord

Rating = Literal["up", "down"]


class Search(Struct, frozen=True, kw_only=True):
    """Which runs are looked for; what is empty matches all.

    Attributes:
        intent: one that the run went by, or that the user was asked about.
        tool: one that was called, or proposed.
        outcome: a status of the run, the kind of its reply, why it failed, how one of its calls
            ended, or why one was rejected.
        text: words in what the user said last or was told, any case.
        since, until: when the run began, ``until`` left out.
        min_ms: of work at least.
    """

    user: str | None = None
    agent: str | None = None
    conversation: str | None = None
    status: tuple[RunStatus, ...] = ()
    intent: str = ""
    tool: str = ""
    outcome: str = ""
    text: str = ""
    rating: Rating | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_ms: int = 0


class Listed(Struct, frozen=True, kw_only=True):
    """A run in a list, with its figures when it is counted: else they are empty or 0."""

    record: RunRecord
    counted: bool = False
    kind: str = ""
    failure: str = ""
    origin: str = ""
    ms: int = 0
    intents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    asks: int = 0
    confirmations: int = 0
    approvals: int = 0
    denials: int = 0
    rating: Rating | None = None
    comment: str = ""


class Spread(Struct, frozen=True, kw_only=True):
    """Runs over time.

    Attributes:
        first, last: when the first and the last began; None when there are none.
        step: whole seconds of a bucket.
        buckets: number of the bucket from ``first`` on → runs, and those that failed.
    """

    first: datetime | None = None
    last: datetime | None = None
    step: int = 0
    buckets: dict[int, tuple[int, int]] = {}


class RunSums(NamedTuple):
    """What is added up of one run; ``created`` in microseconds since 1970, ``rating`` may be empty.
    A tuple, for there are many, which are summed column by column."""

    created: int
    conversation: str
    agent: str
    failed: bool
    ms: int
    prompt: int
    cached: int
    completion: int
    reasoning: int
    asks: int
    confirmations: int
    approvals: int
    denials: int
    tool_calls: int
    tool_ok: int
    rating: str


class ToolSums(Struct, frozen=True, kw_only=True):
    """The calls of a tool that ran; ``times`` are their milliseconds, sorted."""

    agent: str
    tool: str
    calls: int
    ok: int
    times: tuple[int, ...] = ()


class Failure(Struct, frozen=True, kw_only=True):
    """A call that went wrong."""

    agent: str
    tool: str
    run: str
    at: datetime
    code: str
    message: str


class Turnabout(Struct, frozen=True, kw_only=True):
    """Two runs of a conversation, one after the other, that went by different intents."""

    user: str
    run: str
    at: datetime
    text: str
    taken: tuple[str, ...]
    asked: bool
    next: str
    correction: str
    meant: tuple[str, ...]
    picked: bool


class Figures(Protocol):
    """Figures of ended runs: a projection of their journals, and what people made of them."""

    async def uncounted(
        self,
        *,
        ended: bool,
        after: str = "",
        ids: Sequence[str] | None = None,
        limit: int = 10_000,
    ) -> list[str]:
        """Runs without figures above ``after``, or of those ``ids``, in order: those that have
        ended, or those that have not."""
        ...

    async def newest(self, below: str) -> str:
        """The last run id at or below this one; empty when there is none."""
        ...

    async def add(self, counted: Sequence[RunFigures]) -> None:
        """Keep the figures of these runs; what is there already stays, and of a run that is gone
        nothing is kept."""
        ...

    async def forget(self) -> None:
        """Remove all figures, to make them again."""
        ...

    async def find(
        self, search: Search, *, limit: int = 50, before: str | None = None
    ) -> list[Listed]:
        """Runs, newest first; ``before`` is a run id to page on."""
        ...

    async def spread(self, search: Search, *, buckets: int) -> Spread:
        """The runs that match over time, from the first (or ``since``) to the last (``until``)."""
        ...

    async def sums(
        self, *, since: datetime, until: datetime, user: str | None = None, agent: str | None = None
    ) -> list[RunSums]:
        """What is added up of each run that began in the span; in no order."""
        ...

    async def intents(
        self, *, since: datetime, until: datetime, user: str | None = None, agent: str | None = None
    ) -> list[tuple[str, int]]:
        """How many runs that began in the span went by each intent, the most first."""
        ...

    async def tools(
        self,
        *,
        since: datetime,
        until: datetime,
        user: str | None = None,
        agent: str | None = None,
    ) -> list[ToolSums]:
        """The tools whose calls ran in the span, those with most calls first."""
        ...

    async def failures(
        self, *, since: datetime, agent: str | None = None, each: int = 3
    ) -> list[Failure]:
        """The last calls of each tool that went wrong, newest first."""
        ...

    async def turnabouts(
        self, agent: str, *, limit: int = 50, before: str | None = None
    ) -> list[Turnabout]:
        """Runs that were followed by one of another intent, newest first; ``before`` is the
        ``next`` of one to page on."""
        ...

    async def rate(
        self, run: str, user: str, rating: Rating | None, comment: str, at: datetime
    ) -> None:
        """Keep what the user thinks of a run; None takes it back."""
        ...

    async def ratings(self, runs: Sequence[str]) -> dict[str, tuple[Rating, str]]:
        """What was said of these runs: rating and comment."""
        ...
