"""``ports.Upkeep`` of a SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from pointsman.adapters.store import migrate
from pointsman.adapters.store.copying import SqlCopying
from pointsman.adapters.store.sqlite import bring_up, sqlite_engine
from pointsman.errors import CallerError, StoreError
from pointsman.ports import Finding, Upkeep


class SqliteUpkeep:
    """The file, whatever release wrote it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.engine = sqlite_engine(path)

    @property
    def release(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def revision(self) -> str | None:
        with self._translated(), self.engine.connect() as connection:
            return migrate.revision(connection)

    def migrate(self) -> None:
        bring_up(self.engine)

    def examine(self) -> list[Finding]:
        try:
            with self.engine.connect() as connection:
                found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        except SQLAlchemyError as fault:
            found = [str(getattr(fault, "orig", None) or fault)]
        return [Finding(kind="damaged", detail=one) for one in found if one != "ok"]

    def backup(self, file: Path) -> None:
        with (
            new_file(file) as part,
            self._translated(),
            closing(sqlite3.connect(self._path)) as source,
            closing(sqlite3.connect(part)) as target,
        ):
            # In one step: a copy in several begins anew whenever a server writes.
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")

    def copy_to(self, target: Upkeep) -> SqlCopying:
        return SqlCopying(self.engine, target)

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as fault:
            cause = getattr(fault, "orig", None) or fault
            raise StoreError(f"the database {self._path} failed: {cause}") from None


@contextmanager
def new_file(file: Path) -> Iterator[Path]:
    """A file that only its owner reads, which is there under its name when it is whole.

    Raises:
        CallerError: it is there already, or cannot be written.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        if file.exists():
            raise CallerError(f"{file} is there already: name another file")
        os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        try:
            yield part
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise CallerError(f"{file} cannot be written: {fault.strerror}") from None
