"""A database in agent.yaml: what it becomes, and every fault at its line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from pointsman import agentfile, bootstrap
from pointsman.adapters.tools.sql_settings import Metric, SqlLimits, SqlParameter, TableGrant
from pointsman.errors import AgentFileError
from tests.support.databases import call
from tests.support.fake_clock import FakeClock

LEAST = "agent: desk\noffline: {fallback: Sorry.}\ntools:\n"
WHOLE = """\
- sql:
    name: office
    file: office.db
    metrics:
      count_users:
        title: {zh: 用户数, en: Users}
        description: How many users there are.
        unit: {zh: 人, en: people}
        sql: SELECT count(*) AS n FROM users WHERE department = :department OR :department IS NULL
        parameters:
          department: {title: {zh: 部门, en: Department}, choices: [hr, it], optional: yes}
        chart: none
    tables:
      users: {about: who works here, columns: {id: "", department: where}}
      docs: [id, title]
      notes: "*"
    limits: {rows: 10, seconds: 2.5}
    trust: untrusted
"""


def load(folder: Path, tools: str) -> agentfile.AgentFile:
    (folder / "agent.yaml").write_text(LEAST + tools, encoding="utf-8")
    return agentfile.load(folder)


def test_a_database_is_read(tmp_path: Path) -> None:
    (declared,) = load(tmp_path, WHOLE).tools
    assert isinstance(declared, agentfile.SqlDatabase)
    settings = declared.settings
    assert (settings.name, settings.file, settings.dialect) == ("office", "office.db", "sqlite")
    assert settings.trusted is False
    assert settings.limits == SqlLimits(rows=10, seconds=2.5)
    assert settings.tables == (
        TableGrant(name="users", about="who works here", columns={"id": "", "department": "where"}),
        TableGrant(name="docs", columns={"id": "", "title": ""}),
        TableGrant(name="notes"),
    )
    assert settings.metrics == (
        Metric(
            name="count_users",
            title={"zh": "用户数", "en": "Users"},
            description="How many users there are.",
            unit={"zh": "人", "en": "people"},
            sql="SELECT count(*) AS n FROM users WHERE department = :department"
            " OR :department IS NULL",
            parameters={
                "department": SqlParameter(
                    title={"zh": "部门", "en": "Department"}, choices=("hr", "it"), optional=True
                )
            },
            chart="none",
        ),
    )


@pytest.mark.anyio
async def test_its_tools_answer(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "office.db")) as connection, connection:
        connection.executescript(
            "CREATE TABLE users (id, department, password);"
            "INSERT INTO users VALUES (1, 'hr', 'x'), (2, 'it', 'y');"
            "CREATE TABLE docs (id, title); CREATE TABLE notes (id);"
        )
    (source,) = bootstrap.tool_sources(load(tmp_path, WHOLE), FakeClock())
    await source.settle()
    assert [tool.spec.name for tool in source.tools()] == ["count_users", "query_database"]
    assert not source.tools()[0].spec.trusted
    result = await call(source, "count_users", "zh", department="hr")
    assert result.content == "用户数：1 人"
    result = await call(source, "query_database", query="SELECT * FROM users ORDER BY id")
    assert result.data["rows"] == [[1, "hr"], [2, "it"]]


def test_an_address_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = load(tmp_path, "- sql: {name: o, url: '${OFFICE_URL}', tables: {t: '*'}}\n")
    monkeypatch.delenv("OFFICE_URL", raising=False)
    with pytest.raises(AgentFileError, match="OFFICE_URL is not set") as caught:
        bootstrap.tool_sources(file, FakeClock())
    assert (caught.value.line, caught.value.field) == (4, "tools[0].sql.url")
    monkeypatch.setenv("OFFICE_URL", "postgresql://someone@127.0.0.1:1/office")
    assert bootstrap.tool_sources(file, FakeClock())[0].name == "o"


ONE = "- sql:\n    name: o\n    file: o.db\n    metrics:\n      m:\n        sql: "
FAULTS: dict[str, tuple[str, int, str, str]] = {
    "no address": ("- sql: {name: o, tables: {t: '*'}}\n", 4, "tools[0].sql", "needs either file"),
    "no tool": ("- sql: {name: o, file: o.db}\n", 4, "tools[0].sql", "makes no tool"),
    "not its address": (
        "- sql: {name: o, url: 'mysql://x/y', tables: {t: '*'}}\n", 4, "tools[0].sql", "postgresql://",
    ),
    "password": (
        "- sql: {name: o, url: 'postgresql://me:hunter2@db/office', tables: {t: '*'}}\n",
        4, "tools[0].sql.url", "a secret stands in the address",
    ),
    "beside": (
        "- sql: {name: o, file: o.db, tables: {t: '*'}}\n  risk: read\n",
        4, "tools[0]", "inside of sql",
    ),
    "unknown key": (
        "- sql: {name: o, file: o.db, tabels: {}}\n",
        4, "tools[0].sql.tabels", "did you mean 'tables'",
    ),
    "writes": (ONE + "DELETE FROM t\n", 9, "tools[0].sql.metrics.m.sql", "not DELETE"),
    "two": (ONE + "SELECT 1; SELECT 2\n", 9, "tools[0].sql.metrics.m.sql", "2 statements"),
    "no sql": (ONE + "how many users\n", 9, "tools[0].sql.metrics.m.sql", "near 'users'"),
    "undeclared": (
        ONE + "SELECT :dept WHERE :depth = 1\n        parameters: {dept: {}}\n",
        9, "tools[0].sql.metrics.m.sql", ":depth is not declared",
    ),
    "unused": (
        ONE + "SELECT 1\n        parameters:\n          dept: {}\n",
        11, "tools[0].sql.metrics.m.parameters.dept", "does not use :dept",
    ),
    "default": (
        ONE + "SELECT :n\n        parameters:\n          n: {type: integer, default: x}\n",
        11, "tools[0].sql.metrics.m.parameters.n", "of the type integer",
    ),
    "choice": (
        ONE + "SELECT :n\n        parameters:\n          n: {choices: [a], default: b}\n",
        11, "tools[0].sql.metrics.m.parameters.n", "none of the choices",
    ),
    "chart": (
        ONE + "SELECT 1\n        chart: donut\n",
        10, "tools[0].sql.metrics.m.chart", "bar, line, pie",
    ),
    "one name": (
        "- sql: {name: o, file: o.db, tables: {t: '*'}}\n"
        "- sql: {name: p, file: p.db, tables: {t: '*'}}\n",
        5, "tools[1].sql.query_tool", "another tool is called query_database",
    ),
    "variable elsewhere": (
        "- sql: {name: o, url: '${URL}', role: '${ROLE}', tables: {t: '*'}}\n",
        4, "tools[0].sql.role", "not filled in here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_fault_names_line_field_and_problem(tmp_path: Path, name: str) -> None:
    text, line, field, problem = FAULTS[name]
    with pytest.raises(AgentFileError) as caught:
        load(tmp_path, text)
    found = [caught.value, *caught.value.others]
    assert [(one.line, one.field) for one in found] == [(line, field)], [str(one) for one in found]
    assert problem in str(found[0])
    assert "hunter2" not in str(found[0])


def test_the_json_schema_takes_what_the_file_takes() -> None:
    schema = json.loads(json.dumps(agentfile.json_schema()))
    jsonschema_rs.validate(schema, yaml.safe_load(LEAST + WHOLE.replace("yes", "true")))
