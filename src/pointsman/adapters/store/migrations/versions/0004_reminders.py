"""Reminders and their occurrences."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
WAITING = sa.text("next IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "reminders",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("conversation", ID, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("next", sa.BigInteger),
        sa.Column("snoozed", sa.BigInteger),
        sa.Column("handled", sa.BigInteger, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("reminders_by_user", "reminders", ["user", "id"])
    op.create_index(
        "reminders_due",
        "reminders",
        ["next", "id"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    op.create_table(
        "occurrences",
        sa.Column("reminder", ID, primary_key=True),
        sa.Column("due", sa.BigInteger, primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("fired", sa.BigInteger, nullable=False),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("run", ID, nullable=False),
        sa.Column("deliveries", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
