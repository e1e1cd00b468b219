"""Which calls may run at once, which need the asking user's word, which another person's.

Rules of the agent file come first, in order; then the defaults by risk. Without a rule the stricter
answer holds: what changes something is confirmed, what is critical is approved. A rule may loosen
that, but only where it applies for certain: a condition that cannot be decided never makes an
answer milder. Values that come only from untrusted content raise the risk by one step, and then no
rule lets a risky call through without a person, unless its condition speaks of ``tainted`` (B1).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain import conditions
from pointsman.domain.agent import Language
from pointsman.domain.conditions import Condition
from pointsman.domain.tools import Risk, ToolSpec

Verdict = Literal["allow", "confirm", "approve", "deny"]
VERDICTS: tuple[Verdict, ...] = ("allow", "confirm", "approve", "deny")
"""From the mildest to the strictest."""

DEFAULTS: dict[Risk, Verdict] = {
    Risk.READ: "allow",
    Risk.WRITE: "confirm",
    Risk.CRITICAL: "approve",
}
DEFAULT_ROLE = "approver"
"""Approves where no rule names another."""
_RAISED = {Risk.READ: Risk.WRITE, Risk.WRITE: Risk.CRITICAL, Risk.CRITICAL: Risk.CRITICAL}

FACT_NAMES = ("tool", "risk", "user", "role", "roles", "hour", "weekday", "origin", "tainted")
"""What a condition may name besides the arguments. An argument of such a name, which a model fills,
is reached through ``arguments.…`` only."""


class Facts(Struct, frozen=True, kw_only=True):
    """What is known of a call besides its arguments. What is left out is unknown.

    Attributes:
        roles: of the asking user.
        at: the instant of the call, aware, in the agent's zone.
        origin: what started the run: ``user``, ``reminder``, …
        tainted: the parameters whose values come only from untrusted content.
        risk: what the tool computed from these arguments, in place of its declared risk.
    """

    user: str | None = None
    roles: tuple[str, ...] | None = None
    at: datetime | None = None
    origin: str | None = None
    tainted: tuple[str, ...] = ()
    risk: Risk | None = None


NOTHING_KNOWN = Facts()


class Rule(Struct, frozen=True, kw_only=True):
    """One rule of an agent's policy.

    Attributes:
        tool: a name or a pattern with ``*``; every tool when empty.
        risk: only calls of this risk.
        when: only calls of which this holds.
        by: the role that approves.
        own: who asked may approve too, if he has the role.
    """

    then: Verdict
    tool: str = ""
    risk: Risk | None = None
    when: Condition | None = None
    by: str = ""
    own: bool = False


class Assessment(Struct, frozen=True, kw_only=True):
    """A verdict and why.

    Attributes:
        rule: what gave it, for the journal.
        by: the role that approves.
        own: who asked may approve too, if he has the role.
        risk: the one that counted: computed, and raised where values are tainted.
        reason: why, for people.
        loosened: a rule made it milder than the default; the operator should know.
    """

    verdict: Verdict
    rule: str
    by: str = DEFAULT_ROLE
    own: bool = False
    risk: Risk
    reason: dict[Language, str]
    loosened: bool = False


def rules_from(entries: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of an agent file's ``policy`` entries (keys tool, risk, when, then, by, own).

    Raises:
        ConditionFault: a ``when`` cannot be read.
    """
    return tuple(
        Rule(
            then=entry["then"],
            tool=entry.get("tool") or "",
            risk=Risk(entry["risk"]) if entry.get("risk") else None,
            when=conditions.compile(entry["when"]) if entry.get("when") else None,
            by=entry.get("by") or "",
            own=entry.get("own", False),
        )
        for entry in entries
    )


def assess(
    spec: ToolSpec,
    rules: Sequence[Rule],
    *,
    arguments: Mapping[str, Any] | None = None,
    facts: Facts = NOTHING_KNOWN,
) -> Assessment:
    """The first rule that matches decides, else the default of the call's risk.

    Where a rule's condition is unknown, both ways are looked at and the stricter one holds. Without
    ``arguments`` this is the verdict for a call of which nothing is known yet.
    """
    own = facts.risk or spec.risk
    risk = _RAISED[own] if facts.tainted else own
    if not rules:
        return _by_default(risk, facts.tainted)
    names = _names(spec, arguments or {}, facts, risk)
    strictest: tuple[int, Rule] | None = None
    for number, rule in enumerate(rules, start=1):
        applies = _applies(rule, spec, own=own, risk=risk, tainted=bool(facts.tainted), names=names)
        if applies is False:
            continue
        if strictest is None or _stricter(rule.then, strictest[1].then):
            strictest = (number, rule)
        if applies:
            return _by_rule(*strictest, risk, sure=strictest[1] is rule)
    if strictest and not _stricter(DEFAULTS[risk], strictest[1].then):
        return _by_rule(*strictest, risk, sure=False)
    return _by_default(risk, facts.tainted)


def candidates(spec: ToolSpec, rules: Sequence[Rule]) -> list[Assessment]:
    """What may decide on calls of the tool, in order: the rules that can match, and the default
    where no rule is sure to."""
    found: list[Assessment] = []
    for number, rule in enumerate(rules, start=1):
        if not _of_tool(rule, spec) or rule.risk not in (None, spec.risk):
            continue
        found.append(_by_rule(number, rule, spec.risk, sure=True))
        if rule.when is None:
            return found
    return [*found, _by_default(spec.risk, ())]


def loosens(rule: Rule, spec: ToolSpec) -> bool:
    """Whether the rule can make calls of the tool milder than their default: for reports."""
    of_it = _of_tool(rule, spec) and rule.risk in (None, spec.risk)
    return of_it and _stricter(DEFAULTS[spec.risk], rule.then)


def _stricter(one: Verdict, other: Verdict) -> bool:
    return VERDICTS.index(one) > VERDICTS.index(other)


def _of_tool(rule: Rule, spec: ToolSpec) -> bool:
    return not rule.tool or fnmatchcase(spec.name, rule.tool)


def _applies(
    rule: Rule,
    spec: ToolSpec,
    *,
    own: Risk,
    risk: Risk,
    tainted: bool,
    names: Mapping[str, Any],
) -> bool | None:
    """Whether the rule matches the call, or None where that cannot be known.

    A rule for a risk also holds for calls that taint has raised from it, unless it would be milder
    than what they now deserve.
    """
    milder = _stricter(DEFAULTS[risk], rule.then)
    of_risk = rule.risk in (None, risk) or (rule.risk is own and not milder)
    if not _of_tool(rule, spec) or not of_risk:
        return False
    if rule.then == "allow" and tainted and own is not Risk.READ and not _speaks_of_taint(rule):
        return False
    return True if rule.when is None else conditions.evaluate(rule.when, names)


def _speaks_of_taint(rule: Rule) -> bool:
    return rule.when is not None and "tainted" in conditions.names_in(rule.when)


def _names(
    spec: ToolSpec, arguments: Mapping[str, Any], facts: Facts, risk: Risk
) -> dict[str, Any]:
    """What a condition can name. A fact is never overwritten by an argument."""
    known = {name: value for name, value in arguments.items() if name not in FACT_NAMES}
    known |= {"arguments": arguments, "tool": spec.name, "risk": risk.value}
    known |= {"tainted": bool(facts.tainted)}
    if facts.at is not None:
        known |= {"hour": facts.at.hour, "weekday": facts.at.isoweekday()}
    told = {"user": facts.user, "roles": facts.roles, "origin": facts.origin}
    return known | {name: value for name, value in told.items() if value is not None}


_THEN: dict[Verdict, dict[Language, str]] = {
    "allow": {"zh": "可以直接执行", "en": "may run at once"},
    "confirm": {"zh": "需要您确认", "en": "needs your confirmation"},
    "approve": {"zh": "需要{by}批准", "en": "needs the approval of {by}"},
    "deny": {"zh": "不允许执行", "en": "may not run"},
}
_RISK_WORDS: dict[Risk, dict[Language, str]] = {
    Risk.READ: {"zh": "只读", "en": "only read"},
    Risk.WRITE: {"zh": "会产生改动的", "en": "change something"},
    Risk.CRITICAL: {"zh": "高风险的", "en": "are critical"},
}


def _by_rule(number: int, rule: Rule, risk: Risk, *, sure: bool) -> Assessment:
    by = rule.by or DEFAULT_ROLE
    then = {language: words.format(by=by) for language, words in _THEN[rule.then].items()}
    condition = str(rule.when) if rule.when else ""
    zh = f"策略第 {number} 条{f'（{condition}）' if condition else ''}：{then['zh']}"
    en = f"policy rule {number}{f' ({condition})' if condition else ''}: it {then['en']}"
    if not sure:
        zh += "；条件无法判定，按更严的处理"
        en += "; the condition cannot be decided, so the stricter answer holds"
    shown = f" ({condition}{'' if sure else '; cannot be decided'})" if condition else ""
    return Assessment(
        verdict=rule.then,
        rule=f"policy rule {number}{shown}",
        by=by,
        own=rule.own,
        risk=risk,
        reason={"zh": zh, "en": en},
        loosened=_stricter(DEFAULTS[risk], rule.then),
    )


@lru_cache(maxsize=256)
def _by_default(risk: Risk, tainted: tuple[str, ...]) -> Assessment:
    verdict = DEFAULTS[risk]
    then = {language: words.format(by=DEFAULT_ROLE) for language, words in _THEN[verdict].items()}
    zh = f"{_RISK_WORDS[risk]['zh']}操作默认{then['zh']}"
    en = f"calls that {_RISK_WORDS[risk]['en']} by default: it {then['en']}"
    rule = f"default for {risk.value}"
    if tainted:
        which = ", ".join(tainted)
        zh += f"（{which} 的值只来自不可信内容，风险提高一级）"
        en += f" (risk raised: the value of {which} comes only from untrusted content)"
        rule += f", raised: {which} untrusted"
    return Assessment(verdict=verdict, rule=rule, risk=risk, reason={"zh": zh, "en": en})
