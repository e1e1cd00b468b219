"""HTTP tools in agent.yaml: what they become, and every fault at its line."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from pointsman import agentfile, bootstrap
from pointsman.domain.tools import Risk
from pointsman.errors import AgentFileError
from tests.adapters.tools.test_openapi import CRM
from tests.support.fake_clock import FakeClock

LEAST = "agent: desk\noffline: {fallback: Sorry.}\ntools:\n"
HTTP = """\
- http:
    name: get_user
    title: {zh: 查用户, en: Look up a user}
    description: A user by number.
    url: https://api.test/users/{id}?lang={lang}&v=2
    parameters:
      id: {type: integer, title: {zh: 编号, en: Number}, sources: [user]}
      lang: {choices: [zh, en], default: zh}
    headers: {Authorization: "Bearer ${CRM_TOKEN}"}
    context: {login: user}
    at_once: 2
"""
OPENAPI = """\
- openapi:
    name: crm
    spec: crm.json
    allow: [getCustomer, putCustomer]
    headers: {Authorization: "Bearer ${CRM_TOKEN}"}
    tools:
      putCustomer: {risk: critical, title: Change a customer}
    allow_private: [eu.crm.test, CRM.intern.]
"""


def load(folder: Path, tools: str) -> agentfile.AgentFile:
    (folder / "crm.json").write_text(json.dumps(CRM, indent="\t"), encoding="utf-8")
    (folder / "crm.yaml").write_text(yaml.safe_dump(CRM), encoding="utf-8")
    (folder / "agent.yaml").write_text(LEAST + tools, encoding="utf-8")
    return agentfile.load(folder)


def fault(folder: Path, tools: str) -> AgentFileError:
    with pytest.raises(AgentFileError) as raised:
        load(folder, tools)
    return raised.value


def test_a_request_is_read(tmp_path: Path) -> None:
    (declared,) = load(tmp_path, HTTP).tools
    assert isinstance(declared, agentfile.HttpApi)
    assert (declared.settings.private, declared.settings.trusted) == ((), False)
    (one,) = declared.settings.operations
    assert (one.url, one.query) == ("https://api.test/users/{id}", {"v": "2"})
    places = {part.name: (part.where, part.key) for part in one.parameters}
    assert places == {"id": ("path", "id"), "lang": ("query", "lang"), "login": ("query", "login")}
    assert one.schema["required"] == ["id"]
    assert (one.effect, one.limits.at_once) == (Risk.READ, 2)


def test_a_request_becomes_a_tool_with_what_is_said_of_its_parameters(tmp_path: Path) -> None:
    file = load(tmp_path, HTTP)
    (source,) = bootstrap.tool_sources(file, FakeClock())
    (tool,) = source.tools()
    assert tool.spec.titled("zh") == "查用户"
    assert tool.spec.parameters["properties"]["id"] == {
        "type": "integer",
        "x-title": {"zh": "编号", "en": "Number"},
        "x-source": ["user"],
    }
    assert tool.spec.context == {"login": "user"}
    assert "login" not in tool.spec.parameters["properties"]


@pytest.mark.parametrize("spec", ["crm.json", "crm.yaml"])
def test_a_document_is_read(tmp_path: Path, spec: str) -> None:
    (declared,) = load(tmp_path, OPENAPI.replace("crm.json", spec)).tools
    assert isinstance(declared, agentfile.HttpApi)
    assert declared.settings.private == ("eu.crm.test", "crm.intern")
    get, put = declared.settings.operations
    assert (get.name, get.effect) == ("crm__getCustomer", Risk.READ)
    assert (put.effect, put.title) == (Risk.CRITICAL, "Change a customer")
    assert put.headers == {"Authorization": "Bearer ${CRM_TOKEN}"}


def test_the_own_network_is_allowed_for_the_host_of_the_address_alone(tmp_path: Path) -> None:
    private = HTTP.replace("    at_once: 2", "    allow_private: true")
    (declared,) = load(tmp_path, private).tools
    assert isinstance(declared, agentfile.HttpApi)
    assert declared.settings.private == ("api.test",)


@pytest.mark.parametrize(
    ("tools", "line", "field", "problem"),
    [
        (HTTP.replace("users/{id}", "users/{uid}"), 8, "tools[0].http.url", "{uid} is no param"),
        (
            HTTP.replace("api.test", "{id}.test"),
            8,
            "tools[0].http.url",
            "may not stand in the host",
        ),
        (HTTP.replace("api.test", "me@api.test"), 8, "tools[0].http.url", "a user's name"),
        (HTTP.replace("https:", "ftp:"), 8, "tools[0].http.url", "must start with http"),
        (HTTP.replace("={lang}", "=a{lang}"), 8, "tools[0].http.url", "the whole value"),
        (
            HTTP.replace("${CRM_TOKEN}", "s3cret"),
            12,
            "tools[0].http.headers.Authorization",
            "secret",
        ),
        (
            HTTP.replace("lang: {", "lang: {in: header, as: Host, "),
            None,
            "tools[0].http",
            "the header Host cannot be a parameter",
        ),
        (
            HTTP.replace("https://api.test", "${API}").replace("at_once: 2", "allow_private: on"),
            14,
            "tools[0].http.allow_private",
            "is not known here",
        ),
        (
            OPENAPI.replace("[getCustomer,", "[getCustomers,"),
            7,
            "tools[0].openapi.allow[0]",
            "no op",
        ),
        (OPENAPI.replace("crm.json", "none.json"), 6, "tools[0].openapi.spec", "there is no file"),
        (OPENAPI.replace("crm.json", "../x.json"), 6, "tools[0].openapi.spec", "lies outside"),
        (OPENAPI.replace("crm.json", "agent.yaml"), 6, "tools[0].openapi.spec", "expected an Open"),
        (
            OPENAPI.replace("allow: [getCustomer, putCustomer]", "deny: [getCustomer, nope]"),
            7,
            "tools[0].openapi.deny[1]",
            "no operation 'nope'",
        ),
        (HTTP + HTTP, None, "tools[1].http.name", "another one is called get_user"),
        (HTTP + "  timeout: 3\n", None, "tools[0]", "timeout beside http has no place"),
    ],
)
def test_a_fault_is_told_at_its_line(
    tmp_path: Path, tools: str, line: int | None, field: str, problem: str
) -> None:
    found = fault(tmp_path, tools)
    assert (found.field, line in (None, found.line)) == (field, True), str(found)
    assert problem in str(found)


def test_a_url_that_the_model_chooses_goes_without_secrets(tmp_path: Path) -> None:
    page = "- http: {name: page, description: A page., url: '{url}', parameters: {url: {}}}\n"
    (declared,) = load(tmp_path, page).tools
    assert isinstance(declared, agentfile.HttpApi)
    with_key = page.replace("url: '{url}'", "url: '{url}', headers: {X-Key: '${KEY}'}")
    assert "goes without headers" in str(fault(tmp_path, with_key))


def test_the_schema_for_editors_knows_both(tmp_path: Path) -> None:
    checked = jsonschema_rs.validator_for(agentfile.json_schema())
    for tools in (HTTP, OPENAPI):
        assert checked.is_valid(yaml.safe_load(LEAST + tools)), tools
    assert not checked.is_valid(yaml.safe_load(LEAST + HTTP.replace("url:", "uri:")))
