"""The journal's database, for the engine and for its operator."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pointsman.errors import MissingExtra, NotFound
from pointsman.ports import Enqueue, Store, Upkeep
from pointsman.settings import DatabaseUrl, Settings, Synchronous


def sqlite_store(path: Path, synchronous: Synchronous) -> Store:
    """The journal in a file."""
    from pointsman.adapters.store.sqlite import sqlite

    return sqlite(path, synchronous=synchronous)


def settings_store(settings: Settings, enqueue: Enqueue | None = None) -> Store:
    """The database that the settings name.

    Args:
        enqueue: puts a run that an append wakes on the queue, in the append's transaction.

    Raises:
        MissingExtra: it is one of PostgreSQL, and what is needed for that is not installed.
        StoreError: it cannot be opened.
    """
    if isinstance(settings.database, Path):
        return sqlite_store(settings.database, settings.synchronous)
    with postgres_extra():
        from pointsman.adapters.store.postgres import postgres
    return postgres(settings.database.url, synchronous=settings.synchronous, enqueue=enqueue)


def upkeep(database: Path | DatabaseUrl, *, new: bool = False) -> Upkeep:
    """A database for its operator; nothing is migrated.

    Args:
        new: whether a file may be made.

    Raises:
        MissingExtra: as ``settings_store``.
        NotFound: there is no such file.
    """
    if not isinstance(database, Path):
        with postgres_extra():
            from pointsman.adapters.store.postgres_upkeep import PostgresUpkeep
        return PostgresUpkeep(database.url)
    if not new and not database.exists():
        raise NotFound("database", str(database))
    from pointsman.adapters.store.sqlite_upkeep import SqliteUpkeep

    return SqliteUpkeep(database)


@contextmanager
def postgres_extra() -> Iterator[None]:
    """What is imported inside needs the extra ``postgres``."""
    try:
        yield
    except ImportError as missing:  # also of psycopg, when it finds no libpq
        raise MissingExtra("a PostgreSQL database", "postgres") from missing
