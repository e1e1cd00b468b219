"""The SQL of a named metric. Its author is trusted to say what it reads; that it only reads, and
which parameters it has, is looked at here."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from pointsman.domain.numbers.sql_check import QueryRefused, first_word, parsed
from pointsman.domain.numbers.sql_words import Dialect


def select_of(sql: str, dialect: Dialect) -> exp.Query:
    """The one query of a text whose author is trusted; what it reads is not checked.

    Raises:
        QueryRefused: it is not one query, or changes something.
    """
    query = parsed(_with(lambda name: "NULL", sql, dialect), dialect)
    for node in query.walk():
        if isinstance(node, exp.DML | exp.DDL | exp.Command | exp.Into | exp.Lock):
            raise QueryRefused(f"expected a SELECT that only reads, not {first_word(node)}")
    return query


def parameters_of(sql: str, dialect: Dialect) -> tuple[str, ...]:
    """The names of the ``:name`` parameters, in the order of their first use."""
    return tuple(dict.fromkeys(name for _, _, name in _parameters(sql, dialect)))


def numbered(sql: str, types: Mapping[str, str]) -> str:
    """PostgreSQL's own form of a text with ``:name`` parameters: ``$1`` is the first of ``types``.

    Args:
        types: parameter → SQL type.
    """
    order = list(types)
    numbers = {name: f"CAST(${order.index(name) + 1} AS {types[name]})" for name in order}
    return _with(numbers.__getitem__, sql, "postgres").rstrip().rstrip(";")


def is_single_row(query: exp.Query) -> bool:
    """Whether the query can only give one row: aggregates over everything."""
    return (
        isinstance(query, exp.Select)
        and not query.args.get("group")
        and bool(query.expressions)
        and all(
            any(isinstance(node, exp.AggFunc) for node in one.walk())
            and not any(isinstance(node, exp.Window) for node in one.walk())
            for one in query.expressions
        )
    )


def _with(text_of: Callable[[str], str], sql: str, dialect: Dialect) -> str:
    """The text with another one for every parameter."""
    pieces, position = [], 0
    for start, end, name in _parameters(sql, dialect):
        pieces += [sql[position:start], text_of(name)]
        position = end
    return "".join([*pieces, sql[position:]])


def _parameters(sql: str, dialect: Dialect) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of every ``:name``."""
    try:
        tokens = sqlglot.tokenize(sql, dialect=dialect)
    except SqlglotError as fault:
        raise QueryRefused(f"the query cannot be read: {str(fault).splitlines()[0]}") from None
    for before, token in pairwise(tokens):
        if before.token_type is TokenType.COLON and token.start == before.end + 1:
            name = sql[token.start : token.end + 1]
            if name.isidentifier():
                yield before.start, token.end + 1, name
