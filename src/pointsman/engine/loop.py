"""Drives one run, from wherever its journal ends to its reply.

ChooseRoute router.choose               which intents, and so which tools
AskModel    turn.ask                    the model's reply: text or proposed calls
CheckCalls  calling.check               RawCall → ValidCall → ClearedCall, or why not
RunCalls    calling.execute             ClearedCall → ToolResult
RunTasks    tasks.advance               a plan → runs of their own, and what came of them
Wait        a person decides; the drive ends here and a decision starts the next
Finish      the reply leaves, after everything is durable
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import assert_never
from zoneinfo import ZoneInfo

import anyio

from pointsman.domain import events as ev
from pointsman.domain.messages import Delta, Stop
from pointsman.domain.prompt import system_prompt
from pointsman.domain.reminders import reminder_notices
from pointsman.domain.runs import CallState, Run
from pointsman.domain.steps import (
    AskModel,
    CheckCalls,
    ChooseRoute,
    Ended,
    Fail,
    Finish,
    RunCalls,
    RunTasks,
    Wait,
    next_step,
)
from pointsman.domain.tasks import run_tasks, task_words
from pointsman.engine import calling, endings, recovery, replying, router, turn
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.context import ContextTooLarge
from pointsman.engine.driving import Driving
from pointsman.engine.health import Health
from pointsman.engine.journal import Journal
from pointsman.engine.tasks.carrying import Tasks
from pointsman.errors import (
    EmptyReply,
    ModelError,
    PositionConflict,
    StoreError,
)
from pointsman.ports import Bus, Clock, NewAnswer, Store

log = logging.getLogger("pointsman.loop")


class Loop:
    """Drives runs of the agents of this process."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, agents: Agents, tasks: Tasks) -> None:
        self._store, self._bus, self._clock, self._agents = store, bus, clock, agents
        self._tasks = tasks
        self._health = Health(store, clock)

    async def drive(self, run: str) -> None:
        """Carry a stored run on until it ends or waits. Safe to call again after any crash."""
        try:
            journal = await Journal.claim(self._store, self._bus, self._clock, run)
            await self.carry(journal, hand_back=True)
        except PositionConflict:
            log.warning("run %s is driven by another worker; stopping here", run)

    async def carry(
        self,
        journal: Journal,
        on_delta: Callable[[Delta], None] | None = None,
        *,
        hand_back: bool = False,
    ) -> None:
        """Carry a run on whose journal is open.

        Args:
            on_delta: gets the reply as it is written.
            hand_back: cancelling leaves the run to the next worker; else it is the run's end.

        Raises:
            PositionConflict: another worker drives the run; what the journal holds does not stand.
            StoreError: nothing can be journaled; the run is left to the next worker.
        """
        split = run_tasks.open_graph(journal.run) is not None
        orphan = not journal.run.status.ended and await self._tasks.is_orphan(journal.run)
        if journal.run.rests and not split and not orphan:
            return await self._tasks.told(journal.run)
        try:
            if journal.cancel_requested or orphan:
                why = "cancelled before" if journal.cancel_requested else "its request is over"
                await self._tasks.close(journal)
                endings.cancel(journal, by=journal.run.user, reason=why)
                await journal.commit()
            elif recovery.is_hopeless(journal):
                await recovery.park(journal)
            elif not split or await self._tasks.advance(journal):
                driving = await self._take_up(journal, on_delta)
                with self._agents.driving(driving.live):
                    await self._steps(driving)
            await self._tasks.left(journal.run)
        except StoreError:
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._interrupted(journal, hand_back=hand_back)
            raise
        except Exception as fault:
            log.exception("run %s failed inside", journal.run.id)
            await endings.fail(journal, "internal", f"{type(fault).__name__}: {fault}")
            await self._tasks.left(journal.run)

    async def _take_up(self, journal: Journal, on_delta: Callable[[Delta], None] | None) -> Driving:
        """Journal that the run starts or goes on, and give what a crash left open its meaning."""
        run, now = journal.run, self._clock.now()
        live = self._agents.get(run.agent).carrying(run)
        zone = ZoneInfo(live.spec.timezone)
        if not run.system:
            language = live.spec.language
            system = system_prompt(live.spec.instructions, now.astimezone(zone), language)
            if run.task is not None:
                system = f"{system}\n\n{task_words.system(run.task, language)}"
            if run.reminder is not None:
                system = f"{system}\n\n{reminder_notices.system(run.reminder, zone, language)}"
            journal.record(ev.RunStarted(at=now, system=system, model=live.model.name))
            return self._driving(journal, live, on_delta)
        journal.record(ev.RunResumed(at=now, reason="taken up again"))
        journal.push()
        await self._tasks.told(run)
        await live.registry.settle()
        driving = self._driving(journal, live, on_delta)
        await recovery.settle_interrupted(driving)
        return driving

    def _driving(
        self, journal: Journal, live: LiveAgent, on_delta: Callable[[Delta], None] | None
    ) -> Driving:
        run = journal.run
        assert run.started is not None
        return Driving(
            journal=journal,
            live=live,
            bus=self._bus,
            prefix=turn.prefix_of(run, journal.past),
            now=run.started.astimezone(ZoneInfo(live.spec.timezone)),
            tell=partial(self._tell, run.id, on_delta),
            health=self._health,
            store=self._store,
        )

    async def _steps(self, driving: Driving) -> None:
        journal, limits = driving.journal, driving.live.spec.limits
        routes = bool(driving.live.intents) or journal.pending is not None
        teller = replying.Teller(driving)
        before: Run | None = None
        while journal.run is not before:
            before = journal.run
            step = next_step(journal.run, limits, self._clock.now(), routes=routes)
            match step:
                case AskModel():
                    await self._ask(driving, teller)
                case CheckCalls():
                    for call in step.calls:
                        await calling.check(call, driving)
                case RunCalls():
                    await self._run(driving, step.calls)
                case RunTasks():
                    if not await self._tasks.advance(journal):
                        return None
                case Finish():
                    await self._finish(driving, step, teller)
                case Fail():
                    await endings.fail(journal, step.reason, step.detail)
                case Wait() | Ended():
                    return await journal.commit()
                case ChooseRoute():
                    await router.choose(driving)
                case _:
                    assert_never(step)
        raise RuntimeError("a step has changed nothing, and would be taken for ever")

    async def _ask(self, driving: Driving, teller: replying.Teller) -> None:
        journal, correction = driving.journal, replying.correction(driving)
        tail = () if correction is None else (correction,)
        teller.begin()
        self._bus.publish(journal.run.id, NewAnswer(journal.run.turns + 1))
        try:
            await turn.ask(driving, teller, tail)
            if journal.run.calls:
                teller.flush()
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

    async def _run(self, driving: Driving, batch: tuple[CallState, ...]) -> None:
        if self._bus.watched(driving.journal.run.id):
            driving.journal.push()
        if len(batch) == 1:
            return await calling.execute(batch[0], driving)
        async with anyio.create_task_group() as together:
            for call in batch:
                together.start_soon(calling.execute, call, driving)

    async def _finish(self, driving: Driving, step: Finish, teller: replying.Teller) -> None:
        """Let the reply leave, if it holds; a model that said nothing is not an answer."""
        journal, text = driving.journal, step.text
        if step.kind == "answer" and not step.text.strip():
            filtered = journal.run.stop is Stop.FILTERED
            return await endings.fail(journal, "filtered" if filtered else "empty")
        if step.kind == "answer":
            holds = replying.checked(driving, text)
            if holds is None:
                return None
            text = holds
        now = self._clock.now()
        journal.record(ev.ReplyGiven(at=now, kind=step.kind, text=text, calls=step.calls))
        await journal.commit()
        if journal.run.stream:
            teller.finish(text)

    async def _interrupted(self, journal: Journal, *, hand_back: bool) -> None:
        """The drive was cancelled: by a person, which ends the run, or by a shutdown, which leaves
        it to the next worker."""
        record = await self._store.record(journal.run.id)
        if record is not None and record.cancel_requested and not journal.run.status.ended:
            await self._tasks.close(journal)
            endings.cancel(journal, by=journal.run.user, reason="cancelled while running")
        elif hand_back and journal.run.step is not None and not journal.run.status.ended:
            journal.record(ev.RunReleased(at=self._clock.now(), reason="the worker stops"))
        try:
            await journal.commit()
        except StoreError as fault:
            log.warning("run %s was left while it was being stopped: %s", journal.run.id, fault)
