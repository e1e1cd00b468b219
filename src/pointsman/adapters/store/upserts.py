"""Inserts that may meet what is there already, as each database says it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy import Dialect, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresqlInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert


def upserts(dialect: Dialect) -> "Callable[[Table], PostgresqlInsert | SqliteInsert]":
    """The dialect's own ``insert``. Only its module is loaded: a command starts the sooner."""
    if dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as postgresql_insert

        return postgresql_insert
    from sqlalchemy.dialects.sqlite import insert as sqlite_insert

    return sqlite_insert
