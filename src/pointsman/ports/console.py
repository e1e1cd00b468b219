"""What a store keeps beside the journals for the console: conversations as people list them, what
people did to the machinery, agents that are edited, evaluations."""

from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from pointsman.ports.figures import Figures
from pointsman.ports.storage import RunRecord


class Listing(Struct, frozen=True, kw_only=True):
    """A conversation in a list. ``title`` is what its user called it, or empty; ``first`` his first
    message; ``last`` its newest run."""

    id: str
    agent: str
    title: str
    first: str
    created: datetime
    updated: datetime
    runs: int
    last: RunRecord


class Talks(Protocol):
    """The conversations of people."""

    async def talks(
        self,
        user: str,
        *,
        agent: str | None = None,
        text: str = "",
        limit: int = 50,
        before: str | None = None,
    ) -> list[Listing]:
        """The conversations of the user, the last used first. Trials and tasks are left out.

        Args:
            text: words in its title or in one of its runs, any case.
            before: the ``last`` run of one to page on.
        """
        ...

    async def title(self, conversation: str) -> str:
        """What its user called it, or empty."""
        ...

    async def rename(self, conversation: str, title: str, at: datetime) -> None:
        """Call it so; empty takes it back."""
        ...


class Act(Struct, frozen=True, kw_only=True):
    """What a person did to the machinery."""

    at: datetime
    by: str
    act: str
    subject: str
    note: str = ""


class Acts(Protocol):
    """The record of what people did to the machinery, and not in a run."""

    async def record(self, act: Act) -> None: ...

    async def acts(self, *, subject: str = "", limit: int = 50) -> list[Act]:
        """The last ones, newest first; of one subject, or of all."""
        ...


class DraftRecord(Struct, frozen=True, kw_only=True):
    """A draft of an agent: path → text. ``base`` is the digest of the folder that was edited."""

    agent: str
    files: dict[str, str]
    base: str
    by: str
    at: datetime


class VersionRecord(Struct, frozen=True, kw_only=True):
    """The files of an agent as they were at one time; ``files`` is empty in lists."""

    agent: str
    version: int
    at: datetime
    by: str
    note: str
    digest: str
    files: dict[str, str] = {}


class Workshop(Protocol):
    """Drafts and versions of agents."""

    async def draft(self, agent: str) -> DraftRecord | None: ...

    async def keep_draft(self, draft: DraftRecord) -> None: ...

    async def drop_draft(self, agent: str) -> None: ...

    async def versions(self, agent: str) -> list[VersionRecord]:
        """Newest first, without their files."""
        ...

    async def version(self, agent: str, number: int) -> VersionRecord | None: ...

    async def add_version(self, version: VersionRecord) -> bool:
        """Keep a version; False when there is one of this number."""
        ...


class EvaluationRecord(Struct, frozen=True, kw_only=True):
    """An evaluation of an agent on a suite.

    Attributes:
        version: digest of the agent's folder.
        alive: when the process that carries it was last there.
        results: a report as JSON, when it is done; left out in lists.
    """

    id: str
    agent: str
    suite: str
    state: Literal["running", "done", "failed"]
    by: str
    started: datetime
    alive: datetime
    repeat: int = 1
    done: int = 0
    total: int = 0
    passed: int = 0
    score: float | None = None
    model: str = ""
    version: str = ""
    ended: datetime | None = None
    problem: str = ""
    results: bytes | None = None


class Evaluations(Protocol):
    """Evaluations and what came of them."""

    async def keep(self, evaluation: EvaluationRecord) -> None:
        """Put it in the place of the one with its id."""
        ...

    async def evaluation(self, id: str) -> EvaluationRecord | None: ...

    async def evaluations(
        self, *, agent: str | None = None, limit: int = 50, before: str | None = None
    ) -> list[EvaluationRecord]:
        """Newest first, without results; ``before`` is an id to page on."""
        ...

    async def abandon(self, before: datetime, at: datetime, problem: str) -> int:
        """Mark those as failed that run and were not alive since; how many."""
        ...


@runtime_checkable
class KeepsConsole(Protocol):
    """A store that keeps what the console reads beside the journals."""

    @property
    def figures(self) -> Figures: ...

    @property
    def talks(self) -> Talks: ...

    @property
    def acts(self) -> Acts: ...

    @property
    def workshop(self) -> Workshop: ...

    @property
    def evaluations(self) -> Evaluations: ...
