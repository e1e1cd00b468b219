"""RawCall → ValidCall: the arguments read, fitted to the schema and checked, or why not.

In order: read strictly, repair where one reading is possible, unwrap, drop what only the engine may
fill, coerce by the schema, drop unknown keys, ask for what is missing, check the schema, fill in
the context. A call that needs none of it takes the short way through.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pointsman.domain.arguments.reading import parse, unwrap
from pointsman.domain.schemas.coercion import coerce
from pointsman.domain.schemas.schema_check import checker
from pointsman.domain.schemas.schema_reading import Schema
from pointsman.domain.tools import RawCall, ToolSpec, ValidCall
from pointsman.domain.values.placeholders import missing
from pointsman.domain.values.spoken_times import as_said
from pointsman.errors import ArgumentsMalformed, ArgumentsMissing

_SCHEMA_SHOWN = 2000


def check(
    call: RawCall,
    *,
    key: str,
    spec: ToolSpec,
    context_values: Mapping[str, Any],
    now: datetime,
) -> ValidCall:
    """The call with arguments that fit its tool.

    Args:
        key: identity of the call inside the run.
        context_values: context field → value, for the parameters in ``spec.context``.
        now: the instant of the date line, aware, in the agent's zone; dates without an offset are
            meant there.

    Raises:
        ArgumentsMalformed: they cannot be read; the text repeats the schema (case A21).
        ArgumentsMissing: required values are not there: the user is to be asked.
        ArgumentsInvalid: they do not fit the schema.
    """
    checked = checker(spec)
    try:
        parsed = parse(call.arguments)
    except ArgumentsMalformed as fault:
        schema = json.dumps(spec.wire_parameters, ensure_ascii=False)[:_SCHEMA_SHOWN]
        raise ArgumentsMalformed(
            f"the arguments are malformed JSON: {fault}. Send one JSON object that fits {schema}"
        ) from None
    value, notes = parsed.value, parsed.notes
    if checked.is_plain(value):
        fitted = value
    else:
        fitted, more = _fit(value, spec, checked.schema, now)
        notes += more
    if absent := missing(fitted, checked.needs):
        raise ArgumentsMissing(absent, fitted)
    if fitted is not value:
        checked.check(fitted)
    if spec.context:
        fitted = fitted | _filled(spec, context_values)
    return ValidCall(key=key, spec=spec, arguments=fitted, notes=notes)


def _fit(
    value: dict[str, Any], spec: ToolSpec, schema: Schema, now: datetime
) -> tuple[dict[str, Any], tuple[str, ...]]:
    unwrapped = unwrap(value, schema=schema, tool=spec.name)
    sent = unwrapped.value
    own = {name: item for name, item in sent.items() if name not in spec.context}
    dropped = tuple(
        f"{name}: only the engine fills this; it was left out" for name in sent if name not in own
    )
    fitted, notes = coerce(own, schema, now=now, in_format=as_said)
    return fitted, (*unwrapped.notes, *dropped, *notes)


def _filled(spec: ToolSpec, values: Mapping[str, Any]) -> dict[str, Any]:
    """Context parameters as JSON values, so that they are the same after a restart. What only the
    tool knows comes later (``preparing``)."""
    filled = {name: values[field] for name, field in spec.context.items() if field in values}
    return {
        name: item.isoformat() if isinstance(item, datetime) else item
        for name, item in filled.items()
    }
