"""Numbers from a database, as tools that only read.

Each metric of the agent file is a tool of its own: its author wrote the query, the model gives the
parameters. ``query_database`` takes a query that the model writes: one SELECT over what the file
grants, checked by ``domain.numbers.sql_check``, on a connection that cannot write. An answer is a
table, a text for the model, and a chart where one fits.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import anyio.to_thread

from pointsman.adapters.tools.sql_describing import metric_spec, query_spec
from pointsman.adapters.tools.sql_reading import (
    Columns,
    Database,
    Query,
    QueryFailed,
    TookTooLong,
    read,
)
from pointsman.adapters.tools.sql_settings import Metric, SqlSettings, TableGrant
from pointsman.adapters.tools.threads import Threads, TooManyAbandoned
from pointsman.domain import results
from pointsman.domain.agent import Language
from pointsman.domain.numbers import charts, tables
from pointsman.domain.numbers.charts import Chart, chart_of
from pointsman.domain.numbers.metric_sql import is_single_row, select_of
from pointsman.domain.numbers.sql_check import QueryRefused, Readable, ReadableTable, checked
from pointsman.domain.numbers.tables import Table
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec
from pointsman.ports import CallContext, Clock, Tool

log = logging.getLogger("pointsman.tools")
logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of what we refuse anyway

_AT_ONCE = 4
_PATIENCE = 10.0
_RETRY = 10.0
"""Seconds between two looks at a database that could not be reached."""


class SqlSource:
    """``ports.ToolSource`` of one database.

    Args:
        database: how it is read.
    """

    def __init__(self, settings: SqlSettings, database: Database, clock: Clock) -> None:
        self.name = settings.name
        self._settings, self._database, self._clock = settings, database, clock
        self._threads = Threads(limit=_AT_ONCE)
        self._metrics = tuple(_MetricTool(one, self) for one in settings.metrics)
        self._query: _QueryTool | None = None
        self._fault = ""
        self._tried: float | None = None

    async def open(self) -> None:
        """Nothing to start: the tables are looked at when the list is settled."""

    async def settle(self, patience: float | None = None) -> None:
        """See which of the granted tables there are, unless that is known."""
        now = self._clock.monotonic()
        if self._query is not None or not self._settings.tables:
            return
        if self._tried is not None and now - self._tried < _RETRY:
            return
        self._tried, self._fault = now, f"the database {self.name} does not answer"
        with anyio.move_on_after(_PATIENCE if patience is None else patience):
            try:
                readable, found = await anyio.to_thread.run_sync(self._look, abandon_on_cancel=True)
            except (QueryFailed, TookTooLong) as fault:
                self._fault = str(fault) or self._fault
            else:
                self._fault = ""
                spec = query_spec(self._settings, found)
                self._query = _QueryTool(spec, readable, self)
        if self._fault:
            log.warning("%s", self._fault)

    def tools(self) -> Sequence[Tool]:
        return self._metrics if self._query is None else (*self._metrics, self._query)

    def absent(self, name: str) -> ToolResult | None:
        if (
            name != self._settings.query_tool
            or self._query is not None
            or not self._settings.tables
        ):
            return None
        return _failed(self._fault or "the database has not been looked at yet", retryable=True)

    def state(self) -> str:
        return self._fault or ("ready" if self._query or not self._settings.tables else "starting")

    async def aclose(self) -> None:
        """Nothing to let go of; a connection lives as long as its query."""

    def _look(self) -> tuple[Readable, Columns]:
        """What is granted and there. Blocks."""
        known = self._database.columns()
        granted: dict[tuple[str, str], tuple[str, ...]] = {}
        for grant in self._settings.tables:
            if (place := _place(grant, known)) is None:
                log.warning("database %s has no table %r", self.name, grant.name)
                continue
            granted[place] = tuple(
                column
                for column in known[place]
                if grant.columns is None or column.lower() in _lower(grant.columns)
            )
            for column in _lower(grant.columns or {}) - _lower(known[place]):
                log.warning("table %r of %s has no column %r", grant.name, self.name, column)
        self._database.grant(granted)
        readable = Readable(
            dialect=self._settings.dialect,
            tables=tuple(
                ReadableTable(schema=schema, name=name, columns=columns)
                for (schema, name), columns in granted.items()
                if columns
            ),
        )
        found = {place: {c: known[place][c] for c in columns} for place, columns in granted.items()}
        return readable, found

    async def answer(self, query: Query, tool: str) -> Table | ToolResult:
        """The query's table, or what the model is told instead."""
        limits = self._settings.limits
        try:
            return await read(self._database, query, limits, self._threads, tool)
        except TookTooLong:
            text = f"stopped after {limits.seconds:g} s: ask for less, such as a shorter period"
            return ToolResult(status=ResultStatus.TIMEOUT, content=f"ERROR: {text}")
        except TooManyAbandoned as fault:
            return _failed(str(fault), retryable=True)
        except QueryFailed as fault:
            if fault.retryable:
                return _failed(str(fault), retryable=True)
            return ToolResult(status=ResultStatus.ERROR, content=f"ERROR: {fault}")


class _MetricTool:
    """One metric."""

    def __init__(self, metric: Metric, source: SqlSource) -> None:
        settings = source._settings
        single = is_single_row(select_of(metric.sql, settings.dialect))
        self._metric, self._source = metric, source
        self.spec: ToolSpec = metric_spec(metric, settings, with_chart=not single)

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        metric, language = self._metric, _language(context)
        query = Query(
            sql=metric.sql,
            values={name: _value(metric, name, arguments) for name in self._types},
            types=self._types,
            zone=_zone(context),
        )
        table = await self._source.answer(query, metric.name)
        if isinstance(table, ToolResult):
            return table
        asked = arguments.get("chart") if "chart" not in metric.parameters else None
        return _result(
            table,
            language,
            shown={k: v for k, v in arguments.items() if k not in metric.context},
            chart=asked or metric.chart,
            title=metric.title.get(language, ""),
            unit=metric.unit.get(language, ""),
        )

    @property
    def _types(self) -> dict[str, Any]:
        declared = {name: one.type for name, one in self._metric.parameters.items()}
        return declared | dict.fromkeys(self._metric.context, "text")


class _QueryTool:
    """Free questions."""

    def __init__(self, spec: ToolSpec, readable: Readable, source: SqlSource) -> None:
        self.spec, self._readable, self._source = spec, readable, source

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        try:
            query = await anyio.to_thread.run_sync(checked, arguments["query"], self._readable)
        except QueryRefused as fault:
            return ToolResult(status=ResultStatus.REJECTED, content=f"ERROR: not run: {fault}")
        table = await self._source.answer(
            Query(sql=query.sql, names=query.columns, free=True, zone=_zone(context)),
            self.spec.original,
        )
        if isinstance(table, ToolResult):
            return table
        chart = arguments.get("chart") or ""
        return _result(table, _language(context), shown=arguments, chart=chart)


def _result(
    table: Table,
    language: Language,
    *,
    shown: Mapping[str, Any],
    chart: str,
    title: str = "",
    unit: str = "",
) -> ToolResult:
    """The table as the model reads it and as faces draw it.

    Args:
        shown: the arguments, to say what there are no results for.
        chart: a kind, ``none``, or empty for what fits.
    """
    data = tables.as_data(table, title=title, unit=unit)
    if not table.rows:
        return ToolResult(status=ResultStatus.OK, content=results.empty(shown, language), data=data)
    content = tables.shown(table, language, title=title, unit=unit)
    if chart != "none":
        kind = next((one for one in charts.KINDS if one == chart), None)
        drawn = chart_of(table, language, kind=kind, title=title, unit=unit)
        if isinstance(drawn, Chart):
            data["chart"] = charts.as_data(drawn)
            content += "\n" + _DRAWN[language].format(kind=_KIND[drawn.kind][language])
        elif kind:
            content += "\n" + _NOT_DRAWN[language].format(why=drawn.why)
    return ToolResult(status=ResultStatus.OK, content=content, data=data)


_KIND = {
    "bar": {"zh": "柱状图", "en": "bar chart"},
    "line": {"zh": "折线图", "en": "line chart"},
    "pie": {"zh": "饼图", "en": "pie chart"},
}
_DRAWN = {"zh": "（已附{kind}，用户看得到）", "en": "(a {kind} is shown to the user)"}
_NOT_DRAWN = {"zh": "（没有画图：{why}）", "en": "(no chart: {why})"}


def _value(metric: Metric, name: str, arguments: Mapping[str, Any]) -> Any:
    declared = metric.parameters.get(name)
    given = arguments.get(name)
    return declared.default if given is None and declared is not None else given


def _place(grant: TableGrant, known: Columns) -> tuple[str, str] | None:
    """Where the granted table is, whatever the case of its name."""
    schema, _, name = grant.name.rpartition(".")
    for place in ((schema, name), ("", grant.name)):
        if place in known:
            return place
    folded = (schema.lower(), name.lower())
    return next((one for one in known if (one[0].lower(), one[1].lower()) == folded), None)


def _lower(names: Mapping[str, Any]) -> set[str]:
    return {name.lower() for name in names}


def _language(context: CallContext) -> Language:
    return "zh" if context.language.startswith("zh") else "en"


def _zone(context: CallContext) -> str:
    """The agent's time zone by its IANA name."""
    return getattr(context.now.tzinfo, "key", "UTC")


def _failed(text: str, *, retryable: bool) -> ToolResult:
    return ToolResult(status=ResultStatus.FAILED, content=f"ERROR: {text}", retryable=retryable)
