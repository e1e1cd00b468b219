"""An agent in a few lines of Python: what waits for a person, and the person's word on it."""

from pathlib import Path

import pytest

from pointsman import Agent, PointsmanError, Risk, tool
from pointsman.domain.runs import RunStatus
from tests.support.scripted_model import Answer, ScriptedModel

pytestmark = pytest.mark.anyio

CALLS: list[tuple[str, str]] = [("note", '{"what": "one"}'), ("note", '{"what": "two"}')]


def notebook(*script: Answer, journal: Path | None = None) -> tuple[Agent, list[str]]:
    """An agent that writes notes, and what it wrote."""
    written: list[str] = []

    @tool(risk=Risk.WRITE)
    def note(what: str) -> str:
        """Write a note."""
        written.append(what)
        return f"wrote {what}"

    model = ScriptedModel(list(script))
    return Agent("desk", tools=[note], model=model, journal=journal), written


async def test_of_several_calls_that_wait_each_is_decided_by_itself() -> None:
    said = "One is written; two was not, as you declined."
    agent, written = notebook(CALLS, said)
    async with agent:
        asked = await agent.run("note one and two")
        assert [one.arguments for one in asked.waiting] == [{"what": "one"}, {"what": "two"}]
        assert (asked.kind, asked.waiting[0].by, asked.waiting[0].tool) == (
            "waiting",
            "user",
            "note",
        )
        assert asked.waiting[1].question.startswith(asked.text.splitlines()[1])
        unclear = await agent.run("yes", conversation=asked.conversation)
        assert "2 things wait" in unclear.text
        first, second = asked.waiting
        still = await agent.decide(asked.run, second.approval, approved=False, reason="enough")
        assert (still.kind, [one.approval for one in still.waiting]) == (
            "waiting",
            [first.approval],
        )
        assert written == []
        done = await agent.decide(asked.run, first.approval, approved=True)
        assert (done.text, done.waiting, written) == (said, (), ["one"])


async def test_a_call_that_waits_outlives_the_process(tmp_path: Path) -> None:
    agent, _ = notebook(CALLS[:1], journal=tmp_path / "journal.db")
    async with agent:
        asked = await agent.run("note one")
    later, written = notebook("done", journal=tmp_path / "journal.db")
    async with later:
        done = await later.decide(asked.run, asked.waiting[0].approval, approved=True)
    assert (done.text, done.status, written) == ("done", RunStatus.DONE, ["one"])


async def test_who_may_not_decide_and_what_there_is_not_is_told_so() -> None:
    agent, written = notebook(CALLS[:1])
    async with agent:
        asked = await agent.run("note one")
        (waiting,) = asked.waiting
        with pytest.raises(PointsmanError, match="bob may not decide this"):
            await agent.decide(asked.run, waiting.approval, approved=True, by="bob")
        with pytest.raises(PointsmanError, match="no approval"):
            await agent.decide(asked.run, f"{asked.run}.ffffffff", approved=True)
        await agent.decide(asked.run, waiting.approval, approved=False)
        with pytest.raises(PointsmanError, match="already denied by local"):
            await agent.decide(asked.run, waiting.approval, approved=True)
    assert written == []
