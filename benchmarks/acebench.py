"""ACEBench items as calls for our own validation (data: ``acebench/{zh,en}/data_*.jsonl``).

The data set speaks of no risk: its tools count as tools that change something.
"""

import ast
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.sources import Evidence, Message, Result
from pointsman.domain.tools import Risk, ToolSpec

LANGUAGES = ("zh", "en")
_ZONES = {"zh": "Asia/Shanghai", "en": "UTC"}
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "any": None}
_TURN = re.compile(r"^(user|system):\s?", re.MULTILINE)
_ZH_DATE = re.compile(r"(\d{4})\s*[年-]\s*(\d{1,2})\s*[月-]\s*(\d{1,2})")
_EN_DATE = re.compile(r"([A-Z][a-z]+) (\d{1,2}), (\d{4})")


class Item(Struct, frozen=True, kw_only=True):
    """One item: what was said, the tools, and what is right."""

    id: str
    language: str
    said: str
    evidence: Evidence
    tools: dict[str, ToolSpec]
    answer: Any


def items(root: Path, language: str, part: str) -> Iterator[Item]:
    """The items of the files ``data_<part>*.jsonl``."""
    for path in sorted((root / language).glob(f"data_{part}*.jsonl")):
        answers = {
            one["id"]: one["ground_truth"]
            for one in map(json.loads, _lines(root / language / "answers" / path.name))
        }
        for line in _lines(path):
            one = json.loads(line)
            yield Item(
                id=f"{language}/{one['id']}",
                language=language,
                said=one["question"],
                evidence=_evidence(one, language),
                tools={tool.name: tool for tool in map(_tool, one["function"])},
                answer=answers[one["id"]],
            )


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _tool(written: dict[str, Any]) -> ToolSpec:
    schema = written.get("parameters") or written.get("arguments") or {}
    return tool_spec(
        source="acebench",
        original=written["name"],
        name=written["name"],
        description=written.get("description", ""),
        parameters=_schema(schema),
        risk=Risk.WRITE,
    )


def _schema(value: Any, *, names: bool = False) -> Any:
    """The schema with Python's names of types made JSON's."""
    if isinstance(value, list):
        return [_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    fixed = {key: _schema(item, names=key == "properties") for key, item in value.items()}
    if not names and isinstance(fixed.get("type"), str):
        kind = _TYPES.get(fixed["type"], fixed["type"])
        fixed = {**fixed, "type": kind} if kind else {k: v for k, v in fixed.items() if k != "type"}
    return fixed


def _evidence(one: dict[str, Any], language: str) -> Evidence:
    turns = _TURN.split(one["question"])[1:]
    messages: list[Message] = []
    results: list[Result] = []
    asked = ""
    for n, (who, text) in enumerate(zip(turns[::2], turns[1::2], strict=True)):
        if who == "user":
            messages.insert(0, Message(index=n, text=text.strip(), asked=asked))
            asked = ""
        elif re.match(r"\s*\[\w+\(", text):
            results.insert(
                0, Result(call=f"{n}.0", tool="earlier", data=_earlier(text), trusted=True)
            )
        else:
            asked = text.strip()
            if results:
                results.insert(0, Result(call=f"{n}.0", tool="earlier", content=text, trusted=True))
    return Evidence(
        messages=tuple(messages), results=tuple(results), now=_now(one.get("time") or "", language)
    )


def _earlier(written: str) -> Any:
    """The arguments of calls that ran earlier in the conversation, ``[name(key=value)]``."""
    try:
        tree = ast.parse(written.strip().replace(": true", ": True").replace(": false", ": False"))
        expression = tree.body[0]
        calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
        return [
            {word.arg: ast.literal_eval(word.value) for word in call.keywords} for call in calls
        ]
    except (SyntaxError, ValueError, IndexError):
        return written


def _now(text: str, language: str) -> datetime:
    zone = ZoneInfo(_ZONES[language])
    if found := _ZH_DATE.search(text):
        return datetime(*map(int, found.groups()), 9, tzinfo=zone)  # type: ignore[misc,arg-type]
    if found := _EN_DATE.search(text):
        return datetime.strptime(" ".join(found.groups()), "%B %d %Y").replace(hour=9, tzinfo=zone)
    return datetime(2024, 5, 15, 9, tzinfo=zone)


def expected_calls(item: Item) -> Iterator[tuple[ToolSpec, dict[str, Any]]]:
    """The right calls of a normal item; names such as ``tool_2`` are second calls of ``tool``."""
    listed = item.answer if isinstance(item.answer, list) else [item.answer]
    for answer in listed:
        for name, arguments in answer.items():
            tool = item.tools.get(name) or item.tools.get(re.sub(r"_\d+$", "", name))
            if tool is not None and isinstance(arguments, dict):
                yield tool, arguments


def bad_value(written: str) -> Any:
    """The value of an ``error_param`` answer, a number where it writes one."""
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return written
    return value if isinstance(value, int | float) else written
