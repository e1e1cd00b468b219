"""A person puts other arguments in the place of those that wait, and lets the call run with exactly
these: they pass the same checks as a model's, and the policy is asked again.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from pointsman.domain import approval_texts, approvals
from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval, Person, Refusal
from pointsman.domain.calls import CallState
from pointsman.domain.policy import Assessment, assess
from pointsman.domain.runs import Run
from pointsman.domain.tools import RawCall, ValidCall
from pointsman.engine import gate, preparing, validation
from pointsman.engine.agents import LiveAgent
from pointsman.engine.approvals.decisions import Act, decided
from pointsman.engine.calling import approval_id, context_values
from pointsman.engine.journal import Journal
from pointsman.errors import CallerError, Conflict, ModelFacingError
from pointsman.ports import CallContext, Prepared, PreparedTool, Unready


async def prepared(
    arguments: Mapping[str, Any], call: CallState, run: Run, live: LiveAgent
) -> Prepared | Unready | None:
    """What the tool makes of other arguments; None when it makes nothing, or they do not fit."""
    tool = live.registry.tool(call.tool)
    if not isinstance(tool, PreparedTool):
        return None
    try:
        valid = _checked(call, arguments, live, run)
    except CallerError:
        return None  # ``editing`` says so, to whom it may
    context = CallContext(
        run=run.id,
        conversation=run.conversation,
        user=run.user,
        agent=run.agent,
        input=run.input,
        language=run.language,
        now=_instant(run, live),
        key="",
        progress=lambda fraction, message: None,
    )
    return await preparing.ready(tool, valid.arguments, context)


def editing(
    arguments: Mapping[str, Any],
    live: LiveAgent,
    *,
    by: Person,
    reason: str,
    ready: Prepared | Unready | None = None,
) -> Act:
    """Approve the call with these arguments, all of them, instead of its own. When the policy
    wants somebody else for them, the new approval waits for that person.

    Args:
        ready: what ``prepared`` gave for the arguments.

    Raises (when done):
        CallerError: the arguments do not fit the tool.
        Conflict: the policy denies them, or the tool has changed.
    """

    def act(journal: Journal, call: CallState, approval: Approval) -> Sequence[ev.Event] | Refusal:
        run, now = journal.run, journal.clock.now()
        # Before anything else: who may not decide learns nothing of the call.
        given = approvals.decide(approval, "approve", by=by, now=now, reason=reason)
        if isinstance(given, Refusal):
            return given
        valid = _valid(call, arguments, live, run, ready)
        digest = gate.digest(valid)
        if digest == approval.digest:
            return [decided(given)]
        edited = approvals.edit(approval, digest, new_id=approval_id(journal), by=by, now=now)
        assert not isinstance(edited, Refusal)
        asked, assessed = edited[1], _assessed(valid, _tainted(call, valid), run, live)
        if assessed.verdict == "approve":
            asked = replace(asked, by=assessed.by, own=assessed.own)
        words = preparing.told(live, valid, run.language)
        event = _event(asked, call, valid, editor=by.login, rule=assessed.rule, run=run, told=words)
        event = replace(event, reason=reason)
        given = approvals.decide(asked, "approve", by=by, now=now, reason=reason)
        return [event] if isinstance(given, Refusal) else [event, decided(given)]

    return act


def _valid(
    call: CallState,
    arguments: Mapping[str, Any],
    live: LiveAgent,
    run: Run,
    ready: Prepared | Unready | None,
) -> ValidCall:
    """The call with the new arguments, checked as a model's are. None is changed or dropped to
    make it fit: a person approves what he reads."""
    valid = _checked(call, arguments, live, run)
    if isinstance(ready, Unready):
        raise CallerError(ready.question or ready.content)
    found = {} if ready is None else preparing.filled(valid.spec.context, ready)
    for name, value in found.items():
        if arguments.get(name, call.arguments.get(name)) != value:
            raise CallerError(f"{name}: write {value!r}, which is what these arguments mean")
    valid = replace(valid, arguments=valid.arguments | found)
    for name, value in arguments.items():
        if name not in valid.arguments:
            raise CallerError(f"{valid.spec.name} has no parameter {name!r}")
        if valid.arguments[name] != value:
            raise CallerError(f"{name}: write {valid.arguments[name]!r} instead of {value!r}")
    return valid


def _checked(call: CallState, arguments: Mapping[str, Any], live: LiveAgent, run: Run) -> ValidCall:
    spec = live.registry.spec(call.tool)
    if spec is None or spec.digest != call.digest:
        raise Conflict(f"the tool {call.tool} is no longer what it was when this was asked")
    now = _instant(run, live)
    raw = RawCall(id=call.raw.id, name=spec.name, arguments=json.dumps(dict(arguments)))
    try:
        return validation.check(
            raw, key=call.key, spec=spec, context_values=context_values(run, now), now=now
        )
    except ModelFacingError as fault:
        raise CallerError(f"these arguments do not fit {spec.name}: {fault}") from None


def _assessed(valid: ValidCall, tainted: tuple[str, ...], run: Run, live: LiveAgent) -> Assessment:
    facts = live.facts(run, tainted, _instant(run, live))
    assessed = assess(valid.spec, live.rules, arguments=valid.arguments, facts=facts)
    if assessed.verdict == "deny":
        raise Conflict(f"the policy does not allow these arguments ({assessed.rule})")
    return assessed


def _instant(run: Run, live: LiveAgent) -> datetime:
    """That of the run's date line, in the agent's zone."""
    return (run.started or run.created).astimezone(ZoneInfo(live.spec.timezone))


def _changed(call: CallState, valid: ValidCall) -> tuple[str, ...]:
    before, after = call.arguments, valid.arguments
    return tuple(
        name
        for name in dict.fromkeys((*before, *after))
        if name not in before or name not in after or before[name] != after[name]
    )


def _tainted(call: CallState, valid: ValidCall) -> tuple[str, ...]:
    """What is still tainted: a value that a person put in is not."""
    changed = _changed(call, valid)
    return tuple(path for path in call.tainted if path.split(".")[0] not in changed)


def _event(
    asked: Approval,
    call: CallState,
    valid: ValidCall,
    *,
    editor: str,
    rule: str,
    run: Run,
    told: str,
) -> ev.ApprovalEdited:
    spec, changed = valid.spec, _changed(call, valid)
    return ev.ApprovalEdited(
        at=asked.asked,
        call=call.key,
        approval=asked.edited_from,
        editor=editor,
        replacement=asked.id,
        by=asked.by,
        own=asked.own,
        rule=rule,
        digest=asked.digest,
        question=approval_texts.question(
            spec, valid.arguments, run.language, by=asked.by, told=told
        ),
        expires=asked.expires,
        arguments=valid.arguments,
        changed=changed,
        former={name: call.arguments[name] for name in changed if name in call.arguments},
        notes=valid.notes,
        tainted=_tainted(call, valid),
        private=spec.private,
    )
