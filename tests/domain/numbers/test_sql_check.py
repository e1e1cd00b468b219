"""One harmless SELECT passes, bound to what may be read; everything else is refused with a reason
that a model can mend."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.numbers.metric_sql import is_single_row, numbered, parameters_of, select_of
from pointsman.domain.numbers.sql_check import QueryRefused, Readable, ReadableTable, checked
from pointsman.domain.numbers.sql_words import Dialect
from tests.cases import CASES

DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
TABLES = (
    ReadableTable(name="users", columns=("id", "name", "部门", "deleted_at", "update_time")),
    ReadableTable(name="docs", columns=("id", "owner", "title")),
    ReadableTable(name="t", columns=("id", "deleted_at", "update_time")),
    ReadableTable(name="Orders", schema="sales", columns=("id", "Total")),
)


def check(sql: str, dialect: Dialect = "sqlite") -> str:
    tables = TABLES if dialect == "postgres" else TABLES[:3]
    return checked(sql, Readable(dialect=dialect, tables=tables)).sql


def refused(sql: str, dialect: Dialect = "sqlite") -> str:
    with pytest.raises(QueryRefused) as caught:
        check(sql, dialect)
    return str(caught.value)


ALLOWED = [
    "SELECT count(*) FROM users",
    "select 部门, count(*) as 人数 from users group by 部门 having count(*) > 1 order by 人数 desc",
    "SELECT u.name, d.title FROM users u LEFT JOIN docs d ON d.owner = u.id",
    "SELECT * FROM users JOIN docs USING (id)",
    "WITH x AS (SELECT * FROM users) SELECT name FROM x WHERE id IN (SELECT owner FROM docs)",
    "SELECT name FROM users UNION SELECT title FROM docs ORDER BY 1 LIMIT 5",
    "SELECT name, row_number() OVER (PARTITION BY 部门 ORDER BY id) AS n FROM users",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "SELECT CASE WHEN id > 1 THEN 'a' ELSE 'b' END AS k, sum(id) FROM users GROUP BY k",
    "SELECT count(DISTINCT name), avg(id), max(name), min(name) FROM users",
    "SELECT name FROM users WHERE id BETWEEN 1 AND 3 AND name LIKE 'a%' AND NOT id IS NULL;",
    "SELECT 'please DELETE me; DROP TABLE users' AS s",
    "SELECT id FROM users -- DELETE FROM users",
    'SELECT "name" FROM "users"',
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", ALLOWED)
def test_a_question_passes(sql: str, dialect: Dialect) -> None:
    assert check(sql, dialect)


def _statements(case: str) -> list[object]:
    statements = CASES[case]["input"]["statements"]
    return [pytest.param(one, id=f"{case}-{n}") for n, one in enumerate(statements)]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", _statements("X15"))
def test_a_query_that_writes_behind_with_is_refused(sql: str, dialect: Dialect) -> None:
    assert "DELETE" in refused(sql, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", _statements("X19"))
def test_a_word_in_a_text_or_a_name_is_not_a_statement(sql: str, dialect: Dialect) -> None:
    assert check(sql, dialect)


REFUSED: dict[str, str] = {
    "": "no statements",
    "SELECT": "",
    "SELECT 1; SELECT 2": "2 statements",
    "SELECT id FROM users; DROP TABLE users": "2 statements",
    "DROP TABLE users": "not DROP",
    "UPDATE users SET name = 'x'": "not UPDATE",
    "INSERT INTO users SELECT * FROM users": "not INSERT",
    "VALUES (1)": "not VALUES",
    "PRAGMA table_info(users)": "one SELECT",
    "ATTACH 'x' AS y": "",
    "EXPLAIN SELECT 1": "not EXPLAIN",
    "SET statement_timeout = 0": "not SET",
    "COPY users TO '/tmp/x'": "not COPY",
    "CALL p()": "one SELECT",
    "VACUUM": "not VACUUM",
    "SELECT * INTO x FROM users": "INTO",
    "SELECT * FROM users FOR UPDATE": "LOCK",
    "SELECT * FROM secrets": "tables: users, docs, t",
    "SELECT * FROM user": "did you mean users?",
    "SELECT * FROM other.users": "other.users",
    "SELECT * FROM a.b.users": "users",
    "SELECT * FROM sqlite_master": "sqlite_master",
    "SELECT * FROM pg_catalog.pg_shadow": "pg_shadow",
    "SELECT * FROM information_schema.tables": "information_schema.tables",
    "SELECT (SELECT word FROM secrets) FROM users": "'secrets'",
    "SELECT id FROM users WHERE EXISTS (SELECT 1 FROM secrets)": "'secrets'",
    "SELECT id FROM users UNION SELECT word FROM secrets": "'secrets'",
    "WITH x AS (SELECT * FROM secrets) SELECT * FROM x": "'secrets'",
    "WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets": "'secrets'",
    "SELECT * FROM secrets, (WITH secrets AS (SELECT 1 a) SELECT * FROM secrets) AS x": "secrets",
    "WITH users AS (SELECT 1 AS a) SELECT a FROM users": "the name of a table",
    "WITH pg_shadow AS (SELECT 1 AS a) SELECT a FROM pg_shadow": "pg_",
    "SELECT password FROM users": "users has id, name, 部门",
    "SELECT nmae FROM users": "did you mean name?",
    "SELECT u.password FROM users AS u": "'password'",
    "SELECT \"password\" FROM users": "'password'",
    "SELECT count(password) FROM users": "'password'",
    "SELECT id FROM users WHERE password LIKE 'a%'": "'password'",
    "SELECT id FROM users ORDER BY password": "'password'",
    "SELECT id FROM users GROUP BY password": "'password'",
    "SELECT id FROM users ORDER BY (SELECT password)": "'password'",
    "SELECT (SELECT u.password) FROM users u": "'password'",
    "SELECT sum(id) OVER w FROM users WINDOW w AS (PARTITION BY password)": "'password'",
    "SELECT * FROM users JOIN docs USING (password)": "",
    "SELECT * FROM users NATURAL JOIN docs": "NATURAL JOIN",
    "SELECT rowid FROM users": "'rowid'",
    "SELECT ctid FROM users": "'ctid'",
    "SELECT users FROM users": "",
    "SELECT u FROM (SELECT * FROM users) AS u": "",
    "SELECT max(u) FROM users AS u": "",
    "SELECT count(users.*) FROM users": "",
    "SELECT id FROM users ORDER BY lower(password)": "'password'",
    "SELECT id AS password FROM users UNION SELECT id FROM docs ORDER BY lower(password)": "",
    "SELECT pg_sleep(10)": "the function pg_sleep is not allowed",
    "SELECT \"pg_sleep\"(10)": "not allowed",
    "SELECT pg_catalog.pg_sleep(10)": "not allowed",
    "SELECT set_config('statement_timeout', '0', true)": "set_config",
    "SELECT current_setting('data_directory')": "current_setting",
    "SELECT pg_read_file('/etc/passwd')": "pg_read_file",
    "SELECT lo_import('/etc/passwd')": "lo_import",
    "SELECT query_to_xml('SELECT * FROM secrets', true, true, '')": "query_to_xml",
    "SELECT nextval('s')": "nextval",
    "SELECT pg_advisory_lock(1)": "pg_advisory_lock",
    "SELECT load_extension('x')": "load_extension",
    "SELECT readfile('/etc/passwd')": "readfile",
    "SELECT randomblob(1000000000)": "randomblob",
    "SELECT zeroblob(1000000000)": "zeroblob",
    "SELECT repeat('x', 1000000000)": "repeat",
    "SELECT current_user": "current_user",
    "SELECT version()": "version",
    "SELECT date_format(update_time, '%Y') FROM users": "for parts of a date use",
    "SELECT * FROM pragma_table_info('users')": "pragma_table_info",
    "SELECT * FROM json_each('[1]')": "json_each",
    "SELECT * FROM generate_series(1, 1000000000)": "generate_series",
    "SELECT * FROM pg_ls_dir('/')": "pg_ls_dir",
    "SELECT * FROM dblink('host=evil', 'SELECT 1') AS t(a int)": "dblink",
    "SELECT id FROM users WHERE id = :x": "PLACEHOLDER",
    "SELECT id FROM users WHERE id = ?": "PLACEHOLDER",
    "SELECT CAST(name AS regclass) FROM users": "",
    "SELECT CAST(name AS users) FROM users": "",
    "SELECT id FROM users WHERE": "cannot be read",
    "SELECT id FROM users WHERE (id = 1": "cannot be read",
    "SELECT " + "(" * 2000 + "1" + ")" * 2000: "nested too deeply",
    "SELECT " + "+".join(["id"] * 900) + " FROM users": "too large",
    "SELECT 1" + " " * 6000: "longer than",
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", list(REFUSED), ids=lambda sql: sql[:60])
def test_anything_else_is_refused_with_a_reason(sql: str, dialect: Dialect) -> None:
    assert REFUSED[sql] in refused(sql, dialect)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id::regclass FROM users",
        "SELECT (users).name FROM users",
        "SELECT to_jsonb(users) FROM users",
        "SELECT row(users.*) FROM users",
        "SELECT array[users] FROM users",
        "SELECT * FROM users TABLESAMPLE SYSTEM (10)",
        "SELECT users.xmin FROM users",
        "SELECT E'\\x41'",
        "SELECT $1",
        "SELECT * FROM users u, LATERAL (SELECT u.password) x",
        "SELECT * FROM users, LATERAL pg_sleep(1)",
        "SELECT id FROM \"Users\"",
        "SELECT total FROM sales.\"Orders\"",
    ],
)  # fmt: skip
def test_postgresqls_own_ways_are_refused(sql: str) -> None:
    assert refused(sql, "postgres")


def test_a_star_stands_for_what_may_be_read() -> None:
    assert check("SELECT * FROM docs") == (
        'SELECT "docs"."id" AS "id", "docs"."owner" AS "owner", "docs"."title" AS "title" '
        'FROM "main"."docs" AS "docs"'
    )


def test_the_alias_of_a_result_never_means_a_hidden_column_of_its_table() -> None:
    """In ORDER BY lower(x) a database takes x for the table's column."""
    bound = check("SELECT id AS password FROM users ORDER BY lower(password)", "postgres")
    assert bound.endswith('ORDER BY LOWER(("users"."id"))')
    assert (
        "password" not in check("SELECT id AS password FROM t WHERE password > 1").split("FROM")[1]
    )


def test_names_of_columns_are_those_of_the_question() -> None:
    readable = Readable(dialect="sqlite", tables=TABLES[:3])
    query = checked("SELECT count(*), name AS n, 部门, id + 1 FROM users", readable)
    assert query.columns == ("count(*)", "n", "部门", "id + 1")


def test_a_table_of_another_schema_is_named_with_it() -> None:
    assert '"sales"."Orders"' in check('SELECT "Total" FROM sales."Orders"', "postgres")
    assert 'sales."Orders"' in refused("SELECT 1 FROM x", "postgres")


def test_sqlite_names_are_read_in_any_case() -> None:
    assert check("SELECT NAME FROM Users") == check("select name from users")


@given(st.text(max_size=60), st.sampled_from(DIALECTS))
def test_any_text_passes_or_is_refused(text: str, dialect: Dialect) -> None:
    for sql in (text, f"SELECT {text} FROM users", f"SELECT id FROM users WHERE name = '{text}"):
        with suppress(QueryRefused):
            check(sql, dialect)


# Metrics


def test_parameters_are_found_where_they_are_parameters() -> None:
    sql = "SELECT a::int, b[1:2] FROM t WHERE c = :since AND d = ':no' AND e > :top -- :neither"
    assert parameters_of(sql, "postgres") == ("since", "top")


def test_parameters_are_numbered_with_their_types() -> None:
    sql = "SELECT count(*) FROM t WHERE a >= :since AND (b = :who OR c > :since);"
    assert numbered(sql, {"who": "text", "since": "date"}) == (
        "SELECT count(*) FROM t WHERE a >= CAST($2 AS date) AND (b = CAST($1 AS text) OR "
        "c > CAST($2 AS date))"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x",
        "SELECT 1; SELECT 2",
        "SELECT 1 INTO t",
        "VACUUM",
    ],
)
def test_a_metric_only_reads(sql: str) -> None:
    with pytest.raises(QueryRefused):
        select_of(sql, "postgres")


@pytest.mark.parametrize(
    ("sql", "single"),
    [
        ("SELECT count(*), sum(a) / 2 FROM t", True),
        ("SELECT a, count(*) FROM t GROUP BY a", False),
        ("SELECT count(*) OVER () FROM t", False),
        ("SELECT a FROM t", False),
    ],
)
def test_a_query_of_aggregates_alone_gives_one_row(sql: str, single: bool) -> None:
    assert is_single_row(select_of(sql, "sqlite")) is single
