"""Suite files: what they mean, and every fault with its place and a hint."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.errors import AgentFileError, CallerError
from pointsman.evaluation import suites
from pointsman.evaluation.cases import ArgumentCheck, Suite
from tests.support.evaluated import kiosk, suite_file

WHOLE = """\
suite: desk
language: zh
user: ann
now: 2026-03-02T09:00
isolate: true
thresholds: {intent: 0.95, ms_p95: 100}
cases:
  - id: a
    title: Prices
    tags: [read, write]
    setup:
      fail: {price: timeout}
      returns: {order: {number: 7}}
      context: [{user: hi}, {assistant: hello}]
    turns:
      - say: one
        expect:
          intent: none
          route: tools
          tools: price
          any_order: true
          arguments:
            price: {item: tea, day: {any: true}}
            order: [{many: 2}, {many: {one_of: [3, 4]}, item: {equals: {a: 1}}}]
          forbidden: [refund]
          reply: {contains: x, matches: ["a+"], any_of: [b, c]}
          outcome: waiting
          confirm: yes
          approve: no
      - say: two
  - {id: b, say: three, user: bob, language: en, now: "2026-03-02T09:00:00+08:00"}
"""


def load(folder: Path, text: str, name: str = "suite.yaml") -> Suite:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return suites.load(file)


def test_every_key_has_its_meaning(tmp_path: Path) -> None:
    suite = load(tmp_path, WHOLE)
    assert (suite.name, suite.isolate) == ("desk", True)
    assert suite.thresholds == {"intent": 0.95, "ms_p95": 100}
    first, second = suite.cases
    assert (first.line, first.user, first.language) == (8, "ann", "zh")
    assert first.now == datetime.fromisoformat("2026-03-02T09:00")
    assert first.setup.history == (UserMessage(text="hi"), AssistantMessage(text="hello"))
    expect = first.turns[0].expect
    assert expect.intents == ()
    assert expect.tools == ("price",)
    assert expect.arguments["price"][0]["day"] == ArgumentCheck(kind="any", value=True)
    assert [sorted(call) for call in expect.arguments["order"]] == [["many"], ["item", "many"]]
    assert expect.reply.contains == ("x",)
    assert (expect.confirm, expect.approve) == (True, False)
    assert first.turns[1].expect.tools is None
    assert (second.user, second.language, second.turns[0].say) == ("bob", "en", "three")
    assert second.now is not None
    assert second.now.utcoffset()


def test_json_lines_hold_a_case_each_and_the_suite_before_them(tmp_path: Path) -> None:
    lines = [{"suite": "desk", "user": "ann"}, {"id": "a", "say": "hi"}, {"id": "b", "say": "yo"}]
    text = "\n\n".join(json.dumps(line) for line in lines)
    suite = load(tmp_path, text, "s.jsonl")
    assert (suite.name, [case.line for case in suite.cases]) == ("desk", [3, 5])
    assert suite.cases[0].user == "ann"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cases:\n  - id: a\n    sya: hi", "suite.yaml:3: cases[0].sya: unknown key 'sya'"),
        ("cases:\n  - id: a\n    sya: hi", "did you mean 'say'?"),
        (
            "cases:\n  - id: a\n    say: x\n    expect:\n      tool: [t]",
            "suite.yaml:5: cases[0].expect.tool: unknown key 'tool' (did you mean 'tools'?)",
        ),
        (
            "cases:\n- id: a\n  say: x\n  expect: {arguments: {t: {p: {match: a}}}}",
            "unknown check 'match'; did you mean 'matches'?",
        ),
        (
            "cases:\n- {id: a, say: x, expect: {arguments: {t: {p: {matches: '('}}}}}",
            "arguments.t.p: no regular expression",
        ),
        ("cases:\n- {id: a, say: x, expect: {reply: {matches: '['}}}", "no regular expression"),
        ("cases:\n- {id: a, say: x}\n- {id: a, say: y}", ":3: cases[1].id: the id 'a' is used"),
        ("thresholds: {intnet: 1}\ncases:\n- {id: a, say: x}", "did you mean 'intent'?"),
        ("cases: []", "cases: must not be empty"),
        ("cases:\n- {id: a}", "needs either turns, or say with expect"),
        ("cases:\n- {id: a, turns: []}", "turns: must not be empty"),
        ("cases:\n- {id: a, turns: [{say: x}], expect: {}}", "inside of a turn"),
        ("cases:\n- {id: a, say: x, expect: {route: asks}}", "did you mean 'ask'?"),
        ("cases:\n- {id: a, say: x, expect: {confirm: maybe}}", "expected true or false"),
        ("cases:\n- {id: a, say: x, expect: {intent: a, intents: [b]}}", "either intent or"),
        ("cases:\n- {id: a, say: x, expect: {asks: [p], outcome: answer}}", "asks goes with"),
        ("now: tomorrow\ncases:\n- {id: a, say: x}", "now: expected an instant such as"),
        ("cases:\n- {id: a, say: x, setup: {fail: {t: e}, returns: {t: 1}}}", "cannot both"),
        ("- a", "expected keys and values"),
        ("a: 1\na: 2\ncases:\n- {id: a, say: x}", "here twice"),
        ("cases: [", "bracket"),
        ("", "the file is empty"),
    ],
)
def test_a_fault_names_its_place_and_what_to_do(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(AgentFileError) as caught:
        load(tmp_path, text)
    assert told in " ".join(str(one) for one in (caught.value, *caught.value.others))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": "a", "say": "x"}\n{"id": "b", "sya": "y"}', "s.jsonl:2: cases[1].sya"),
        ('{"id": "a", "say": "x"}\n{"id": ', "s.jsonl:2: no JSON"),
        ('{"suit": "a"}\n{"id": "a", "say": "x"}', "s.jsonl:1: suit: unknown key"),
        ("[1]", "s.jsonl:1: cases[0]: expected keys and values"),
    ],
)
def test_a_fault_in_json_lines_names_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(AgentFileError) as caught:
        load(tmp_path, text, "s.jsonl")
    assert told in str(caught.value)


def test_suites_are_found_in_an_agents_folder_in_a_folder_and_by_name(tmp_path: Path) -> None:
    folder = kiosk(tmp_path)
    with pytest.raises(CallerError, match="eval add RUN"):
        suites.find(folder)
    files = [suite_file(folder, {"id": "a", "say": "x"}, name=name) for name in ("b.yml", "a.yaml")]
    assert suites.find(folder) == suites.find(folder / "evaluation") == sorted(files)
    assert suites.find(files[0]) == files[:1]
    with pytest.raises(CallerError, match="no such file"):
        suites.find(folder / "none")


def test_a_file_that_is_no_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentFileError, match="a suite is a"):
        load(tmp_path, "x", "notes.txt")
