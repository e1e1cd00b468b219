"""The tables. Instants are whole microseconds since 1970 in UTC, ids are 32 hex digits.

``runs`` is a projection of ``events``; when the two disagree, the events are right. An append finds
its run's row before it writes anything else, so no foreign key looks for it again at each event.

What PostgreSQL alone has stands in the migrations, which make its tables: the rows of some tables
leave room for their next version on their own page, and where an index here holds a part of the
rows, so does PostgreSQL's. Said here, it would load PostgreSQL's dialect into every process.
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
    text,
)

metadata = MetaData()

Id = String(64).with_variant(String(64, collation="C"), "postgresql")
"""Sorts by its bytes in every database."""

REVISION = "0006"
"""The newest migration: what a database must be at to be used."""

conversations = Table(
    "conversations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("conversation", Id, ForeignKey("conversations.id"), nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
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
    Column("run", Id, primary_key=True),
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

pruned = Table(
    "pruned",
    metadata,
    Column("run", Id, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""What is left of runs that were removed: a ``domain.record.retention.Tombstone`` as JSON."""

blobs = Table(
    "blobs",
    metadata,
    Column("run", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("channel", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("run", Id, nullable=False),
    Column("agent", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("language", String(8), nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("parts", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("fallback", Text, nullable=False),
    Column("fallback_address", Text, nullable=False),
    Column("fallback_of", Id, nullable=False),
    Column("maybe_duplicated", Boolean, nullable=False),
    Column("code", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("token", Id, nullable=False),
    Column("lease", BigInteger),
    Column("created", BigInteger, nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("since", BigInteger),
    Column("updated", BigInteger, nullable=False),
    Column("sent", BigInteger),
    Index("deliveries_by_sender", "sender", "id"),
    Index("deliveries_by_run", "run"),
)
"""The outbox: a ``domain.notices.delivery.Delivery`` a row."""

_OPEN = text("status IN ('pending', 'retry', 'sending')")
Index(
    "deliveries_open",
    deliveries.c.channel,
    deliveries.c.due,
    deliveries.c.id,
    sqlite_where=_OPEN,
)
Index(
    "deliveries_by_lane",
    deliveries.c.channel,
    deliveries.c.address,
    sqlite_where=_OPEN,
)

inbox = Table(
    "inbox",
    metadata,
    Column(
        "seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    ),
    Column("id", Id, nullable=False, unique=True),
    Column("user", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("run", Id, nullable=False),
    Column("agent", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("read", BigInteger),
    Index("inbox_by_user", "user", "seq"),
)
"""What arrived in whose inbox, in the order of ``seq``."""

_UNREAD = text("read IS NULL")
Index("inbox_unread", inbox.c.user, sqlite_where=_UNREAD)
