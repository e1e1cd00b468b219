"""The tables. Instants are whole microseconds since 1970 in UTC, ids are 32 hex digits.

``runs`` is a projection of ``events``; when the two disagree, the events are right.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

REVISION = "0001"
"""The newest migration: what a database must be at to be used."""

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user", String(255), nullable=False),
    Column("agent", String(255), nullable=False),
    Column("created", BigInteger, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation", String(64), ForeignKey("conversations.id"), nullable=False),
    Column("user", String(255), nullable=False),
    Column("agent", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("input", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("cancel_requested", Boolean, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("total_tokens", BigInteger, nullable=False),
    Column("transcript", LargeBinary),
    Column("pending", LargeBinary),
    Index("runs_by_conversation", "conversation", "id"),
    Index("runs_by_user", "user", "id"),
    Index("runs_by_status", "status", "id"),
)

events = Table(
    "events",
    metadata,
    Column("run", String(32), ForeignKey("runs.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary(32), nullable=False),
    sqlite_with_rowid=False,
)

shared = Table(
    "shared",
    metadata,
    Column("key", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""What workers agree on beside the journal; each row is replaced as a whole."""

blobs = Table(
    "blobs",
    metadata,
    Column("run", String(32), ForeignKey("runs.id"), primary_key=True),
    Column("id", String(32), primary_key=True),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)
