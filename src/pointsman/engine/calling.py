"""One proposed call on its way: checked, sourced, gated, run. The loop calls this for each call,
and only this calls the stages in between.

    RawCall      guards, validation     a registered tool on the run's way, arguments that fit
    ValidCall    sourcing, preparing    every argument has a source that will do; who is meant
    ClearedCall  gate                   the policy allows it, or a person approved exactly it
    ToolResult   executor
"""

from datetime import datetime, timedelta
from functools import partial

from pointsman.domain import approval_texts, approvals
from pointsman.domain import events as ev
from pointsman.domain.runs import CallState, Run, Stage
from pointsman.domain.tools import ClearedCall, ValidCall
from pointsman.engine import executor, gate, guards, preparing, sourcing, turn, validation
from pointsman.engine.driving import Driving
from pointsman.engine.journal import Journal
from pointsman.engine.reminders import confirmed
from pointsman.engine.tasks import planning
from pointsman.errors import ModelFacingError
from pointsman.ports import CallContext, Progress

APPROVAL_LIFETIME = timedelta(hours=24)


async def check(call: CallState, driving: Driving) -> None:
    """Bring a proposed call to the gate, and journal what comes of it."""
    journal = driving.journal
    now = journal.clock.now()
    if call.stage is Stage.PROPOSED:
        event = await preparing.prepared(_validated(driving, call, now), driving, context_of)
        journal.record(event)
        if isinstance(event, ev.CallRejected):
            return None
        call = journal.run.call(call.key)
    valid = _still_valid(driving, call)
    if valid is None:
        return journal.record(guards.gone(call, now))
    verdict = await _gated(driving, valid, now)
    if isinstance(verdict, ClearedCall):
        journal.record(ev.CallCleared(at=now, call=call.key, rule=verdict.rule))
    elif isinstance(verdict, gate.Pause):
        journal.record(_asked(driving, valid, verdict, now))
    else:
        journal.record(_refused(valid, verdict, now))


async def execute(call: CallState, driving: Driving) -> None:
    """Run one call, if its tool is still what was checked and the gate still lets it pass."""
    journal, now = driving.journal, driving.journal.clock.now()
    valid = _still_valid(driving, call)
    if valid is None:
        return journal.record(guards.gone(call, now))
    verdict = await _gated(driving, valid, now)
    if isinstance(verdict, gate.Pause):
        return journal.record(_asked(driving, valid, verdict, now))
    if isinstance(verdict, gate.Refused):
        return journal.record(_refused(valid, verdict, now))
    if valid.spec.splits:
        return planning.begin(verdict, journal)
    tool = driving.live.registry.tool(call.tool)
    assert tool is not None
    if journal.run.task is not None:
        _tell_progress(driving, call.key, None, valid.spec.titled(journal.run.language))
    await executor.run(
        verdict,
        tool,
        context_of(driving, call),
        journal=journal,
        health=driving.health,
        result_chars=driving.live.spec.limits.result_chars,
    )


def _validated(
    driving: Driving, call: CallState, now: datetime
) -> ev.CallValidated | ev.CallRejected:
    """The call as valid with its sources, or the event that says why it will not run."""
    registry, limits = driving.live.registry, driving.live.spec.limits
    run = driving.journal.run
    name = registry.resolve(call.raw.name)
    spec = registry.spec(name) if name is not None else None
    known = [one.name for one in turn.offered(driving.live, run)]
    rejected = guards.before(
        call,
        spec,
        run,
        limits=limits,
        known=known,
        absent=driving.health.rest(spec, run.agent, run.language)
        if spec
        else registry.absent(call.raw.name),
        off_route=spec is not None and (spec.name not in known or run.tool_choice == "none"),
        at=now,
    )
    if rejected is not None:
        return guards.insisted(rejected, call, run, limits=limits)
    assert spec is not None
    if spec.splits:
        return planning.validated(call, spec, driving, context_values(run, driving.now))
    try:
        valid = validation.check(
            call.raw,
            key=call.key,
            spec=spec,
            context_values=context_values(run, driving.now) if spec.context else {},
            now=driving.now,
        )
    except ModelFacingError as fault:
        unfit = guards.unfit(call, spec, fault, run, now)
        return guards.insisted(unfit, call, run, limits=limits)
    repeated = guards.repeated(call, valid, run, limits=limits, at=now)
    return repeated or sourcing.sourced(valid, driving, now)


async def _gated(
    driving: Driving, valid: ValidCall, now: datetime
) -> ClearedCall | gate.Pause | gate.Refused:
    run = driving.journal.run
    state = run.call(valid.key)
    clear = partial(
        gate.clear,
        valid,
        driving.live.rules,
        now=now,
        facts=driving.live.facts(run, state.tainted, driving.now),
        approval=state.approval,
        doubtful=not valid.spec.repeatable and guards.doubtful(valid, run, driving.prefix),
    )
    verdict = clear()
    if not isinstance(verdict, gate.Pause) or verdict.by != approvals.USER:
        return verdict
    covered = await confirmed.taken(driving, valid)
    return clear(covered=covered) if covered else verdict


def _still_valid(driving: Driving, call: CallState) -> ValidCall | None:
    """The call as it was validated, or None when its tool has changed since."""
    spec = driving.live.registry.spec(call.tool)
    if spec is None or spec.digest != call.digest:
        return None
    return ValidCall(key=call.key, spec=spec, arguments=call.arguments, notes=call.notes)


def _asked(
    driving: Driving, valid: ValidCall, pause: gate.Pause, now: datetime
) -> ev.ApprovalAsked:
    language = driving.journal.run.language
    told = preparing.told(driving.live, valid, language)
    question = approval_texts.question(
        valid.spec, valid.arguments, language, by=pause.by, told=told
    )
    return ev.ApprovalAsked(
        at=now,
        call=valid.key,
        approval=approval_id(driving.journal),
        by=pause.by,
        rule=pause.rule,
        digest=pause.digest,
        question=question,
        expires=now + APPROVAL_LIFETIME,
        own=pause.own,
    )


def approval_id(journal: Journal) -> str:
    """A new id that names the run and, by chance, no other approval of it."""
    return f"{journal.run.id}.{journal.clock.new_id()[-8:]}"


def _refused(valid: ValidCall, verdict: gate.Refused, at: datetime) -> ev.CallRefused:
    return ev.CallRefused(at=at, call=valid.key, rule=verdict.rule, content=verdict.content)


def context_of(driving: Driving, call: CallState) -> CallContext:
    """What the tool may know of the run. An attempt that is known not to have happened was given
    another key."""
    run = driving.journal.run
    group = f"{run.id}/{call.undone}" if call.undone else run.id
    return CallContext(
        run=run.id,
        conversation=run.conversation,
        user=run.user,
        agent=run.agent,
        input=run.task.request if run.task else run.input,
        language=run.language,
        now=driving.now,
        key=f"{group}:{call.key}",
        progress=partial(_tell_progress, driving, call.key),
        heard=lambda: sourcing.evidence(driving).messages,
    )


def _tell_progress(driving: Driving, call: str, fraction: float | None, message: str) -> None:
    run = driving.journal.run
    driving.bus.publish(run.id, Progress(call=call, fraction=fraction, message=message))
    if (task := run.task) is not None:
        shown = f"{task.call}/{task.node}"
        driving.bus.publish(task.run, Progress(call=shown, fraction=fraction, message=message))


def context_values(run: Run, now: datetime) -> dict[str, str]:
    """What context parameters may be filled with (O7); ``now`` is the instant of the date line."""
    return {
        "user": run.user,
        "agent": run.agent,
        "conversation": run.conversation,
        "run": run.id,
        "input": run.task.request if run.task else run.input,
        "now": now.isoformat(),
    }
