"""The migrations make the tables that the statements are written for."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, text

from pointsman.adapters.store.migrate import migrate, upgrade
from pointsman.adapters.store.postgres import postgres, postgres_engine
from pointsman.adapters.store.schema import metadata
from pointsman.adapters.store.sqlite import sqlite, sqlite_engine
from pointsman.errors import StoreError


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        return migrated(tmp_path / "test.db")
    return postgres_engine(request.getfixturevalue("postgres_url"))


def migrated(path: Path) -> Engine:
    """A file that went through every migration."""
    engine = sqlite_engine(path)
    with engine.execution_options(writing=True).begin() as connection:
        upgrade(connection)
    return engine


def declared(path: Path) -> dict[str, str]:
    """What a file says that it holds, by name."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: "".join(str(sql).split()) for name, sql in found}


def test_a_migrated_database_has_the_tables_that_we_declare(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_new_file_is_as_one_that_was_migrated(tmp_path: Path) -> None:
    migrated(tmp_path / "old.db").dispose()
    engine = sqlite_engine(tmp_path / "new.db")
    migrate(engine.execution_options(writing=True))
    engine.dispose()
    assert declared(tmp_path / "new.db") == declared(tmp_path / "old.db")


def test_the_queue_has_a_schema_of_its_own(postgres_url: str) -> None:
    engine = postgres_engine(postgres_url)
    with engine.connect() as connection:
        tables = connection.execute(
            text("SELECT schemaname FROM pg_tables WHERE tablename LIKE 'procrastinate%'")
        )
        assert set(tables.scalars()) == {"procrastinate"}
    engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_of_a_newer_release_is_left_alone(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "test.db"
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    engine = postgres_engine(url) if url else sqlite_engine(path)
    migrate(engine.execution_options(writing=True))
    with engine.execution_options(writing=True).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match=r"schema 9999.*upgrade pointsman"):
        postgres(url) if url else sqlite(path)
