"""What an agent file says of a database: where it is, its metrics, and what may be read of it.

Needs neither sqlglot nor psycopg, so that a file can be read without the ``sql`` extra.
"""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from pointsman.domain.numbers.charts import ChartKind
from pointsman.domain.numbers.sql_words import Dialect
from pointsman.errors import SettingsError, ToolSourceError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PASSWORD = re.compile(r"(?<=:)[^:@/]+(?=@)|(?<=password=)[^&\s]+", re.IGNORECASE)

ParameterType = Literal["text", "integer", "number", "boolean", "date"]
Plain = str | int | float | bool | None


class SqlParameter(Struct, frozen=True, kw_only=True):
    """A value that a metric takes.

    Attributes:
        title: for people, by language.
        description: for the model.
        optional: null when it is not given.
        default: taken when it is not given; None for none.
    """

    type: ParameterType = "text"
    title: dict[str, str] = {}
    description: str = ""
    choices: tuple[Plain, ...] = ()
    optional: bool = False
    default: Plain = None


class Metric(Struct, frozen=True, kw_only=True):
    """A number or table that its author knows how to get.

    Attributes:
        name: of the tool.
        sql: one query with ``:name`` for each parameter.
        title: for people, by language; so is the unit.
        context: parameter → the field that the engine fills in.
        chart: the kind that it is drawn as; ``none`` for never, empty for what fits.
    """

    name: str
    sql: str
    title: dict[str, str] = {}
    description: str = ""
    unit: dict[str, str] = {}
    parameters: dict[str, SqlParameter] = {}
    context: dict[str, str] = {}
    chart: ChartKind | Literal["none", ""] = ""


class TableGrant(Struct, frozen=True, kw_only=True):
    """A table or view that free questions may read.

    Attributes:
        name: as the database writes it, ``schema.name`` outside of the default schema.
        columns: column → what it is, in words; None for all that there are.
    """

    name: str
    about: str = ""
    columns: dict[str, str] | None = None


class SqlLimits(Struct, frozen=True, kw_only=True):
    """What one query may take: rows and bytes of its answer, seconds of its life."""

    rows: int = 200
    seconds: float = 5.0
    bytes: int = 100_000


class SqlSettings(Struct, frozen=True, kw_only=True):
    """A database and the tools that it makes. ``${NAME}`` stands for a variable of our own
    environment.

    Attributes:
        name: of the source; unique in an agent.
        file: of a SQLite database; relative to the agent folder.
        seed: a file of SQL that makes the SQLite file when it is not there; relative likewise.
        url: of a PostgreSQL database. Either this or ``file``.
        role: that PostgreSQL's queries run as, after connecting.
        tables: what free questions may read; without any there are none.
        query_tool: the name of the tool for those.
        trusted: whether what the tables hold counts as our own words.
    """

    name: str
    file: str = ""
    seed: str = ""
    url: str = ""
    role: str = ""
    metrics: tuple[Metric, ...] = ()
    tables: tuple[TableGrant, ...] = ()
    query_tool: str = "query_database"
    limits: SqlLimits = SqlLimits()
    trusted: bool = True

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.url):
            raise SettingsError(f"database {self.name!r} needs either a file or a url")

    @property
    def dialect(self) -> Dialect:
        return "sqlite" if self.file else "postgres"


def filled(text: str, environ: Mapping[str, str]) -> str:
    """The text with every ``${NAME}`` replaced.

    Raises:
        ToolSourceError: the environment has no such variable.
    """

    def value(found: re.Match[str]) -> str:
        if not environ.get(found[1]):
            raise ToolSourceError(f"the environment variable {found[1]} is not set")
        return environ[found[1]]

    return _VARIABLE.sub(value, text)


def passwords(url: str) -> tuple[str, ...]:
    """The secrets of a database's address, to keep out of texts."""
    return tuple(found[0] for found in _PASSWORD.finditer(url))
