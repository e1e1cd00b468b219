"""Tool names: safe, unique, stable, and read back from what models write."""

import re
from hashlib import sha1
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain import names
from pointsman.errors import ToolDefinitionError
from tests.cases import params

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


def exposed(server: str, originals: list[str], builtins: list[str] | None = None) -> list[str]:
    tools = [(server, name, names.joined(server, name)) for name in originals]
    return names.assign([*tools, *(("python", name, name) for name in builtins or [])])


@pytest.mark.parametrize("case", params(3, only=("L03",)))
def test_a_name_with_markup_is_no_tool_and_is_shown_short(case: dict[str, Any]) -> None:
    known = case["input"]["registered"]
    written = case["input"]["model_turns"][0]["call"][0]
    assert names.resolve(written, known) is None
    assert names.shown(written) == written
    assert names.shown("a\x00\x1b[31m\n\u202eb\u2028" + "长" * 99) == "a[31mb" + "长" * 58


@pytest.mark.parametrize("case", params(3, only=("L04",)))
def test_namespaces_and_control_tokens_are_read_off(case: dict[str, Any]) -> None:
    known = case["input"]["registered"]
    for turn in case["input"]["model_turns"]:
        assert names.resolve(turn["call"][0], known) == "search"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("search", "search"),
        ("default_api.search", "search"),
        ("functions.search<|channel|>commentary", "search"),
        (" search<|call|>", "search"),
        ("functions.search:0", "search"),
        ("functions.gh.create:12", "gh__create"),
        ("functions_search", "search"),
        ("search:0", None),
        ("functions.serach:0", None),
        ("SEARCH", None),
        ("web.search", "search"),
        ("gh.create", "gh__create"),
        ("functions.gh.create", "gh__create"),
        ("amap.plan_driving", "amap-plan_driving"),
        ("functions.tools.x", None),
        ("serach", None),
        ("create", None),
        ("unknown.search", None),
        ("two.way", None),
        ("", None),
    ],
)
def test_a_spelling_stands_for_a_name_only_without_doubt(written: str, found: str | None) -> None:
    known = {"search", "gh__create", "amap-plan_driving", "two__way", "two-way"}
    assert names.resolve(written, known, ["web", "gh"]) == found


@pytest.mark.parametrize(
    ("written", "alike"),
    [
        ("SEARCH", ["search"]),
        ("GH__Create", ["gh__create"]),
        ("functions.serach", ["search"]),
        ("gh/crete", ["gh__create"]),
        ("mcp.github.create", ["gh__create"]),
        ("weather", []),
    ],
)
def test_what_is_near_is_found_in_capitals_and_behind_a_namespace(
    written: str, alike: list[str]
) -> None:
    """Case L01."""
    assert names.close(written, {"search", "gh__create"}) == alike


@pytest.mark.parametrize("case", params(3, only=("L12",)))
def test_a_long_name_is_cut_and_marked(case: dict[str, Any]) -> None:
    server, originals = case["input"]["server"], case["input"]["names"]
    full = f"{server}__{originals[0]}"
    mark = sha1(full.encode(), usedforsecurity=False).hexdigest()[:8]
    [name] = exposed(server, originals)
    assert name == f"{full[:55]}_{mark}"
    assert len(name) == case["expected"]["max_len"]


@pytest.mark.parametrize("case", params(3, only=("L13",)))
def test_the_same_name_on_two_servers_is_told_apart_by_the_server(case: dict[str, Any]) -> None:
    tools = [
        (server, name, names.joined(server, name))
        for server, originals in case["input"]["servers"].items()
        for name in originals
    ]
    assert names.assign(tools) == case["expected"]["exposed"]


@pytest.mark.parametrize("case", params(3, only=("L14",)))
def test_names_that_clash_only_when_made_safe_are_all_marked(case: dict[str, Any]) -> None:
    given = case["input"]
    found = exposed(given["server"], given["names"], given["builtins"])
    assert len(set(found)) == 3
    assert all(re.fullmatch(r"s__find_a_[0-9a-f]{8}", name) for name in found)
    assert exposed(given["server"], given["names"][::-1], given["builtins"]) == [
        found[1],
        found[0],
        found[2],
    ]


@pytest.mark.parametrize(
    ("wanted", "pattern"),
    [
        ("mojitianqi-DayWeather", "mojitianqi-DayWeather"),
        ("s__a.b/c", "s__a_b_c"),
        ("gaode__路线plan", "gaode__plan_[0-9a-f]{8}"),
        ("高德__路线", "tool_[0-9a-f]{8}"),
        ("", "tool_[0-9a-f]{8}"),
    ],
)
def test_what_is_legal_stays_and_the_rest_is_marked(wanted: str, pattern: str) -> None:
    assert re.fullmatch(pattern, names.safe(wanted))


def test_two_names_in_chinese_are_two_names() -> None:
    assert names.safe("查询天气") != names.safe("查询路线")


def test_the_same_tool_twice_is_a_fault() -> None:
    with pytest.raises(ToolDefinitionError, match="'a' is declared twice in 's'"):
        exposed("s", ["a", "a"])


def test_a_tool_that_bears_anothers_mark_gets_one_too() -> None:
    marked = exposed("s", ["x.y", "x_y"])
    found = exposed("s", ["x.y", "x_y", marked[0].removeprefix("s__")])
    assert len(set(found)) == 3


SOURCES = st.sampled_from(["s", "s_", "高", "python", ""])
ORIGINALS = st.one_of(
    st.text(max_size=80), st.text(alphabet="ab._-天", max_size=4), st.text("x", min_size=60)
)
TOOLS = st.lists(
    st.builds(lambda s, o: (s, o, names.joined(s, o)), SOURCES, ORIGINALS), unique=True
)


@given(TOOLS, st.randoms(use_true_random=False))
def test_names_are_legal_unique_and_the_same_in_any_order(
    tools: list[tuple[str, str, str]], shuffler: Any
) -> None:
    found = names.assign(tools)
    assert all(LEGAL.fullmatch(name) for name in found)
    assert len(set(found)) == len(found)
    shuffled = tools.copy()
    shuffler.shuffle(shuffled)
    assert dict(zip(tools, found, strict=True)) == dict(
        zip(shuffled, names.assign(shuffled), strict=True)
    )


@given(st.text())
def test_a_safe_name_is_its_own_safe_name(wanted: str) -> None:
    assert names.safe(names.safe(wanted)) == names.safe(wanted)


@given(st.text(), st.sets(st.text(max_size=5)))
def test_what_is_found_is_always_known(written: str, known: set[str]) -> None:
    assert names.resolve(written, known, ["s"]) in {None, *known}
    assert len(names.shown(written)) <= 64
    assert len(names.close(written, known)) <= 3
