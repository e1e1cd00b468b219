"""What changes accounts, as statements of one dialect, each compiled when it is first needed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BindParameter,
    Dialect,
    Select,
    Table,
    bindparam,
    delete,
    literal_column,
    select,
    true,
    update,
)

from pointsman.adapters.store import account_rows as rows
from pointsman.adapters.store.account_schema import (
    account_links,
    account_log,
    accounts,
    api_tokens,
    attempts,
    sign_ins,
)
from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.prepared import Prepared, Statement
from pointsman.adapters.store.upserts import upserts
from pointsman.domain.accounts import Account, Entry
from pointsman.domain.throttling import Attempts, Lockout
from pointsman.ports import Cursor
from pointsman.ports.accounts import Put, SignIn

_KEY: BindParameter[str] = bindparam("key")
_DIGEST: BindParameter[str] = bindparam("wanted")
_KEPT = frozenset({"folded", "created", "seen"})
"""Columns of an account that no change of it touches."""
_OTHER_ADMIN: Select[Any] = (
    select(literal_column("1"))
    .select_from(accounts)
    .where(accounts.c.admin == true(), accounts.c.state == literal_column("'active'"))
    .where(accounts.c.folded != _KEY)
)
_ANY_ADMIN: Select[Any] = (
    select(literal_column("1")).select_from(accounts).where(accounts.c.admin == true())
)
_STANDING = select(accounts.c.version, accounts.c.admin, accounts.c.state).where(
    accounts.c.folded == _KEY
)
_CHANGE = (
    update(accounts)
    .where(accounts.c.folded == _KEY, accounts.c.version == bindparam("expected"))
    .values({c.name: bindparam(c.name) for c in accounts.c if c.name not in _KEPT})
)
_SEEN = update(accounts).where(accounts.c.folded == _KEY).values(seen=bindparam("at"))
_OWNER = select(sign_ins.c.folded).where(sign_ins.c.digest == _DIGEST)
_TOUCH = update(sign_ins).where(sign_ins.c.digest == _DIGEST).values(seen=bindparam("at"))
_END = delete(sign_ins).where(sign_ins.c.digest == _DIGEST)
_END_ALL = delete(sign_ins).where(sign_ins.c.folded == _KEY, sign_ins.c.digest != bindparam("but"))
_SESSIONS_OVER = delete(sign_ins).where(sign_ins.c.expires < bindparam("at"))
_LINKS_OVER = delete(account_links).where(account_links.c.expires < bindparam("at"))
_USED = update(api_tokens).where(api_tokens.c.id == _DIGEST).values(used=bindparam("at"))
_REVOKE = delete(api_tokens).where(api_tokens.c.id == _DIGEST, api_tokens.c.folded == _KEY)
_SAME_LINK = delete(account_links).where(
    account_links.c.kind == bindparam("kind"), account_links.c.login == bindparam("login")
)
_TAKE = delete(account_links).where(account_links.c.digest == _DIGEST)
_TRIED = select(attempts.c.failures, attempts.c.last, attempts.c.until).where(
    attempts.c.key == _KEY
)
_FORGET = delete(attempts).where(attempts.c.last < bindparam("at"))
_FORGIVE = delete(attempts).where(attempts.c.key == _KEY)


class AccountStatements:
    """Each method runs inside of the transaction of its cursor."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._compiled: dict[int, Prepared] = {}
        self._new = upserts(dialect)
        self._add = {
            table.name: self._insert(table)
            for table in (accounts, sign_ins, api_tokens, account_links, attempts, account_log)
        }

    def put(self, cursor: Cursor, account: Account, *, first: bool, doubtful: bool) -> Put:
        """``AccountStore.put``.

        Args:
            doubtful: it may stand already.
        """
        row, key = rows.account_row(account), {"key": account.folded}
        standing = self._one(_STANDING, cursor, key)
        if doubtful and standing is not None and standing[0] == account.version:
            return "stored"
        if first and self._one(_ANY_ADMIN, cursor, {}):
            return "settled"
        if account.version == 1:
            return "stored" if self._add["accounts"].run(cursor, row) else "taken"
        counted = standing is not None and standing[1] and standing[2] == "active"
        stays = account.is_admin and account.state == "active"
        if counted and not stays and not self._one(_OTHER_ADMIN, cursor, key):
            return "last_admin"
        changed = self._run(_CHANGE, cursor, row | key | {"expected": account.version - 1})
        return "stored" if changed else "changed"

    def begin(self, cursor: Cursor, session: SignIn, instead_of: str) -> None:
        row = rows.sign_in_row(session)
        self._run(_SESSIONS_OVER, cursor, {"at": row["created"]})
        self._run(_LINKS_OVER, cursor, {"at": row["created"]})
        self._run(_END, cursor, {"wanted": instead_of})
        self._add["sign_ins"].run(cursor, row)
        self._run(_SEEN, cursor, {"key": row["folded"], "at": row["created"]})

    def touch(self, cursor: Cursor, session: str, at: int) -> None:
        owner = self._one(_OWNER, cursor, {"wanted": session})
        if owner is not None:
            self._run(_TOUCH, cursor, {"wanted": session, "at": at})
            self._run(_SEEN, cursor, {"key": owner[0], "at": at})

    def end(self, cursor: Cursor, *, session: str, key: str, but: str) -> int:
        if session:
            return self._run(_END, cursor, {"wanted": session})
        return self._run(_END_ALL, cursor, {"key": key, "but": but})

    def add_token(self, cursor: Cursor, row: Mapping[str, Any]) -> None:
        self._add["api_tokens"].run(cursor, row)

    def use_token(self, cursor: Cursor, id: str, at: int) -> None:
        self._run(_USED, cursor, {"wanted": id, "at": at})

    def remove_token(self, cursor: Cursor, id: str, key: str) -> bool:
        return self._run(_REVOKE, cursor, {"wanted": id, "key": key}) > 0

    def put_link(self, cursor: Cursor, row: Mapping[str, Any]) -> None:
        self._run(_SAME_LINK, cursor, row)
        self._add["account_links"].run(cursor, row)

    def take_link(self, cursor: Cursor, digest: str) -> bool:
        return self._run(_TAKE, cursor, {"wanted": digest}) > 0

    def attempts(self, cursor: Cursor, key: str) -> Attempts | None:
        found = self._one(_TRIED, cursor, {"key": key})
        return None if found is None else rows.attempts_of(*found)

    def put_attempts(self, cursor: Cursor, key: str, known: Attempts | None) -> None:
        """What is known of a key from now on; nothing when it is None."""
        self._run(_FORGIVE, cursor, {"key": key})
        if known is not None:
            self._add["attempts"].run(cursor, rows.attempts_row(key, known))

    def forget(self, cursor: Cursor, now: datetime, rules: Iterable[Lockout]) -> None:
        """Remove what all of the rules have forgotten."""
        longest = max(rule.forget for rule in rules)
        self._run(_FORGET, cursor, {"at": micros(now - timedelta(seconds=longest))})

    def tell(self, cursor: Cursor, entries: Sequence[Entry]) -> None:
        """Write into the security log."""
        for one in entries:
            self._add["account_log"].run(cursor, rows.entry_row(one))

    def _insert(self, table: Table) -> Prepared:
        names = [column.name for column in table.c if column is not table.autoincrement_column]
        given: Any = {name: bindparam(name) for name in names}
        adding = self._new(table).values(given).inline().on_conflict_do_nothing()
        return Prepared(adding, self._dialect)

    def _run(self, statement: Statement, cursor: Cursor, values: Mapping[str, Any]) -> int:
        return self._of(statement).run(cursor, values)

    def _one(
        self, statement: Statement, cursor: Cursor, values: Mapping[str, Any]
    ) -> Sequence[Any] | None:
        return self._of(statement).one(cursor, values)

    def _of(self, statement: Statement) -> Prepared:
        known = self._compiled.get(id(statement))
        if known is None:
            known = self._compiled[id(statement)] = Prepared(statement, self._dialect)
        return known
