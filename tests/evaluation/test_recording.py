"""A journaled run as a case: it expects what happened, and passes when it happens again."""

from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.system import SystemClock
from pointsman.bootstrap import service_of
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.errors import AgentFileError, CallerError
from pointsman.evaluation import recording, suites
from pointsman.evaluation.runner import Plan, run
from pointsman.evaluation.staging import Subject
from tests.support.engine import approve
from tests.support.evaluated import kiosk

pytestmark = pytest.mark.anyio

CASE: dict[str, Any] = {"id": "new", "say": "hi", "expect": {"outcome": "answer"}}


async def recorded(
    service: Service, *texts: str, confirm: bool = False
) -> list[tuple[str, list[Recorded]]]:
    """The runs of a conversation."""
    conversation, runs = "", []
    for text in texts:
        said = Submission(agent="kiosk", user="ann", text=text, conversation=conversation)
        ended = await service.carry(said)
        conversation = ended.conversation
        if confirm and ended.waiting:
            said = Submission(agent="kiosk", user="ann", text="yes", conversation=conversation)
            ended = await service.carry(said)
        runs.append((ended.id, await service.trace(ended.id, None)))
    return runs


@pytest.mark.parametrize(
    "texts", [("price of tea",), ("hello",), ("buy tea", "4 cups"), ("buy 2 cups of tea",)]
)
@pytest.mark.parametrize("confirm", [True, False])
@pytest.mark.parametrize("name", ["s.yaml", "s.jsonl"])
async def test_a_run_that_is_made_a_case_passes_again(
    tmp_path: Path, texts: tuple[str, ...], confirm: bool, name: str
) -> None:
    subject = Subject(path=kiosk(tmp_path))
    async with subject.opened() as live:
        service = service_of([live], MemoryStore(), SystemClock())
        runs = await recorded(service, *texts, confirm=confirm)
    suite = recording.add(tmp_path / "new" / name, recording.case_of(runs, name="again"))
    assert [turn.say for turn in suite.cases[0].turns] == list(texts)
    (result,) = await run(Plan(suite=suite), subject)
    assert result.failed == ()


async def test_a_case_holds_arguments_questions_and_decisions(tmp_path: Path) -> None:
    async with Subject(path=kiosk(tmp_path)).opened() as live:
        roles = {"finance": ["fay"]}
        service = service_of([live], MemoryStore(), SystemClock(), roles)
        (ordered,) = await recorded(service, "buy 2 cups of tea", confirm=True)
        (asked,) = await recorded(service, "buy tea")
        (waits,) = await recorded(service, "refund tea")
        await approve(service, await service.run(waits[0], None), by="fay")
        decided = waits[0], await service.trace(waits[0], None)
    expect = recording.case_of([ordered], name="x")["expect"]
    assert expect["tools"] == ["order"]
    assert expect["arguments"] == {"order": {"item": "tea", "many": 2}}
    assert (expect["confirm"], expect["outcome"]) == (True, "answer")
    assert recording.case_of([asked], name="x")["expect"]["asks"] == ["many"]
    assert recording.case_of([decided], name="x")["expect"]["approve"] is True


@pytest.mark.parametrize(
    "text",
    [
        "# mine\ncases:\n  - id: a\n    say: x  # said\n",
        "cases:\n- id: a\n  say: x",
        "suite: s\nuser: ann\ncases:\n    - {id: a, say: x}\n\n\n",
    ],
)
def test_a_case_is_put_at_the_end_and_nothing_else_is_touched(tmp_path: Path, text: str) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(text, encoding="utf-8")
    suite = recording.add(file, CASE)
    assert [case.id for case in suite.cases] == ["a", "new"]
    assert file.read_text(encoding="utf-8").startswith(text.rstrip("\n"))
    assert suites.load(file).cases == suite.cases
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "text",
    [
        "cases:\n- {id: a, say: x}\nuser: ann\n",
        "cases: [{id: a, say: x}]\n",
        "{cases: [{id: a, say: x}]}",
    ],
)
def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CallerError, match=r"paste this\n.*id: new"):
        recording.add(file, CASE)
    assert file.read_text(encoding="utf-8") == text


def test_a_case_is_added_once_and_only_to_a_suite(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    recording.add(file, CASE)
    with pytest.raises(CallerError, match="--id"):
        recording.add(file, CASE)
    with pytest.raises(CallerError, match="a suite is a"):
        recording.add(tmp_path / "s.txt", CASE)
    (tmp_path / "s.yaml").write_text("agent: x", encoding="utf-8")
    with pytest.raises(AgentFileError):
        recording.add(tmp_path / "s.yaml", CASE)
