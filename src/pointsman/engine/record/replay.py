"""Runs a journaled run again: the recorded model replies, tool results and decisions of people,
under today's agent and policy, through the one loop. Nothing outside is called.

The loop sees a model, tools, a classifier and a clock that are made from the journal; the store and
the bus are fresh ones. What was decided for reasons outside of the agent (a tool that was left
alone, a rate, a place) is decided so again. What comes out is compared by
``domain.record.comparison``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from pointsman import errors
from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.intents import Classification
from pointsman.domain.messages import Delta, ModelReply, ModelRequest
from pointsman.domain.record import comparison
from pointsman.domain.record.comparison import Difference
from pointsman.domain.runs import Run
from pointsman.domain.sentences import NO_REPEAT
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.approvals import unclear
from pointsman.engine.health import Admitted, Denied, Health
from pointsman.engine.journal import Journal
from pointsman.engine.loop import Loop
from pointsman.engine.record.recorded_preparing import Preparations, preparations, with_preparing
from pointsman.engine.registry import Registry
from pointsman.engine.tasks.carrying import Tasks
from pointsman.errors import ModelError, StoreError
from pointsman.ports import (
    Bus,
    CallContext,
    Classifier,
    Clock,
    Store,
    StoredRun,
    Tool,
    ToolSource,
)


async def replay(
    stored: StoredRun, live: LiveAgent, store: Store, bus: Bus, *, reclassify: bool = False
) -> list[Difference]:
    """The decisions of the run that come out differently today.

    Args:
        live: the agent as it is today, with its tools settled. It is not called.
        store, bus: empty ones, for this run alone.
        reclassify: ask today's classifier instead of taking the recorded scores.

    Raises:
        JournalCorrupt: the events cannot be read.
    """
    recorded = [ev.decode(row.body) for row in stored.rows]
    first = recorded[0]
    if not isinstance(first, ev.MessageReceived):
        raise errors.JournalCorrupt(f"run {stored.record.id} does not start with a message")
    clock = _RecordedClock(recorded)
    journal = _Followed.start(
        store,
        bus,
        clock,
        run=stored.record.id,
        first=first,
        past=stored.past,
        pending=stored.pending,
    )
    unclear.recall(recorded, journal)
    actor = await _actor(recorded, live, reclassify)
    loop = _Replaying(store, bus, clock, Agents(actor), _RecordedTasks(recorded, clock))
    loop.recall(recorded, journal)
    try:
        await loop.carry(journal)
        people = _People(recorded)
        while journal.run.waiting and people.decide(journal):
            await loop.carry(journal)
    except _RecordEnds:
        """What would come next was never recorded."""
    await journal.commit()
    replayed = [ev.decode(row.body) for row in await store.rows(stored.record.id)]
    return comparison.differences(stored.record.id, recorded, replayed)


class _RecordEnds(StoreError):
    """The journal tells no more. A ``StoreError``, for the loop leaves such a run as it is."""


async def _actor(recorded: Sequence[ev.Event], live: LiveAgent, reclassify: bool) -> LiveAgent:
    """Today's agent with the journal's words in the mouths of its model and tools."""
    model = _RecordedModel(recorded)
    results, prepared = _results(recorded), preparations(recorded)
    sources = [_RecordedSource(one, results, prepared) for one in live.registry.sources]
    registry = Registry(sources)
    await registry.open()
    classifier: Classifier | None = live.classifier
    said = [event for event in recorded if isinstance(event, ev.IntentClassified)]
    if said and classifier is not None and not reclassify:
        classifier = _RecordedClassifier(said[0])
    return replace(
        live,
        model=model,
        fallback=model if live.fallback is not None else None,
        registry=registry,
        classifier=classifier,
    )


_ByPerson = ev.ApprovalDecided | ev.ApprovalEdited | ev.ResultGiven
_ENDING = ("superseded", "taken_over")
"""Decisions after which a person's word, and not the engine's, may have ended the run."""


class _People:
    """Those who decided, doing the same again."""

    def __init__(self, recorded: Sequence[ev.Event]) -> None:
        keys = comparison.keys_by_reply(recorded)
        by_hand = {event.call for event in recorded if isinstance(event, ev.ResultGiven)}
        self._made: dict[str, list[_ByPerson]] = {}
        for event in recorded:
            if isinstance(event, ev.ApprovalDecided) and event.decision in _ENDING:
                if event.call in by_hand:
                    self._made.setdefault(keys[event.call], []).append(event)
            elif isinstance(event, _ByPerson):
                self._made.setdefault(keys[event.call], []).append(event)

    def decide(self, journal: Journal) -> bool:
        """Decide on what waits; whether the run goes on by that."""
        for call in journal.run.waiting:
            self._decide(call.key, journal)
        return not journal.run.waiting

    def _decide(self, key: str, journal: Journal) -> None:
        """All that was done to a call while it waited: edits, a decision, a result by hand."""
        made = self._made.get(key, [])
        while made:
            then, at = made.pop(0), journal.clock.now()
            if isinstance(then, ev.ResultGiven):
                return journal.record(replace(then, at=at, call=key))
            approval = journal.run.call(key).approval
            assert approval is not None
            journal.record(replace(then, at=at, call=key, approval=approval.id))
            decided = isinstance(then, ev.ApprovalDecided)
            if decided and not (made and isinstance(made[0], ev.ResultGiven)):
                return None
        return None


class _Replaying(Loop):
    """The loop, with the outside as it was."""

    def recall(self, recorded: Sequence[ev.Event], journal: Journal) -> None:
        self._health = _RecordedHealth(self._store, self._clock, recorded, journal)


class _RecordedTasks(Tasks):
    """The tasks of the run, which come to what they came to; none is started."""

    def __init__(self, recorded: Sequence[ev.Event], clock: Clock) -> None:
        self._recorded, self._clock = recorded, clock
        self._keys = comparison.keys_by_reply(recorded)

    async def advance(self, journal: Journal, *, driven: bool = True) -> bool:
        found = run_tasks.open_graph(journal.run)
        assert found is not None
        for event in self._recorded:
            told = isinstance(event, _OF_TASKS) and self._keys[event.call] == found.call
            if told and isinstance(event, _OF_TASKS):
                journal.record(replace(event, at=self._clock.now(), call=found.call))
        if run_tasks.open_graph(journal.run) is not None:
            raise _RecordEnds("the journal tells no end of the tasks")
        return True

    async def told(self, run: Run) -> None:
        """Nobody is."""

    async def left(self, run: Run) -> None:
        """Nothing is."""

    async def is_orphan(self, run: Run) -> bool:
        return False


_OF_TASKS = (ev.TaskStarted, ev.TaskAsks, ev.TaskEnded, ev.TaskSkipped, ev.AttemptFinished)


class _RecordedHealth(Health):
    """Leaves the tools alone that were left alone, and lets in whom was let in."""

    def __init__(
        self, store: Store, clock: Clock, recorded: Sequence[ev.Event], journal: Journal
    ) -> None:
        super().__init__(store, clock)
        self._journal = journal
        keys = comparison.keys_by_reply(recorded)
        cleared = {event.call for event in recorded if isinstance(event, ev.CallCleared)}
        self._resting: dict[tuple[str, str], str] = {}
        """Number of the reply and the tool → what the model read of its rest."""
        self._denied: dict[str, Denied] = {}
        for event in recorded:
            if not isinstance(event, ev.CallRejected):
                continue
            key = keys[event.call]
            if event.call in cleared:
                self._denied[key] = Denied(event.kind, event.content)
            elif event.kind == "unavailable":
                self._resting[key.partition(".")[0], event.tool] = event.content

    async def look(self) -> None:
        """There is nothing to learn."""

    def well(self, specs: tuple[ToolSpec, ...], agent: str = "") -> tuple[ToolSpec, ...]:
        return specs

    def rest(self, spec: ToolSpec, agent: str = "", language: Language = "en") -> str | None:
        return self._resting.get((str(self._journal.run.turns), spec.name))

    async def admission(
        self, spec: ToolSpec, *, user: str, call: str, agent: str = "", language: Language = "en"
    ) -> AbstractAsyncContextManager[Admitted | Denied]:
        return nullcontext(self._denied.get(call.rpartition(":")[2], Admitted()))

    async def report(self, spec: ToolSpec, admitted: Admitted, result: ToolResult) -> None:
        """It is known already."""


class _Followed(Journal):
    """A journal whose clock sees what is recorded."""

    def record(self, event: ev.Event) -> None:
        super().record(event)
        assert isinstance(self.clock, _RecordedClock)
        self.clock.follow(event)


class _RecordedClock:
    """A ``ports.Clock`` that shows the instant of the next event as it was recorded, without the
    time in which no worker had the run."""

    def __init__(self, recorded: Sequence[ev.Event]) -> None:
        keys = comparison.keys_by_reply(recorded)
        self._marks = [(type(one), keys.get(getattr(one, "call", ""), "")) for one in recorded]
        self._instants = list(_worked(recorded))
        self._next = 1
        self._ids = 0

    def follow(self, event: ev.Event) -> None:
        """The replay has come to this event: the next one is the one that came after it."""
        mark = (type(event), getattr(event, "call", ""))
        if mark in self._marks[self._next :]:
            self._next = self._marks.index(mark, self._next) + 1

    def now(self) -> datetime:
        return self._instants[min(self._next, len(self._instants) - 1)]

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Nobody waits."""

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:032x}"

    def random(self) -> float:
        return 0.5


def _worked(recorded: Sequence[ev.Event]) -> Iterator[datetime]:
    """The instant of each event, as if the run had been taken up at once whenever it was left."""
    lost, last = timedelta(0), recorded[0]
    for event in recorded:
        resumed = isinstance(event, ev.RunResumed) and not isinstance(last, _ByPerson)
        left = resumed or isinstance(event, ev.RunParked | ev.RunUnparked)
        lost += max(event.at - last.at, timedelta(0)) if left else timedelta(0)
        yield event.at - lost
        last = event if not isinstance(event, ev.DecisionRefused) else last


class _RecordedModel:
    """A ``ports.ChatModel`` that gives the recorded replies and failures, in order."""

    def __init__(self, recorded: Sequence[ev.Event]) -> None:
        self._said = [e for e in recorded if isinstance(e, ev.ModelAnswered | ev.ModelFailed)]
        started = [event.model for event in recorded if isinstance(event, ev.RunStarted)]
        self.name = started[0] if started else "recorded"

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        if not self._said:
            raise _RecordEnds("the journal holds no further reply of the model")
        said = self._said.pop(0)
        if isinstance(said, ev.ModelFailed):
            raise _as_error(said)
        return ModelReply(
            message=said.message,
            stop=said.stop,
            model=said.model,
            usage=said.usage,
            cut=said.cut,
            attempts=said.attempts,
        )

    async def aclose(self) -> None:
        """Nothing is held."""


def _as_error(failed: ev.ModelFailed) -> ModelError:
    """The error again: of its class, for what follows depends on that, with what it said."""
    kind = getattr(errors, failed.error, ModelError)
    if not (isinstance(kind, type) and issubclass(kind, ModelError)):
        kind = ModelError
    fault: ModelError = kind.__new__(kind)
    ModelError.__init__(fault, failed.detail.partition(": ")[2] or failed.detail)
    return fault


class _RecordedClassifier:
    """A ``ports.Classifier`` that gives the recorded scores."""

    def __init__(self, said: ev.IntentClassified) -> None:
        self._said = said

    @property
    def name(self) -> str:
        return self._said.by

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        said = self._said
        return Classification(scores=said.scores, by=said.by, abstains=said.abstains)


_Results = dict[str, list[ToolResult]]
"""Results of the attempts of each call, in order; the last is given again when more are made."""
_UNRECORDED = ToolResult(
    status=ResultStatus.FAILED, content="ERROR: the journal holds no result of this call"
)


def _results(recorded: Sequence[ev.Event]) -> _Results:
    """What the attempts of each call gave, in order; calls by the reply that proposed them."""
    keys = comparison.keys_by_reply(recorded)
    results: _Results = {}
    for event in recorded:
        if isinstance(event, ev.AttemptFinished):
            content = event.result.content.removesuffix(NO_REPEAT)
            results.setdefault(keys[event.call], []).append(replace(event.result, content=content))
    return results


class _RecordedSource:
    """A ``ports.ToolSource`` with today's tools, which answer what was recorded and do nothing."""

    def __init__(self, source: ToolSource, results: _Results, prepared: Preparations) -> None:
        self._source, self._results, self._prepared = source, results, prepared
        self._tools: dict[int, Tool] = {}
        self.name = source.name

    async def open(self) -> None:
        """The source is open."""

    async def settle(self, patience: float | None = None) -> None:
        """And settled."""

    def tools(self) -> Sequence[Tool]:
        return [self._tools.setdefault(id(tool), self._made(tool)) for tool in self._source.tools()]

    def _made(self, tool: Tool) -> Tool:
        return with_preparing(_RecordedTool(tool, self._results), tool, self._prepared)

    def absent(self, name: str) -> ToolResult | None:
        return self._source.absent(name)

    def state(self) -> str:
        return self._source.state()

    async def aclose(self) -> None:
        """Whoever opened the source closes it."""


class _RecordedTool:
    def __init__(self, tool: Tool, results: _Results) -> None:
        self._tool, self._results = tool, results

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        recorded = self._results.get(context.key.rpartition(":")[2]) or [_UNRECORDED]
        return recorded.pop(0) if len(recorded) > 1 else recorded[0]
