"""Whether a text is one harmless ``SELECT`` over tables that may be read, and the same query in the
form that runs.

The query that runs is written anew from what was checked: names are bound to their tables, ``*``
stands for the columns that may be read, comments are gone. So a parser that reads a text otherwise
than the database opens no way, and nothing can mean a column that is not on the list. This is one
wall of two: the connection only reads, and the database's own rights hold behind it.

Refusals are sentences for the model, which may mend its query.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain

import sqlglot
from msgspec import Struct
from sqlglot import exp
from sqlglot.errors import OptimizeError, ParseError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from pointsman.domain.numbers.sql_words import FUNCTIONS, INFIX, SYNTAX, TYPES, Dialect
from pointsman.errors import ModelFacingError

LONGEST = 5_000
MOST_NODES = 1_500
"""Binding the names of a query takes time that grows with the square of this."""

_NAME = 60
_CALL = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\(")
_PLAIN_NAME = re.compile(r"[a-z_][a-z_0-9]*|[^\x00-\x7f]+")
_UNRESOLVED = re.compile(r"Column '(?P<name>.+?)' could not be resolved|Unknown column: (?P<of>.+)")
_DEFAULT: dict[Dialect, str] = {"sqlite": "main", "postgres": "public"}
_OF_DATES = re.compile("date|time|year|month|week|day|hour|quarter|format|strf|to_char|now")
_DATES: dict[Dialect, str] = {
    "sqlite": "; for parts of a date use strftime('%Y-%m', column)",
    "postgres": "; for parts of a date use to_char(column, 'YYYY-MM'), date_trunc or extract",
}


class QueryRefused(ModelFacingError):
    """The query does not run: what is wrong, and what is allowed."""


class ReadableTable(Struct, frozen=True, kw_only=True):
    """A table or view that may be read.

    Attributes:
        schema: of the database; empty for its default one.
        columns: those that may be read, in the order that ``*`` has; names as the database writes
            them.
    """

    name: str
    schema: str = ""
    columns: tuple[str, ...]


class Readable(Struct, frozen=True, kw_only=True):
    """All that questions to a database may read."""

    dialect: Dialect
    tables: tuple[ReadableTable, ...]


class CheckedQuery(Struct, frozen=True, kw_only=True):
    """A query that may run.

    Attributes:
        sql: as it runs.
        columns: the names of the result's columns, as the question wrote them.
    """

    sql: str
    columns: tuple[str, ...]


def checked(sql: str, readable: Readable) -> CheckedQuery:
    """The query in the form that runs.

    Raises:
        QueryRefused: says what to change.
    """
    query = parsed(sql, readable.dialect)
    _check_shape(query, readable.dialect)
    _name_columns(query, readable.dialect)
    bound = _bound(query, readable)
    for column in list(bound.find_all(exp.Column)):
        _check_column(column)
    _check_shape(bound, readable.dialect)
    return CheckedQuery(
        sql=bound.sql(readable.dialect, comments=False), columns=tuple(bound.named_selects)
    )


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return name if _PLAIN_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def parsed(sql: str, dialect: Dialect) -> exp.Query:
    if len(sql) > LONGEST:
        raise QueryRefused(f"the query is longer than {LONGEST} characters")
    try:
        statements = [one for one in sqlglot.parse(sql, dialect=dialect) if one is not None]
    except ParseError as fault:
        raise QueryRefused(_unreadable(fault)) from None
    except SqlglotError as fault:
        raise QueryRefused(f"the query cannot be read: {str(fault).splitlines()[0]}") from None
    except RecursionError:
        raise QueryRefused("the query is nested too deeply") from None
    statements = [one for one in statements if not isinstance(one, exp.Semicolon)]
    if len(statements) != 1:
        number = len(statements) or "no"
        raise QueryRefused(f"expected one SELECT, not {number} statements")
    (query,) = statements
    if not isinstance(query, exp.Select | exp.SetOperation | exp.Subquery):
        raise QueryRefused(f"expected one SELECT, not {first_word(query)}")
    if isinstance(query, exp.Select) and not query.expressions:
        raise QueryRefused("the SELECT has no columns")
    return query


def _unreadable(fault: ParseError) -> str:
    if not fault.errors:
        return "the query cannot be read as SQL"
    first = fault.errors[0]
    near = str(first.get("highlight") or "").strip()
    where = f" at line {first.get('line')}, column {first.get('col')}"
    shown = f", near {near[:40]!r}" if near else ""
    return f"the query cannot be read: {first.get('description')}{where}{shown}"


def first_word(node: exp.Expr) -> str:
    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _check_shape(query: exp.Expr, dialect: Dialect) -> None:
    """Refuse every piece of syntax, function and type that is not on the lists."""
    for number, node in enumerate(query.walk()):
        if number > MOST_NODES:
            raise QueryRefused("the query is too large; ask for less at once")
        if isinstance(node, exp.Func):
            _check_function(node, dialect)
        elif type(node).__name__ not in SYNTAX:
            raise QueryRefused(
                f"{first_word(node)} is not allowed here: only a SELECT with joins, conditions, "
                "groups, windows and the usual functions"
            )
        elif isinstance(node, exp.DataType):
            _check_type(node)
        elif isinstance(node, exp.Join) and node.method == "NATURAL":
            raise QueryRefused("NATURAL JOIN is not allowed: write JOIN … ON")
        elif isinstance(node, exp.Lateral) and not isinstance(node.this, exp.Subquery):
            raise QueryRefused("functions are not allowed in FROM")


def _check_function(node: exp.Func, dialect: Dialect) -> None:
    allowed = FUNCTIONS[dialect]
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        name = node.this if isinstance(node.this, str) else node.name + " (quoted)"
    elif found := _CALL.match(node.sql(dialect)):
        name = found[1]
    elif type(node).__name__ in INFIX:
        return
    else:
        name = first_word(node).replace(" ", "_")
    if name.lower() in allowed:
        return
    near = get_close_matches(name.lower(), sorted(allowed), 3, 0.7)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    hint += _DATES[dialect] if _OF_DATES.search(name.lower()) else ""
    raise QueryRefused(f"the function {name.lower()} is not allowed{hint}")


def _check_type(node: exp.DataType) -> None:
    kind = node.this
    name = kind.name if isinstance(kind, exp.DataType.Type) else str(kind)
    if name not in TYPES:
        raise QueryRefused(
            f"a cast to {node.sql().lower()} is not allowed; "
            "use integer, numeric, text, boolean, date, timestamp or interval"
        )


def _name_columns(query: exp.Query, dialect: Dialect) -> None:
    """Give every unnamed column of the result its own text as a name."""
    first: exp.Expr = query
    while not isinstance(first, exp.Select):
        first = first.this
    for one in first.expressions:
        if not one.output_name and not one.is_star:
            one.replace(
                exp.alias_(one.copy(), one.sql(dialect, comments=False)[:_NAME], quoted=True)
            )


def _bound(query: exp.Query, readable: Readable) -> exp.Query:
    """The query with every name bound to a table and a column that may be read."""
    dialect, tables = readable.dialect, _by_place(readable)
    own_names = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    if taken := own_names & {name.lower() for _, name in tables}:
        raise QueryRefused(f"WITH {min(taken)}: this is the name of a table; take another one")
    if any(name.startswith(("pg_", "sqlite_")) for name in own_names):
        raise QueryRefused("a name in WITH must not start with pg_ or sqlite_")

    def check(table: exp.Table) -> None:
        _check_table(table, tables, readable)

    try:
        return qualify(
            query,
            dialect=dialect,
            db=_DEFAULT[dialect],
            schema=MappingSchema(_mapping(tables), dialect=dialect, normalize=False),
            on_qualify=check,
        )
    except OptimizeError as fault:
        raise QueryRefused(_unbound(fault, query, tables)) from None
    except RecursionError:
        raise QueryRefused("the query is nested too deeply") from None
    except SqlglotError as fault:
        raise QueryRefused(f"the query cannot be read: {str(fault).splitlines()[0]}") from None


Tables = dict[tuple[str, str], tuple[str, ...]]
"""(schema, table) → columns, as a query names them."""


def _by_place(readable: Readable) -> Tables:
    def folded(name: str) -> str:
        return name.lower() if readable.dialect == "sqlite" else name

    return {
        (folded(one.schema) or _DEFAULT[readable.dialect], folded(one.name)): tuple(
            map(folded, one.columns)
        )
        for one in readable.tables
    }


def _mapping(tables: Tables) -> dict[str, object]:
    return {
        schema: {
            name: dict.fromkeys(columns, "unknown")
            for (of, name), columns in tables.items()
            if of == schema
        }
        for schema in {schema for schema, _ in tables}
    }


def _check_table(table: exp.Table, tables: Tables, readable: Readable) -> None:
    if not isinstance(table.this, exp.Identifier):
        raise QueryRefused("functions are not allowed in FROM")
    if not table.catalog and (table.db, table.name) in tables:
        return
    shown = table.name if table.db == _DEFAULT[readable.dialect] else f"{table.db}.{table.name}"
    near = get_close_matches(table.name.lower(), [name for _, name in tables], 1, 0.7)
    hint = f"did you mean {quoted(near[0])}? " if near else ""
    raise QueryRefused(
        f"there is no table {shown!r} that may be read; {hint}tables: {_listed_tables(tables)}"
    )


def _listed_tables(tables: Tables) -> str:
    defaults = set(_DEFAULT.values())
    return ", ".join(
        quoted(name) if schema in defaults else f"{quoted(schema)}.{quoted(name)}"
        for schema, name in tables
    )


def _unbound(fault: OptimizeError, query: exp.Query, tables: Tables) -> str:
    """The sentence for a column that is not there, or may not be read: the two look alike."""
    text = str(fault).splitlines()[0]
    found = _UNRESOLVED.search(text)
    if not found:
        return f"the query cannot be read: {text.split(' Line: ')[0]}"
    used = {(table.db, table.name) for table in query.find_all(exp.Table)}
    places = [place for place in tables if place in used] or list(tables)
    name = (found["name"] or found["of"]).split(".")[-1].strip("'\" ")
    columns = "; ".join(f"{quoted(place[1])} has {_listed(tables[place])}" for place in places)
    known = chain.from_iterable(tables[place] for place in places)
    near = get_close_matches(name.lower(), list(known), 1, 0.7)
    hint = f"did you mean {quoted(near[0])}? " if near else ""
    return f"there is no column {name!r} that may be read here; {hint}{columns}"


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(quoted, columns))


def _check_column(column: exp.Column) -> None:
    """Refuse what could mean a whole row, or a column by another way.

    The alias of a result column is written out where the database would first look for a table's
    column of that name: inside of a longer term of ORDER BY.
    """
    name = column.name
    if isinstance(column.this, exp.Star) or column.args.get("db"):
        raise QueryRefused(f"{column.sql()} is not allowed; name the columns")
    if column.table:
        return
    query, term = column.find_ancestor(exp.Query), column.parent
    if isinstance(query, exp.Query) and name in query.named_selects and _takes_alias(term, query):
        return
    meant = _projection(query, name) if column.find_ancestor(exp.Ordered) else None
    if meant is None:
        raise QueryRefused(f"{name!r} is not a column here; write it as table.column")
    column.replace(exp.paren(meant.copy()))


def _takes_alias(term: exp.Expr | None, query: exp.Query) -> bool:
    """Whether a name that is this whole term of the query's ORDER BY or DISTINCT ON is a result's
    column for every database."""
    if isinstance(term, exp.Ordered):
        return term.parent is query.args.get("order")
    return isinstance(term, exp.Tuple) and isinstance(term.parent, exp.Distinct)


def _projection(query: exp.Expr | None, name: str) -> exp.Expr | None:
    found = query.expressions if isinstance(query, exp.Select) else []
    return next((one.unalias() for one in found if one.output_name == name), None)
