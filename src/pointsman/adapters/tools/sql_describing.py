"""What the model is told of a database's tools: their parameters, and which tables there are."""

from typing import Any

from pointsman.adapters.tools.sql_reading import GRACE, Columns
from pointsman.adapters.tools.sql_settings import Metric, SqlParameter, SqlSettings, TableGrant
from pointsman.domain import names
from pointsman.domain.numbers.charts import KINDS
from pointsman.domain.numbers.sql_check import LONGEST, quoted
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import Risk, ToolSpec

_JSON: dict[str, dict[str, str]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
}
_DIALECTS = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_SPARE = 3.0
"""Seconds that a tool has beyond its query's."""
_CHART = {
    "type": "string",
    "enum": [*KINDS, "none"],
    "x-title": {"zh": "图表", "en": "Chart"},
    "description": "Only when the user asks for a kind of chart, or for none.",
}


def metric_spec(metric: Metric, settings: SqlSettings, *, with_chart: bool) -> ToolSpec:
    """The tool of a metric.

    Args:
        with_chart: whether its answer may have rows to draw.
    """
    properties = {name: _schema(one) for name, one in metric.parameters.items()}
    if with_chart and not metric.chart:
        properties.setdefault("chart", _CHART)
    unit = metric.unit.get("en", "")
    about = metric.description or metric.title.get("en") or metric.name
    return tool_spec(
        source=settings.name,
        original=metric.name,
        name=names.safe(metric.name),
        description=f"{about} (in {unit})" if unit else about,
        parameters={
            "type": "object",
            "properties": properties,
            "required": [
                name
                for name, one in metric.parameters.items()
                if not one.optional and one.default is None
            ],
            "additionalProperties": False,
        },
        titles=metric.title,
        risk=Risk.READ,
        timeout=settings.limits.seconds + GRACE + _SPARE,
        trusted=settings.trusted,
        context=metric.context,
    )


def query_spec(settings: SqlSettings, found: Columns) -> ToolSpec:
    """The tool of free questions."""
    dialect = _DIALECTS[settings.dialect]
    grants = {grant.name.lower(): grant for grant in settings.tables}
    listed = "\n".join(_line(place, columns, grants) for place, columns in found.items() if columns)
    limits = settings.limits
    return tool_spec(
        source=settings.name,
        original=settings.query_tool,
        name=settings.query_tool,
        description=(
            f"Answer a question about numbers from the database {settings.name!r} with one SELECT. "
            "Take it only when no other tool gives the number. Let the database count, sum and "
            f"group; the answer has at most {limits.rows} rows and {limits.seconds:g} seconds. "
            f"Only these tables and columns can be read:\n{listed}"
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": f"One SELECT in the dialect of {dialect}.",
                    "minLength": 1,
                    "maxLength": LONGEST,
                    "x-title": {"zh": "查询", "en": "Query"},
                },
                "chart": _CHART,
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        titles={"zh": "查询数据库", "en": "Query the database"},
        risk=Risk.READ,
        timeout=limits.seconds + GRACE + _SPARE,
        trusted=settings.trusted,
    )


def _schema(one: SqlParameter) -> dict[str, Any]:
    schema: dict[str, Any] = dict(_JSON[one.type])
    if one.title:
        schema["x-title"] = one.title
    if one.description or one.title:
        schema["description"] = one.description or one.title.get("en", "")
    if one.choices:
        schema["enum"] = list(one.choices)
    if one.default is not None:
        schema["default"] = one.default
    return schema


def _line(place: tuple[str, str], columns: dict[str, str], grants: dict[str, TableGrant]) -> str:
    """``users(id integer, name text: family name first): who works here``"""
    schema, table = place
    full = f"{schema}.{table}" if schema else table
    grant = grants.get(full.lower()) or TableGrant(name=full)
    meanings = {name.lower(): said for name, said in (grant.columns or {}).items()}
    parts = []
    for column, kind in columns.items():
        said = meanings.get(column.lower(), "")
        parts.append(f"{quoted(column)} {kind}".strip() + (f": {said}" if said else ""))
    name = ".".join(quoted(step) for step in (schema, table) if step)
    return f"- {name}({', '.join(parts)})" + (f": {grant.about}" if grant.about else "")
