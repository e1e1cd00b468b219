"""The outbox of notifications, and the inboxes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
OPEN = sa.text("status IN ('pending', 'retry', 'sending')")
UNREAD = sa.text("read IS NULL")


def upgrade() -> None:
    _make_deliveries()
    _make_inbox()


def _make_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", ID, primary_key=True),
        sa.Column("key", sa.String(64), nullable=False, unique=True),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("recipient", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("run", ID, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("parts", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("fallback", sa.Text, nullable=False),
        sa.Column("fallback_address", sa.Text, nullable=False),
        sa.Column("fallback_of", ID, nullable=False),
        sa.Column("maybe_duplicated", sa.Boolean, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("token", ID, nullable=False),
        sa.Column("lease", sa.BigInteger),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
        sa.Column("since", sa.BigInteger),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("sent", sa.BigInteger),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("deliveries_by_sender", "deliveries", ["sender", "id"])
    op.create_index("deliveries_by_run", "deliveries", ["run"])
    for name, columns in (
        ("deliveries_open", ["channel", "due", "id"]),
        ("deliveries_by_lane", ["channel", "address"]),
    ):
        op.create_index(name, "deliveries", columns, sqlite_where=OPEN, postgresql_where=OPEN)


def _make_inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        sa.Column("id", ID, nullable=False, unique=True),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("run", ID, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("read", sa.BigInteger),
    )
    op.create_index("inbox_by_user", "inbox", ["user", "seq"])
    op.create_index("inbox_unread", "inbox", ["user"], sqlite_where=UNREAD, postgresql_where=UNREAD)
