"""``ports.Upkeep`` of a PostgreSQL database."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import conninfo
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from pointsman.adapters.store import migrate
from pointsman.adapters.store.copying import SqlCopying
from pointsman.adapters.store.postgres import bring_up, opening_failed, postgres_engine
from pointsman.adapters.store.sqlite_upkeep import new_file
from pointsman.errors import CallerError, StoreError
from pointsman.ports import Finding, Upkeep

_SAFE = ("fsync", "full_page_writes", "synchronous_commit")
_BROKEN_INDEXES = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid"


class PostgresUpkeep:
    """The database, whatever release made its tables."""

    def __init__(self, url: str, *, pg_dump: str | None = None) -> None:
        """Args:
        pg_dump: the program, unless it is the one on the path.
        """
        self._url = url
        self._pg_dump = pg_dump or shutil.which("pg_dump")
        self.engine = postgres_engine(url)

    @property
    def release(self) -> str:
        with self._connected() as connection:
            return f"PostgreSQL {connection.execute(text('SHOW server_version')).scalar()}"

    def revision(self) -> str | None:
        with self._connected() as connection:
            return migrate.revision(connection)

    def migrate(self) -> None:
        bring_up(self.engine)

    def examine(self) -> list[Finding]:
        with self._connected() as connection:
            set_to = {name: connection.scalar(text(f"SHOW {name}")) for name in _SAFE}
            broken = connection.execute(text(_BROKEN_INDEXES)).scalars().all()
        return [
            *(Finding(kind="unsafe", detail=f"{k} = off") for k, v in set_to.items() if v == "off"),
            *(Finding(kind="damaged", detail=f"index {one} is not valid") for one in broken),
        ]

    def backup(self, file: Path) -> None:
        if self._pg_dump is None:
            raise CallerError(
                "pg_dump is not installed: install the PostgreSQL client programs, "
                "or use the backups of whoever runs the server"
            )
        given: dict[str, Any] = conninfo.conninfo_to_dict(self._url)
        # Who lists the machine's processes sees their arguments, not their environment.
        password = given.pop("password", None)
        environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
        with new_file(file) as part:
            done = subprocess.run(
                [
                    self._pg_dump,
                    "--format=custom",
                    "--no-password",
                    f"--file={part}",
                    f"--dbname={conninfo.make_conninfo(**given)}",
                ],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise StoreError(f"pg_dump failed: {' '.join(done.stderr.split())}")

    def copy_to(self, target: Upkeep) -> SqlCopying:
        return SqlCopying(self.engine, target)

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with self.engine.connect() as connection:
                yield connection
        except SQLAlchemyError as fault:
            raise opening_failed(getattr(fault, "orig", None) or fault) from None
