"""A SQLite file that is made from SQL when it is not there."""

from pathlib import Path

import pytest

from pointsman import agentfile
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.sql_reading import QueryFailed
from pointsman.adapters.tools.sql_sqlite import SqliteDatabase
from pointsman.errors import AgentFileError

SQL = "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('李明');"
AGENT = """\
agent: office
tools:
  - sql: {name: office, URL, metrics: {count: {sql: SELECT 1}}}
offline: {fallback: x}
"""


def database(folder: Path, sql: str = SQL) -> SqliteDatabase:
    seed = folder / "seed.sql"
    seed.write_text(sql, encoding="utf-8")
    return SqliteDatabase(folder / "made" / "office.sqlite3", SystemClock(), seed=seed)


def test_the_file_is_made_once_and_left_alone_after_that(tmp_path: Path) -> None:
    assert database(tmp_path).columns() == {("", "users"): {"name": "text"}}
    assert database(tmp_path, "CREATE TABLE other (a);").columns() == {
        ("", "users"): {"name": "text"}
    }
    assert [one.name for one in (tmp_path / "made").iterdir()] == ["office.sqlite3"]


def test_sql_with_a_fault_makes_nothing_and_is_told(tmp_path: Path) -> None:
    with pytest.raises(QueryFailed, match=r"cannot be made from seed\.sql"):
        database(tmp_path, SQL + "NONSENSE;").columns()
    assert list((tmp_path / "made").iterdir()) == []


def test_a_seed_goes_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(
        AGENT.replace("URL", "url: 'postgresql://x', seed: a.sql"), encoding="utf-8"
    )
    with pytest.raises(AgentFileError, match="seed goes with file"):
        agentfile.load(tmp_path)
