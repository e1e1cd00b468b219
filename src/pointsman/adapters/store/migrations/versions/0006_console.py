"""What the console reads beside the journal."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _make_figures()
    _make_figures_of_parts()
    _make_words_of_people()
    _make_workshop()
    _make_evaluations()


def _make_figures() -> None:
    op.create_table(
        "figures",
        sa.Column("run", ID, primary_key=True),
        sa.Column("conversation", ID, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.BigInteger, nullable=False),
        sa.Column("ms", sa.BigInteger, nullable=False),
        sa.Column("route", sa.String(8), nullable=False),
        sa.Column("picked", sa.Boolean, nullable=False),
        sa.Column("intents", sa.Text, nullable=False),
        sa.Column("candidates", sa.Text, nullable=False),
        sa.Column("tools", sa.Text, nullable=False),
        sa.Column("asks", sa.Integer, nullable=False),
        sa.Column("confirmations", sa.Integer, nullable=False),
        sa.Column("approvals", sa.Integer, nullable=False),
        sa.Column("denials", sa.Integer, nullable=False),
        sa.Column("tool_calls", sa.Integer, nullable=False),
        sa.Column("tool_ok", sa.Integer, nullable=False),
        sa.Column("prompt", sa.BigInteger, nullable=False),
        sa.Column("cached", sa.BigInteger, nullable=False),
        sa.Column("completion", sa.BigInteger, nullable=False),
        sa.Column("reasoning", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("figures_by_created", "figures", ["created"])
    op.create_index("figures_by_user", "figures", ["user", "created"])
    op.create_index("figures_by_agent", "figures", ["agent", "run"])
    op.create_index("figures_by_conversation", "figures", ["conversation", "run"])


def _make_figures_of_parts() -> None:
    op.create_table(
        "figure_intents",
        sa.Column("intent", sa.Text, primary_key=True),
        sa.Column("run", ID, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("figure_intents_by_run", "figure_intents", ["run"])
    op.create_table(
        "figure_calls",
        sa.Column("run", ID, primary_key=True),
        sa.Column("call", sa.String(32), primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("ms", sa.BigInteger, nullable=False),
        sa.Column("ran", sa.Boolean, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("figure_calls_by_tool", "figure_calls", ["tool", "run"])
    op.create_index("figure_calls_by_time", "figure_calls", ["at"])


def _make_words_of_people() -> None:
    op.create_table(
        "ratings",
        sa.Column("run", ID, primary_key=True),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("rating", sa.String(8), nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "titles",
        sa.Column("conversation", ID, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "acts",
        sa.Column("seq", SEQ, primary_key=True, autoincrement=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("act", sa.String(32), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )


def _make_workshop() -> None:
    op.create_table(
        "drafts",
        sa.Column("agent", sa.Text, primary_key=True),
        sa.Column("base", sa.String(64), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("files", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "versions",
        sa.Column("agent", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("files", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )


def _make_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", ID, primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("suite", sa.Text, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.BigInteger),
        sa.Column("alive", sa.BigInteger, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("results", sa.LargeBinary),
    )
    op.create_index("evaluations_by_suite", "evaluations", ["agent", "suite", "id"])
