"""What an agent file says of a database: the shape, its settings, and what a shape cannot say."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from pointsman.adapters.tools.sql_settings import (
    Metric,
    ParameterType,
    Plain,
    SqlLimits,
    SqlParameter,
    SqlSettings,
    TableGrant,
)
from pointsman.agentfile.parts import Bilingual, Switch, Table, Text, Title
from pointsman.faults import Fault, Place, did_you_mean

_KINDS: dict[ParameterType, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "date": (str,),
}
ContextField = Literal["user", "agent", "conversation", "run", "input", "now"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]


class ParameterOfMetric(Table):
    """A value that a metric takes: ``:name`` in its SQL."""

    type: ParameterType = "text"
    title: Title | None = Field(None, description="For people, in questions.")
    description: str = Field("", description="For the model.")
    choices: list[Plain] = Field([], description="The only values there are.")
    default: Plain = Field(None, description="Taken when none is given.")
    optional: Switch = Field(False, description="NULL when none is given.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for value in (*self.choices, self.default):
            if value is not None and (
                not isinstance(value, _KINDS[self.type])
                or (isinstance(value, bool) and self.type != "boolean")
            ):
                raise ValueError(f"expected a value of the type {self.type}, not {value!r}")
        if self.choices and self.default is not None and self.default not in self.choices:
            raise ValueError("default is none of the choices")
        return self


class MetricTable(Table):
    """A number, or a table of numbers, with the SQL that gets it. It becomes a tool."""

    sql: Text = Field(description="One SELECT, with :name for each parameter.")
    title: Title | None = Field(None, description="For people.")
    description: str = Field("", description="For the model: what it is, when to take it.")
    unit: Title | None = Field(None, description="Of the number, such as people.")
    parameters: dict[Name, ParameterOfMetric] = {}
    context: dict[Name, ContextField] = Field(
        {}, description="Parameter → what the engine fills in; the model does not see it."
    )
    chart: Literal["bar", "line", "pie", "none"] | None = Field(
        None, description="How it is drawn; what fits when left out."
    )


def _grant(value: Any) -> Any:
    """``*``, a list of columns, or the whole."""
    if value == "*":
        return {}
    return {"columns": value} if isinstance(value, list) else value


def _columns(value: Any) -> Any:
    if value == "*":
        return None
    return dict.fromkeys(value, "") if isinstance(value, list) else value


class GrantTable(Table):
    """A table or view that free questions may read."""

    about: str = Field("", description="What its rows are, for the model.")
    columns: Annotated[
        dict[Text, str] | None,
        BeforeValidator(_columns),
        WithJsonSchema(
            {
                "anyOf": [
                    {"const": "*"},
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "object", "additionalProperties": {"type": "string"}},
                ]
            }
        ),
    ] = Field(None, description="Those that may be read, with their meaning; * for all.")


Grant = Annotated[
    GrantTable,
    BeforeValidator(_grant),
    WithJsonSchema(
        {
            "anyOf": [
                {"const": "*"},
                {"type": "array", "items": {"type": "string"}},
                GrantTable.model_json_schema(),
            ]
        }
    ),
]


class QueryLimits(Table):
    """What one query may take."""

    rows: int = Field(200, ge=1, le=10_000, description="Rows of an answer.")
    seconds: float = Field(5, gt=0, le=600, allow_inf_nan=False)
    bytes: int = Field(100_000, ge=1000, le=10_000_000, description="Of an answer, as text.")


class SqlTable(Table):
    """A database that is only read."""

    name: Name
    file: Text | None = Field(None, description="A SQLite file, in the agent folder.")
    seed: str = Field(
        "", description="A file of SQL that makes the SQLite file when it is not there."
    )
    url: Text | None = Field(
        None, description="A PostgreSQL database; ${NAME} is filled in, and holds the password."
    )
    role: str = Field("", description="The role that PostgreSQL's queries run as.")
    metrics: dict[Name, MetricTable] = Field({}, description="Numbers by name, each a tool.")
    tables: dict[Text, Grant] = Field(
        {}, description="What free questions may read; there are none without it."
    )
    query_tool: Name = Field("query_database", description="The name of the tool for those.")
    limits: QueryLimits | None = None
    trust: Literal["trusted", "untrusted"] = Field(
        "trusted", description="Whether what the tables hold counts as our own words."
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if bool(self.file) == bool(self.url):
            raise ValueError("needs either file (SQLite) or url (PostgreSQL)")
        if self.url and not self.url.startswith(("postgresql://", "postgres://", "${")):
            raise ValueError("url must start with postgresql://, or be ${NAME}")
        if self.role and not self.url:
            raise ValueError("role goes with url")
        if self.seed and not self.file:
            raise ValueError("seed goes with file")
        if not (self.metrics or self.tables):
            raise ValueError("needs metrics or tables; without them it makes no tool")
        return self


def settings_of(table: SqlTable) -> SqlSettings:
    """The settings that a table stands for."""
    return SqlSettings(
        name=table.name,
        file=table.file or "",
        seed=table.seed,
        url=table.url or "",
        role=table.role,
        metrics=tuple(_metric(name, one) for name, one in table.metrics.items()),
        tables=tuple(
            TableGrant(name=name, about=one.about, columns=one.columns)
            for name, one in table.tables.items()
        ),
        query_tool=table.query_tool,
        limits=SqlLimits(**table.limits.model_dump()) if table.limits else SqlLimits(),
        trusted=table.trust == "trusted",
    )


def _metric(name: str, table: MetricTable) -> Metric:
    return Metric(
        name=name,
        sql=table.sql,
        title=_words(table.title),
        description=table.description,
        unit=_words(table.unit),
        parameters={
            one: SqlParameter(
                type=said.type,
                title=_words(said.title),
                description=said.description,
                choices=tuple(said.choices),
                optional=said.optional,
                default=said.default,
            )
            for one, said in table.parameters.items()
        },
        context=dict(table.context),
        chart=table.chart or "",
    )


def _words(said: Bilingual | None) -> dict[str, str]:
    return {"zh": said.zh, "en": said.en} if said else {}


def faults_of_databases(tables: Iterable[tuple[Place, SqlTable]]) -> Iterator[Fault]:
    """Names that two have, and SQL that is no query or has other parameters than are declared. The
    SQL is left alone when the ``sql`` extra is not installed: nothing can be run then either."""
    sources: set[str] = set()
    tools: set[str] = set()
    for place, table in tables:
        if table.name in sources:
            hint = "give it a name of its own"
            yield Fault((*place, "name"), f"another database is called {table.name}", hint)
        sources.add(table.name)
        names = [*table.metrics, *([table.query_tool] if table.tables else [])]
        for name in names:
            if name in tools:
                where = ("query_tool",) if name == table.query_tool else ("metrics", name)
                yield Fault((*place, *where), f"another tool is called {name}", "rename one")
            tools.add(name)
        for name, metric in table.metrics.items():
            yield from _faults_of_sql((*place, "metrics", name), metric, table)


def _faults_of_sql(place: Place, metric: MetricTable, table: SqlTable) -> Iterator[Fault]:
    try:
        from pointsman.domain.numbers.metric_sql import parameters_of, select_of
        from pointsman.domain.numbers.sql_check import QueryRefused
    except ModuleNotFoundError:
        return
    dialect: Literal["sqlite", "postgres"] = "sqlite" if table.file else "postgres"
    try:
        select_of(metric.sql, dialect)
        used = parameters_of(metric.sql, dialect)
    except QueryRefused as fault:
        yield Fault((*place, "sql"), str(fault))
        return
    declared = {"parameters": set(metric.parameters), "context": set(metric.context)}
    if both := declared["parameters"] & declared["context"]:
        yield Fault((*place, "context", min(both)), "it is a parameter too", "remove one")
    known = declared["parameters"] | declared["context"]
    for name in used:
        if name not in known:
            hint = did_you_mean(name, sorted(known)) or f"write parameters: {{{name}: …}}"
            yield Fault((*place, "sql"), f":{name} is not declared", hint)
    for key, names in declared.items():
        for name in sorted(names - set(used)):
            yield Fault((*place, key, name), f"the SQL does not use :{name}", "remove it")
