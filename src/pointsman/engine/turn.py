"""One question to the model: history and prompt in, the whole reply into the journal."""

from collections.abc import Callable

from pointsman.domain import events as ev
from pointsman.domain.graph import MOST_DEEP
from pointsman.domain.masking import mask_text, message_without_credentials
from pointsman.domain.messages import (
    Delta,
    Message,
    ModelParams,
    ModelReply,
    ModelRequest,
    ResetDelta,
    SystemMessage,
    TextDelta,
    ToolChoice,
)
from pointsman.domain.routing import NEVER_MIND
from pointsman.domain.runs import Run
from pointsman.domain.text import clean
from pointsman.domain.tools import ToolSpec
from pointsman.engine import context
from pointsman.engine.agents import LiveAgent
from pointsman.engine.driving import Driving
from pointsman.engine.journal import Journal
from pointsman.errors import ModelError
from pointsman.ports import ChatModel


async def ask(
    driving: Driving, tell: Callable[[Delta], None], tail: tuple[Message, ...] = ()
) -> None:
    """Ask the agent's model, or its fallback, what comes next.

    Args:
        tail: what is said to the model this once, after everything.

    Raises:
        ModelError: neither could be asked; the failures are journaled.
        ContextTooLarge: the turn does not fit.
    """
    journal, live, health = driving.journal, driving.live, driving.health
    await live.registry.settle()
    await health.look()
    run = journal.run
    request = ModelRequest(
        messages=context.fit(driving.prefix + run.messages + tail, live.spec.limits.history_chars),
        tools=health.well(offered(live, run), run.agent) + run.client_tools,
        params=_params(live.spec.model.params, run.params),
        tool_choice=_tool_choice(run, live),
        stream=run.stream and live.spec.model.stream,
    )
    journal.record(
        ev.ModelAsked(
            at=journal.clock.now(),
            turn=run.turns + 1,
            tools=tuple([spec.name for spec in request.tools]),
            tool_choice=request.tool_choice,
        )
    )
    # What a tool changed is durable before the model hears of it: a crash never loses a result that
    # was used. What only reads could run again, so its commit overlaps the question.
    if any(call.attempts and not call.repeatable for call in run.calls):
        await journal.commit()
    else:
        journal.soon()
    try:
        await _ask(journal, live.model, request, tell)
    except ModelError:
        if live.fallback is None:
            raise
        if request.stream:
            tell(ResetDelta(2))
        await _ask(journal, live.fallback, request, tell)


async def _ask(
    journal: Journal, model: ChatModel, request: ModelRequest, tell: Callable[[Delta], None]
) -> None:
    begun = journal.clock.monotonic()
    try:
        reply = await model.ask(request, tell)
    except ModelError as fault:
        journal.record(
            ev.ModelFailed(
                at=journal.clock.now(),
                turn=journal.run.turns,
                error=type(fault).__name__,
                detail=mask_text(clean(f"{model.name}: {fault}")),
            )
        )
        raise
    if journal.run.stream and not request.stream and reply.message.text:
        tell(TextDelta(reply.message.text))
    _record(journal, reply, ms=(journal.clock.monotonic() - begun) * 1000)


def _record(journal: Journal, reply: ModelReply, *, ms: float) -> None:
    journal.record(
        ev.ModelAnswered(
            at=journal.clock.now(),
            turn=journal.run.turns,
            message=message_without_credentials(reply.message),
            stop=reply.stop,
            model=reply.model,
            ms=round(ms, 3),
            usage=reply.usage,
            cut=reply.cut,
            attempts=reply.attempts,
        )
    )


def _tool_choice(run: Run, live: LiveAgent) -> ToolChoice:
    """A forced choice holds for the first question of a run only, a forbidden one for all of them
    (case L08)."""
    choice = run.tool_choice or live.spec.tool_choice
    return "auto" if run.turns and choice != "none" else choice


def _params(agent: ModelParams, caller: ModelParams | None) -> ModelParams:
    """The agent's parameters with those that the caller set over them."""
    if caller is None:
        return agent
    return ModelParams(
        **{
            field: theirs if (theirs := getattr(caller, field)) not in (None, (), {}) else ours
            for field in ModelParams.__struct_fields__
            for ours in (getattr(agent, field),)
        }
    )


def offered(live: LiveAgent, run: Run) -> tuple[ToolSpec, ...]:
    """The tools of the run's route; all of them in open mode, but for who wants nothing more."""
    if run.route is None or not (live.intents or run.route.why == NEVER_MIND):
        specs = live.registry.specs
    else:
        specs = live.registry.only(run.route.tools)
    if run.task is not None and run.task.depth >= MOST_DEEP:
        return tuple(spec for spec in specs if not spec.splits)
    return specs


def prefix_of(run: Run, past: tuple[Message, ...]) -> tuple[Message, ...]:
    """What stands before a run's own messages in every question of it."""
    return (SystemMessage(text=run.system), *context.mend(past + run.history))
