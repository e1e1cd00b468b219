"""A database as its operator sees it: what it is, whether it is sound, and how it is kept."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from pointsman.ports.storage import Record


class Finding(Struct, frozen=True, kw_only=True):
    """Something about a database that its operator should know.

    Attributes:
        kind: ``damaged``: its pages or indexes are; ``unsafe``: a crash may lose what was promised.
        detail: what was found, in the database's own words.
    """

    kind: Literal["damaged", "unsafe"]
    detail: str


class Upkeep(Protocol):
    """A database that may be of an older release. Every method blocks.

    Every method raises StoreError when the database fails.
    """

    @property
    def release(self) -> str:
        """The database program: ``SQLite 3.40.1``."""
        ...

    def revision(self) -> str | None:
        """The migration that the database is at; None for one without our tables."""
        ...

    def migrate(self) -> None:
        """Bring it to the newest migration. All of it or nothing."""
        ...

    def examine(self) -> list[Finding]:
        """What is wrong with it as a database."""
        ...

    def backup(self, file: Path) -> None:
        """Write all of it, as it is at one moment, to a new file; servers go on meanwhile.

        Raises:
            CallerError: it cannot be done here; says what to do.
        """
        ...

    def copy_to(self, target: "Upkeep") -> AbstractContextManager["Copying"]:
        """Copy it into an empty database, which is migrated first; on leaving what was not
        committed is undone.

        Raises (on entering):
            Conflict: this one is not at the newest migration, or the target is not empty.
        """
        ...

    def close(self) -> None: ...


class Copying(Protocol):
    """A database that is written into an empty one, in one transaction of each. Blocks, but for
    what ``source`` and ``target`` read."""

    @property
    def source(self) -> Record: ...

    @property
    def target(self) -> Record:
        """What was written so far, as it will stand after ``commit``."""
        ...

    def copy(self, tell: Callable[[str, int, int], None]) -> None:
        """Copy every row.

        Args:
            tell: gets a table, its rows copied so far and in all, now and then.
        """
        ...

    def commit(self) -> None:
        """Let what was written stand. Without it nothing is left."""
        ...
