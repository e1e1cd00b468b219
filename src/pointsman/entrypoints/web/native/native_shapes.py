"""The wire shapes of the native API. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.domain.agent import Language
from pointsman.domain.calls import CallState, Stage
from pointsman.domain.examples import examples
from pointsman.domain.graph import TaskState
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import ResultStatus, Risk
from pointsman.engine.agents import LiveAgent
from pointsman.faults import WORDS
from pointsman.ports import RunRecord


class _Taken(BaseModel):
    """A body; keys that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid")


class NewMessage(_Taken):
    """A message to an agent, in a conversation of the user or, without one, in a fresh one."""

    agent: str
    text: str = Field(min_length=1, pattern=WORDS)
    conversation: str = ""
    language: Language | None = None
    stream: bool = True


class Cancellation(_Taken):
    """Why a run is stopped, for the journal."""

    reason: str = ""


class _Given(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Accepted(_Given):
    """The run that carries the message, and its conversation."""

    run: str
    conversation: str


class Tokens(_Given):
    """``cached`` is part of ``prompt``, ``reasoning`` of ``completion``."""

    prompt: int
    cached: int
    completion: int
    reasoning: int
    total: int


class ToolShape(_Given):
    """A tool that an agent may call. ``titles`` are what it is called in each language."""

    name: str
    title: str
    titles: dict[Language, str]
    description: str
    source: str
    risk: Risk
    parameters: dict[str, Any]


class SourceShape(_Given):
    """Where tools come from; ``state`` is ``ready``, ``starting``, or a sentence about a fault."""

    name: str
    state: str


class ExamplesShape(_Given):
    """Requests that show what an agent can do, four of each language at most."""

    zh: list[str]
    en: list[str]


class AgentShape(_Given):
    """An agent of this server. ``editable`` when it lies in a folder of this server."""

    agent: str
    title: str
    titles: dict[Language, str]
    language: Language
    timezone: str
    model: str
    examples: ExamplesShape
    editable: bool
    sources: list[SourceShape]
    tools: list[ToolShape]

    @classmethod
    def of(cls, live: LiveAgent) -> "AgentShape":
        return cls(
            agent=live.spec.name,
            title=live.spec.title or live.spec.name,
            language=live.spec.language,
            timezone=live.spec.timezone,
            model=live.model.name,
            titles=live.spec.titles,
            examples=ExamplesShape(**examples(live.spec, live.intents.values())),
            editable=bool(live.home),
            sources=[SourceShape(name=s.name, state=s.state()) for s in live.registry.sources],
            tools=[ToolShape.model_validate(spec) for spec in live.registry.specs],
        )


class AgentList(_Given):
    agents: list[AgentShape]


class RunRow(_Given):
    """A run in a list."""

    run: str
    conversation: str
    agent: str
    status: RunStatus
    input: str
    reply: str
    created: datetime
    updated: datetime
    usage: Tokens
    rating: Literal["up", "down"] | None = None
    comment: str = ""

    @classmethod
    def of(
        cls, record: RunRecord, said: tuple[Literal["up", "down"], str] | None = None
    ) -> "RunRow":
        rating, comment = said or (None, "")
        return cls(
            rating=rating,
            comment=comment,
            run=record.id,
            conversation=record.conversation,
            agent=record.agent,
            status=record.status,
            input=record.input,
            reply=record.reply,
            created=record.created,
            updated=record.updated,
            usage=Tokens.model_validate(record.usage),
        )


class CallShape(_Given):
    """A call and what has become of it; ``arguments`` are the model's own text until they are
    checked. ``result`` names the whole text when ``content`` is cut."""

    call: str
    tool: str
    arguments: dict[str, Any] | str
    stage: Stage
    risk: Risk | None
    notes: list[str]
    attempts: int
    status: ResultStatus | None
    content: str | None
    result: str | None

    @classmethod
    def of(cls, call: CallState) -> "CallShape":
        result = call.result
        return cls(
            call=call.key,
            tool=call.tool or call.raw.name,
            arguments=call.arguments if call.tool else call.raw.arguments,
            stage=call.stage,
            risk=call.risk if call.tool else None,
            notes=list(call.notes),
            attempts=call.attempts,
            status=result.status if result else None,
            content=result.content if result else None,
            result=(result.blob or None) if result else None,
        )


class WaitingShape(_Given):
    """A call that waits for a person: for the asking ``user``, or for somebody with a role."""

    approval: str
    call: str
    tool: str
    arguments: dict[str, Any]
    by: str
    question: str
    expires: datetime

    @classmethod
    def of(cls, call: CallState) -> "WaitingShape":
        approval = call.approval
        assert approval is not None
        return cls(
            approval=approval.id,
            call=call.key,
            tool=call.tool,
            arguments=call.arguments,
            by=approval.by,
            question=approval.question,
            expires=approval.expires,
        )


class RunShape(_Given):
    """A run as it stands. ``text`` is what the user reads now: the reply, or what waits for a
    person. ``position`` is that of its last event."""

    run: str
    conversation: str
    agent: str
    status: RunStatus
    kind: str
    failure: str
    input: str
    text: str
    created: datetime
    position: int
    turns: int
    usage: Tokens
    calls: list[CallShape]
    waiting: list[WaitingShape]

    @classmethod
    def of(cls, run: Run) -> "RunShape":
        return cls(
            run=run.id,
            conversation=run.conversation,
            agent=run.agent,
            status=run.status,
            kind=run.kind,
            failure=run.failure,
            input=run.input,
            text=run.said,
            created=run.created,
            position=run.position,
            turns=run.turns,
            usage=Tokens.model_validate(run.usage),
            calls=[CallShape.of(call) for call in (*run.past, *run.calls)],
            waiting=[WaitingShape.of(call) for call in run_tasks.waiting(run)]
            if not run.status.ended
            else [],
        )


class TaskShape(_Given):
    """A task of a request. ``run`` is the run that carries it; ``cause`` the task whose end made it
    skipped; ``questions`` are what it asks a person."""

    index: str
    desc: str
    base: list[str]
    optional: bool
    state: TaskState
    run: str | None
    attempt: int
    result: str
    why: str
    cause: str | None
    questions: list[str]
    started: datetime | None
    ended: datetime | None
    tokens: int


class GraphShape(_Given):
    """The tasks that a request was split into, and all of it as a picture in ``text``."""

    run: str
    call: str
    version: int
    overall: Literal["open", "done", "partial_failure", "failed"]
    tasks: list[TaskShape]
    text: str


class ConversationShape(_Given):
    """The messages of the ended runs, oldest first, and all runs, newest first. ``title`` is what
    its user called it, or empty."""

    conversation: str
    agent: str
    title: str
    messages: list[dict[str, Any]]
    runs: list[RunRow]
    usage: Tokens


class Trace(_Given):
    """Every event of a run, each with its ``position`` and its ``type`` (``name@version``)."""

    run: str
    events: list[dict[str, Any]]
