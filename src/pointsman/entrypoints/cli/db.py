"""``pointsman db migrate``, ``check`` and ``backup``."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from anyio import to_thread

from pointsman import bootstrap
from pointsman.adapters.store.schema import REVISION
from pointsman.adapters.system import SystemClock
from pointsman.engine.record import verification
from pointsman.entrypoints.cli.checks import Check, broken, print_check, print_checks
from pointsman.entrypoints.cli.runs import journal_of
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.keys import audit_key
from pointsman.errors import StoreError
from pointsman.ports import Upkeep
from pointsman.settings import Settings

T = TypeVar("T")


@contextmanager
def kept(settings: Settings) -> Iterator[Upkeep]:
    """The settings' database, as it is."""
    upkeep = bootstrap.upkeep(settings.database)
    try:
        yield upkeep
    finally:
        upkeep.close()


async def blocking(call: Callable[[], T]) -> T:
    """What the call gives, which blocks."""
    return await to_thread.run_sync(call)


async def migrate(settings: Settings, terminal: Terminal, *, rehearsed: bool, as_json: bool) -> int:
    """Bring the database to the newest tables, or say what that would do."""
    with kept(settings) as upkeep:
        before = await blocking(upkeep.revision)
        newer = before is not None and before > REVISION
        if newer or not rehearsed:
            await blocking(upkeep.migrate)
    if as_json:
        shape = {"database": str(settings.database), "from": before, "to": REVISION}
        print_json({**shape, "migrated": not rehearsed and before != REVISION})
    elif before == REVISION:
        terminal.tell("db.is_newest", "green", revision=REVISION)
    else:
        key = "db.would_migrate" if rehearsed else "db.migrated"
        terminal.tell(key, before=before or "-", revision=REVISION)
    return 0


async def check(settings: Settings, terminal: Terminal, *, as_json: bool) -> int:
    """Print every check; 1 when something is broken."""
    checks: list[Check] = []
    async for one in _examined(settings, terminal):
        checks.append(one)
        if not as_json:
            print_check(one, terminal)
    if as_json:
        print_checks(checks)
    else:
        terminal.tell("db.broken" if broken(checks) else "db.well", "bold")
    return 1 if broken(checks) else 0


async def _examined(settings: Settings, terminal: Terminal) -> AsyncIterator[Check]:
    def told(key: str, **values: object) -> str:
        return say(key, terminal.language, **values)

    with kept(settings) as upkeep:
        try:
            release, at = await blocking(lambda: (upkeep.release, upkeep.revision()))
        except StoreError as fault:
            yield _broken("database", str(fault), told("mend.database"))
            return
        yield _ok("database", f"{settings.database} ({release})")
        findings = await blocking(upkeep.examine)
    damaged = [one.detail for one in findings if one.kind == "damaged"]
    for detail in damaged:
        yield _broken("integrity", detail, told("mend.integrity"))
    if not damaged:
        yield _ok("integrity", told("db.sound"))
    for one in findings:
        if one.kind == "unsafe":
            mend = told("mend.durability")
            yield Check(name="durability", state="warning", found=one.detail, mend=mend)
    if at != REVISION:
        newer = at is not None and at > REVISION
        mend = told("mend.newer" if newer else "mend.tables")
        yield _broken("tables", told("db.at", at=at or "-", revision=REVISION), mend)
        return
    yield _ok("tables", REVISION)
    yield await _journal(settings, terminal)


async def _journal(settings: Settings, terminal: Terminal) -> Check:
    async with journal_of(settings) as service:
        verified = await verification.verify(service.store, SystemClock().now(), key=audit_key())
    counts = {"runs": verified.runs, "events": verified.events, "pruned": verified.pruned}
    if verified.holds:
        return _ok("journal", say("db.journal", terminal.language, **counts))
    found = say("audit.broken", terminal.language, count=len(verified.faults))
    return _broken("journal", found, say("mend.record", terminal.language))


def _ok(name: str, found: str) -> Check:
    return Check(name=name, state="ok", found=found)


def _broken(name: str, found: str, mend: str) -> Check:
    return Check(name=name, state="broken", found=found, mend=mend)


async def backup(settings: Settings, terminal: Terminal, file: Path, *, as_json: bool) -> int:
    """Write the database to a file."""
    with kept(settings) as upkeep:
        await blocking(lambda: upkeep.backup(file))
    size = (await blocking(file.stat)).st_size
    if as_json:
        print_json({"database": str(settings.database), "file": str(file), "bytes": size})
    else:
        terminal.tell("db.saved", "green", file=file, size=size)
    return 0
