"""Users, their sessions and tokens, one-time links, attempts to sign in, the security log."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
KNOWN = sa.text("subject <> ''")


def upgrade() -> None:
    _make_accounts()
    _make_sessions_and_tokens()
    _make_the_rest()


def _make_accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("folded", sa.String(64), primary_key=True),
        sa.Column("login", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("roles", sa.Text, nullable=False),
        sa.Column("granted", sa.Text, nullable=False),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("seen", sa.BigInteger),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index(
        "accounts_by_identity",
        "accounts",
        ["issuer", "subject"],
        unique=True,
        sqlite_where=KNOWN,
        postgresql_where=KNOWN,
    )


def _make_sessions_and_tokens() -> None:
    owner = sa.ForeignKey("accounts.folded")
    op.create_table(
        "sign_ins",
        sa.Column("digest", ID, primary_key=True),
        sa.Column("folded", sa.String(64), owner, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("client", sa.Text, nullable=False),
    )
    op.create_index("sign_ins_by_login", "sign_ins", ["folded"])
    op.create_index("sign_ins_by_end", "sign_ins", ["expires"])
    op.create_table(
        "api_tokens",
        sa.Column("id", ID, primary_key=True),
        sa.Column("digest", ID, nullable=False, unique=True),
        sa.Column("folded", sa.String(64), sa.ForeignKey("accounts.folded"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger),
    )
    op.create_index("api_tokens_by_login", "api_tokens", ["folded"])


def _make_the_rest() -> None:
    op.create_table(
        "account_links",
        sa.Column("digest", ID, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("login", sa.String(64), nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "attempts",
        sa.Column("key", ID, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger),
    )
    op.create_index("attempts_by_last", "attempts", ["last"])
    op.create_table(
        "account_log",
        sa.Column("seq", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("login", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_index("account_log_by_login", "account_log", ["login", "seq"])
