"""Which calls an action is known to need, told before it is due, so that its owner can confirm them
with the reminder; nothing is run.

The agent's rules are asked as they will be when the time comes, its tasks one by one, with words in
the place of the results that nobody knows yet. A text that these words get into is *open*: it is
shown as still to be written. A language model may decide differently each time, so nothing is
foreseen of one: its risky calls wait for a person.

Above: the tools and the API of reminders. Below: the checks that every call passes.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from pointsman.domain import questions, sources
from pointsman.domain.agent import Language
from pointsman.domain.approvals import person
from pointsman.domain.graph import Node
from pointsman.domain.messages import Message, ModelRequest, SystemMessage, UserMessage
from pointsman.domain.policy import Facts, assess
from pointsman.domain.prompt import system_prompt
from pointsman.domain.reminders.covering import Covered, cover
from pointsman.domain.tasks import plans, task_words
from pointsman.domain.tasks.task import Given
from pointsman.domain.tools import RawCall, ToolSpec, ValidCall
from pointsman.domain.values.natures import parameter
from pointsman.engine import preparing, validation
from pointsman.engine.agents import LiveAgent
from pointsman.errors import ModelFacingError, PlanInvalid
from pointsman.ports import CallContext, PreparedTool, Unready

ORIGIN = "reminder"
"""What a policy sees as ``origin`` of a run that a reminder starts."""
RULES = "offline"
"""The model that decides the same each time."""
_RESULT: dict[Language, tuple[str, str]] = {
    "zh": ("〔到时“{desc}”的结果〕", "〔“{desc}”的结果〕"),
    "en": ("[what comes of “{desc}” then]", "[what “{desc}” comes to]"),
}
"""Two words for one result: what is not the same with both depends on it."""


class Foreseen(Struct, frozen=True, kw_only=True):
    """A call that the action will make and that needs a person's word.

    Attributes:
        title: of the tool, for people.
        told: what it will do, for people, with nothing left out.
        covered: what a confirmation of it lets pass; None when it is another person's to approve.
        question: it cannot be done as it is said; what the user is to be asked.
    """

    title: str
    told: str
    covered: Covered | None = None
    question: str = ""


class Asking(Struct, frozen=True, kw_only=True):
    """Who wants something done later, and in which words."""

    action: str
    user: str
    language: Language
    now: datetime


async def foreseen(asking: Asking, live: LiveAgent) -> tuple[Foreseen, ...]:
    """The calls that need a word, in the order in which they will be made."""
    if live.model.name != RULES:
        return ()
    return tuple(await _Foresight(asking, live).calls())


class _Foresight:
    """Asks one agent's rules about one action."""

    def __init__(self, asking: Asking, live: LiveAgent) -> None:
        self._asking, self._live = asking, live
        language = live.spec.language
        self._system = SystemMessage(
            text=system_prompt(live.spec.instructions, asking.now, language)
        )

    async def calls(self) -> list[Foreseen]:
        """Every call that needs a word."""
        found: list[Foreseen] = []
        own = (UserMessage(text=self._asking.action),)
        for raw in await self._asked(own, splits=True):
            spec = self._spec(raw)
            if spec is not None and spec.splits:
                for desc, given in self._tasks(raw):
                    found += await self._of_task(desc, given)
            elif spec is not None:
                found += await self._seen(spec, raw, raw)
        return found

    async def _of_task(self, desc: str, needed: Sequence[Node]) -> list[Foreseen]:
        """What one task will call, asked with either word for each result that it gets."""
        asked = [
            await self._asked(task_words.opening(desc, _given(needed, words)), splits=False)
            for words in _RESULT[self._asking.language]
        ]
        found: list[Foreseen] = []
        for raw, other in zip(*asked, strict=False):
            if (spec := self._spec(raw)) is not None:
                found += await self._seen(spec, raw, other)
        return found

    async def _asked(self, messages: tuple[Message, ...], *, splits: bool) -> tuple[RawCall, ...]:
        specs = self._live.registry.specs
        request = ModelRequest(
            messages=(self._system, *messages),
            tools=tuple(spec for spec in specs if splits or not spec.splits),
        )
        return (await self._live.model.ask(request, lambda delta: None)).message.calls

    def _spec(self, raw: RawCall) -> ToolSpec | None:
        name = self._live.registry.resolve(raw.name)
        return self._live.registry.spec(name) if name is not None else None

    def _tasks(self, raw: RawCall) -> list[tuple[str, list[Node]]]:
        """The tasks of a plan, each with those whose results it gets."""
        try:
            nodes = plans.read_call(raw.arguments, most=self._live.spec.limits.tasks)
        except PlanInvalid:
            return []
        by_id = {node.id: node for node in nodes}
        return [(node.desc, [by_id[one] for one in node.base]) for node in nodes]

    async def _seen(self, spec: ToolSpec, raw: RawCall, other: RawCall) -> list[Foreseen]:
        """The call as it will be confirmed; none when it needs no word, or cannot be told."""
        arguments, rival = self._checked(raw, spec), self._checked(other, spec)
        if arguments is None or rival is None or other.name != raw.name:
            return []
        unknown = tuple(name for name in arguments if rival.get(name) != arguments[name])
        if any(parameter(spec, (name,)).nature != "text" for name in unknown):
            return []
        if not self._has_sources(spec, {n: v for n, v in arguments.items() if n not in unknown}):
            return []
        tool, language = self._live.registry.tool(spec.name), self._asking.language
        if isinstance(tool, PreparedTool):
            ready = await preparing.ready(tool, arguments, self._context())
            if isinstance(ready, Unready):
                question = ready.question or ready.content
                return [Foreseen(title=spec.titled(language), told="", question=question)]
            arguments |= preparing.filled(spec.context, ready)
        return self._judged(spec, arguments, unknown)

    def _has_sources(self, spec: ToolSpec, fixed: Mapping[str, Any]) -> bool:
        """Whether the action's own words give all that is known: else it will be asked then."""
        said = sources.Message(index=0, text=self._asking.action)
        evidence = sources.Evidence(messages=(said,), now=self._asking.now)
        return sources.judge(spec, sources.find(fixed, spec, evidence), fixed).ok

    def _judged(
        self, spec: ToolSpec, arguments: dict[str, Any], unknown: tuple[str, ...]
    ) -> list[Foreseen]:
        asking, live = self._asking, self._live
        facts = Facts(
            user=asking.user,
            roles=person(asking.user, live.roles).roles,
            at=asking.now,
            origin=ORIGIN,
        )
        verdict = assess(spec, live.rules, arguments=arguments, facts=facts).verdict
        if verdict not in ("confirm", "approve"):
            return []
        told = preparing.told(
            live, ValidCall(key="", spec=spec, arguments=arguments), asking.language
        ) or questions.told(
            {name: value for name, value in arguments.items() if name not in spec.context},
            spec.parameters,
            asking.language,
        )
        covered = cover(spec, arguments, unknown) if verdict == "confirm" else None
        return [Foreseen(title=spec.titled(asking.language), told=told.strip(), covered=covered)]

    def _checked(self, raw: RawCall, spec: ToolSpec) -> dict[str, Any] | None:
        context = self._context()
        values = {"user": context.user, "agent": context.agent, "input": context.input}
        try:
            valid = validation.check(raw, key="", spec=spec, context_values=values, now=context.now)
        except ModelFacingError:
            return None
        return dict(valid.arguments)

    def _context(self) -> CallContext:
        asking = self._asking
        return CallContext(
            run="",
            conversation="",
            user=asking.user,
            agent=self._live.spec.name,
            input=asking.action,
            language=asking.language,
            now=asking.now,
            key="",
            progress=lambda fraction, message: None,
        )


def _given(needed: Sequence[Node], words: str) -> list[Given]:
    return [Given(task=one.id, desc=one.desc, text=words.format(desc=one.desc)) for one in needed]
