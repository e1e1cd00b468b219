"""What a tool server answers, as a result; and what is said of a tool, as a spec."""

from typing import Any

import pytest

from pointsman.adapters.tools.mcp_results import result_of
from pointsman.adapters.tools.mcp_settings import McpSettings, McpToolSettings, Secrets
from pointsman.adapters.tools.mcp_specs import spec_of
from pointsman.adapters.tools.mcp_stdio import KEPT, StderrTail
from pointsman.domain.limiting import ToolLimits
from pointsman.domain.tools import ResultStatus, Risk
from pointsman.errors import SettingsError

DATA = "iVBORw0KGgo=" * 400


def block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ({"content": [block("a"), block("b")]}, "a\nb"),
        ({"content": [block("\ud83d\ude00 \ud800")]}, "😀 \ufffd"),
        (
            {"content": [block("see"), {"type": "image", "mimeType": "image/png", "data": DATA}]},
            "see\n[image: image/png, 3 KB]",
        ),
        ({"content": [{"type": "audio", "data": "AAAA"}]}, "[audio: unknown type, 3 bytes]"),
        (
            {
                "content": [
                    {"type": "resource_link", "uri": "file:///a.txt", "name": "a", "title": "A"}
                ]
            },
            "[link: A, a, file:///a.txt]",
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "x:1", "text": "inside"}}]},
            "[resource: x:1]\ninside",
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "x:2", "blob": "AAAA"}}]},
            "[resource: x:2, unknown type, 3 bytes]",
        ),
        ({"content": [{"type": "hologram"}]}, "[content of an unknown kind: hologram]"),
        ({"content": "bare"}, "bare"),
        ({"structuredContent": {"城市": "成都"}}, '{"城市": "成都"}'),
        ({"structuredContent": [1, 2], "content": []}, "[1, 2]"),
        ({"structuredContent": {"result": 3}, "content": []}, "3"),
        ({"structuredContent": {"a": 1}, "content": [block("one")]}, "one"),
        (
            {"structuredContent": {"m": float("nan")}, "content": [block('{"m": NaN}')]},
            '{"m": "NaN"}',
        ),
        ({"content": [block("[]")]}, "no results for a call without arguments; this is final"),
        ({"content": [block("null")]}, "finished; the tool returned nothing"),
        ({"content": [block("  \n")]}, "finished; the tool returned nothing"),
        ({"content": [block("")], "structuredContent": {"a": 1}}, '{"a": 1}'),
        ({"content": [{"text": "of no kind"}]}, "of no kind"),
        ({"content": [{"type": "text", "text": {"a": 1}}]}, '{"a": 1}'),
        ({"temperature": 20, "_meta": {"x": 1}}, '{"temperature": 20}'),
        ({"toolResult": "old"}, "old"),
        ({"isError": False, "content": [block("fine")]}, "fine"),
        ({"content": []}, "finished; the tool returned nothing"),
        ({"content": None}, "finished; the tool returned nothing"),
        ({}, "finished; the tool returned nothing"),
    ],
)
def test_a_result_is_read_as_text(answer: dict[str, Any], content: str) -> None:
    result = result_of(answer, {}, "en")
    assert (result.status, result.content) == (ResultStatus.OK, content)


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ({"isError": True, "content": [block("no")]}, "ERROR: no"),
        ({"isError": True, "content": [block("ERROR: no")]}, "ERROR: no"),
        ({"isError": True, "content": []}, "ERROR: the tool failed"),
        ({"isError": True, "error": "no disk"}, 'ERROR: {"error": "no disk"}'),
        ({"isError": "true", "content": [block("no")]}, "ERROR: no"),
        ({"isError": 1, "content": [block("no")]}, "ERROR: no"),
        ({"isError": True, "structuredContent": {"code": 7}}, 'ERROR: {"code": 7}'),
        ({"resultType": "task"}, "ERROR: the tool gave a result of an unknown kind, 'task'"),
        (
            {
                "resultType": "input_required",
                "inputRequests": {"q": {"params": {"message": "Which   city?"}}},
            },
            "ERROR: the tool needs an input that cannot be passed on: Which city?",
        ),
        (
            {"resultType": "input_required", "requestState": "x"},
            "ERROR: the tool needs an input that cannot be passed on: it did not say what",
        ),
    ],
)
def test_what_the_tool_calls_an_error_is_one(answer: dict[str, Any], content: str) -> None:
    result = result_of(answer, {}, "en")
    assert (result.status, result.content) == (ResultStatus.ERROR, content)


def settings(**given: Any) -> McpSettings:
    return McpSettings(**{"name": "maps", "command": ("serve",)} | given)


ENTRY = {
    "name": "plan.route",
    "title": "Route\nplanner",
    "description": "Plan.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
    "annotations": {"readOnlyHint": True, "idempotentHint": True},
}


def test_a_tool_of_an_untrusted_server_may_change_things() -> None:
    spec = spec_of(ENTRY, settings())
    assert (spec.risk, spec.idempotent, spec.title, spec.trusted) == (Risk.WRITE, False, "", False)
    assert (spec.name, spec.original, spec.source) == ("maps__plan_route", "plan.route", "maps")
    assert spec.timeout == 30


def test_a_trusted_servers_word_counts() -> None:
    spec = spec_of(ENTRY, settings(trusted=True))
    assert (spec.risk, spec.idempotent, spec.title) == (Risk.READ, True, "Route planner")


def test_the_agent_files_word_stands_over_the_servers() -> None:
    said = McpToolSettings(
        risk=Risk.CRITICAL,
        timeout=5,
        idempotent=False,
        retries=0,
        title="路线",
        limits=ToolLimits(at_once=3),
    )
    spec = spec_of(ENTRY, settings(trusted=True, risk=Risk.WRITE, tools={"plan.route": said}))
    assert (spec.risk, spec.timeout, spec.retries, spec.title) == (Risk.CRITICAL, 5, 0, "路线")
    assert not spec.idempotent
    assert spec.limits.at_once == 3
    assert spec_of(ENTRY, settings(risk=Risk.READ)).risk is Risk.READ


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"joiner": "-"}, "maps-plan_route"),
        ({"prefix": ""}, "plan_route"),
        ({"prefix": "m", "joiner": "_"}, "m_plan_route"),
    ],
)
def test_prefix_and_joiner_are_the_agent_files(given: dict[str, Any], name: str) -> None:
    assert spec_of(ENTRY, settings(**given)).name == name


@pytest.mark.parametrize(
    "given",
    [
        {"command": ()},
        {"url": "http://x"},
        {"command": (), "url": "ftp://x"},
        {"startup_timeout": 0},
        {"call_timeout": float("nan")},
    ],
)
def test_settings_that_cannot_be_meant_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="maps"):
        settings(**given)


def tail(**environ: str) -> StderrTail:
    env = {name: f"${{{name}}}" for name in environ}
    return StderrTail(Secrets(settings(env=env), environ))


@pytest.mark.parametrize("cut", range(1, 20))
def test_no_piece_of_a_secret_is_left_at_the_cut(cut: int) -> None:
    secret = "correcthorsebattery"
    kept = tail(PASS=secret)
    kept.feed(secret.encode() + b"." * (KEPT + len(secret) - cut))
    assert set(kept.text()) == {"."}


def test_a_tail_is_eight_kilobytes_of_whole_lines() -> None:
    kept = tail()
    for i in range(5000):
        kept.feed(f"line {i}\n".encode())
    assert kept.text().startswith("line ")
    assert kept.text().endswith("line 4999\n")
    assert kept.last_line() == "line 4999"
    assert KEPT - 20 < len(kept.text()) <= KEPT


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abcdef123", "Authorization: Bearer ***"),
        ('{"api_key": "abcd1234"}', '{"api_key": "***"}'),
        ("MY_TOKEN=abcd1234 ok", "MY_TOKEN=*** ok"),
        ("key sk-abcdefgh1234", "key ***"),
        ("tokens used: 12", "tokens used: 12"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, masked: str) -> None:
    assert Secrets(settings(), {}).mask(text) == masked


def test_a_declared_secret_is_masked_wherever_it_stands() -> None:
    given = settings(env={"PASSWORD": "open sesame", "LANG": "C"}, headers={"X": "a ${V} b"})
    secrets = Secrets(given, {"V": "vvvv"})
    assert secrets.mask("say open sesame to vvvv in C") == "say *** to *** in C"
    assert secrets.filled("a ${V} b") == "a vvvv b"
