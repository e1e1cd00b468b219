"""A request of several calls as tasks of their own, and what came of them in words. Pure.

What each call is as a task, and what it needs of the others, is in the rules; that there are tasks
at all, and how their results come back, is the engine's (``domain.tasks.task_words``).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pointsman.adapters.models.offline.plan import FromResult, Goal, Plan
from pointsman.adapters.models.offline.reply import spoken
from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.domain.agent import Language
from pointsman.domain.messages import AssistantMessage, Message, ToolMessage
from pointsman.domain.tasks.task_words import RESULT

NOT_UNDERSTOOD: dict[Language, str] = {
    "zh": "我无法完成这一步：没有与它相符的规则。",
    "en": "I cannot do this step: no rule fits it.",
}
"""What is said of a task that no rule fits, in the place of what the agent can do."""
_TOGETHER = re.compile(
    r"一起|一并|全部|所有|都|\b(?:both|all|together|everything)\b", re.IGNORECASE
)
_NOT_DONE: dict[Language, str] = {
    "zh": "「{desc}」没有完成：{why}",
    "en": "“{desc}” was not done: {why}",
}


def tasks_of(plan: Plan, rules: OfflineRules, language: Language) -> list[dict[str, Any]]:
    """The plan's calls as tasks; none when it is one call, or one of them hangs on another's
    result."""
    goals = _in_order(plan.goals, rules)
    if len(goals) < 2 or any(_hangs(goal) for goal in goals):
        return []
    words = [_words(goal, goals, rules, language) for goal in goals]
    return [
        {
            "index": place,
            "desc": words[place - 1],
            "base": ",".join(map(str, _base(place - 1, goals, rules))),
        }
        for place, goal in enumerate(goals, start=1)
    ]


def _in_order(goals: Sequence[Goal], rules: OfflineRules) -> list[Goal]:
    """The calls as they are made: one that gets all results comes after the others that the same
    words ask for ("send the number of users to Ann")."""
    last = {goal.words: place for place, goal in enumerate(goals)}
    return [
        goal
        for _, goal in sorted(
            enumerate(goals),
            key=lambda one: (
                (last[one[1].words], 1) if "*" in rules.calls[one[1].rule].after else (one[0], 0)
            ),
        )
    ]


def _hangs(goal: Goal) -> bool:
    return goal.decision is not None or any(
        isinstance(value, FromResult) for value in goal.arguments.values()
    )


def _words(goal: Goal, goals: Sequence[Goal], rules: OfflineRules, language: Language) -> str:
    """What a call is as a task: as the rules say, else in the user's own words where they ask for
    nothing else."""
    rule = rules.calls[goal.rule]
    if rule.task is not None:
        return spoken(rule.task, rules, language, values=goal.values)
    shared = sum(other.words == goal.words for other in goals) > 1
    if shared and rule.title is not None:
        return spoken(rule.title, rules, language)
    return goal.words


def _base(place: int, goals: Sequence[Goal], rules: OfflineRules) -> list[int]:
    """The numbers of the calls whose results a call gets. One that was made before gets those that
    the same words ask for, or that are new since then, unless it is to get them all together."""
    goal = goals[place]
    after = rules.calls[goal.rule].after
    found = [
        number
        for number, other in enumerate(goals[:place], start=1)
        if other.rule != goal.rule and ("*" in after or other.rule in after)
    ]
    before = [number for number in range(1, place + 1) if goals[number - 1].rule == goal.rule]
    if not before or _TOGETHER.search(goal.words):
        return found
    own = [number for number in found if goals[number - 1].words == goal.words]
    return own or [number for number in found if number > before[-1]] or found


def given_in(turn: Sequence[Message]) -> list[dict[str, str]]:
    """The results that a task has got of others: ``task``, ``desc`` and ``text`` of each."""
    return [
        {"task": str(one.get("task")), "desc": str(one.get("desc")), "text": str(one["result"])}
        for one in _results(turn, RESULT)
        if "result" in one
    ]


def outcome_in(turn: Sequence[Message], tool: str) -> Mapping[str, Any] | None:
    """What the tool that splits has brought; None before that, or when it did not split."""
    found = _results(turn, tool)
    return found[-1] if found and isinstance(found[-1].get("tasks"), list) else None


def was_tried(turn: Sequence[Message], tool: str) -> bool:
    """Whether the request was given to the tool already."""
    calls = (call for one in turn if isinstance(one, AssistantMessage) for call in one.calls)
    return any(call.name == tool for call in calls)


def told(outcome: Mapping[str, Any], language: Language) -> str:
    """What came of the tasks, in a paragraph each."""
    lines = [
        str(one.get("result") or "")
        if one.get("state") == "done"
        else _NOT_DONE[language].format(desc=one.get("desc"), why=one.get("why"))
        for one in outcome["tasks"]
        if isinstance(one, Mapping)
    ]
    return "\n\n".join(line for line in lines if line)


def _results(turn: Sequence[Message], tool: str) -> list[dict[str, Any]]:
    """What a tool gave, as far as it is JSON objects."""
    contents = (one.content for one in turn if isinstance(one, ToolMessage) and one.name == tool)
    return [_object(content) for content in contents]


def _object(content: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(content)
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}
