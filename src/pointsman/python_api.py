"""An agent in a few lines of Python.

    agent = Agent("shop", tools=[query_order], model="deepseek/deepseek-chat")
    reply = await agent.run("Where is order 20260001?")

The same engine as everywhere: every call is checked, gated and journaled; the journal is in memory,
or in a file when one is named.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from weakref import WeakValueDictionary

import anyio
from msgspec import Struct

from pointsman import bootstrap
from pointsman.domain.agent import AgentSpec, Language, Limits, ModelSpec
from pointsman.domain.messages import Delta, Message, Usage
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.ports import ChatModel, ToolSource


class Waiting(Struct, frozen=True, kw_only=True):
    """A call that waits for a person.

    Attributes:
        approval: give it to ``Agent.decide``.
        question: what the person reads.
        by: ``user`` for who sent the message, else the role that may approve.
    """

    approval: str
    question: str
    by: str
    tool: str
    arguments: dict[str, Any]


class Reply(Struct, frozen=True, kw_only=True):
    """What came of a message.

    Attributes:
        text: what the user reads: the answer, a question, or an honest failure.
        kind: ``answer``, ``question``, ``calls``, ``failure``, ``cancelled``, or ``waiting`` for a
            confirmation: answer it with another ``run`` in the same conversation, or with
            ``decide`` when there are several.
        waiting: the calls that wait for a person.
        run: id of the run in the journal.
        conversation: give it to the next ``run`` to go on.
        usage: tokens of this run.
    """

    text: str
    kind: str
    run: str
    conversation: str
    status: RunStatus
    usage: Usage
    waiting: tuple[Waiting, ...] = ()

    @classmethod
    def of(cls, run: Run) -> "Reply":
        return cls(
            text=run.said,
            kind=run.kind or "waiting",
            run=run.id,
            conversation=run.conversation,
            status=run.status,
            usage=run.usage,
            waiting=tuple(
                Waiting(
                    approval=call.approval.id,
                    question=call.approval.question,
                    by=call.approval.by,
                    tool=call.tool,
                    arguments=call.arguments,
                )
                for call in run_tasks.waiting(run)
                if call.approval is not None
            ),
        )


class Agent:
    """One agent with its tools and its journal. Use it as an async context manager, or call
    ``aclose`` at the end."""

    def __init__(
        self,
        name: str,
        *,
        instructions: str = "",
        model: str | ModelSpec | ChatModel = "offline",
        tools: Sequence[Callable[..., Any] | ToolSource] = (),
        title: str = "",
        language: Language = "en",
        timezone: str = "UTC",
        limits: Limits | None = None,
        policy: Sequence[Mapping[str, Any]] = (),
        offline: Mapping[str, Any] | None = None,
        journal: str | Path | None = None,
        synchronous: Literal["full", "normal"] = "full",
    ) -> None:
        """Args:
        model: ``offline``, ``<preset>/<model name>``, a ModelSpec, or any ChatModel.
        tools: functions (``@tool`` adds risk, timeout …) and tool sources.
        policy: rules over the defaults, as in an agent file.
        offline: rules of the offline model, as in an agent file.
        journal: an SQLite file; in memory when None.
        synchronous: ``full`` keeps what was promised or done through a power cut, ``normal`` only
            through the end of the process, and costs less.

        Raises:
            ToolDefinitionError: a function that cannot be a tool.
            SettingsError: an unknown preset, a missing key, offline rules with faults.
        """
        spec = AgentSpec(
            name=name,
            title=title,
            instructions=instructions,
            language=language,
            timezone=timezone,
            model=bootstrap.model_spec(model),
            limits=limits or Limits(),
            offline=dict(offline or {}),
            policy=tuple(dict(rule) for rule in policy),
        )
        custom = None if isinstance(model, str | ModelSpec) else model
        self.name = name
        self._service: Service = bootstrap.agent_service(
            spec, tools, model=custom, journal=journal, synchronous=synchronous
        )
        self._opened = False
        self._lines: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def run(
        self,
        text: str = "",
        *,
        user: str = "local",
        conversation: str = "",
        history: Sequence[Message] = (),
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Reply:
        """Carry one message to its reply. Cancelling the call cancels the run.

        Args:
            conversation: one that an earlier reply named; a fresh one when empty.
            history: messages before this one, for a fresh conversation.
            on_delta: gets the reply piece by piece as the model writes it.
        """
        await self._open()
        submission = Submission(
            agent=self.name,
            user=user,
            text=text,
            conversation=conversation,
            history=tuple(history),
            stream=on_delta is not None,
        )
        if not conversation:
            return Reply.of(await self._service.carry(submission, on_delta))
        line = self._lines.setdefault(conversation, anyio.Lock())
        async with line:
            return Reply.of(await self._service.carry(submission, on_delta))

    async def decide(
        self, run: str, approval: str, *, approved: bool, by: str = "local", reason: str = ""
    ) -> Reply:
        """Let a waiting call run, or refuse it; what came of its run, or what else it waits for.

        Args:
            run, approval: as the reply named them.
            by: who decides.

        Raises:
            PointsmanError: there is no such call, somebody else decides it, or it is over.
        """
        await self._open()
        verdict: Literal["approved", "denied"] = "approved" if approved else "denied"
        return Reply.of(
            await self._service.decide_here(run, approval, verdict, by=by, reason=reason)
        )

    async def _open(self) -> None:
        if not self._opened:
            self._opened = True
            await self._service.open()

    async def trace(self, run: str) -> list[Recorded]:
        """Every event of a run, in order."""
        return await self._service.trace(run, None)

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        """Tokens used in a conversation or by a user."""
        return await self._service.usage(conversation=conversation, user=user)

    async def aclose(self) -> None:
        """Close connections, tool servers and the journal."""
        await self._service.aclose()

    async def __aenter__(self) -> "Agent":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
