"""``pointsman db prune``: removes what is old."""

import re
from collections.abc import Sequence
from datetime import timedelta

import msgspec

from pointsman.adapters.system import SystemClock
from pointsman.domain.record.retention import Keep
from pointsman.engine.record.retention import Pruned, Pruning
from pointsman.entrypoints.cli.integrity import fault_line
from pointsman.entrypoints.cli.render import local
from pointsman.entrypoints.cli.runs import find, journal_of
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.keys import KEY, audit_key
from pointsman.errors import CallerError
from pointsman.settings import Settings

_DAYS = {"d": 1, "w": 7, "y": 365}


def age_of(said: str) -> timedelta:
    """An age from words: ``90d``, ``26w``, ``2y``.

    Raises:
        CallerError: it is none, or less than a day.
    """
    found = re.fullmatch(r"([1-9]\d{0,4})\s*([dwy])", said.strip().lower())
    if found is None:
        raise CallerError(f"--older-than: expected days, weeks or years such as 90d, not {said!r}")
    return timedelta(days=int(found[1]) * _DAYS[found[2]])


async def prune(
    settings: Settings,
    terminal: Terminal,
    *,
    older_than: str,
    keep: Sequence[str],
    keep_users: Sequence[str],
    keep_agents: Sequence[str],
    by: str,
    unsigned: bool,
    rehearsed: bool,
    as_json: bool,
) -> int:
    """Remove old conversations; 1 when some stay because their journals do not hold.

    Raises:
        CallerError: what is left could not be signed, and that was not asked for.
    """
    clock, key = SystemClock(), audit_key()
    before = clock.now() - age_of(older_than)
    if not (key or unsigned or rehearsed):
        raise CallerError(
            f"set {KEY}, which signs what is left of each run: without, the audit cannot tell a "
            "run that was pruned from one that was taken away. --unsigned goes on without"
        )
    async with journal_of(settings) as service:
        runs = [(await find(service, prefix)).id for prefix in keep]
        pruning = Pruning(
            service.store,
            clock,
            before=before,
            by=by,
            keep=Keep(runs=runs, users=keep_users, agents=keep_agents),
            key=key,
            rehearsed=rehearsed,
        )
        pruned = await pruning.run(
            lambda so_far: terminal.mention("db.pruning", runs=so_far.runs, events=so_far.events)
        )
    _print(pruned, terminal, before=local(before), rehearsed=rehearsed, as_json=as_json)
    return 1 if pruned.faults else 0


def _print(
    pruned: Pruned, terminal: Terminal, *, before: str, rehearsed: bool, as_json: bool
) -> None:
    if as_json:
        print_json({"before": before, "removed": not rehearsed, **msgspec.to_builtins(pruned)})
        return
    for fault in pruned.faults:
        terminal.answer(fault_line(fault, terminal), "red")
    shape = msgspec.structs.asdict(pruned)
    del shape["faults"]
    terminal.tell("db.would_prune" if rehearsed else "db.pruned", before=before, **shape)
