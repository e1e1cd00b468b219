"""What leaves for people: tickets for the staff and e-mails in the outbox.

A key stands for one call of the engine: however often it is tried, it makes one ticket or e-mail.
"""

import sqlite3
from datetime import date
from typing import Any

from .store import numbered


def open_ticket(
    database: sqlite3.Connection,
    *,
    user_id: str,
    description: str,
    said: str,
    key: str,
    today: date,
) -> dict[str, Any]:
    """A ticket for the staff. ``said``: the user's own words, beside what they were made of."""
    row = _ticket(database, key)
    if row is None:
        number = numbered(database, "tickets", "T", today)
        database.execute(
            "INSERT INTO tickets VALUES (?, ?, ?, ?, ?, 'created', ?)",
            (key, number, user_id, description, said, today.isoformat()),
        )
        row = _ticket(database, key)
    assert row is not None
    return {"type": "ticket_result", "ticket_id": row["ticket_id"], "status": row["status"]}


def put_in_outbox(
    database: sqlite3.Connection,
    *,
    user_id: str,
    to: str,
    subject: str,
    body: str,
    key: str,
    today: date,
) -> dict[str, Any]:
    """An e-mail, ready to be sent by the shop's mail server."""
    database.execute(
        "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
        (key, user_id, to, subject, body, today.isoformat()),
    )
    return {"type": "email_result", "to": to, "subject": subject, "status": "in the outbox"}


def _ticket(database: sqlite3.Connection, key: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = database.execute(
        "SELECT * FROM tickets WHERE key = ?", (key,)
    ).fetchone()
    return found
