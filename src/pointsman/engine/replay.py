"""Runs a journaled run again: the recorded model replies, tool results and decisions of people,
under today's agent and policy, through the one loop. Nothing outside is called.

The loop sees a model, tools, a classifier and a clock that are made from the journal; the store and
the bus are fresh ones. What comes out is compared by ``domain.comparison``.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from pointsman import errors
from pointsman.domain import comparison
from pointsman.domain import events as ev
from pointsman.domain.comparison import Difference
from pointsman.domain.intents import Classification
from pointsman.domain.messages import Delta, ModelReply, ModelRequest
from pointsman.domain.sentences import NO_REPEAT
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.journal import Journal
from pointsman.engine.loop import Loop
from pointsman.engine.registry import Registry
from pointsman.errors import ModelError, StoreError
from pointsman.ports import Bus, CallContext, Classifier, Store, StoredRun, Tool, ToolSource


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
    journal = Journal.start(
        store,
        bus,
        clock,
        run=stored.record.id,
        first=first,
        past=stored.past,
        pending=stored.pending,
    )
    clock.journal = journal
    actor = await _actor(recorded, live, reclassify)
    loop = Loop(store, bus, clock, Agents(actor))
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
    results = _results(recorded)
    registry = Registry([_RecordedSource(one, results) for one in live.registry.sources])
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


class _RecordedClock:
    """A ``ports.Clock`` that shows the instant of the next event as it was recorded."""

    def __init__(self, recorded: Sequence[ev.Event]) -> None:
        self._instants = [event.at for event in recorded]
        self._ids = 0
        self.journal: Journal | None = None

    def now(self) -> datetime:
        reached = -1 if self.journal is None else self.journal.run.position
        return self._instants[min(reached + 1, len(self._instants) - 1)]

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Nobody waits."""

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:032x}"

    def random(self) -> float:
        return 0.5


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
_UNRECORDED = ToolResult(
    status=ResultStatus.FAILED, content="ERROR: the journal holds no result of this call"
)


def _results(recorded: Sequence[ev.Event]) -> _Results:
    """What the attempts of each call gave, in order; calls by the reply that proposed them. A call
    that was rejected gave what the model read of that."""
    keys = comparison.keys_by_reply(recorded)
    results: _Results = {}
    for event in recorded:
        if isinstance(event, ev.AttemptFinished):
            content = event.result.content.removesuffix(NO_REPEAT)
            results.setdefault(keys[event.call], []).append(replace(event.result, content=content))
        elif isinstance(event, ev.CallRejected):
            rejected = ToolResult(status=ResultStatus.REJECTED, content=event.content)
            results.setdefault(keys[event.call], []).append(rejected)
    return results


class _RecordedSource:
    """A ``ports.ToolSource`` with today's tools, which answer what was recorded and do nothing."""

    def __init__(self, source: ToolSource, results: _Results) -> None:
        self._source, self._results = source, results
        self._tools: dict[int, _RecordedTool] = {}
        self.name = source.name

    async def open(self) -> None:
        """The source is open."""

    async def settle(self, patience: float | None = None) -> None:
        """And settled."""

    def tools(self) -> Sequence[Tool]:
        return [
            self._tools.setdefault(id(tool), _RecordedTool(tool, self._results))
            for tool in self._source.tools()
        ]

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
        recorded = self._results.get(context.key.rpartition(":")[2])
        return recorded.pop(0) if recorded else _UNRECORDED
