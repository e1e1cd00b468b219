"""Rules from what an agent file or a Python user wrote, with every fault named."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.errors import SettingsError
from pointsman.faults import Fault, did_you_mean, dotted, faults_of


def cross_faults(rules: OfflineRules) -> list[Fault]:
    """Names that lead nowhere and calls that wait for each other."""
    faults = []
    place: tuple[str, ...]
    for name, call in rules.calls.items():
        for parameter, argument in call.arguments.items():
            place = ("calls", name, "arguments", parameter)
            if argument.source and argument.source not in rules.values:
                faults.append(_no_such("value", argument.source, rules.values, place))
            faults += _no_values(argument.without, rules, (*place, "without"))
            if argument.call and argument.call not in rules.calls:
                faults.append(_no_such("call", argument.call, rules.calls, (*place, "call")))
        faults += _no_values(call.needs, rules, ("calls", name, "needs"))
        for before in call.after:
            if before != "*" and before not in rules.calls:
                place = ("calls", name, "after")
                faults.append(_no_such("call", before, rules.calls, place))
        if call.amended_by and call.amended_by not in rules.calls:
            place = ("calls", name, "amended_by")
            faults.append(_no_such("call", call.amended_by, rules.calls, place))
        for index, value in enumerate(call.each):
            if value not in {argument.source for argument in call.arguments.values()}:
                problem = f"no argument of this call is from {value!r}"
                faults.append(Fault(("calls", name, "each", index), problem))
        if name in _before(name, rules):
            faults.append(Fault(("calls", name), "waits for its own result, through `call`"))
    for name, condition in rules.conditions.items():
        if condition.call not in rules.calls:
            place = ("conditions", name, "call")
            faults.append(_no_such("call", condition.call, rules.calls, place))
        written = (*condition.yes.patterns, *condition.no.patterns)
        for group in condition.test.groups() - {g for p in written for g in p.groupindex}:
            problem = f"no word of this condition has a group {group!r}"
            faults.append(Fault(("conditions", name, "test"), problem))
    return faults


def _no_values(names: Sequence[str], rules: OfflineRules, place: tuple[str, ...]) -> list[Fault]:
    missing = (name for name in names if name not in rules.values)
    return [_no_such("value", name, rules.values, place) for name in missing]


def _no_such(kind: str, name: str, known: Mapping[str, Any], place: tuple[str, ...]) -> Fault:
    return Fault(place, f"there is no {kind} {name!r}", did_you_mean(name, known))


def _before(name: str, rules: OfflineRules) -> set[str]:
    """The calls whose results a call needs, near and far."""
    needed: set[str] = set()
    open_ = [name]
    while open_:
        call = rules.calls.get(open_.pop())
        for argument in call.arguments.values() if call else ():
            if argument.call and argument.call not in needed:
                needed.add(argument.call)
                open_.append(argument.call)
    return needed


def read_rules(raw: Mapping[str, Any]) -> OfflineRules:
    """The rules that a mapping writes.

    Raises:
        SettingsError: names every fault and its place.
    """
    try:
        rules = OfflineRules.model_validate(dict(raw))
    except ValidationError as error:
        raise _refused(faults_of(error, OfflineRules, raw)) from None
    faults = cross_faults(rules)
    if faults:
        raise _refused(faults)
    return rules


def _refused(faults: list[Fault]) -> SettingsError:
    lines = (f"offline.{dotted(f.place)}: {f.problem} {f.hint}".rstrip() for f in faults)
    return SettingsError("; ".join(lines))
