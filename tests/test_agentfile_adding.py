"""An example goes into an agent file's text, and nothing else of it changes."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.agentfile.adding import with_example
from pointsman.agentfile.text import parse
from pointsman.errors import CallerError, NotFound

FILE = """\
# The head of the file.
agent: shop
intents:
  block:   # a comment
    examples:
      - one
      - two  # of the list

    tools: [a]
  brackets: {examples: [one, 'two'], tools: []}
  lines:
    examples: [
      one,   # first
      "two"
    ]
  nothing: {tools: [a]}
  key:
    # before the key
    tools: [a]
  empty:
    examples:
    tools: []
  none: {examples: []}
  folded:
    examples:
      - >
        a long
        text
  flat:
    examples:
    - one
other: 1
"""


def added(text: str, intent: str, example: str) -> list[str]:
    """The lines that were added or changed, after checking that what is read is as wanted."""
    before, after = parse(text)[0], with_example(text, intent, example)
    known = before["intents"][intent].get("examples") or []
    before["intents"][intent]["examples"] = [*known, example]
    assert parse(after)[0] == before
    lines = difflib.ndiff(text.splitlines(), after.splitlines())
    return [line[2:] for line in lines if line.startswith("+")]


@pytest.mark.parametrize(
    ("intent", "line"),
    [
        ("block", "      - where is it?"),
        ("brackets", """  brackets: {examples: [one, 'two', "where is it?"], tools: []}"""),
        ("lines", """      "two", "where is it?\""""),
        ("nothing", """  nothing: {tools: [a], examples: ["where is it?"]}"""),
        ("none", """  none: {examples: ["where is it?"]}"""),
        ("empty", """    examples: ["where is it?"]"""),
        ("folded", "      - where is it?"),
        ("flat", "    - where is it?"),
    ],
)
def test_one_line_changes_whatever_the_style(intent: str, line: str) -> None:
    assert added(FILE, intent, "where is it?") == [line]


def test_a_key_is_made_where_there_is_none() -> None:
    assert added(FILE, "key", "where is it?") == ["    examples:", "      - where is it?"]


@pytest.mark.parametrize("intent", ["block", "brackets", "nothing", "key", "folded", "flat"])
@pytest.mark.parametrize(
    "example", ["yes", "no: it's # not", "- a list", "12", '"quoted"', "[x]", "a\\b", "查 & *一下*"]
)
def test_texts_that_yaml_would_read_as_something_else_are_quoted(intent: str, example: str) -> None:
    added(FILE, intent, example)


@given(example=st.text(min_size=1, max_size=40).map(str.strip).filter(bool))
def test_any_text_is_added_as_it_is_or_refused(example: str) -> None:
    try:
        text = with_example(FILE, "block", example)
    except CallerError:
        return
    assert parse(text)[0]["intents"]["block"]["examples"] == ["one", "two", example]


def test_the_last_line_may_lack_its_end() -> None:
    text = "intents:\n  a:\n    examples:\n      - one"
    assert added(text, "a", "two") == ["      - two"]


def test_what_is_there_already_and_what_has_no_place_is_refused() -> None:
    with pytest.raises(CallerError, match="this example already"):
        with_example(FILE, "block", "two")
    with pytest.raises(NotFound):
        with_example(FILE, "unknown", "two")
    shared = "intents:\n  a: {examples: &same [one]}\n  b: {examples: *same}\n"
    with pytest.raises(CallerError, match="by hand"):
        with_example(shared, "b", "two")
