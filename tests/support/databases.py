"""A small office database, as a SQLite file and as a PostgreSQL database, and sources over them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg

from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.sql import SqlSource
from pointsman.adapters.tools.sql_postgres import PostgresDatabase
from pointsman.adapters.tools.sql_reading import Database
from pointsman.adapters.tools.sql_settings import Metric, SqlLimits, SqlSettings, TableGrant
from pointsman.adapters.tools.sql_sqlite import SqliteDatabase
from pointsman.domain.tools import ToolResult
from pointsman.ports import CallContext, Clock, ToolSource

SCHEMA = """
CREATE TABLE users (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, department TEXT, joined DATE, salary NUMERIC(10, 2),
    password TEXT, deleted_at TEXT, update_time TEXT
);
CREATE TABLE docs (id INTEGER PRIMARY KEY, owner INTEGER, title TEXT, created DATE, pages INTEGER);
CREATE TABLE secrets (id INTEGER PRIMARY KEY, word TEXT);
CREATE TABLE "部门" ("编号" INTEGER, "名称" TEXT);
CREATE VIEW staff AS SELECT id, name, length(password) AS strength FROM users;
CREATE VIEW staff_names AS SELECT name FROM staff;
"""
USERS = [
    (1, "李明", "财务部", "2024-01-15", 8000.50, "hunter2", None, "2026-01-01 08:00:00"),
    (2, "王芳", "财务部", "2024-02-20", 9000, "letmein", None, "2026-01-02 08:00:00"),
    (3, "张伟", "研发部", "2024-02-25", 12000, "swordfish", None, "2026-01-03 08:00:00"),
    (4, "Ann O'Neil", "研发部", "2024-03-01", 13000, "opensesame", "2026-02-01", "2026-02-01"),
    (5, "周|杰", None, "2024-03-09", None, "qwerty", None, "2026-01-05 08:00:00"),
]
DOCS = [
    (1, 1, "预算", "2024-01-20", 10),
    (2, 1, "please DELETE me", "2024-02-01", 5),
    (3, 3, "Design", "2024-02-10", 40),
    (4, 4, "Plan", "2024-03-03", 7),
]
ROWS: dict[str, Sequence[tuple[Any, ...]]] = {
    "users": USERS,
    "docs": DOCS,
    "secrets": [(1, "TOP-SECRET")],
    '"部门"': [(1, "财务部"), (2, "研发部")],
}
GRANTS = (
    TableGrant(
        name="users",
        about="who works here",
        columns={"id": "", "name": "", "department": "where", "joined": "", "salary": "",
                 "deleted_at": "", "update_time": ""},
    ),
    TableGrant(name="docs"),
    TableGrant(name="部门"),
)  # fmt: skip


def sqlite_file(folder: Path) -> Path:
    """The office in a file."""
    path = folder / "office #1.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        for table, rows in ROWS.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    return path


def fill_postgres(url: str) -> None:
    """The office in an empty PostgreSQL database."""
    with psycopg.connect(url) as connection:
        connection.execute(SCHEMA.encode())
        for table, rows in ROWS.items():
            marks = ", ".join(["%s"] * len(rows[0]))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})".encode(), rows)


def source(
    *,
    file: Path | None = None,
    url: str = "",
    metrics: tuple[Metric, ...] = (),
    tables: tuple[TableGrant, ...] = GRANTS,
    clock: Clock | None = None,
    role: str = "",
    **limits: Any,
) -> SqlSource:
    """A source over one of the two."""
    settings = SqlSettings(
        name="office",
        file=str(file or ""),
        url=url,
        metrics=metrics,
        tables=tables,
        limits=SqlLimits(**limits),
    )
    clock = clock or SystemClock()
    database: Database = SqliteDatabase(file, clock) if file else PostgresDatabase(url, role)
    return SqlSource(settings, database, clock)


def context(language: str = "en", zone: str = "Asia/Shanghai") -> CallContext:
    """What a call knows of its run."""
    return CallContext(
        run="r1",
        conversation="c1",
        user="li",
        agent="office",
        input="how many",
        language=language,
        now=datetime(2026, 3, 1, 10, tzinfo=ZoneInfo(zone)),
        key="r1:1.0",
        progress=lambda fraction, message: None,
    )


async def ask(given: ToolSource, query: str, language: str = "en", **arguments: Any) -> ToolResult:
    """A free question."""
    return await call(given, "query_database", language, query=query, **arguments)


async def call(given: ToolSource, tool: str, language: str = "en", **arguments: Any) -> ToolResult:
    """A call of one of its tools."""
    await given.settle()
    (found,) = [one for one in given.tools() if one.spec.name == tool]
    return await found.call(arguments, context(language))
