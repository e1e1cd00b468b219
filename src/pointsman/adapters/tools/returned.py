"""What a Python function returned, as a JSON value."""

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec
from pydantic import BaseModel

_DEEPEST = 64


def as_json(value: Any, depth: int = 0) -> Any:
    """The value in JSON's types; floats may still be NaN.

    Decimals stay exact (as text), times are ISO 8601, bytes are read as UTF-8 where they are text
    and described where not, sets are sorted by their text, and what is unknown becomes its ``str``.
    """
    if value is None or isinstance(value, bool) or type(value) in (str, float):
        return value
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Enum):
        return as_json(value.value, depth + 1)
    if isinstance(value, int):
        return int(value) if -(1 << 63) <= value < 1 << 64 else str(value)
    if isinstance(value, str | float):
        return str(value) if isinstance(value, str) else float(value)
    return _scalar(value) if _is_scalar(value) else _container(value, depth + 1)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, datetime | date | time | timedelta | Decimal | bytes | bytearray)


def _scalar(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return f"<{len(value)} bytes of binary data>"
    return str(value)


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, BaseModel):
        return as_json(value.model_dump(by_alias=True), depth)
    if isinstance(value, msgspec.Struct):
        return as_json(msgspec.structs.asdict(value), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: as_json(getattr(value, field.name), depth) for field in fields}
    if isinstance(value, Mapping):
        return {_key(key): as_json(item, depth) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return [as_json(item, depth) for item in sorted(value, key=str)]
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return as_json(value._asdict(), depth)
    if isinstance(value, list | tuple):
        return [as_json(item, depth) for item in value]
    if callable(listed := getattr(value, "tolist", None)):  # numpy arrays and scalars
        return as_json(listed(), depth)
    return str(value)


def _key(key: Any) -> str:
    plain = as_json(key)
    return plain if isinstance(plain, str) else str(plain)
