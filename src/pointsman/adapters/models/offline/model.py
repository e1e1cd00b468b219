"""The offline model: a deterministic ``ports.ChatModel`` that proposes calls from an agent's rules.

It is no language model and says so: its name is ``offline`` wherever it answers. It knows words and
places, not meaning. All knowledge of an agent is in the agent's rules (``rules``); here is only how
a conversation is read. Each question is answered from ``ModelRequest.messages`` alone: today from
the date line of the system message, the user's words, and the results after the last of them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, assert_never

import msgspec

from pointsman.adapters.models.offline import splitting
from pointsman.adapters.models.offline.checking import read_rules
from pointsman.adapters.models.offline.dates import read_written_date
from pointsman.adapters.models.offline.picking import said_in
from pointsman.adapters.models.offline.plan import (
    Answer,
    Goal,
    NoSuchDay,
    Nothing,
    Plan,
    Question,
    understand,
)
from pointsman.adapters.models.offline.reading import Reader
from pointsman.adapters.models.offline.reply import no_such_day, spoken, tell
from pointsman.adapters.models.offline.results import (
    Results,
    State,
    arguments,
    progress,
    read_result,
)
from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.domain.agent import Language
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    Message,
    ModelReply,
    ModelRequest,
    Stop,
    SystemMessage,
    TextDelta,
    ToolMessage,
    Usage,
    UserMessage,
)
from pointsman.domain.tools import RawCall

_DATE_LINE = re.compile(r"(今天是)\s*(\d{4}年\d{1,2}月\d{1,2}日)|Today is \w+, (\d{4}-\d\d-\d\d)")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+|https?://\S+", re.ASCII)
_LATIN = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"\W*[\w.@+-]+\W*", re.ASCII)
"""A name, a login, a "yes": what answers a question in any language."""
_PIECES = re.compile(r"[^\n。！？]*[\n。！？]*")


class OfflineModel:
    """Answers by the rules of one agent.

    Args:
        rules: the ``offline:`` section of an agent file.

    Raises:
        SettingsError: the rules have faults; names them all.
    """

    def __init__(self, rules: Mapping[str, Any] | OfflineRules) -> None:
        self._rules = rules if isinstance(rules, OfflineRules) else read_rules(rules)
        self._reader = Reader(self._rules)

    @property
    def name(self) -> str:
        return "offline"

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        message = self.answer(request)
        if request.stream:
            for piece in _PIECES.findall(message.text):
                if piece:
                    tell(TextDelta(piece))
        prompt = sum(_tokens(_content(m)) for m in request.messages)
        completion = _tokens(_content(message))
        return ModelReply(
            message=message,
            stop=Stop.TOOL_CALLS if message.calls else Stop.STOP,
            model=self.name,
            usage=Usage(prompt=prompt, completion=completion, total=prompt + completion),
        )

    async def aclose(self) -> None:
        return None

    def answer(self, request: ModelRequest) -> AssistantMessage:
        """The next calls, or the reply."""
        rules = self._rules
        said = said_in(request.messages)
        today, language = _date_line(request.messages)
        spoken_in = said[:-1] if len(said) > 1 and _is_bare_answer(request.messages) else said
        language = next(filter(None, map(_language, reversed(spoken_in))), language)
        turn = _turn(request.messages)
        given = splitting.given_in(turn)
        intention = understand(self._reader, said, today, language, given) if said else Nothing()
        if not isinstance(intention, Plan):
            intention = self._done(turn) or intention
        names = {"today": today.isoformat() if today else ""}
        match intention:
            case Plan():
                return self._go_on(intention, request, language, names["today"])
            case Question():
                text = spoken(intention.ask, rules, language, **names)
            case NoSuchDay():
                text = no_such_day(intention.words, language)
            case Answer():
                text = spoken(intention.say, rules, language, **names)
            case Nothing() if _is_task(request.messages):
                text = splitting.NOT_UNDERSTOOD[language]
            case Nothing():
                text = spoken(rules.fallback, rules, language, **names)
            case _:
                assert_never(intention)
        return AssistantMessage(text=text, by_rules=True)

    def _done(self, turn: tuple[Message, ...]) -> Plan | None:
        """What the engine did by itself with the user's answer to its question, to tell it."""
        rules = {rule.tool: name for name, rule in reversed(self._rules.calls.items())}
        done = {answer.name for answer in turn if isinstance(answer, ToolMessage)}
        goals = [
            Goal(rules[call.name], read, {})
            for one in turn
            if isinstance(one, AssistantMessage)
            for call in one.calls
            if call.name in rules and call.name in done
            if isinstance(read := arguments(call.arguments), dict)
        ]
        return Plan(tuple(goals)) if goals else None

    def _go_on(
        self, plan: Plan, request: ModelRequest, language: Language, today: str
    ) -> AssistantMessage:
        turn = _turn(request.messages)
        plan = self._amending(plan, request.messages[: len(request.messages) - len(turn)])
        offered = (
            frozenset(tool.name for tool in request.tools)
            if request.tool_choice != "none"
            else frozenset()
        )
        if (split := self._split(plan, turn, offered, language)) is not None:
            return split
        states = progress(plan, self._rules, Results(turn), offered)
        ready = {
            (self._rules.calls[state.goal.rule].tool, _encode(state.arguments)): None
            for state in states
            if state.state is State.READY
        }
        if not ready:
            text = tell(states, self._rules, language, today)
            return AssistantMessage(text=text, by_rules=True)
        number = sum(isinstance(message, AssistantMessage) for message in turn)
        return AssistantMessage(
            calls=tuple(
                RawCall(id=f"offline_{number}_{index}", name=name, arguments=arguments)
                for index, (name, arguments) in enumerate(ready)
            )
        )

    def _amending(self, plan: Plan, before: Sequence[Message]) -> Plan:
        """The plan that changes what was made, where the user changed a request that was done."""
        calls = self._rules.calls
        goals = [goal for goal in plan.goals if calls[goal.rule].amended_by]
        if not (plan.changed and len(goals) == len(plan.goals) == 1):
            return plan
        goal, rule = goals[0], calls[goals[0].rule]
        of_tool = [m for m in before if isinstance(m, ToolMessage) and m.name == rule.tool]
        if not of_tool or read_result(of_tool[-1].content)[0] is not State.DONE:
            return plan
        shared = calls[rule.amended_by].arguments.keys() & goal.arguments.keys()
        arguments = {name: goal.arguments[name] for name in sorted(shared)}
        return Plan((Goal(rule.amended_by, arguments, goal.values, words=goal.words),))

    def _split(
        self, plan: Plan, turn: tuple[Message, ...], offered: frozenset[str], language: Language
    ) -> AssistantMessage | None:
        """The request as tasks, or what came of them; None when it is no request of several."""
        rule = self._rules.split
        if rule is None:
            return None
        if (outcome := splitting.outcome_in(turn, rule.tool)) is not None:
            return AssistantMessage(text=splitting.told(outcome, language), by_rules=True)
        tasks = splitting.tasks_of(plan, self._rules, language)
        if not tasks or rule.tool not in offered or splitting.was_tried(turn, rule.tool):
            return None
        call = RawCall(id="offline_split", name=rule.tool, arguments=_encode({"tasks": tasks}))
        return AssistantMessage(calls=(call,))


def _encode(arguments: Mapping[str, Any]) -> str:
    return msgspec.json.encode(arguments).decode()


def _turn(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """What came after the last message of the user."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], UserMessage):
            return messages[index + 1 :]
    return messages


def _date_line(messages: tuple[Message, ...]) -> tuple[date | None, Language]:
    """Today, and the agent's language, from the line that the engine puts first."""
    for message in messages:
        if isinstance(message, SystemMessage):
            found = _DATE_LINE.match(message.text.lstrip())
            if found:
                return read_written_date(found[2] or found[3]), "zh" if found[1] else "en"
    return None, "en"


def _is_task(messages: tuple[Message, ...]) -> bool:
    """Whether it is a step of a request, whose words are no person's."""
    return any(isinstance(one, UserMessage) and not one.own for one in messages)


def _is_bare_answer(messages: tuple[Message, ...]) -> bool:
    """Whether the user's last message is a word that answers a question, and so tells nothing of
    his language."""
    said = [(place, one) for place, one in enumerate(messages) if isinstance(one, UserMessage)]
    place, last = said[-1]
    asked = messages[place - 1]
    asks = isinstance(asked, AssistantMessage) and ("?" in asked.text or "？" in asked.text)
    return asks and _WORD.fullmatch(last.text) is not None


def _language(text: str) -> Language | None:
    """The language of a text; an address alone has none."""
    text = _ADDRESS.sub("", text)
    if _CJK.search(text):
        return "zh"
    return "en" if _LATIN.search(text) else None


def _content(message: Message) -> str:
    match message:
        case ToolMessage():
            return message.content
        case AssistantMessage():
            return message.text + "".join(call.name + call.arguments for call in message.calls)
        case _:
            return message.text


def _tokens(text: str) -> int:
    """An estimate of the right size: one for a CJK character, one for four others."""
    wide = len(_CJK.findall(text))
    return wide + (len(text) - wide + 3) // 4
