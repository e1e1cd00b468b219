"""An agent that splits a request, and whose tasks do what a test says."""

import json
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any

from pointsman.adapters.tools.builtin import built_in_spec
from pointsman.domain.messages import ModelRequest, ToolMessage, UserMessage
from pointsman.engine.tasks import planning
from pointsman.engine.tasks.planning import Decomposition
from tests.support.scripted_model import Answer

Act = Callable[[ModelRequest], Answer | Awaitable[Answer]]


def decomposition() -> Decomposition:
    """The tool as an agent file switches it on."""
    return Decomposition(built_in_spec(planning.NAME, **planning.about()))


def split(tasks: Any, **more: Any) -> list[tuple[str, str]]:
    """A call that splits the request."""
    return [(planning.NAME, json.dumps({"tasks": tasks, **more}, ensure_ascii=False))]


def rows(**bases: str) -> list[dict[str, Any]]:
    """Tasks by name: ``c="a b"`` needs those two; its words are ``do c``."""
    return [
        {"index": id, "desc": f"do {id}", "base": base.replace(" ", ",")}
        for id, base in bases.items()
    ]


def given(request: ModelRequest) -> dict[str, str]:
    """What a task was given: task → result."""
    found = {}
    for one in request.messages:
        if isinstance(one, ToolMessage) and one.name == "Task_Result":
            told = json.loads(one.content)
            found[told["task"]] = told.get("result", told.get("not_done"))
    return found


def results(request: ModelRequest) -> list[str]:
    """What the tools gave, results of tasks left out."""
    tools = [one for one in request.messages if isinstance(one, ToolMessage)]
    return [one.content for one in tools if one.name != "Task_Result"]


def summary(request: ModelRequest) -> dict[str, Any]:
    """What the request is told when its tasks are over."""
    told: dict[str, Any] = json.loads(results(request)[-1])
    return told


class SplittingModel:
    """A script: splits what a user asks, answers with what came of it, and carries tasks out.

    Attributes:
        seen: the words of every task that was asked about, in order.
    """

    def __init__(
        self,
        plan: Any,
        acts: Mapping[str, Act | Answer] | None = None,
        *,
        answer: Act | str | None = None,
    ) -> None:
        """Args:
        plan: the tasks; a list of plans is proposed one after the other.
        acts: words of a task → what its model says; else ``did <words>``.
        answer: what is said at the end; else one line a task.
        """
        self._plans = plan if plan and isinstance(plan[0], list) else [plan]
        self._acts, self._answer = acts or {}, answer
        self.seen: list[str] = []

    async def __call__(self, request: ModelRequest) -> Answer:
        task = _task(request)
        if task is not None:
            self.seen.append(task)
            return await _said(self._acts.get(task, f"did {task}"), request)
        told = results(request)
        if len(told) < len(self._plans) and not (told and told[-1].startswith("{")):
            return split(self._plans[len(told)])
        if self._answer is not None:
            return await _said(self._answer, request)
        return _line_a_task(summary(request))


def _task(request: ModelRequest) -> str | None:
    """The words of the task that is carried out; None for a request."""
    users = [one for one in request.messages if isinstance(one, UserMessage)]
    return next((one.text for one in users if not one.own), None)


async def _said(act: Act | Answer, request: ModelRequest) -> Answer:
    if not callable(act):
        return act
    found = act(request)
    return await found if isawaitable(found) else found


def _line_a_task(told: Mapping[str, Any]) -> str:
    lines = [
        f"{one['desc']}: {one['result']}"
        if one["state"] == "done"
        else f"{one['desc']} was not done: {one['why']}"
        for one in told["tasks"]
    ]
    return "\n".join(lines)
