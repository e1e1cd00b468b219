"""The tables of accounts: users, their sessions and tokens, links, attempts, the security log.

Of secrets there are digests only; of passwords their argon2 hash.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    text,
)

from pointsman.adapters.store.schema import Id, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("folded", String(64), primary_key=True),
    Column("login", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("roles", Text, nullable=False),
    Column("granted", Text, nullable=False),
    Column("admin", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("source", String(16), nullable=False),
    Column("password", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("timezone", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("seen", BigInteger),
    Column("version", Integer, nullable=False),
)
"""``roles`` and ``granted`` are JSON arrays; ``admin`` is whether one of them is that."""

_KNOWN = text("subject <> ''")
Index(
    "accounts_by_identity",
    accounts.c.issuer,
    accounts.c.subject,
    unique=True,
    sqlite_where=_KNOWN,
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("digest", Id, primary_key=True),
    Column("folded", String(64), ForeignKey("accounts.folded"), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("address", Text, nullable=False),
    Column("client", Text, nullable=False),
    Index("sign_ins_by_login", "folded"),
    Index("sign_ins_by_end", "expires"),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", Id, nullable=False, unique=True),
    Column("folded", String(64), ForeignKey("accounts.folded"), nullable=False),
    Column("name", Text, nullable=False),
    Column("prefix", String(16), nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("used", BigInteger),
    Index("api_tokens_by_login", "folded"),
)

account_links = Table(
    "account_links",
    metadata,
    Column("digest", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("login", String(64), nullable=False),
    Column("expires", BigInteger, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("key", Id, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("until", BigInteger),
    Index("attempts_by_last", "last"),
)

account_log = Table(
    "account_log",
    metadata,
    Column(
        "seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    ),
    Column("at", BigInteger, nullable=False),
    Column("event", String(32), nullable=False),
    Column("login", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("about", Text, nullable=False),
    Index("account_log_by_login", "login", "seq"),
)
