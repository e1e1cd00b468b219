"""Conversations, runs, their events, the whole texts of cut results, what workers share,
and what is left of runs that were removed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    _make_runs()
    _make_what_belongs_to_them()


def _make_runs() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "runs",
        sa.Column("id", ID, primary_key=True),
        sa.Column("conversation", ID, sa.ForeignKey("conversations.id"), nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger, nullable=False),
        sa.Column("cached_tokens", sa.BigInteger, nullable=False),
        sa.Column("completion_tokens", sa.BigInteger, nullable=False),
        sa.Column("reasoning_tokens", sa.BigInteger, nullable=False),
        sa.Column("total_tokens", sa.BigInteger, nullable=False),
        sa.Column("transcript", sa.LargeBinary),
        sa.Column("pending", sa.LargeBinary),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("runs_by_conversation", "runs", ["conversation", "id"])
    op.create_index("runs_by_user", "runs", ["user", "id"])
    op.create_index("runs_by_status", "runs", ["status", "id"])


def _make_what_belongs_to_them() -> None:
    op.create_table(
        "events",
        sa.Column("run", ID, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "blobs",
        sa.Column("run", ID, primary_key=True),
        sa.Column("id", ID, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pruned",
        sa.Column("run", ID, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "shared",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
