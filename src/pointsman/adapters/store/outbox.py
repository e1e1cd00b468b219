"""``ports.Outbox`` in the store's database: each write goes through its one writer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from msgspec.structs import replace
from sqlalchemy import (
    BindParameter,
    Connection,
    Dialect,
    RowMapping,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    update,
)

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.schema import deliveries
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus, claimed
from pointsman.ports import Cursor

T = TypeVar("T")

LOOKED_AT = 8
"""Due deliveries that are looked at for each that is wanted: several may be of one lane."""
CLAIMING = 0x706D6F7574
"""The advisory lock of PostgreSQL under which one process claims at a time."""

_NAMES = tuple(Delivery.__struct_fields__)
_INSTANTS = ("lease", "created", "due", "since", "updated", "sent")
_CHANGING = (
    "status",
    "done",
    "parts",
    "attempts",
    "maybe_duplicated",
    "code",
    "error",
    "due",
    "since",
    "updated",
    "sent",
)
_WAITS = ("pending", "retry", "sending")
"""In the order in which the indexes have them: SQLite compares conditions as they are written."""
_OPEN = deliveries.c.status.in_([literal_column(f"'{one}'") for one in _WAITS])
_IS_SENDING = deliveries.c.status == literal_column("'sending'")
_MINE = and_(
    deliveries.c.id == bindparam("wanted"), deliveries.c.token == bindparam("held"), _IS_SENDING
)
_TAKE = (
    update(deliveries)
    .where(deliveries.c.id == bindparam("wanted"))
    .values({name: bindparam(name) for name in (*_CHANGING, "token", "lease")})
)
_PROGRESS = update(deliveries).where(_MINE).values({name: bindparam(name) for name in _CHANGING})
_RELEASE = _PROGRESS.values(token=literal_column("''"), lease=literal_column("NULL"))
_RENEW = update(deliveries).where(_MINE).values(lease=bindparam("until"))
_REQUEUE = (
    update(deliveries)
    .where(
        deliveries.c.id == bindparam("wanted"),
        deliveries.c.status.in_(
            [literal_column("'failed_permanent'"), literal_column("'dead_letter'")]
        ),
    )
    .values({name: bindparam(name) for name in _CHANGING})
)
_FIND = select(deliveries).where(deliveries.c.id == bindparam("wanted"))
_FIND_KEY = select(deliveries).where(deliveries.c.key == bindparam("wanted"))
_FIND_CLAIMED = select(deliveries).where(deliveries.c.token == bindparam("wanted"))


class Reader(Protocol):
    """Runs a read in a thread."""

    def __call__(self, read: Callable[[Connection], T], /) -> Awaitable[T]: ...


def _claimable() -> Any:
    """Rows of a channel that are due, and in whose lane nothing is being sent or was begun and
    waits, and nothing older waits for its turn."""
    other = deliveries.alias("other")
    now: BindParameter[int] = bindparam("now")
    in_the_way = or_(
        and_(other.c.status == literal_column("'sending'"), other.c.lease > now),
        and_(other.c.status == literal_column("'retry'"), other.c.done > literal_column("0")),
        and_(
            other.c.status == literal_column("'pending'"),
            other.c.id < deliveries.c.id,
            other.c.due > now,
        ),
    )
    blocked = exists(literal_column("1")).where(
        other.c.status.in_([literal_column(f"'{one}'") for one in _WAITS]),
        other.c.channel == deliveries.c.channel,
        other.c.address == deliveries.c.address,
        other.c.id != deliveries.c.id,
        in_the_way,
    )
    ready = or_(not_(_IS_SENDING), deliveries.c.lease <= now)
    return (
        select(deliveries)
        .where(_OPEN, deliveries.c.due <= now, ready, not_(blocked))
        .where(deliveries.c.channel == bindparam("wanted"))
        .order_by(deliveries.c.due, deliveries.c.id)
        .limit(bindparam("most"))
        .offset(literal_column("0"))
    )


_CLAIMABLE = _claimable()
_LOOK = _CLAIMABLE.with_only_columns(deliveries.c.id)


class SqlOutbox:
    """The table of deliveries."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read, self._dialect = writer, read, dialect
        on_conflict = upserts(dialect)
        self._insert = Prepared(on_conflict(deliveries).on_conflict_do_nothing(), dialect)
        self._take = Prepared(_TAKE, dialect)
        self._progress = Prepared(_PROGRESS, dialect)
        self._release = Prepared(_RELEASE, dialect)
        self._renew = Prepared(_RENEW, dialect)
        self._requeue = Prepared(_REQUEUE, dialect)
        self._find = Prepared(_FIND, dialect)
        self._find_key = Prepared(_FIND_KEY, dialect)
        self._find_claimed = Prepared(_FIND_CLAIMED, dialect)
        self._claimable = Prepared(_CLAIMABLE, dialect)

    async def put(self, new: Sequence[Delivery]) -> list[Delivery]:
        write = partial(self._put, tuple(new))
        return cast("list[Delivery]", await self._writer.put(write, synced=True))

    async def claim(
        self, channel: str, now: datetime, *, token: str, until: datetime, limit: int
    ) -> list[Delivery]:
        looked = {"now": micros(now), "wanted": channel, "most": 1}
        if await self._read(lambda connection: connection.execute(_LOOK, looked).first()) is None:
            return []  # so that looking costs the writer nothing
        write = partial(self._claim, channel, now, token, until, limit)
        return cast("list[Delivery]", await self._writer.put(write, synced=True))

    async def renew(self, ids: Sequence[str], *, token: str, until: datetime) -> set[str]:
        write = partial(self._renewed, tuple(ids), token, until)
        return cast("set[str]", await self._writer.put(write, synced=False))

    async def write(self, changed: Delivery, *, token: str, new: Sequence[Delivery] = ()) -> bool:
        write = partial(self._write, changed, token, tuple(new))
        return bool(await self._writer.put(write, synced=True))

    async def requeue(self, changed: Delivery) -> bool:
        def write(cursor: Cursor, doubtful: bool) -> bool:
            given = {"wanted": changed.id, **_changing(changed)}
            done = self._requeue.run(cursor, given) > 0
            return done or (doubtful and self._is(changed, cursor))

        return bool(await self._writer.put(write, synced=True))

    async def due(self, channels: Sequence[str]) -> datetime | None:
        wanted = deliveries.c.channel.in_(channels)
        waiting = select(func.min(deliveries.c.due)).where(_OPEN, not_(_IS_SENDING), wanted)
        sending = select(func.min(deliveries.c.lease)).where(_OPEN, _IS_SENDING, wanted)

        def read(connection: Connection) -> list[int | None]:
            return [connection.execute(one).scalar() for one in (waiting, sending)]

        found = [one for one in await self._read(read) if one is not None]
        return instant(min(found)) if found else None

    async def deliveries(
        self,
        *,
        ids: Sequence[str] | None = None,
        sender: str | None = None,
        run: str | None = None,
        channel: str | None = None,
        status: Sequence[DeliveryStatus] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[Delivery]:
        query = select(deliveries).order_by(deliveries.c.id.desc()).limit(limit)
        for column, wanted in (("sender", sender), ("run", run), ("channel", channel)):
            if wanted is not None:
                query = query.where(deliveries.c[column] == wanted)
        if status:
            query = query.where(deliveries.c.status.in_([one.value for one in status]))
        if ids is not None:
            query = query.where(deliveries.c.id.in_(ids))
        if before is not None:
            query = query.where(deliveries.c.id < before)
        return await self._read(
            lambda connection: [_delivery(row) for row in connection.execute(query).mappings()]
        )

    async def counts(self) -> Mapping[DeliveryStatus, int]:
        query = select(deliveries.c.status, func.count()).where(_OPEN)
        rows = await self._read(
            lambda connection: connection.execute(query.group_by(deliveries.c.status)).all()
        )
        return {DeliveryStatus(status): count for status, count in rows}

    def insert(self, new: Sequence[Delivery], cursor: Cursor) -> None:
        """Put them in, in a transaction of the writer's that somebody else has begun."""
        if new:
            self._insert.run_many(cursor, [_row(one) for one in new])

    def _put(self, new: Sequence[Delivery], cursor: Cursor, doubtful: bool) -> list[Delivery]:
        self.insert(new, cursor)
        found = [self._find_key.one(cursor, {"wanted": one.key}) for one in new]
        return [_delivery(_named(row)) for row in found if row]

    def _claim(
        self,
        channel: str,
        now: datetime,
        token: str,
        until: datetime,
        limit: int,
        cursor: Cursor,
        doubtful: bool,
    ) -> list[Delivery]:
        if doubtful and (held := self._find_claimed.all(cursor, {"wanted": token})):
            return [_delivery(_named(row)) for row in held]
        if self._dialect.name == "postgresql":
            cursor.execute(f"SELECT pg_try_advisory_xact_lock({CLAIMING})")
            if not cursor.fetchone()[0]:
                return []
        lanes: dict[tuple[str, str], Delivery] = {}
        looked = {"now": micros(now), "wanted": channel, "most": limit * LOOKED_AT}
        for row in self._claimable.all(cursor, looked):
            delivery = _delivery(_named(row))
            if len(lanes) < limit:
                lanes.setdefault(delivery.lane, delivery)
        taken = [claimed(one, token=token, until=until, now=now) for one in lanes.values()]
        for one in taken:
            lease = {"token": token, "lease": micros(until)}
            self._take.run(cursor, {"wanted": one.id, **_changing(one), **lease})
        # Who sends must know whether somebody was sending it before.
        return [
            one if lanes[one.lane].status is not DeliveryStatus.SENDING else _broken_off(one)
            for one in taken
        ]

    def _renewed(
        self, ids: tuple[str, ...], token: str, until: datetime, cursor: Cursor, doubtful: bool
    ) -> set[str]:
        given = {"held": token, "until": micros(until)}
        return {one for one in ids if self._renew.run(cursor, {"wanted": one, **given})}

    def _write(
        self,
        changed: Delivery,
        token: str,
        new: tuple[Delivery, ...],
        cursor: Cursor,
        doubtful: bool,
    ) -> bool:
        statement = self._progress if changed.token else self._release
        given = {"wanted": changed.id, "held": token, **_changing(changed)}
        if not statement.run(cursor, given):
            return doubtful and self._is(changed, cursor)
        self.insert(new, cursor)
        return True

    def _is(self, changed: Delivery, cursor: Cursor) -> bool:
        """Whether an earlier try of the write stands."""
        row = self._find.one(cursor, {"wanted": changed.id})
        if row is None:
            return False
        stored = _delivery(_named(row))
        return (stored.status, stored.updated) == (changed.status, changed.updated)


_COLUMNS = tuple(column.name for column in deliveries.columns)


def _named(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_COLUMNS, row, strict=True))


def _broken_off(delivery: Delivery) -> Delivery:
    """The delivery that somebody began to send and did not finish."""
    return replace(delivery, maybe_duplicated=True)


def _row(delivery: Delivery) -> dict[str, Any]:
    row = {name: getattr(delivery, name) for name in _NAMES}
    for name in _INSTANTS:
        row[name] = None if row[name] is None else micros(row[name])
    return row | {"status": delivery.status.value}


def _changing(delivery: Delivery) -> dict[str, Any]:
    row = _row(delivery)
    return {name: row[name] for name in _CHANGING}


def _delivery(row: Mapping[str, Any] | RowMapping) -> Delivery:
    given = {name: row[name] for name in _NAMES}
    for name in _INSTANTS:
        given[name] = None if given[name] is None else instant(given[name])
    given["status"] = DeliveryStatus(given["status"])
    given["maybe_duplicated"] = bool(given["maybe_duplicated"])
    return Delivery(**given)
