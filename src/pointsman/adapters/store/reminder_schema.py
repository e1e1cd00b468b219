"""The tables of reminders. A reminder's columns are what it is looked for by and what changes when
it fires; what its owner wrote is in ``body``.
"""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, String, Table, Text, text

from pointsman.adapters.store.schema import Id, metadata

reminders = Table(
    "reminders",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("conversation", Id, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("state", String(16), nullable=False),
    Column("next", BigInteger),
    Column("snoozed", BigInteger),
    Column("handled", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("reminders_by_user", "user", "id"),
)
"""``next`` is when it is due next; only active ones have it."""

_WAITING = text("next IS NOT NULL")
Index(
    "reminders_due",
    reminders.c.next,
    reminders.c.id,
    sqlite_where=_WAITING,
)

occurrences = Table(
    "occurrences",
    metadata,
    Column("reminder", Id, primary_key=True),
    Column("due", BigInteger, primary_key=True),
    Column("state", String(16), nullable=False),
    Column("fired", BigInteger, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("run", Id, nullable=False),
    Column("deliveries", Text, nullable=False),
    Column("note", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What became of each time that a reminder was due; its key is what makes it happen once.
``deliveries`` are ids with blanks between them."""
