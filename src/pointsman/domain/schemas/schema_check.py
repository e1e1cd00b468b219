"""Whether arguments fit a tool's schema, and if not, one sentence a fault for the model.

The compiled form of a schema is kept by the tool's digest. A schema that cannot be compiled (a
foreign one with a broken pattern, a reference to another document, which is never fetched, or
references that multiply) is replaced by its wire form, and if that is broken too, anything fits:
the server has its own check.
"""

import json
from typing import Any

import jsonschema_rs

from pointsman.domain.schemas.schema_reading import Schema, is_explosive, properties
from pointsman.domain.tools import ToolSpec
from pointsman.domain.values.placeholders import Need, needs
from pointsman.errors import ArgumentsInvalid

_KEPT = 1024
_PROBLEMS = 8
_SHOWN = 60
_OPTIONS = 400
_FORMS = {
    "date-time": "a date-time such as 2025-03-05T09:00:00+08:00",
    "date": "a date such as 2025-03-05",
    "time": "a time such as 09:00:00+08:00",
}
_PLAIN = frozenset({str, int, bool})


class Checker:
    """One tool's schema, compiled.

    Attributes:
        schema: the form of the parameters that is checked against and coerced by.
        needs: what is required (see ``placeholders.missing``).
    """

    def __init__(self, spec: ToolSpec) -> None:
        self.parameters = spec.parameters
        self.needs: tuple[Need, ...] = needs(spec.parameters)
        self._names = properties(spec.parameters, spec.parameters).keys()
        self.schema, self._validator = _compiled(spec)

    def is_plain(self, value: dict[str, Any]) -> bool:
        """Whether the arguments fit as they are and hold nothing that coercion could change."""
        return (
            value.keys() <= self._names
            and _is_settled(value)
            and (self._validator is None or self._validator.is_valid(value))
        )

    def check(self, value: dict[str, Any]) -> None:
        """Pass arguments that fit.

        Raises:
            ArgumentsInvalid: they do not.
        """
        if self._validator is None or self._validator.is_valid(value):
            return
        errors = list(self._validator.iter_errors(value))
        problems = dict.fromkeys(_sentence(error) for error in errors[:_PROBLEMS])
        if len(errors) > _PROBLEMS:
            problems[f"and {len(errors) - _PROBLEMS} more problems"] = None
        raise ArgumentsInvalid(tuple(problems))


def _is_settled(value: Any) -> bool:
    """Whether nothing in a valid value can be read otherwise: no float (5.0), no null, and no
    object inside, whose keys may be spelled otherwise."""
    items = value.values() if type(value) is dict else value
    return all(type(item) in _PLAIN or (type(item) is list and _is_settled(item)) for item in items)


_checkers: dict[str, Checker] = {}


def checker(spec: ToolSpec) -> Checker:
    """The tool's checker, made once."""
    known = _checkers.get(spec.digest)
    if known is not None and (
        known.parameters is spec.parameters or known.parameters == spec.parameters
    ):
        return known
    if len(_checkers) >= _KEPT:
        del _checkers[next(iter(_checkers))]
    made = _checkers[spec.digest] = Checker(spec)
    return made


def _compiled(spec: ToolSpec) -> tuple[Schema, jsonschema_rs.Validator | None]:
    undated = {key: item for key, item in spec.parameters.items() if key != "$schema"}
    forms = [] if is_explosive(spec.parameters) else [spec.parameters, undated]
    for form in (*forms, spec.wire_parameters):
        try:
            return form, jsonschema_rs.validator_for(form, validate_formats=True, offline=True)
        except (ValueError, OverflowError, RecursionError):
            continue
    return spec.wire_parameters, None


def _sentence(error: jsonschema_rs.ValidationError) -> str:
    """Field, what was got, what was expected."""
    field = ".".join(map(str, error.instance_path)) or "the arguments"
    fault = error.kind
    match fault:
        case fault.Required(property=name):
            place = f"{field}.{name}" if error.instance_path else name
            return f"{place}: got nothing, expected a value"
        case fault.AdditionalProperties(unexpected=names):
            return f"{field}: got unknown keys {_shown(names)}, expected none"
        case fault.Enum(options=options):
            expected = f"one of {_cut(', '.join(map(_json, options)), _OPTIONS)}"
        case fault.Constant(expected_value=wanted):
            expected = _shown(wanted)
        case fault.Type(types=names):
            expected = " or ".join(sorted(names, key="null".__eq__))
        case fault.FalseSchema():
            expected = "nothing more there"
        case fault.Format(format=form):
            expected = _FORMS.get(form, f"text of the format {form}")
        case fault.AnyOf(context=branches) | fault.OneOfNotValid(context=branches):
            expected = _alternatives(branches)
        case _:
            limit = _cut(_json(fault.value), _OPTIONS) if fault.value is not None else ""
            expected = f"{fault.name} {limit}".strip()
    return f"{field}: got {_shown(error.instance)}, expected {expected}"


def _alternatives(branches: list[list[jsonschema_rs.ValidationError]]) -> str:
    """What the branches of a union want, by the first fault of each."""
    wanted = [_sentence(errors[0]).partition(", expected ")[2] for errors in branches if errors]
    return _cut(" or ".join(dict.fromkeys(filter(None, wanted))) or "another form", _OPTIONS)


def _shown(value: Any) -> str:
    return _cut(_json(value), _SHOWN)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"
