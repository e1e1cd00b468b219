"""The evaluation that the support agent ships: it passes offline at the thresholds of its files,
and the journal of it holds and is replayed without a difference."""

from typing import Any

import pytest
from msgspec import Struct

from pointsman.evaluation import suites
from tests.support.command import Command
from tests.support.shop import FOLDER

FILES = suites.find(FOLDER)
TAGS = frozenset(
    "docs order missing near human refund mail both chat talk failure owner injection".split()
)


def test_there_are_enough_cases_of_every_kind_in_both_languages() -> None:
    loaded = {file.stem: suites.load(file) for file in FILES}
    assert len(loaded["zh"].cases) >= 150
    assert len(loaded["en"].cases) >= 100
    for suite in loaded.values():
        assert {tag for case in suite.cases for tag in case.tags} >= TAGS
        assert suite.thresholds["needless_questions"] <= 0.02
        assert suite.thresholds["passed"] == 1


class Evaluated(Struct, frozen=True):
    """A folder with the journal of a whole evaluation, and the report."""

    command: Command
    report: dict[str, Any]

    def audit(self, *arguments: str) -> Any:
        return self.command.json("audit", *arguments, "--data", "kept")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    command = Command(tmp_path_factory.mktemp("evaluation"))
    command.environment.pop("SUPPORT_DATA", None)
    run = ("eval", "run", str(FOLDER), "--jobs", "2", "--journal", "kept")
    return Evaluated(command, command.json(*run))


@pytest.mark.slow
def test_the_whole_evaluation_passes_offline(evaluated: Evaluated) -> None:
    assert evaluated.report["good"]
    results = evaluated.report["results"]
    assert {result["suite"] for result in results} == {"support-zh", "support-en"}
    assert [result["case"] for result in results if not result["passed"]] == []


@pytest.mark.slow
def test_a_replay_of_all_its_runs_shows_no_difference(evaluated: Evaluated) -> None:
    """Issue 3, must-show 6."""
    replayed = evaluated.audit("replay", "--all", "--agent", str(FOLDER))
    assert len(replayed) >= 300
    assert [run for run in replayed if run["differences"] or run["problem"]] == []


@pytest.mark.slow
def test_its_journal_holds_and_every_call_of_it_is_explained(evaluated: Evaluated) -> None:
    verified = evaluated.audit("verify")
    assert verified["faults"] == []
    runs = evaluated.audit("search", "--limit", "1000")["runs"]
    assert len(runs) == verified["runs"]
    for run in runs[::5]:
        told = evaluated.audit("explain", run["run"])
        assert len(told["calls"]) == len(run["calls"])
