"""What ``doctor`` and ``db check`` found, for people and as JSON."""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say

State = Literal["ok", "warning", "broken"]
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "broken": ("✗", "red")}


class Check(Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    Attributes:
        name: what, as a key of ``texts``: stable, for ``--json``.
        mend: what to do about it, in words; empty when it is right.
    """

    name: str
    state: State
    found: str
    mend: str = ""


def print_check(check: Check, terminal: Terminal) -> None:
    """One line, and one more when there is something to do."""
    mark, style = _MARKS[check.state]
    label = say(f"check.{check.name}", terminal.language)
    terminal.answer(f"{mark} ", style, end="")
    terminal.answer(f"{label}: {check.found}")
    if check.mend:
        terminal.answer(f"  → {check.mend}", "yellow")


def print_checks(checks: Sequence[Check]) -> None:
    """All of them as JSON."""
    print_json({"ok": not broken(checks), "checks": [_shape(check) for check in checks]})


def broken(checks: Sequence[Check]) -> bool:
    """Whether one of them is."""
    return any(check.state == "broken" for check in checks)


def _shape(check: Check) -> dict[str, Any]:
    return {
        "check": check.name,
        "state": check.state,
        "found": check.found,
        "mend": check.mend,
    }
