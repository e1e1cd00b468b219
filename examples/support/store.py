"""The shop's database: one SQLite file, made from the sample data when it is first used.

It lies in the agent's own ``.pointsman``, or in the folder that SUPPORT_DATA names.
"""

import json
import os
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SAMPLES = FOLDER / "data"
_MADE = 1
"""``user_version`` of a database that holds its tables and samples."""

_TABLES = """
CREATE TABLE logins (login TEXT PRIMARY KEY, customer TEXT NOT NULL);
CREATE TABLE orders (
    order_id TEXT PRIMARY KEY, customer TEXT NOT NULL, status TEXT NOT NULL, cents INTEGER NOT NULL,
    ordered_on TEXT NOT NULL, items TEXT NOT NULL, shipment TEXT, expected_on TEXT, note TEXT
);
CREATE TABLE refunds (
    key TEXT PRIMARY KEY, refund_id TEXT NOT NULL UNIQUE, order_id TEXT NOT NULL,
    cents INTEGER NOT NULL, day TEXT NOT NULL
);
CREATE TABLE tickets (
    key TEXT PRIMARY KEY, ticket_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL,
    description TEXT NOT NULL, said TEXT NOT NULL, status TEXT NOT NULL, day TEXT NOT NULL
);
CREATE TABLE outbox (
    key TEXT PRIMARY KEY, user_id TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
    body TEXT NOT NULL, day TEXT NOT NULL
);
CREATE TABLE indexed (stamp TEXT NOT NULL);
CREATE VIRTUAL TABLE passages USING fts5(
    document UNINDEXED, language UNINDEXED, title UNINDEXED, body UNINDEXED,
    title_words, body_words, tokenize = 'porter unicode61'
);
"""


@contextmanager
def opened(today: date) -> Iterator[sqlite3.Connection]:
    """The database in one transaction, which stands when the block ends without an exception.

    Args:
        today: what the days of the sample orders are counted from, should they have to be written.
    """
    folder = Path(os.environ.get("SUPPORT_DATA") or FOLDER / ".pointsman")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "support.sqlite3"
    with closing(sqlite3.connect(file, timeout=4, isolation_level=None)) as database:
        database.row_factory = sqlite3.Row
        database.execute("BEGIN IMMEDIATE")
        try:
            if database.execute("PRAGMA user_version").fetchone()[0] != _MADE:
                _make(database, today)
            yield database
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")


def sample(name: str) -> dict[str, Any]:
    """A file of the sample data."""
    return tomllib.loads((SAMPLES / name).read_text(encoding="utf-8"))


def _make(database: sqlite3.Connection, today: date) -> None:
    for statement in filter(str.strip, _TABLES.split(";")):
        database.execute(statement)
    for customer in sample("customers.toml")["customer"]:
        rows = [(login, customer["id"]) for login in customer["logins"]]
        database.executemany("INSERT INTO logins VALUES (?, ?)", rows)
    for order in sample("orders.toml")["order"]:
        _add_order(database, order, today)
    database.execute(f"PRAGMA user_version = {_MADE}")


def _add_order(database: sqlite3.Connection, order: dict[str, Any], today: date) -> None:
    shipment = order.get("shipment")
    database.execute(
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            order["order_id"],
            order["customer"],
            order["status"],
            round(order["amount"] * 100),
            (today - timedelta(days=order["days_ago"])).isoformat(),
            json.dumps(order["items"], ensure_ascii=False),
            json.dumps(shipment, ensure_ascii=False) if shipment else None,
            (today + timedelta(days=shipment["arrives_in"])).isoformat() if shipment else None,
            order.get("note"),
        ),
    )
    if refund := order.get("refund"):
        day = today - timedelta(days=refund["days_ago"])
        row = (f"sample {order['order_id']}", f"R{day:%Y%m%d}0001", order["order_id"])
        database.execute(
            "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
            (*row, round(refund["amount"] * 100), day.isoformat()),
        )


def numbered(database: sqlite3.Connection, table: str, letter: str, today: date) -> str:
    """The next number of the day in a table: T202605010001, T202605010002 …"""
    count = database.execute(
        f"SELECT count(*) FROM {table} WHERE day = ?",  # noqa: S608 - a table of this module
        (today.isoformat(),),
    ).fetchone()[0]
    return f"{letter}{today:%Y%m%d}{count + 1:04d}"
