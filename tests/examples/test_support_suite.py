"""The evaluation that the support agent ships passes offline, at the thresholds of its files."""

from pathlib import Path

import pytest

from pointsman.evaluation import suites
from pointsman.evaluation.metrics import summarise
from pointsman.evaluation.runner import Plan, run
from pointsman.evaluation.staging import Subject
from tests.support.shop import FOLDER

pytestmark = pytest.mark.anyio

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


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_the_whole_suite_passes_offline(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUPPORT_DATA", raising=False)
    suite = suites.load(file)
    results = await run(Plan(suite=suite, jobs=2), Subject(path=FOLDER))
    failed = {one.case: one.error or one.failed for one in results if not one.passed}
    assert not failed
    assert not summarise(suite.name, results, suite.thresholds).breaches
