"""The shared failure cases: what the field's users reported, reproduced small, with the right
behaviour."""

import json
from pathlib import Path
from typing import Any

import pytest

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in map(
        json.loads, (Path(__file__).parent / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    )
}


def params(group: int, *, only: tuple[str, ...] = (), leave: tuple[str, ...] = ()) -> list[Any]:
    """The cases of a group as pytest parameters whose ids are the case ids."""
    return [
        pytest.param(case, id=name)
        for name, case in CASES.items()
        if case["group"] == group and (not only or name in only) and name not in leave
    ]
