"""Brings a database to the schema of this release."""

from pathlib import Path

from sqlalchemy import Connection, Engine, func, inspect, select, text

from pointsman.adapters.store.schema import REVISION
from pointsman.errors import StoreError

LOCK = 0x706F696E74736D
"""The advisory lock of PostgreSQL under which one process migrates."""


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
        _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    # Alembic is slow to import and needed only when a database is new or old.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
