"""Drives one run, from wherever its journal ends to its reply. The only file that calls the stages.

AskModel    turn.ask                    the model's reply: text or proposed calls
CheckCalls  validation.check, gate      RawCall → ValidCall → ClearedCall, or why not
RunCalls    executor.run                ClearedCall → ToolResult
Wait        a person decides; the drive ends here and a decision starts the next
Finish      the reply leaves, after everything is durable
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import assert_never
from zoneinfo import ZoneInfo

import anyio
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain import sentences
from pointsman.domain.messages import Delta, Message, Stop
from pointsman.domain.prompt import system_prompt
from pointsman.domain.runs import CallState, Stage
from pointsman.domain.steps import (
    AskModel,
    CheckCalls,
    Ended,
    Fail,
    Finish,
    RunCalls,
    Wait,
    next_step,
)
from pointsman.domain.tools import ClearedCall, ValidCall
from pointsman.engine import endings, executor, gate, guards, recovery, turn, validation
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.context import ContextTooLarge
from pointsman.engine.journal import Journal
from pointsman.errors import (
    EmptyReply,
    ModelError,
    ModelFacingError,
    PositionConflict,
    StoreError,
)
from pointsman.ports import Bus, CallContext, Clock, Progress, Store

log = logging.getLogger("pointsman.loop")

APPROVAL_LIFETIME = timedelta(hours=24)


class Driving(Struct, frozen=True, kw_only=True):
    """What one drive of a run holds.

    Attributes:
        prefix: what stands before the run's own messages in every question to the model.
        now: the instant of the date line, in the agent's zone.
        tell: takes the deltas of a reply.
    """

    journal: Journal
    live: LiveAgent
    prefix: tuple[Message, ...]
    now: datetime
    tell: Callable[[Delta], None]


class Loop:
    """Drives runs of the agents of this process."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, agents: Agents) -> None:
        self._store, self._bus, self._clock, self._agents = store, bus, clock, agents

    async def drive(self, run: str) -> None:
        """Carry a stored run on until it ends or waits. Safe to call again after any crash."""
        try:
            await self.carry(await Journal.open(self._store, self._bus, self._clock, run))
        except PositionConflict:
            log.warning("run %s is driven by another worker; stopping here", run)

    async def carry(
        self, journal: Journal, on_delta: Callable[[Delta], None] | None = None
    ) -> None:
        """Carry a run on whose journal is open; ``on_delta`` gets the reply as it is written.

        Raises:
            PositionConflict: another worker drives the run; what the journal holds does not stand.
            StoreError: nothing can be journaled; the run is left to the next worker.
        """
        if journal.run.rests:
            return
        try:
            if journal.cancel_requested:
                endings.cancel(journal, by=journal.run.user, reason="cancelled before")
                await journal.commit()
            else:
                await self._steps(await self._take_up(journal, on_delta))
        except StoreError:
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._interrupted(journal)
            raise
        except Exception as fault:
            log.exception("run %s failed inside", journal.run.id)
            await endings.fail(journal, "internal", f"{type(fault).__name__}: {fault}")

    async def _take_up(self, journal: Journal, on_delta: Callable[[Delta], None] | None) -> Driving:
        """Journal that the run starts or goes on, and give what a crash left open its meaning."""
        run, now = journal.run, self._clock.now()
        live = self._agents.get(run.agent)
        zone = ZoneInfo(live.spec.timezone)
        if not run.system:
            system = system_prompt(live.spec.instructions, now.astimezone(zone), live.spec.language)
            journal.record(ev.RunStarted(at=now, system=system, model=live.model.name))
        else:
            journal.record(ev.RunResumed(at=now, reason="taken up again"))
            recovery.settle_interrupted(journal)
            await live.registry.settle()
        return Driving(
            journal=journal,
            live=live,
            prefix=turn.prefix_of(journal.run, journal.past),
            now=(journal.run.started or now).astimezone(zone),
            tell=partial(self._tell, run.id, on_delta),
        )

    async def _steps(self, driving: Driving) -> None:
        journal, limits = driving.journal, driving.live.spec.limits
        while True:
            step = next_step(journal.run, limits, self._clock.now())
            match step:
                case AskModel():
                    await self._ask(driving)
                case CheckCalls():
                    for call in step.calls:
                        self._check(driving, call)
                case RunCalls():
                    await self._run(driving, step.calls)
                case Finish():
                    await self._finish(journal, step)
                case Fail():
                    await endings.fail(journal, step.reason, step.detail)
                case Wait() | Ended():
                    return await journal.commit()
                case _:
                    assert_never(step)

    async def _ask(self, driving: Driving) -> None:
        journal = driving.journal
        try:
            await turn.ask(journal, driving.live, driving.prefix, driving.tell)
        except EmptyReply as fault:
            await endings.fail(journal, "empty", str(fault))
        except ModelError as fault:
            await endings.fail(journal, "model", type(fault).__name__)
        except ContextTooLarge as fault:
            await endings.fail(journal, "context", str(fault))

    def _tell(self, run: str, on_delta: Callable[[Delta], None] | None, delta: Delta) -> None:
        self._bus.publish(run, delta)
        if on_delta is not None:
            on_delta(delta)

    def _check(self, driving: Driving, call: CallState) -> None:
        """Bring a proposed call to the gate, and journal what comes of it."""
        journal, now = driving.journal, self._clock.now()
        valid = self._valid(driving, call)
        if isinstance(valid, ev.CallRejected):
            return journal.record(valid)
        if call.stage is Stage.PROPOSED:
            journal.record(_validated(valid, now))
        verdict = _gated(driving, valid)
        if isinstance(verdict, ClearedCall):
            journal.record(ev.CallCleared(at=now, call=call.key, rule=verdict.rule))
        elif isinstance(verdict, gate.Pause):
            journal.record(self._approval(journal, valid, verdict, now))
        else:
            journal.record(_refused(valid, verdict, now))

    def _valid(self, driving: Driving, call: CallState) -> ValidCall | ev.CallRejected:
        """The call as valid, or the event that says why it will not run."""
        registry, limits = driving.live.registry, driving.live.spec.limits
        run, now = driving.journal.run, self._clock.now()
        if call.stage is not Stage.PROPOSED:
            return _still_valid(driving, call) or guards.gone(call, now)
        name = registry.resolve(call.raw.name)
        spec = registry.spec(name) if name is not None else None
        known = [one.name for one in turn.offered(driving.live, run)]
        off_route = spec is not None and spec.name not in known
        absent = registry.absent(call.raw.name) if spec is None else None
        rejected = guards.before(
            call, spec, run, limits=limits, known=known, absent=absent, off_route=off_route, at=now
        )
        if rejected is not None:
            return rejected
        assert spec is not None
        try:
            valid = validation.check(
                call.raw,
                key=call.key,
                spec=spec,
                context_values=_context_values(driving),
                now=driving.now,
            )
        except ModelFacingError as fault:
            return guards.unfit(call, spec, fault, run, now)
        return guards.repeated(call, valid, run, limits=limits, at=now) or valid

    def _approval(
        self, journal: Journal, valid: ValidCall, pause: gate.Pause, now: datetime
    ) -> ev.ApprovalAsked:
        question = sentences.approval_question(
            valid.spec.title or valid.spec.name,
            guards.shown(valid.arguments),
            journal.run.language,
            by=pause.by,
        )
        return ev.ApprovalAsked(
            at=now,
            call=valid.key,
            approval=self._clock.new_id(),
            by=pause.by,
            rule=pause.rule,
            digest=pause.digest,
            question=question,
            expires=now + APPROVAL_LIFETIME,
        )

    async def _run(self, driving: Driving, batch: tuple[CallState, ...]) -> None:
        if self._bus.watched(driving.journal.run.id):
            driving.journal.push()
        if len(batch) == 1:
            return await self._execute(driving, batch[0])
        async with anyio.create_task_group() as together:
            for call in batch:
                together.start_soon(self._execute, driving, call)

    async def _execute(self, driving: Driving, call: CallState) -> None:
        """Run one call, if its tool is still what was checked and the gate still lets it pass."""
        journal, now = driving.journal, self._clock.now()
        valid = _still_valid(driving, call)
        if valid is None:
            return journal.record(guards.gone(call, now))
        verdict = _gated(driving, valid)
        if isinstance(verdict, gate.Pause):
            return journal.record(self._approval(journal, valid, verdict, now))
        if isinstance(verdict, gate.Refused):
            return journal.record(_refused(valid, verdict, now))
        tool = driving.live.registry.tool(call.tool)
        assert tool is not None
        await executor.run(
            verdict,
            tool,
            self._context(driving, call),
            journal=journal,
            result_chars=driving.live.spec.limits.result_chars,
        )

    def _context(self, driving: Driving, call: CallState) -> CallContext:
        run = driving.journal.run
        return CallContext(
            run=run.id,
            conversation=run.conversation,
            user=run.user,
            agent=run.agent,
            input=run.input,
            language=run.language,
            now=driving.now,
            key=f"{run.id}:{call.key}",
            progress=partial(self._progress, run.id, call.key),
        )

    def _progress(self, run: str, call: str, fraction: float | None, message: str) -> None:
        self._bus.publish(run, Progress(call=call, fraction=fraction, message=message))

    async def _finish(self, journal: Journal, step: Finish) -> None:
        """Let the reply leave; a model that said nothing is not an answer."""
        if step.kind == "answer" and not step.text.strip():
            filtered = journal.run.stop is Stop.FILTERED
            return await endings.fail(journal, "filtered" if filtered else "empty")
        now = self._clock.now()
        journal.record(ev.ReplyGiven(at=now, kind=step.kind, text=step.text, calls=step.calls))
        await journal.commit()

    async def _interrupted(self, journal: Journal) -> None:
        """The drive was cancelled: by a person, which ends the run, or by a shutdown, which leaves
        it to the next worker."""
        record = await self._store.record(journal.run.id)
        if record is not None and record.cancel_requested and not journal.run.status.ended:
            endings.cancel(journal, by=journal.run.user, reason="cancelled while running")
        try:
            await journal.commit()
        except StoreError as fault:
            log.warning("run %s was left while it was being stopped: %s", journal.run.id, fault)


def _gated(driving: Driving, valid: ValidCall) -> ClearedCall | gate.Pause | gate.Refused:
    run = driving.journal.run
    return gate.clear(
        valid,
        driving.live.rules,
        approval=run.call(valid.key).approval,
        doubtful=not valid.spec.repeatable and guards.doubtful(valid, run, driving.prefix),
    )


def _still_valid(driving: Driving, call: CallState) -> ValidCall | None:
    """The call as it was validated, or None when its tool has changed since."""
    spec = driving.live.registry.spec(call.tool)
    if spec is None or spec.digest != call.digest:
        return None
    return ValidCall(key=call.key, spec=spec, arguments=call.arguments, notes=call.notes)


def _validated(valid: ValidCall, at: datetime) -> ev.CallValidated:
    spec = valid.spec
    return ev.CallValidated(
        at=at,
        call=valid.key,
        tool=spec.name,
        source=spec.source,
        original=spec.original,
        digest=spec.digest,
        risk=spec.risk,
        repeatable=spec.repeatable,
        arguments=valid.arguments,
        notes=valid.notes,
    )


def _refused(valid: ValidCall, verdict: gate.Refused, at: datetime) -> ev.CallRefused:
    return ev.CallRefused(at=at, call=valid.key, rule=verdict.rule, content=verdict.content)


def _context_values(driving: Driving) -> dict[str, str]:
    """What context parameters may be filled with (O7)."""
    run = driving.journal.run
    return {
        "user": run.user,
        "agent": run.agent,
        "conversation": run.conversation,
        "run": run.id,
        "input": run.input,
        "now": driving.now.isoformat(),
    }
