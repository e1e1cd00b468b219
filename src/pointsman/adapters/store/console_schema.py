"""The tables of what the console reads beside the journal.

``figures``, ``figure_intents`` and ``figure_calls`` are projections of the events of runs that have
ended and can be made again from them; the others hold what people said and wrote.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from pointsman.adapters.store.schema import Id, metadata

figures = Table(
    "figures",
    metadata,
    Column("run", Id, primary_key=True),
    Column("conversation", Id, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("failure", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("ms", BigInteger, nullable=False),
    Column("route", String(8), nullable=False),
    Column("picked", Boolean, nullable=False),
    Column("intents", Text, nullable=False),
    Column("candidates", Text, nullable=False),
    Column("tools", Text, nullable=False),
    Column("asks", Integer, nullable=False),
    Column("confirmations", Integer, nullable=False),
    Column("approvals", Integer, nullable=False),
    Column("denials", Integer, nullable=False),
    Column("tool_calls", Integer, nullable=False),
    Column("tool_ok", Integer, nullable=False),
    Column("prompt", BigInteger, nullable=False),
    Column("cached", BigInteger, nullable=False),
    Column("completion", BigInteger, nullable=False),
    Column("reasoning", BigInteger, nullable=False),
    Index("figures_by_created", "created"),
    Index("figures_by_user", "user", "created"),
    Index("figures_by_agent", "agent", "run"),
    Index("figures_by_conversation", "conversation", "run"),
    sqlite_with_rowid=False,
)
"""One ``domain.record.run_figures.RunFigures`` a row; lists are JSON."""

figure_intents = Table(
    "figure_intents",
    metadata,
    Column("intent", Text, primary_key=True),
    Column("run", Id, primary_key=True),
    Index("figure_intents_by_run", "run"),
    sqlite_with_rowid=False,
)

figure_calls = Table(
    "figure_calls",
    metadata,
    Column("run", Id, primary_key=True),
    Column("call", String(32), primary_key=True),
    Column("agent", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("ms", BigInteger, nullable=False),
    Column("ran", Boolean, nullable=False),
    Column("status", String(16), nullable=False),
    Column("code", String(32), nullable=False),
    Column("message", Text, nullable=False),
    Index("figure_calls_by_tool", "tool", "run"),
    Index("figure_calls_by_time", "at"),
    sqlite_with_rowid=False,
)

ratings = Table(
    "ratings",
    metadata,
    Column("run", Id, primary_key=True),
    Column("user", Text, nullable=False),
    Column("rating", String(8), nullable=False),
    Column("comment", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

titles = Table(
    "titles",
    metadata,
    Column("conversation", Id, primary_key=True),
    Column("title", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Of conversations that their users have named."""

acts = Table(
    "acts",
    metadata,
    Column(
        "seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    ),
    Column("at", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("act", String(32), nullable=False),
    Column("subject", Text, nullable=False),
    Column("note", Text, nullable=False),
)
"""What operators and admins did to the machinery, and not in a run."""

drafts = Table(
    "drafts",
    metadata,
    Column("agent", Text, primary_key=True),
    Column("base", String(64), nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("files", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

versions = Table(
    "versions",
    metadata,
    Column("agent", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("files", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("suite", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("state", String(8), nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("score", Float),
    Column("by", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("version", String(64), nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger),
    Column("alive", BigInteger, nullable=False),
    Column("problem", Text, nullable=False),
    Column("results", LargeBinary),
    Index("evaluations_by_suite", "agent", "suite", "id"),
)
