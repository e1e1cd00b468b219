"""Numbers from real SQLite files and a real PostgreSQL: metrics, free questions, and the walls."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest

from pointsman.adapters.tools.sql import SqlSource
from pointsman.adapters.tools.sql_settings import Metric, SqlParameter, TableGrant
from pointsman.adapters.tools.sql_sqlite import SqliteDatabase
from pointsman.domain.results import json_text
from pointsman.domain.tools import ResultStatus, Risk
from tests.cases import CASES
from tests.support.databases import ask, call, fill_postgres, source, sqlite_file
from tests.support.fake_clock import FakeClock
from tests.support.waiting import until

pytestmark = pytest.mark.anyio

SINCE = SqlParameter(
    type="date", title={"zh": "起始日期", "en": "Since"}, default="2024-01-01", description="From."
)
METRICS = (
    Metric(
        name="count_users",
        sql="SELECT count(*) AS n FROM users WHERE joined >= :since -- all of them",
        title={"zh": "用户数", "en": "Users"},
        unit={"zh": "人", "en": "people"},
        description="How many users there are.",
        parameters={"since": SINCE},
    ),
    Metric(
        name="users_by_department",
        sql="SELECT department, count(*) AS n FROM users WHERE department IS NOT NULL"
        " AND (:like IS NULL OR name LIKE :like) GROUP BY department ORDER BY department;",
        title={"zh": "各部门人数", "en": "Users by department"},
        parameters={"like": SqlParameter(optional=True)},
    ),
    Metric(
        name="my_documents",
        sql="SELECT count(*) AS n FROM docs JOIN users ON users.id = docs.owner"
        " WHERE users.password = :me",
        context={"me": "user"},
    ),
)


class Office:
    """One of the two databases, and how to look at it from outside."""

    def __init__(
        self, given: dict[str, Any], outside: Callable[[str], list[tuple[Any, ...]]]
    ) -> None:
        self.given, self.outside = given, outside

    def source(self, **more: Any) -> SqlSource:
        return source(**self.given, **({"metrics": METRICS} | more))


@pytest.fixture(params=["sqlite", "postgres"])
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Office]:
    if request.param == "sqlite":
        file = sqlite_file(tmp_path)
        with closing(sqlite3.connect(file)) as connection:
            yield Office({"file": file}, lambda sql: connection.execute(sql).fetchall())
        return
    url = request.getfixturevalue("empty_postgres_url")
    fill_postgres(url)
    with psycopg.connect(url, autocommit=True) as outside:
        yield Office({"url": url}, lambda sql: outside.execute(sql.encode()).fetchall())


@pytest.fixture
async def desk(office: Office) -> AsyncIterator[SqlSource]:
    made = office.source(seconds=60)
    await made.open()
    yield made
    await made.aclose()


@pytest.fixture
async def impatient(office: Office) -> AsyncIterator[SqlSource]:
    """The same for a question that never ends."""
    made = office.source(seconds=1)
    await made.open()
    yield made
    await made.aclose()


# Metrics


async def test_a_metric_is_a_tool_that_only_reads(desk: SqlSource) -> None:
    spec = desk.tools()[0].spec
    assert (spec.name, spec.risk, spec.trusted) == ("count_users", Risk.READ, True)
    assert spec.titled("zh") == "用户数"
    assert spec.parameters["properties"]["since"]["format"] == "date"
    assert spec.parameters["required"] == []
    assert "chart" not in spec.parameters["properties"]


async def test_a_metrics_single_number_has_its_title_and_unit(desk: SqlSource) -> None:
    result = await call(desk, "count_users", "zh")
    assert result.content == "用户数：5 人"
    assert result.data["value"] == 5
    assert (await call(desk, "count_users", since="2024-02-21")).content == "Users: 3 people"


async def test_a_metric_of_rows_is_drawn(desk: SqlSource) -> None:
    result = await call(desk, "users_by_department", "zh")
    assert "研发部 | 2" in result.content
    assert result.data["chart"]["kind"] == "bar"
    assert result.data["chart"]["title"] == "各部门人数"
    asked = await call(desk, "users_by_department", chart="pie")
    assert asked.data["chart"]["kind"] == "pie"
    none = await call(desk, "users_by_department", chart="none")
    assert "chart" not in none.data


async def test_a_value_is_bound_and_never_part_of_the_sql(desk: SqlSource) -> None:
    result = await call(desk, "users_by_department", like="%O'Neil%")
    assert result.data["rows"] == [["研发部", 1]]
    harmless = await call(desk, "users_by_department", like="' OR 1=1; DROP TABLE users --")
    assert harmless.data["rows"] == []


async def test_what_the_engine_fills_in_is_no_parameter(desk: SqlSource) -> None:
    (tool,) = [one for one in desk.tools() if one.spec.name == "my_documents"]
    assert tool.spec.context == {"me": "user"}
    assert "me" not in tool.spec.parameters["properties"]
    assert (await call(desk, "my_documents", me="hunter2")).data["value"] == 2


# Free questions


async def test_the_model_is_told_what_it_may_read(desk: SqlSource) -> None:
    await desk.settle()
    told = desk.tools()[-1].spec.description
    assert "users(id integer, name text, department text: where" in told
    assert "who works here" in told
    assert "password" not in told
    assert "secrets" not in told


async def test_an_answer_is_a_table_with_types(desk: SqlSource) -> None:
    result = await ask(
        desk, "SELECT name, joined, salary, salary > 9000 AS much FROM users ORDER BY id"
    )
    assert [one["type"] for one in result.data["columns"]][:3] == ["text", "date", "number"]
    assert result.data["rows"][0][:3] == ["李明", "2024-01-15", 8000.5]
    assert result.data["rows"][4][2] is None
    assert "周\\|杰 | 2024-03-09 | null" in result.content
    assert json_text(result.data)


QUESTIONS = """
SELECT count(*) FROM users

SELECT department, count(*) AS n FROM users GROUP BY department HAVING count(*) > 1 ORDER BY n
  DESC, 1

SELECT department, sum(salary) AS s FROM users GROUP BY 1 ORDER BY s DESC NULLS LAST LIMIT 2

SELECT u.name, count(d.id) AS n FROM users u LEFT JOIN docs d ON d.owner = u.id GROUP BY u.id,
  u.name ORDER BY n DESC, u.name

SELECT name FROM users WHERE id IN (SELECT owner FROM docs WHERE pages > 5) ORDER BY name

SELECT name FROM users u WHERE NOT EXISTS (SELECT 1 FROM docs WHERE owner = u.id) ORDER BY id

WITH a AS (SELECT owner, sum(pages) AS p FROM docs GROUP BY owner), b AS (SELECT max(p) AS p
  FROM a) SELECT a.owner, a.p FROM a JOIN b ON a.p = b.p

SELECT name, rank() OVER (PARTITION BY department ORDER BY salary DESC) AS r FROM users WHERE
  department IS NOT NULL ORDER BY department, r

SELECT title FROM docs UNION SELECT name FROM users ORDER BY 1

SELECT id FROM users EXCEPT SELECT owner FROM docs ORDER BY id

SELECT CASE WHEN pages >= 10 THEN 'long' ELSE 'short' END AS size, count(*) FROM docs GROUP BY
  size ORDER BY size

SELECT upper(substr(title, 1, 2)) || '!' AS t FROM docs ORDER BY lower(title)

SELECT coalesce(department, '?') AS d, round(avg(salary), 1) AS a FROM users GROUP BY d ORDER BY
  d

SELECT DISTINCT department FROM users WHERE department <> '' ORDER BY department DESC

SELECT d.title, u.name FROM docs d JOIN users u ON u.id = d.owner WHERE u.name LIKE '%''%'

SELECT count(*) FILTER (WHERE pages > 9) AS long, count(DISTINCT owner) AS owners FROM docs

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n

SELECT "名称" FROM "部门" ORDER BY "编号"

SELECT id, name FROM users ORDER BY id LIMIT 2 OFFSET 1

SELECT pages * 2 + 1 AS p, -pages AS m, pages % 3 AS r, pages / 2 AS h FROM docs ORDER BY 1

SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id ORDER BY 1, 2

SELECT * FROM docs JOIN (SELECT id AS owner, name FROM users) AS o USING (owner) ORDER BY
  docs.id

SELECT min(joined), max(joined) FROM users WHERE joined BETWEEN '2024-02-01' AND '2024-02-28'

SELECT name AS id FROM users ORDER BY id

SELECT nullif(department, '财务部') IS NULL AS x, count(*) FROM users GROUP BY 1 ORDER BY 2
""".strip().split("\n\n")


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
async def test_the_checked_query_means_what_the_question_does(
    office: Office, desk: SqlSource, question: str
) -> None:
    result = await ask(desk, question)
    assert result.ok, result.content
    expected = [[_plain(value) for value in row] for row in office.outside(question)]
    assert [[_plain(value) for value in row] for row in result.data["rows"]] == expected


def _plain(value: Any) -> Any:
    try:
        return round(float(value), 6)
    except (TypeError, ValueError):
        return None if value is None else str(value)


async def test_nothing_found_is_said_as_final(desk: SqlSource) -> None:
    result = await ask(desk, "SELECT name FROM users WHERE id > 100")
    assert result.ok
    assert "this is final" in result.content


async def test_the_databases_own_fault_is_told(desk: SqlSource) -> None:
    result = await ask(desk, "SELECT sum(count(*)) FROM users")
    assert result.status is ResultStatus.ERROR
    assert "aggregate" in result.content


async def test_a_chart_that_cannot_be_drawn_is_explained(desk: SqlSource) -> None:
    result = await ask(desk, "SELECT name FROM users", chart="pie")
    assert "no chart" in result.content
    assert "chart" not in result.data


# The walls


@pytest.mark.parametrize("number", [0, 1])
async def test_a_writing_query_is_blocked(office: Office, desk: SqlSource, number: int) -> None:
    """X15"""
    statement = CASES["X15"]["input"]["statements"][number].replace(" t", " users")
    result = await ask(desk, statement)
    assert result.status is ResultStatus.REJECTED
    assert office.outside("SELECT count(*) FROM users") == [(5,)]


async def test_a_metric_that_writes_by_a_function_is_blocked_by_the_database(
    empty_postgres_url: str,
) -> None:
    """X15: behind the parser stands the read-only transaction."""
    fill_postgres(empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute(
            "CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM users; SELECT 1'"
        )
    wiping = Metric(name="wipe", sql="SELECT wipe()")
    result = await call(source(url=empty_postgres_url, metrics=(wiping,)), "wipe")
    assert result.status is ResultStatus.ERROR
    assert "read-only" in result.content


async def test_sqlite_itself_refuses_to_write_and_to_read_more(tmp_path: Path) -> None:
    """X15: the same queries past the parser."""
    database = SqliteDatabase(sqlite_file(tmp_path), FakeClock())
    database.grant({("", "users"): ("id", "name")})
    with (
        closing(database._connect()) as connection,
        pytest.raises(sqlite3.Error, match="readonly"),
    ):
        connection.execute("DELETE FROM users")
    authorize = database._permits
    assert not authorize.allows("users", "password", None)
    assert not authorize.allows("secrets", "", None)


@pytest.mark.parametrize(
    "statement", CASES["X18"]["input"]["statements"], ids=["X18-0", "X18-1", "X18-2"]
)
async def test_an_endless_query_and_a_huge_answer_are_stopped(
    desk: SqlSource, impatient: SqlSource, statement: str
) -> None:
    asked = impatient if "RECURSIVE" in statement else desk
    rows = ", ".join(["users u{}"] * 9)
    many = "(SELECT u0.id FROM " + rows.format(*range(9)) + ")"
    result = await ask(asked, statement.replace("FROM big a, big b", f"FROM {many} a, users b"))
    match statement.split()[1]:
        case "RECURSIVE":
            assert result.status is ResultStatus.TIMEOUT
            assert "stopped after 1 s" in result.content
        case "a.*":
            assert result.ok
            assert result.data["truncated"] is True
            assert len(result.data["rows"]) == 200
            assert "only the first 200 rows" in result.content
        case _:
            assert result.status is ResultStatus.REJECTED
            assert "set_config" in result.content


async def test_a_query_that_is_given_up_stops_in_the_database(office: Office) -> None:
    slow = office.source(seconds=60)
    await slow.settle()
    endless = CASES["X18"]["input"]["statements"][0]
    with anyio.move_on_after(0.3) as scope:
        await ask(slow, endless)
    assert scope.cancelled_caught
    await until(lambda: slow._threads.abandoned == 0)


async def test_the_event_loop_goes_on_while_a_query_runs(impatient: SqlSource) -> None:
    """X18"""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await anyio.sleep(0.01)
            beats += 1

    async with anyio.create_task_group() as group:
        group.start_soon(beat)
        await ask(impatient, CASES["X18"]["input"]["statements"][0])
        group.cancel_scope.cancel()
    assert beats > 10


async def test_long_values_and_many_bytes_are_cut(office: Office) -> None:
    small = office.source(bytes=500)
    result = await ask(small, "SELECT a.name, b.name, c.name FROM users a, users b, users c")
    assert result.data["truncated"]
    assert 0 < len(result.data["rows"]) < 125
    text = " || ".join(["name"] * 40)
    for _ in range(6):
        text = f"replace({text}, name, name || name)"
    result = await ask(small, f"SELECT {text} AS x FROM users WHERE id = 4")
    assert not result.ok or len(result.content) < 2500


async def test_a_view_is_read_without_its_tables(office: Office) -> None:
    views = office.source(tables=(TableGrant(name="staff"), TableGrant(name="staff_names")))
    assert (await ask(views, "SELECT name, strength FROM staff ORDER BY id LIMIT 1")).data[
        "rows"
    ] == [["李明", 7]]
    assert (await ask(views, "SELECT count(*) FROM staff_names")).data["value"] == 5
    assert (await ask(views, "SELECT password FROM staff")).status is ResultStatus.REJECTED
    assert (await ask(views, "SELECT name FROM users")).status is ResultStatus.REJECTED


async def test_postgresql_reads_as_the_role(empty_postgres_url: str) -> None:
    fill_postgres(empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("DROP ROLE IF EXISTS office_reader")
        connection.execute("CREATE ROLE office_reader")
        connection.execute("GRANT SELECT ON docs TO office_reader")
    desk = source(url=empty_postgres_url, role="office_reader")
    assert (await ask(desk, "SELECT count(*) FROM docs")).data["value"] == 4
    denied = await ask(desk, "SELECT count(*) FROM users")
    assert denied.status is ResultStatus.ERROR
    assert "permission denied" in denied.content


async def test_now_is_in_the_agents_zone(empty_postgres_url: str) -> None:
    fill_postgres(empty_postgres_url)
    result = await ask(source(url=empty_postgres_url), "SELECT now() AS t")
    assert result.data["value"].endswith("+08:00")


# What is missing


async def test_a_database_that_cannot_be_reached_is_tried_again(tmp_path: Path) -> None:
    clock = FakeClock()
    desk = source(file=tmp_path / "office #1.db", metrics=METRICS, clock=clock)
    await desk.settle()
    assert "no database file" in desk.state()
    assert (await call(desk, "count_users")).retryable
    told = desk.absent("query_database")
    assert told is not None
    assert told.retryable
    sqlite_file(tmp_path)
    clock.advance(11)
    await desk.settle()
    assert desk.state() == "ready"
    assert desk.absent("query_database") is None


async def test_a_server_that_cannot_be_reached_keeps_its_password() -> None:
    desk = source(url="postgresql://someone:hunter2@127.0.0.1:1/office", metrics=METRICS)
    result = await call(desk, "count_users")
    assert result.status is ResultStatus.FAILED
    assert "hunter2" not in result.content + desk.state()


async def test_a_granted_table_that_is_not_there_is_left_out(office: Office) -> None:
    desk = office.source(
        tables=(TableGrant(name="nothing"), TableGrant(name="docs", columns={"id": "", "x": ""}))
    )
    result = await ask(desk, "SELECT * FROM docs WHERE id = 1")
    assert result.data["rows"] == [[1]]
    assert "tables: docs" in (await ask(desk, "SELECT * FROM nothing")).content
