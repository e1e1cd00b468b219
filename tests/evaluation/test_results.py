"""The file of results: nothing is lost, nothing of another agent counts."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pointsman.errors import CallerError
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.results import Results, Session, earlier, finished

SESSION = Session(suites={"s": "1"}, agent="a", model="offline")
ONE = CaseResult(suite="s", case="one", repeat=1, passed=True, score=1.0)
TWO = CaseResult(suite="s", case="two", repeat=1, passed=False, score=0.5)


def kept(path: Path, session: Session, *results: CaseResult) -> list[CaseResult]:
    """What a session finds in the file, before it adds results."""
    file = Results(path, session)
    for result in results:
        file.add(result)
    file.close()
    return file.finished


def test_a_session_goes_on_where_the_last_one_of_the_same_broke_off(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "r.jsonl"
    assert kept(path, SESSION, ONE) == []
    assert kept(path, SESSION, TWO) == [ONE]
    assert kept(path, SESSION) == [ONE, TWO]


@pytest.mark.parametrize(
    "other",
    [
        replace(SESSION, agent="b"),
        replace(SESSION, model="ark/x"),
        replace(SESSION, suites={"s": "2"}),
    ],
)
def test_results_of_another_suite_agent_or_model_do_not_count(
    tmp_path: Path, other: Session
) -> None:
    path = tmp_path / "r.jsonl"
    kept(path, SESSION, ONE)
    assert kept(path, other, TWO) == []
    assert kept(path, SESSION) == [ONE]


def test_what_could_not_be_carried_through_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept(path, SESSION, replace(ONE, error="no network"))
    assert kept(path, SESSION, ONE) == []
    assert kept(path, SESSION) == [ONE]


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept(path, SESSION, ONE, TWO)
    path.write_bytes(path.read_bytes()[:-20])
    assert kept(path, SESSION, TWO) == [ONE]
    assert finished(path, SESSION) == [ONE, TWO]


def test_the_last_session_is_what_later_ones_are_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept(path, SESSION, ONE)
    kept(path, replace(SESSION, agent="b"), TWO)
    assert earlier(path) == [TWO]


@pytest.mark.parametrize("text", ["", "{}", "hello\nworld\n", '{"results": 3}'])
def test_a_file_without_results_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CallerError, match="holds no results"):
        earlier(path)


def test_a_file_of_something_else_is_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(CallerError):
        Results(path, SESSION)
    assert path.read_text(encoding="utf-8") == "my notes\n"
