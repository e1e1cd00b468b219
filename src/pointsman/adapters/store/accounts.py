"""``ports.AccountStore`` in the store's database. Writes are rare and small; on PostgreSQL one
process writes at a time, so that what a write has looked at still holds when it is stored."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast

from sqlalchemy import Dialect, Table, and_, func, select

from pointsman.adapters.store import account_rows as rows
from pointsman.adapters.store.account_schema import (
    account_links,
    account_log,
    accounts,
    api_tokens,
    attempts,
    sign_ins,
)
from pointsman.adapters.store.account_statements import AccountStatements
from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.writer import Writer
from pointsman.domain.accounts import Account, Entry, folded
from pointsman.domain.throttling import Attempts, Lockout, attempted, forgiven
from pointsman.ports import Cursor
from pointsman.ports.accounts import ApiToken, Link, Put, SignIn

T = TypeVar("T")

CHANGING = 0x706D616363
"""The advisory lock of PostgreSQL under which accounts are changed."""


class SqlAccounts:
    """The tables of accounts."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read = writer, read
        self._remote = dialect.name == "postgresql"
        self._sql = AccountStatements(dialect)

    async def users(self) -> list[Account]:
        found = await self._read(lambda c: c.execute(select(accounts)).mappings().all())
        return sorted(map(rows.account_of, found), key=lambda one: one.folded)

    async def user(self, login: str) -> Account | None:
        query = select(accounts).where(accounts.c.folded == folded(login))
        found = await self._read(lambda c: c.execute(query).mappings().first())
        return None if found is None else rows.account_of(found)

    async def identity(self, issuer: str, subject: str) -> Account | None:
        query = select(accounts).where(
            accounts.c.issuer == issuer, accounts.c.subject == subject, accounts.c.subject != ""
        )
        found = await self._read(lambda c: c.execute(query).mappings().first())
        return None if found is None else rows.account_of(found)

    async def stamp(self) -> int:
        query = select(func.coalesce(func.sum(accounts.c.version), 0))
        return int(await self._read(lambda c: c.execute(query).scalar_one()))

    async def put(self, account: Account, entries: Sequence[Entry], *, first: bool = False) -> Put:
        def write(cursor: Cursor, doubtful: bool) -> Put:
            outcome = self._sql.put(cursor, account, first=first, doubtful=doubtful)
            if outcome == "stored":
                self._sql.tell(cursor, entries)
            return outcome

        return await self._write(write)

    async def begin(
        self, session: SignIn, entries: Sequence[Entry], *, instead_of: str = ""
    ) -> None:
        def write(cursor: Cursor, doubtful: bool) -> None:
            self._sql.begin(cursor, session, instead_of)
            self._sql.tell(cursor, entries)

        await self._write(write)

    async def session(self, digest: str) -> tuple[SignIn, Account] | None:
        session, account = await self._with_account(sign_ins, digest)
        if session is None or account is None:
            return None
        return rows.sign_in_of(session, account.login), account

    async def touch(self, session: str, at: datetime) -> None:
        await self._write(lambda cursor, _: self._sql.touch(cursor, session, micros(at)), False)

    async def end(
        self, entries: Sequence[Entry], *, session: str = "", login: str = "", but: str = ""
    ) -> int:
        def write(cursor: Cursor, doubtful: bool) -> int:
            count = self._sql.end(cursor, session=session, key=folded(login), but=but)
            if count:
                self._sql.tell(cursor, entries)
            return count

        return await self._write(write)

    async def add_token(self, token: ApiToken, entries: Sequence[Entry]) -> None:
        def write(cursor: Cursor, doubtful: bool) -> None:
            self._sql.add_token(cursor, rows.token_row(token))
            self._sql.tell(cursor, entries)

        await self._write(write)

    async def token(self, digest: str) -> tuple[ApiToken, Account] | None:
        token, account = await self._with_account(api_tokens, digest)
        if token is None or account is None:
            return None
        return rows.token_of(token, account.login), account

    async def tokens(self, login: str | None = None) -> list[ApiToken]:
        owned = accounts.c.folded == api_tokens.c.folded
        query = select(api_tokens, accounts.c.login).where(owned).order_by(api_tokens.c.id.desc())
        if login is not None:
            query = query.where(api_tokens.c.folded == folded(login))
        found = await self._read(lambda c: c.execute(query).mappings().all())
        return [rows.token_of(row, row["login"]) for row in found]

    async def use_token(self, id: str, at: datetime) -> None:
        await self._write(lambda cursor, _: self._sql.use_token(cursor, id, micros(at)), False)

    async def remove_token(self, id: str, login: str, entries: Sequence[Entry]) -> bool:
        def write(cursor: Cursor, doubtful: bool) -> bool:
            removed = self._sql.remove_token(cursor, id, folded(login))
            if removed:
                self._sql.tell(cursor, entries)
            return removed or doubtful

        return await self._write(write)

    async def put_link(self, link: Link, entries: Sequence[Entry]) -> None:
        def write(cursor: Cursor, doubtful: bool) -> None:
            self._sql.put_link(cursor, rows.link_row(link))
            self._sql.tell(cursor, entries)

        await self._write(write)

    async def link(self, digest: str) -> Link | None:
        query = select(account_links).where(account_links.c.digest == digest)
        found = await self._read(lambda c: c.execute(query).mappings().first())
        return None if found is None else rows.link_of(found)

    async def take_link(self, digest: str) -> bool:
        return await self._write(lambda cursor, _: self._sql.take_link(cursor, digest))

    async def attempt(self, rules: Mapping[str, Lockout], now: datetime) -> int:
        def write(cursor: Cursor, doubtful: bool) -> int:
            self._sql.forget(cursor, now, rules.values())
            known = {key: self._sql.attempts(cursor, key) for key in rules}
            wait = max((one.wait(now) for one in known.values() if one), default=0)
            if not wait:
                for key, rule in rules.items():
                    self._sql.put_attempts(cursor, key, attempted(known[key], rule, now))
            return wait

        return await self._write(write)

    async def forgive(self, *, wholly: str, once: str) -> None:
        def write(cursor: Cursor, doubtful: bool) -> None:
            known = self._sql.attempts(cursor, once)
            self._sql.put_attempts(cursor, wholly, None)
            if known is not None:
                self._sql.put_attempts(cursor, once, forgiven(known))

        await self._write(write)

    async def attempts(self, keys: Sequence[str]) -> dict[str, Attempts]:
        query = select(attempts).where(attempts.c.key.in_(keys))
        found = await self._read(lambda c: c.execute(query).all())
        return {key: rows.attempts_of(*rest) for key, *rest in found}

    async def log(self, entries: Sequence[Entry]) -> None:
        await self._write(lambda cursor, _: self._sql.tell(cursor, entries))

    async def entries(
        self, *, login: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[Entry]:
        query = select(account_log).order_by(account_log.c.seq.desc()).limit(limit)
        if login is not None:
            query = query.where(account_log.c.login == login)
        if before is not None:
            query = query.where(account_log.c.seq < before)
        found = await self._read(lambda c: c.execute(query).mappings().all())
        return [rows.entry_of(row) for row in found]

    async def _with_account(
        self, table: Table, digest: str
    ) -> tuple[rows.Row | None, Account | None]:
        """A row of a table by its digest, and whose it is, read at once."""
        theirs = [column.label(f"their_{column.name}") for column in accounts.columns]
        query = select(table, *theirs).where(
            and_(table.c.digest == digest, table.c.folded == accounts.c.folded)
        )
        found = await self._read(lambda c: c.execute(query).mappings().first())
        if found is None:
            return None, None
        start = len("their_")
        return found, rows.account_of(
            {name[start:]: value for name, value in found.items() if name.startswith("their_")}
        )

    async def _write(self, write: Callable[[Cursor, bool], T], synced: bool = True) -> T:
        def locked(cursor: Cursor, doubtful: bool) -> T:
            if self._remote:
                cursor.execute(f"SELECT pg_advisory_xact_lock({CHANGING})")
            return write(cursor, doubtful)

        return cast(T, await self._writer.put(locked, synced=synced))
