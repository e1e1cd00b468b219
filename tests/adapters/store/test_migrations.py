"""The migrations make the tables that the statements are written for."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, text

from pointsman.adapters.store.migrate import migrate
from pointsman.adapters.store.postgres import postgres, postgres_engine
from pointsman.adapters.store.schema import metadata
from pointsman.adapters.store.sqlite import sqlite, sqlite_engine
from pointsman.errors import StoreError


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        made = sqlite_engine(tmp_path / "test.db")
        migrate(made.execution_options(writing=True))
        return made
    return postgres_engine(request.getfixturevalue("postgres_url"))


def test_a_migrated_database_has_the_tables_that_we_declare(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


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
