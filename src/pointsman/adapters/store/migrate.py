"""Brings a database to the schema of this release."""

from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_mock_engine, func, inspect, select, text

from pointsman.adapters.store.schema import REVISION, metadata
from pointsman.errors import StoreError

LOCK = 0x706F696E74736D
"""The advisory lock of PostgreSQL under which one process migrates."""
_VERSION = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
"""As Alembic makes it."""


def revision(connection: Connection) -> str | None:
    """The migration that the database is at; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def migrate(engine: Engine) -> None:
    """Apply what is missing.

    Raises:
        StoreError: the database belongs to a newer release.
    """
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        at = revision(connection)
        if at == REVISION:
            return
        if at is not None and at > REVISION:
            raise StoreError(
                f"the database is at schema {at}, this release knows {REVISION}: upgrade pointsman"
            )
        if at is None and connection.dialect.name == "sqlite":
            _make(connection)
        else:
            upgrade(connection)


def _make(connection: Connection) -> None:
    """Make all tables of a new file as they are declared, which is what the migrations come to."""
    for statement in _declared():
        connection.exec_driver_sql(statement)
    connection.execute(text("INSERT INTO alembic_version VALUES (:at)"), {"at": REVISION})


@cache
def _declared() -> tuple[str, ...]:
    statements = [_VERSION]

    def keep(statement: Any, *_: Any) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine("sqlite://", keep)
    metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing."""
    # Alembic is slow to import and needed only when a database is new or old.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
