"""``pointsman audit verify`` and ``head``: whether the journal is what was written."""

from pathlib import Path

import msgspec

from pointsman.adapters.system import SystemClock
from pointsman.domain.record import heads
from pointsman.domain.record.heads import Head, Missing
from pointsman.engine.record import verification
from pointsman.engine.record.verification import Fault, Verified
from pointsman.entrypoints.cli.audit import written
from pointsman.entrypoints.cli.render import local
from pointsman.entrypoints.cli.runs import journal_of
from pointsman.entrypoints.cli.terminal import Terminal, one_line, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.keys import KEY, audit_key
from pointsman.errors import CallerError
from pointsman.settings import Settings


async def head(settings: Settings, terminal: Terminal, *, output: Path | None) -> int:
    """Write a head of the journal, after checking that it holds."""
    key = audit_key()
    async with journal_of(settings) as service:
        verified = await verification.verify(service.store, SystemClock().now(), key=key)
    if not verified.holds:
        _print_faults(verified, terminal)
        return 1
    taken = verified.covering.head(key)
    with written(output) as file:
        file.write(msgspec.json.format(msgspec.json.encode(taken)).decode() + "\n")
    terminal.mention("audit.head_signed" if key else "audit.head_unsigned", variable=KEY)
    return 0


async def verify(
    settings: Settings, terminal: Terminal, *, head: Path | None, as_json: bool
) -> int:
    """Check the whole journal, and that it still holds what a head covers."""
    kept, signed = (None, "") if head is None else _read_head(head)
    async with journal_of(settings) as service:
        verified = await verification.verify(
            service.store, SystemClock().now(), kept, key=audit_key()
        )
    holds = verified.holds and signed not in ("forged", "stripped")
    if as_json:
        shape = {
            "holds": holds,
            "runs": verified.runs,
            "events": verified.events,
            "pruned": verified.pruned,
            "faults": msgspec.to_builtins(verified.faults),
            "lost": msgspec.to_builtins(verified.lost),
            "signature": signed or None,
        }
        print_json(shape)
        return 0 if holds else 1
    if signed:
        style = "dim" if signed in ("checked", "none", "unchecked") else "red"
        terminal.tell(f"audit.signature_{signed}", style, variable=KEY)
    _print_faults(verified, terminal)
    if holds:
        terminal.tell("audit.holds", "green", runs=verified.runs, events=verified.events)
        if verified.pruned:
            terminal.tell("audit.pruned", runs=verified.pruned)
            if not audit_key():
                terminal.tell("audit.pruned_unchecked", "dim", variable=KEY)
        if kept is not None:
            at = local(kept.at)
            terminal.tell("audit.head_holds", "green", at=at, runs=kept.runs, events=kept.events)
    return 0 if holds else 1


def _read_head(file: Path) -> tuple[Head, str]:
    """A kept head, and what its signature is worth."""
    try:
        kept = heads.read(file.read_bytes())
    except OSError as fault:
        raise CallerError(f"{file} cannot be read: {fault.strerror}") from None
    key = audit_key()
    if not key:
        return kept, "unchecked" if kept.signature else "none"
    if not kept.signature:
        return kept, "stripped"
    return kept, "checked" if heads.is_signed_by(kept, key) else "forged"


def _print_faults(verified: Verified, terminal: Terminal) -> None:
    for fault in verified.faults:
        terminal.answer(fault_line(fault, terminal), "red")
    for lost in verified.lost:
        terminal.answer(_lost_line(lost, terminal), "red")
    if not verified.holds:
        count = len(verified.faults) + len(verified.lost)
        terminal.tell("audit.broken", "red", count=count)


def fault_line(fault: Fault, terminal: Terminal) -> str:
    """One fault on one line."""
    where = "" if fault.position is None else f" @{fault.position}"
    kind = say(f"audit.kind_{fault.kind}", terminal.language)
    return f"✗ {fault.run}{where}  {kind}: {one_line(fault.detail, 400)}"


def _lost_line(lost: Missing, terminal: Terminal) -> str:
    if lost.day:
        key = "audit.lost_day"
    else:
        key = "audit.lost_run" if lost.position is None else "audit.lost_events"
    return "✗ " + say(key, terminal.language, **msgspec.structs.asdict(lost))
