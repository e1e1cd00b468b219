"""agent.yaml is read whole, and every fault names its place and what to do."""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pointsman import agentfile, bootstrap
from pointsman.agentfile.text import Unreadable, parse
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits
from pointsman.domain.tools import Risk
from pointsman.errors import AgentFileError, ToolDefinitionError
from tests.support.fake_clock import FakeClock

LEAST = "agent: desk\noffline: {fallback: Sorry.}\n"
TRAVEL = Path(__file__).parents[1] / "examples" / "travel"


def load(folder: Path, text: str | bytes) -> agentfile.AgentFile:
    raw = text.encode() if isinstance(text, str) else text
    (folder / "agent.yaml").write_bytes(raw)
    return agentfile.load(folder)


def faults(folder: Path, text: str | bytes) -> list[AgentFileError]:
    with pytest.raises(AgentFileError) as caught:
        load(folder, text)
    return [caught.value, *caught.value.others]


def only(folder: Path, text: str | bytes) -> AgentFileError:
    found = faults(folder, text)
    assert len(found) == 1, [str(fault) for fault in found]
    return found[0]


def test_the_least_agent_has_defaults(tmp_path: Path) -> None:
    spec = load(tmp_path, LEAST).spec
    assert (spec.name, spec.language, spec.timezone) == ("desk", "en", "UTC")
    assert spec.model.use == "offline"
    assert spec.offline == {"fallback": "Sorry."}


def test_a_whole_agent_is_read(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "system.md").write_text("# 角色\n客服。\n", encoding="utf-8")
    text = """
agent: support
title: {zh: 客服, en: Support}
language: zh-CN
timezone: Asia/Shanghai
instructions: prompts/system.md
model: {use: ark, name: doubao-seed-1.6, temperature: 0.8, thinking: off, stop: [END],
        fallback: offline, timeouts: {idle: 5}, switches: {keep_reasoning: false}}
classifier: [rules, llm]
intents:
  orders: {title: {zh: 订单, en: Orders}, examples: [物流], tools: [query_order], accept: 0.7}
tools:
  - python: tools:query_order
    risk: critical
    timeout: 3
    title: {zh: 查订单, en: Order status}
  - mcp:
      name: maps
      command: [python, -m, maps]
      env: {MAPS_KEY: "${MAPS_KEY}"}
      joiner: "-"
      trust: trusted
      allow: [route]
      tools: {route: {risk: read, idempotent: yes}}
      context: {login: user, token: run}
policy:
  - {tool: refund, when: amount > 500, then: approve, by: finance}
limits: {turns: 8, seconds: 12.5, tokens: null}
offline: {fallback: 抱歉。}
"""
    file = load(tmp_path, text)
    spec = file.spec
    assert (spec.title, spec.language, spec.instructions) == ("客服", "zh", "# 角色\n客服。")
    assert spec.model.params.thinking is False
    assert spec.model.params.stop == ("END",)
    assert spec.model.timeouts.idle == 5
    assert (spec.limits.turns, spec.limits.seconds, spec.limits.tokens) == (8, 12.5, 1_000_000)
    assert spec.policy == (
        {"tool": "refund", "when": "amount > 500", "then": "approve", "by": "finance"},
    )
    assert file.intents["orders"].title == {"zh": "订单", "en": "Orders"}
    function, server = file.tools
    assert isinstance(function, agentfile.PythonTool)
    assert function.overrides == agentfile.ToolOverrides(
        risk=Risk.CRITICAL,
        timeout=3,
        title="查订单",
        titles={"zh": "查订单", "en": "Order status"},
    )
    assert isinstance(server, agentfile.McpServer)
    assert server.context == {"login": "user", "token": "run"}
    settings = server.settings
    assert settings.command == (sys.executable, "-m", "maps")
    assert settings.cwd == str(tmp_path.resolve())
    assert (settings.joiner, settings.trusted, settings.allow) == ("-", True, ("route",))
    assert settings.env == {"MAPS_KEY": "${MAPS_KEY}"}
    assert settings.tools["route"].risk is Risk.READ
    assert settings.tools["route"].idempotent is True


PARAMETERS = """
    title: {zh: 查订单, en: Order status}
    parameters:
      order: {title: {zh: 订单号, en: order number}, sources: [user, "tool:find"], private: on}
      note: {title: 备注}
"""
KEYWORDS: dict[str, dict[str, Any]] = {
    "order": {
        "x-title": {"zh": "订单号", "en": "order number"},
        "x-source": ["user", "tool:find"],
        "x-private": True,
    },
    "note": {"x-title": {"zh": "备注", "en": "备注"}},
}


def test_what_is_said_of_parameters_is_read(tmp_path: Path) -> None:
    served = PARAMETERS.replace("\n", "\n      ")
    text = f"tools:\n  - python: tools:a{PARAMETERS}  - mcp: {{name: m, command: [x]}}\n"
    (function, _) = load(tmp_path, LEAST + text).tools
    assert isinstance(function, agentfile.PythonTool)
    assert function.overrides.parameters == KEYWORDS
    text = f"tools:\n  - mcp:\n      name: m\n      command: [x]\n      tools:\n        a:{served}"
    (server,) = load(tmp_path, f"{LEAST}\n{text}\n").tools
    assert isinstance(server, agentfile.McpServer)
    said = server.settings.tools["a"]
    assert said.parameters == KEYWORDS
    assert said.titles == {"zh": "查订单", "en": "Order status"}
    with pytest.raises(AgentFileError, match="expected one of user, tool, default, model"):
        load(
            tmp_path,
            f"{LEAST}\ntools:\n- {{python: tools:a, parameters: {{n: {{sources: [me]}}}}}}\n",
        )


def test_the_files_words_stand_over_the_functions(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "def a(order: str, note: str = '') -> str:\n    return order\n", encoding="utf-8"
    )
    file = load(tmp_path, f"{LEAST}tools:\n  - python: tools:a{PARAMETERS}")
    (source,) = bootstrap.tool_sources(file, FakeClock())
    spec = source.tools()[0].spec
    assert (spec.titled("zh"), spec.titled("en")) == ("查订单", "Order status")
    assert spec.parameters["properties"]["order"] == {"type": "string", **KEYWORDS["order"]}
    assert spec.private == ("order",)
    assert "x-" not in str(spec.wire_parameters)
    wrong = load(tmp_path, f"{LEAST}tools:\n  - python: tools:a{PARAMETERS}      other: {{}}\n")
    with pytest.raises(ToolDefinitionError, match="takes no parameter 'other' from the model"):
        bootstrap.tool_sources(wrong, FakeClock())


def test_a_tools_limits_are_read(tmp_path: Path) -> None:
    text = """
tools:
- {python: tools:a, at_once: 2, rate: 10/min, breaker: {failures: 3, pause: 90}}
- {python: tools:b, breaker: off}
- mcp: {name: maps, command: [x], tools: {route: {rate: 100/day, breaker: on}}}
"""
    first, second, server = load(tmp_path, LEAST + text).tools
    assert isinstance(first, agentfile.PythonTool)
    assert first.overrides == agentfile.ToolOverrides(
        at_once=2,
        rate=Rate(calls=10, seconds=60),
        breaker=BreakerLimits(failures=3, window=60, pause=90),
    )
    assert isinstance(second, agentfile.PythonTool)
    assert second.overrides.breaker == BreakerLimits(failures=0)
    assert isinstance(server, agentfile.McpServer)
    limits = server.settings.tools["route"].limits
    assert limits == ToolLimits(rate=Rate(calls=100, seconds=86400))


def test_the_files_limits_stand_over_the_functions(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "from pointsman import tool\n"
        "@tool(at_once=5, rate='1/min')\n"
        "def look() -> str:\n    return ''\n",
        encoding="utf-8",
    )
    file = load(tmp_path, LEAST + "tools:\n- {python: tools:look, at_once: 0, breaker: off}\n")
    (source,) = bootstrap.tool_sources(file, FakeClock())
    (tool,) = source.tools()
    assert tool.spec.limits == ToolLimits(
        at_once=0, rate=Rate(calls=1, seconds=60), breaker=BreakerLimits(failures=0)
    )


def test_inline_instructions_stay_as_they_are(tmp_path: Path) -> None:
    text = LEAST + "instructions: |\n  Be short.\n  See prompts/system.md too.\n"
    assert load(tmp_path, text).spec.instructions == "Be short.\nSee prompts/system.md too."


FAULTS: dict[str, tuple[str | bytes, int | None, str, str, str]] = {
    "unknown key": (LEAST + "langauge: zh\n", 3, "langauge", "unknown key", "language"),
    "unknown key inside": (
        LEAST + "limits: {turn: 3}\n", 3, "limits.turn", "unknown limit", "turns",
    ),
    "unknown key of a model": (
        "agent: a\nmodel:\n  use: ark\n  name: x\n  temprature: 1\n",
        5, "model.temprature", "unknown key", "temperature",
    ),
    "unknown key of a rule": (
        "agent: a\noffline:\n  fallback: x\n  calls:\n    c:\n      tool: t\n      wen: [x]\n",
        7, "offline.calls.c.wen", "unknown key", "when",
    ),
    "missing name": ("offline: {fallback: x}\n", 1, "agent", "required", ""),
    "wrong type": (LEAST + "tools: tools.py\n", 3, "tools", "expected a list, not 'tools.py'", ""),
    "null": (LEAST + "tools:\n", 3, "tools", "expected a list, not nothing", ""),
    "number as text": (
        "agent: a\nmodel: {use: ark, name: x, temperature: '0.8'}\n",
        2, "model.temperature", "expected a number, not '0.8'", "",
    ),
    "out of range": (
        "agent: a\nmodel: {use: ark, name: x, temperature: 8}\n",
        2, "model.temperature", "less than or equal to 2, not 8", "",
    ),
    "one of": (
        LEAST + "tools:\n- {python: 'a:b', risk: wirte}\n",
        4, "tools[0].risk", "expected one of read, write, critical, not 'wirte'", "write",
    ),
    "preset": ("agent: a\nmodel: {use: arc, name: x}\n", 2, "model.use", "no model preset", "ark"),
    "model without a name": ("agent: a\nmodel: {use: ark}\n", 2, "model", "name is missing", ""),
    "switch": (
        "agent: a\nmodel: {use: ark, name: x, switches: {keep: 1}}\n",
        2, "model", "unknown model switch 'keep'", "",
    ),
    "zone": (LEAST + "timezone: Asia/Shangai\n", 3, "timezone", "no time zone", "Asia/Shanghai"),
    "zone outside": (LEAST + "timezone: ../../etc/passwd\n", 3, "timezone", "no time zone", ""),
    "language": (LEAST + "language: fr\n", 3, "language", "expected zh or en", ""),
    "missing prompt": (
        LEAST + "instructions: prompts/sytem.md\n",
        3, "instructions", "no file prompts/sytem.md", "",
    ),
    "rate": (
        LEAST + "tools:\n- {python: 'a:b', rate: ten}\n",
        4, "tools[0].rate", "calls per time, such as 10/min, not 'ten'", "",
    ),
    "places": (
        LEAST + "tools:\n- {python: 'a:b', at_once: -1}\n",
        4, "tools[0].at_once", "greater than or equal to 0, not -1", "",
    ),
    "breaker": (
        LEAST + "tools:\n- python: a:b\n  breaker:\n    failure: 3\n",
        6, "tools[0].breaker.failure", "unknown key", "failures",
    ),
    "breaker of a word": (
        LEAST + "tools:\n- {python: 'a:b', breaker: never}\n",
        4, "tools[0].breaker", "expected off, or", "",
    ),
    "breaker of a server": (
        LEAST + "tools:\n- mcp: {name: m, command: [x], tools: {t: {breaker: {pause: 0}}}}\n",
        4, "tools[0].mcp.tools.t.breaker.pause", "greater than 0, not 0", "",
    ),
    "function": (LEAST + "tools: [python: my tool]\n", 3, "tools[0].python", "module:function", ""),
    "two sources": (LEAST + "tools:\n- {}\n", 4, "tools[0]", "needs one of python", ""),
    "beside mcp": (
        LEAST + "tools:\n- mcp: {name: m, command: [x]}\n  risk: read\n",
        4, "tools[0]", "write it inside of mcp", "",
    ),
    "no way to a server": (
        LEAST + "tools:\n- mcp: {name: m}\n", 4, "tools[0].mcp", "either command or url", "",
    ),
    "policy by": (
        LEAST + "policy:\n- {tool: t, then: deny, by: me}\n", 4, "policy[0]", "by goes", "",
    ),
    "policy of nothing": (LEAST + "policy:\n- {then: allow}\n", 4, "policy[0]", "needs a tool", ""),
    "verdict": (
        LEAST + "policy:\n- {tool: t, then: ask}\n",
        4, "policy[0].then", "expected one of allow, confirm, approve, deny", "",
    ),
    "nobody answers": ("agent: a\n", 1, "", "needs a model:, or an offline:", ""),
    "fallback without rules": (
        "agent: a\nmodel: {use: ark, name: x, fallback: offline}\n", 1, "", "offline: section", "",
    ),
    "twice": (
        LEAST + "language: en\nlanguage: zh\n", 4, "language", "here twice (also line 3)", "",
    ),
    "tag": (LEAST + "title: !!python/object:os.system x\n", 3, "title", "tag", "remove"),
    "own tag": (LEAST + "title: !env X\n", 3, "title", "the tag !env", "remove"),
    "tab": ("agent: a\nmodel:\n\tuse: ark\n", 3, "", "tab", "spaces"),
    "no YAML": (LEAST + "title: a: b\n", 3, "", "a second ': '", "quotes"),
    "open bracket": (LEAST + "classifier: [rules\n", 4, "", "expected", "bracket"),
    "alias in itself": (LEAST + "intents: &a\n  x: *a\n", 3, "", "alias inside", ""),
    "unknown alias": (LEAST + "title: *nobody\n", 3, "", "undefined alias", ""),
    "list at the top": ("- agent: a\n", 1, "", "expected keys and values", "agent:"),
    "text at the top": ("agent\n", 1, "", "expected keys and values", ""),
    "empty": ("\n", None, "", "the file is empty", "init"),
    "only comments": ("\n# nothing\n", None, "", "the file is empty", "init"),
    "two documents": (LEAST + "---\nagent: b\n", None, "", "one document", "---"),
    "UTF-16": (LEAST.encode("utf-16"), None, "", "UTF-16", "UTF-8"),
    "not UTF-8": (LEAST.encode() + b"title: \xbf\xcd\xb7\xfe\n", 3, "", "not UTF-8", "UTF-8"),
    "control character": (LEAST + "title: a\x07b\n", 3, "", "U+0007", ""),
    "value nobody defined": (
        "agent: a\noffline:\n  fallback: x\n  values: {city: {choices: {Rome: [Rome]}}}\n"
        "  calls:\n    c: {tool: t, when: [go], arguments: {to: town}}\n",
        6, "offline.calls.c.arguments.to", "no value 'town'", "city",
    ),
    "regex": (
        "agent: a\noffline:\n  fallback: x\n  answers:\n  - {when: ['/(/'], say: x}\n",
        5, "offline.answers[0].when", "is no regular expression", "",
    ),
    "template": (
        "agent: a\noffline:\n  fallback: '{{ for x in y }}'\n",
        3, "offline.fallback", "needs an {{ end }}", "",
    ),
    "one language": (
        "agent: a\noffline:\n  fallback: {zh: 你好}\n",
        3, "offline.fallback", "each of zh and en", "",
    ),
    "variable elsewhere": (
        LEAST + "tools:\n- mcp: {name: m, command: ['${HOME}/x']}\n",
        4, "tools[0].mcp.command[0]", "not filled in here", "env",
    ),
    "variable misspelt": (
        LEAST + "tools:\n- mcp: {name: m, command: [x], env: {A: '${A B}'}}\n",
        4, "tools[0].mcp.env.A", "${NAME}", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(FAULTS))
def test_a_fault_names_line_field_problem_and_hint(tmp_path: Path, case: str) -> None:
    text, line, field, problem, hint = FAULTS[case]
    fault = only(tmp_path, text)
    assert (fault.line, fault.field) == (line, field), str(fault)
    assert problem in fault.problem
    assert hint in fault.hint + fault.problem
    assert str(fault).startswith(f"{tmp_path / 'agent.yaml'}{f':{line}' if line else ''}: ")


@pytest.mark.parametrize("value", ["true", "0", "-1", '"10"'], ids=lambda v: f"L10 {v}")
def test_a_limit_that_cannot_be_meant_is_refused_at_its_line(tmp_path: Path, value: str) -> None:
    fault = only(tmp_path, LEAST + f"limits:\n  seconds: 5\n  turns: {value}\n")
    assert (fault.line, fault.field) == (5, "limits.turns")
    assert "must be a positive whole number" in fault.problem


def test_all_faults_come_together_in_the_files_order(tmp_path: Path) -> None:
    text = """agent: a b
colour: red
timezone: Mars/Base
instructions: nowhere.md
model:
  use: ark
  name: x
  top_p: 2
  api_key: sk-secret-123
limits: {turns: 0}
offline:
  fallback: x
  calls:
    c: {tool: t, when: [x], arguments: {p: nobody}}
"""
    found = faults(tmp_path, text)
    assert [fault.line for fault in found] == [1, 2, 3, 4, 8, 9, 10, 14]


SECRETS = [
    ("model: {use: ark, name: x, api_key: sk-hunter2}", "model.api_key", "key_env"),
    (
        "tools:\n- mcp: {name: m, command: [x], env: {MAPS_KEY: hunter2}}",
        "tools[0].mcp.env.MAPS_KEY",
        "${NAME}",
    ),
    (
        "tools:\n- mcp: {name: m, url: 'https://x', headers: {Authorization: Bearer hunter2}}",
        "tools[0].mcp.headers.Authorization",
        "${NAME}",
    ),
    (
        "tools:\n- mcp: {name: m, url: 'https://x/mcp?key=hunter2'}",
        "tools[0].mcp.url",
        "${NAME}",
    ),
]


@pytest.mark.parametrize(("text", "field", "hint"), SECRETS)
def test_a_secret_in_the_file_is_refused_and_never_repeated(
    tmp_path: Path, text: str, field: str, hint: str
) -> None:
    fault = only(tmp_path, LEAST + text)
    assert fault.field == field
    assert hint in fault.hint
    assert "hunter2" not in str(fault)


def test_a_variable_may_hold_the_secret(tmp_path: Path) -> None:
    text = (
        LEAST + "tools:\n- mcp: {name: m, url: 'https://x/?key=${K}', headers: {X-Token: '${T}'}}"
    )
    assert load(tmp_path, text).tools


def test_the_base_url_is_filled_in_from_the_environment(tmp_path: Path) -> None:
    text = "agent: a\nmodel: {use: vllm, name: q, base_url: 'http://${HOST_OF_MODEL}:8000/v1'}\n"
    file = load(tmp_path, text)
    assert file.spec.model.base_url == "http://${HOST_OF_MODEL}:8000/v1"
    assert file.model({"HOST_OF_MODEL": "gpu"}).base_url == "http://gpu:8000/v1"
    with pytest.raises(AgentFileError, match=r"agent.yaml:2: model.base_url: .*HOST_OF_MODEL"):
        file.model({})


@pytest.mark.parametrize(("word", "value"), [("off", False), ("on", True), ("false", False)])
def test_a_switch_takes_on_and_off(tmp_path: Path, word: str, value: bool) -> None:
    file = load(tmp_path, f"agent: a\nmodel: {{use: ark, name: x, thinking: {word}}}\n")
    assert file.spec.model.params.thinking is value


def test_keys_and_words_that_look_like_booleans_stay_text(tmp_path: Path) -> None:
    data, _, _ = parse("no: [on, Off, y]\nyes: 2026-01-01\nversion: 1:30\n")
    assert data == {"no": ["on", "Off", "y"], "yes": "2026-01-01", "version": "1:30"}


def test_anchors_and_merges_work_and_the_own_key_wins() -> None:
    data, _, found = parse("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\nc: *x\n")
    assert data == {"a": {"k": 1, "l": 2}, "b": {"l": 3, "k": 1}, "c": {"k": 1, "l": 2}}
    assert not found


def test_aliases_that_multiply_are_refused() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9))
    with pytest.raises(Unreadable, match="too many values"):
        parse(f"l0: &l0 [x]\n{levels}\n")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(Unreadable, match="deeply"):
        parse("a: " + "[" * 3000 + "]" * 3000)


def test_lone_surrogates_and_nul_are_cleaned() -> None:
    data, _, _ = parse('a: "x\\ud83d\\0y"\n')
    assert data == {"a": "x\ufffdy"}


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**9), 10**9)
        | st.text("ab是#: -'\"\n", max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text("kz键", min_size=1, max_size=3), inner, max_size=3)
        ),
        max_leaves=10,
    )
)
def test_what_yaml_writes_is_read_back(value: object) -> None:
    written = yaml.safe_dump({"value": value}, allow_unicode=True)
    data, lines, found = parse(written)
    assert data == {"value": value}
    assert lines.of(("value",)) == 1
    assert not found


def test_a_path_to_nothing_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(AgentFileError, match="no such file") as caught:
        agentfile.load(tmp_path / "nowhere")
    assert "pointsman init" in caught.value.hint


def test_the_file_itself_may_be_named(tmp_path: Path) -> None:
    load(tmp_path, LEAST)
    assert agentfile.load(tmp_path / "agent.yaml").folder == tmp_path.resolve()


def test_the_template_is_a_whole_agent(tmp_path: Path) -> None:
    for name, text in agentfile.template().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    file = agentfile.load(tmp_path)
    assert file.spec.instructions.startswith("You are the desk")
    assert [tool.target for tool in file.tools if isinstance(tool, agentfile.PythonTool)] == [
        "tools:opening_hours",
        "tools:book_table",
    ]
    compile(agentfile.template()["tools.py"], "tools.py", "exec")


def test_the_schema_accepts_our_agents_and_describes_their_keys(tmp_path: Path) -> None:
    schema = agentfile.json_schema()
    validator = jsonschema_rs.Draft202012Validator(schema)
    for text in (
        agentfile.template()["agent.yaml"],
        (TRAVEL / "agent.yaml").read_text("utf-8"),
        "agent: a\nmodel: {use: ark, name: x, thinking: on}\nlimits: {turns: 3}\n",
    ):
        data, _, _ = parse(text)
        assert [str(error) for error in validator.iter_errors(data)] == []
    assert not validator.is_valid({"agent": "a", "colour": "red"})
    assert not validator.is_valid({"agent": "a", "limits": {"turns": 0}})
    assert all("description" in entry for entry in schema["properties"].values())
    assert json.dumps(schema)
