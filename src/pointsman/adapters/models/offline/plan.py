"""What a conversation asks for, by the rules: calls with their arguments and what they wait for, a
question, or nothing that the rules know. Pure, and the same for the same words on the same day.

A message that asks for calls is a request. One that only names values ("那上海呢？", "and on
Friday?") or answers a question for a missing value changes the request before it.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from pointsman.adapters.models.offline.clauses import Clause, Guard, in_turn, normal
from pointsman.adapters.models.offline.dates import find_dates, write_date
from pointsman.adapters.models.offline.reading import Reader
from pointsman.adapters.models.offline.rules import (
    ArgumentRule,
    Scalar,
    Spoken,
    ValueRule,
)
from pointsman.adapters.models.offline.template import Path
from pointsman.adapters.models.offline.values import (
    Found,
    bare_answer,
    only_values,
    places_of,
    rest,
)
from pointsman.domain.agent import Language

RECALLED = 50
"""How many of the user's messages are read again, the newest ones."""
MAX_GOALS = 8
"""Calls that one message can ask for; the engine's own cap on calls of one reply is the same."""


_BESIDES = re.compile(r"还有|还要|再|也|另外|\b(?:and|also|another|too)\b", re.IGNORECASE)
"""Another value besides, not instead."""


class FromResult(Struct, frozen=True):
    """An argument that the result of another goal holds."""

    goal: int
    path: Path


class Decision(Struct, frozen=True):
    """A goal is wanted only if a condition, tested on the result of another goal, comes out so.

    Attributes:
        condition: empty when nobody can decide it; ``words`` are the user's.
        goal: the place of the goal whose result decides, -1 for none.
    """

    condition: str
    wanted: bool
    goal: int
    words: str = ""
    operands: dict[str, str] = {}


class Goal(Struct, frozen=True):
    """One call that the user wants.

    Attributes:
        rule: name of the call rule.
        values: value name → what was found, for templates.
        words: the clause that asks for it.
    """

    rule: str
    arguments: dict[str, Scalar | FromResult]
    values: dict[str, Scalar]
    decision: Decision | None = None
    words: str = ""


class Plan(Struct, frozen=True):
    """Calls in the order in which their results are told. A goal waits only for earlier ones.

    Attributes:
        changed: a later message changed values of the request.
    """

    goals: tuple[Goal, ...]
    changed: bool = False


class Question(Struct, frozen=True):
    """A value is needed before anything can be done."""

    ask: Spoken


class NoSuchDay(Struct, frozen=True):
    """The user named a day that does not exist."""

    words: str


class Answer(Struct, frozen=True):
    """A fixed answer."""

    say: Spoken


class Nothing(Struct, frozen=True):
    """No rule fits."""


Intention = Plan | Question | NoSuchDay | Answer | Nothing


def understand(
    reader: Reader,
    said: Sequence[str],
    today: date | None,
    language: Language,
    given: Sequence[Mapping[str, str]] = (),
) -> Intention:
    """What the last of the user's messages asks for, in the light of the ones before it.

    Args:
        given: the results that a task has got of others, for templates.
    """
    rules = reader.rules
    request: _Request | None = None
    memory: dict[str, list[Found]] = {}
    intention: Intention = Nothing()
    for text, written in (two for one in said[-RECALLED:] for two in _in_turn(reader, one, today)):
        clauses = reader.clauses(text, today)
        if request and request.answered_by(text):
            intention = request.plan()
        elif any(clause.calls or (clause.guard and clause.guard.condition) for clause in clauses):
            before = request.taken_up_by(text, clauses) if request else ""
            if before:
                text = f"{before.rstrip('。.！!？?，, ')}，{text}"
                clauses = reader.clauses(text, today)
            request = _Request(reader, text, clauses, dict(memory), today, language, given)
            request.before, request.written = before, "" if before else written
            intention = request.plan()
        elif request and request.change(text):
            intention = request.plan()
        else:
            say = next((answer.say for answer in rules.answers if answer.when.in_(text)), None)
            intention = Answer(say) if say else Nothing()
        for name, rule in rules.values.items():
            if rule.remember and (found := reader.values(name, text, today)):
                memory[name] = found
        if request and not isinstance(intention, Answer | Nothing):
            memory |= request.remembered
    return intention


def _in_turn(reader: Reader, written: str, today: date | None) -> list[tuple[str, str]]:
    """A message as it is read and as it was written, or the requests in it of which each takes the
    place of the one before."""
    text = normal(written)
    parts = in_turn(text)
    requests = all(any(one.calls for one in reader.clauses(part, today)) for part in parts)
    return [(part, "") for part in parts] if requests and parts != [text] else [(text, written)]


class _Request:
    """One message that asks for calls, with the later messages that changed its values."""

    def __init__(
        self,
        reader: Reader,
        text: str,
        clauses: tuple[Clause, ...],
        memory: dict[str, list[Found]],
        today: date | None,
        language: Language,
        given: Sequence[Mapping[str, str]],
    ) -> None:
        self._given = [dict(one) for one in given]
        self._reader, self._rules = reader, reader.rules
        self._text, self._clauses, self._memory = text, clauses, memory
        self._deciding = {condition.call for condition in self._rules.conditions.values()}
        self._today, self._language = today, language
        self._changed: dict[str, list[Found]] = {}
        self._replaces = False
        self._goals: list[Goal] = []
        self._missing: dict[str, None] = {}
        self._impossible: list[Found] = []
        self.before = self.written = ""
        """The request that this one took up, and all of its message as it was written."""
        self.remembered: dict[str, list[Found]] = {}
        """What the rules remember of the values that the plan uses."""

    def answered_by(self, text: str) -> bool:
        """Take the values of a message that holds nothing but what is missing; else False."""
        self.plan()
        missing = any(self._reader.values(name, text, self._today) for name in self._missing)
        only = missing and only_values(self._rules, text, self._today)
        return only and self.change(text)

    def taken_up_by(self, text: str, clauses: Sequence[Clause]) -> str:
        """What was asked for, where a later message does something with it ("send it to Ann"), once
        or again; else nothing. A call that is made alone takes up nothing."""
        calls, asked = self._rules.calls, self.before or self._text
        mine = {name for one in self._reader.clauses(asked, self._today) for name in one.calls}
        theirs = {name for clause in clauses for name in clause.calls}
        if not mine or mine & theirs or any(calls[name].alone for name in mine | theirs):
            return ""
        return asked if all(calls[name].takes_up.in_(text) for name in theirs) else ""

    def change(self, text: str) -> bool:
        """Take the values of a later message; False when it is about something else."""
        self.plan()
        found = {
            name: values
            for name in self._rules.values
            if (values := self._reader.values(name, text, self._today))
        }
        of_use = found.keys() & self._used()
        if (
            of_use and self._reader.changes(text, self._today)
        ) or found.keys() & self._missing.keys():
            self._replaces = not (_BESIDES.search(text) or found.keys() & self._missing.keys())
            self._changed |= found
            return True
        if any(answer.when.in_(text) for answer in self._rules.answers):
            return False
        for name in itertools.islice((one for one in self._missing if self._is_asked(one)), 1):
            value = bare_answer(self._rules.values[name], text)
            if value is not None:
                self._changed[name] = [Found(value, text, 0, len(text))]
                return True
        return False

    def _used(self) -> set[str]:
        """The values that the calls of the plan are made with."""
        rules = [self._rules.calls[goal.rule] for goal in self._goals]
        return {argument.source for rule in rules for argument in rule.arguments.values()}

    def _is_asked(self, name: str) -> bool:
        """Whether a call cannot do without the value, as far as the rules say."""
        return self._rules.values[name].ask is not None

    def plan(self) -> Intention:
        """The calls of the request as it stands now."""
        self._goals, self._missing, self._impossible = [], {}, []
        asked_for = {name for clause in self._clauses for name in clause.calls}
        whole = (name for name, rule in self._rules.calls.items() if rule.alone)
        alone = set(itertools.islice((name for name in whole if name in asked_for), 1))
        for index, clause in enumerate(self._clauses):
            if alone and not alone.intersection(clause.calls):
                continue
            decision = self._decision(clause.guard) if clause.guard else None
            for name in clause.calls:
                if alone and name not in alone:
                    continue
                asked = decision
                if decision and not decision.condition and self._informs(name):
                    asked = None  # "if I go to Rome, what is the weather?" is no fork
                for choice in self._choices(name, index):
                    self._add(name, index, asked, choice)
        if self._impossible:
            return NoSuchDay(self._impossible[0].words)
        for name in self._missing:
            ask = self._rules.values[name].ask
            if ask:
                return Question(ask)
        return Plan(tuple(self._goals[:MAX_GOALS]), changed=self._replaces)

    def _informs(self, name: str) -> bool:
        """Whether the call can be made without knowing what the user's "if" comes to: it decides
        something itself, or takes the user's question as it is."""
        arguments = self._rules.calls[name].arguments.values()
        return name in self._deciding or any(rule.said for rule in arguments)

    def _decision(self, guard: Guard) -> Decision:
        if not guard.condition:
            return Decision("", guard.wanted, -1, guard.words)
        call = self._rules.conditions[guard.condition].call
        goal = self._add(call, guard.clause, None, {})
        return Decision(guard.condition, guard.wanted, goal, guard.words, guard.operands)

    def _choices(self, name: str, clause: int) -> list[dict[str, Scalar]]:
        """One mapping a call: the values of which each makes a call of its own."""
        choices: list[dict[str, Scalar]] = [{}]
        for value in self._rules.calls[name].each:
            found = [f.value for f in self._found(value, clause) if f.value is not None]
            if found:
                choices = [{**choice, value: one} for choice in choices for one in found]
        return choices[:MAX_GOALS]

    def _add(
        self, name: str, clause: int, decision: Decision | None, choice: Mapping[str, Scalar]
    ) -> int:
        """The place of a goal; none is added twice, but as a task that would get other results."""
        values: dict[str, Scalar] = {}
        arguments: dict[str, Scalar | FromResult] = {}
        for parameter, rule in self._rules.calls[name].arguments.items():
            if rule.source:
                value = choice.get(rule.source) or self._value(rule.source, clause)
                if value is not None and rule.several:
                    found = self._found(rule.source, clause) or ()
                    value = ",".join(str(one.value) for one in found) or value
                if value is not None:
                    values[rule.source] = arguments[parameter] = value
            elif rule.call and rule.path:
                before = self._add(rule.call, clause, decision, choice)
                arguments[parameter] = FromResult(before, rule.path)
            elif rule.fixed is not None:
                arguments[parameter] = rule.fixed
            elif rule.said and ((said := self._said(rule, clause)) or not rule.text):
                arguments[parameter] = said
        self._write_texts(name, arguments, values)
        goal = Goal(name, arguments, values, decision, self._clauses[clause].text)
        tasks = self._rules.split is not None and self._rules.calls[name].after
        for place, other in enumerate(self._goals):
            news = tasks and any(later.rule != name for later in self._goals[place + 1 :])
            same = (other.rule, other.arguments) == (name, arguments)
            if same and other.decision in (None, decision) and not news:
                return place
        self._goals.append(goal)
        return len(self._goals) - 1

    def _said(self, rule: ArgumentRule, clause: int) -> str:
        """The user's own words, as far as the rule takes them."""
        text = self._text if rule.said == "message" else self._words(clause)
        if not rule.without and not rule.strip.patterns:
            return text
        left_out = [
            place
            for name in rule.without
            for place in places_of(self._rules.values[name], text, self._today)
        ]
        return rest(text, left_out, rule.strip)

    def _words(self, clause: int) -> str:
        """A clause with the "if" that it hangs on, where that is no condition of the rules."""
        guard = self._clauses[clause].guard
        unknown = guard is not None and not guard.condition
        places = sorted({clause, guard.clause if guard and unknown else clause})
        return " ".join(self._clauses[place].text for place in places)

    def _write_texts(
        self, name: str, arguments: dict[str, Scalar | FromResult], values: dict[str, Scalar]
    ) -> None:
        for parameter, rule in self._rules.calls[name].arguments.items():
            if rule.text and parameter not in arguments:
                template = rule.text.in_language(self._language)
                text = template.render(
                    {"values": values, "result": values, "given": self._given}, self._language
                )
                if text or not rule.source:
                    arguments[parameter] = text

    def _value(self, name: str, clause: int) -> Scalar | None:
        rule = self._rules.values[name]
        for found in self._found(name, clause):
            if found.value is None:
                self._impossible.append(found)
            elif rule.remember:
                self.remembered[name] = [found]
            return found.value
        value = self._default(rule)
        if value is None:
            self._missing[name] = None
        return value

    def _found(self, name: str, clause: int) -> list[Found]:
        """The values in the nearest text that has any: a later message, the clause itself, the
        clauses before it and after it, then earlier messages if the rule remembers. What is known
        goes before what only stands in a likely place."""
        if name in self._changed:
            return self._changed[name]
        rule = self._rules.values[name]
        for said in (self.written, self._text) if rule.whole and self._is_of_one(clause) else ():
            if found := self._reader.free(name, said):
                return found
        order = [*range(clause, -1, -1), *range(clause + 1, len(self._clauses))]
        near = [self._clauses[index].text for index in order]
        for found in (
            *(self._reader.known(name, text, self._today) for text in near),
            *(self._reader.free(name, text) for text in near),
        ):
            if found:
                return found
        return self._memory.get(name, []) if rule.remember else []

    def _is_of_one(self, clause: int) -> bool:
        """Whether no other clause asks for anything."""
        return not any(one.calls for n, one in enumerate(self._clauses) if n != clause)

    def _default(self, rule: ValueRule) -> Scalar | None:
        if not rule.date or not isinstance(rule.default, str) or self._today is None:
            return None if rule.date else rule.default
        for found in find_dates(rule.default, self._today):
            return write_date(found.day, rule.date) if found.day else None
        return None
