"""Which calls may run at once, which need the asking user's word, which another person's.

Rules of the agent file come first, in order; then the defaults by risk. Without a rule the stricter
answer holds: what changes something is confirmed, what is critical is approved.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.tools import Risk, ToolSpec

Verdict = Literal["allow", "confirm", "approve", "deny"]
VERDICTS: tuple[Verdict, ...] = ("allow", "confirm", "approve", "deny")

DEFAULTS: dict[Risk, Verdict] = {
    Risk.READ: "allow",
    Risk.WRITE: "confirm",
    Risk.CRITICAL: "approve",
}


class Rule(Struct, frozen=True, kw_only=True):
    """One rule of an agent's policy. Empty ``tool`` and None ``risk`` match every call."""

    then: Verdict
    tool: str = ""
    risk: Risk | None = None
    by: str = ""

    def matches(self, spec: ToolSpec) -> bool:
        return self.tool in ("", spec.name) and self.risk in (None, spec.risk)


class Assessment(Struct, frozen=True, kw_only=True):
    """A verdict and the rule that gave it, in words; ``by`` is the role that approves."""

    verdict: Verdict
    rule: str
    by: str = "approver"


def rules_from(entries: Sequence[dict[str, Any]]) -> tuple[Rule, ...]:
    """The rules of an agent file's ``policy`` entries, which it has checked. A rule with a
    condition that this release cannot evaluate must not loosen anything: its ``allow`` becomes the
    default."""
    return tuple(
        Rule(
            then=entry["then"],
            tool=entry.get("tool") or "",
            risk=Risk(entry["risk"]) if entry.get("risk") else None,
            by=entry.get("by") or "",
        )
        for entry in entries
        if not (entry.get("when") and entry["then"] == "allow")
    )


def assess(spec: ToolSpec, rules: Sequence[Rule]) -> Assessment:
    """The first rule that matches decides, else the default of the tool's risk."""
    for number, rule in enumerate(rules, start=1):
        if rule.matches(spec):
            return Assessment(
                verdict=rule.then, rule=f"policy rule {number}", by=rule.by or "approver"
            )
    return Assessment(verdict=DEFAULTS[spec.risk], rule=f"default for {spec.risk.value}")
