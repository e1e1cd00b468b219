"""The answer of a database: columns with types, rows, and how a model and a person read it."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.text import one_line

Cell = str | int | float | bool | None
ColumnType = Literal["integer", "number", "boolean", "date", "datetime", "text", "null"]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?")
_CELL = 300
_WORDS = {
    "zh": {"none": "（没有行）", "cut": "（只有前 {rows} 行，后面还有）", "rows": "（{rows} 行）"},
    "en": {
        "none": "(no rows)",
        "cut": "(only the first {rows} rows; there are more)",
        "rows": "({rows} rows)",
    },
}


class Column(Struct, frozen=True):
    """A column of an answer; ``null`` is the type of one that has no value."""

    name: str
    type: ColumnType


class Table(Struct, frozen=True, kw_only=True):
    """Rows of JSON values.

    Attributes:
        truncated: there were more rows than are here.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False

    @property
    def single(self) -> Cell:
        """The value of a table of one cell; None of any other."""
        one = len(self.rows) == len(self.columns) == 1
        return self.rows[0][0] if one else None


def table_of(names: Sequence[str], rows: Sequence[Sequence[Cell]], *, truncated: bool) -> Table:
    """A table whose types are read from the values."""
    return Table(
        columns=tuple(
            Column(name, _type_of([row[place] for row in rows])) for place, name in enumerate(names)
        ),
        rows=tuple(map(tuple, rows)),
        truncated=truncated,
    )


def _type_of(values: Sequence[Cell]) -> ColumnType:
    given = [value for value in values if value is not None]
    if not given:
        return "null"
    if all(isinstance(value, bool) for value in given):
        return "boolean"
    numbers = [v for v in given if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(given):
        return "integer" if all(isinstance(value, int) for value in numbers) else "number"
    if all(isinstance(value, str) and _DATE.fullmatch(value) for value in given):
        return "date"
    if all(isinstance(value, str) and _DATETIME.fullmatch(value) for value in given):
        return "datetime"
    return "text"


def shown(table: Table, language: Language, *, title: str = "", unit: str = "") -> str:
    """The table as text: one value as a sentence, else a line a row, and what was left out."""
    words = _WORDS[language]
    if len(table.rows) == len(table.columns) == 1:
        name = title or table.columns[0].name
        colon = "：" if language == "zh" else ": "
        return f"{name}{colon}{_text(table.rows[0][0])}{' ' + unit if unit else ''}"
    if not table.rows:
        return f"{title}\n{words['none']}".strip()
    head = f"{title} [{unit}]" if title and unit else title
    lines = [head] if head else []
    lines.append(" | ".join(_text(column.name) for column in table.columns))
    lines += [" | ".join(map(_text, row)) for row in table.rows]
    lines.append(words["cut" if table.truncated else "rows"].format(rows=len(table.rows)))
    return "\n".join(lines)


def as_data(table: Table, *, title: str = "", unit: str = "") -> dict[str, Any]:
    """The table in JSON's types, for faces and channels; ``value`` is that of a single cell."""
    data: dict[str, Any] = {
        "columns": [{"name": one.name, "type": one.type} for one in table.columns],
        "rows": [list(row) for row in table.rows],
        "truncated": table.truncated,
    }
    if table.single is not None:
        data = {"value": table.single, **data}
    return data | {key: text for key, text in (("title", title), ("unit", unit)) if text}


def _text(value: Cell) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(str(value), _CELL).replace("|", "\\|")
