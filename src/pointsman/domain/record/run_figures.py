"""What of an ended run is counted, listed and looked for, read from its events. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.masking import RunMask
from pointsman.domain.messages import Usage
from pointsman.domain.routing import OPEN, PICK
from pointsman.domain.runs import Run, fold
from pointsman.domain.text import one_line
from pointsman.domain.tools import ResultStatus

LONGEST = 300
"""Characters of what a tool said of its failure."""

_WENT_WRONG = (
    ResultStatus.ERROR,
    ResultStatus.FAILED,
    ResultStatus.TIMEOUT,
    ResultStatus.UNCERTAIN,
)


class CallFigures(Struct, frozen=True, kw_only=True):
    """One call.

    Attributes:
        at: when it was last tried; of one that never ran, when the run ended.
        ms: milliseconds of its attempts.
        ran: whether it was tried.
        status: of its result; empty when it has none.
        code: why it was rejected, or empty.
        message: masked: what a call that went wrong gave.
    """

    call: str
    tool: str
    at: datetime
    ms: int
    ran: bool
    status: str
    code: str = ""
    message: str = ""


class RunFigures(Struct, frozen=True, kw_only=True):
    """One ended run.

    Attributes:
        ms: milliseconds of work, the time in which it waited for people left out.
        route: ``tools``, ``answer``, ``ask``, or empty in open mode.
        picked: the user chose the intents from a question.
        intents: that the run went by; ``candidates`` those that the user was asked about.
        asks: questions for values or for the intent.
        confirmations: questions to the asking user whether a call may run; ``approvals`` those to
            somebody with a role; ``denials`` the answers that were no.
    """

    run: str
    conversation: str
    user: str
    agent: str
    origin: str
    status: str
    kind: str
    failure: str
    created: datetime
    ended: datetime
    ms: int
    usage: Usage
    route: Literal["", "tools", "answer", "ask"] = ""
    picked: bool = False
    intents: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    asks: int = 0
    confirmations: int = 0
    approvals: int = 0
    denials: int = 0
    calls: tuple[CallFigures, ...] = ()

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that were called or proposed, each once."""
        return tuple(dict.fromkeys(call.tool for call in self.calls))


def figures(run_id: str, events: Sequence[ev.Event]) -> RunFigures | None:
    """The figures of a run; None when it has not ended.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    run = fold(run_id, events)
    if not run.status.ended:
        return None
    ended = next(one.at for one in reversed(events) if not isinstance(one, ev.DecisionRefused))
    route = run.route
    chosen = [one for one in events if isinstance(one, ev.RouteChosen)]
    worked = (ended - run.created).total_seconds() - run.waited
    return RunFigures(
        run=run_id,
        conversation=run.conversation,
        user=run.user,
        agent=run.agent,
        origin=run.origin,
        status=run.status.value,
        kind=run.kind,
        failure=run.failure,
        created=run.created,
        ended=ended,
        ms=max(round(worked * 1000), 0),
        usage=run.usage,
        route=route.kind if route and route.why != OPEN else "",
        picked=any(one.why == PICK for one in chosen),
        intents=route.intents if route else (),
        candidates=route.candidates if route else (),
        calls=tuple(_calls(run, events, ended)),
        **_counts(events),
    )


def _counts(events: Sequence[ev.Event]) -> dict[str, int]:
    """How often people were asked, and said no."""
    counts = dict.fromkeys(("asks", "confirmations", "approvals", "denials"), 0)
    for event in events:
        match event:
            case ev.RouteChosen(kind="ask"):
                counts["asks"] += 1
            case ev.CallRejected() if event.question:
                counts["asks"] += 1
            case ev.ApprovalAsked() | ev.ApprovalEdited():
                counts["confirmations" if event.by == "user" else "approvals"] += 1
            case ev.ApprovalDecided(decision="denied"):
                counts["denials"] += 1
            case _:
                pass
    return counts


def _calls(run: Run, events: Sequence[ev.Event], ended: datetime) -> Iterator[CallFigures]:
    calls = (*run.past, *run.calls)
    if not calls:
        return
    finished = [one for one in events if isinstance(one, ev.AttemptFinished)]
    mask = _mask(events) if any(_went_wrong(call) for call in calls) else None
    for call in calls:
        own = [one for one in finished if one.call == call.key]
        message = ""
        if mask is not None and _went_wrong(call) and own:
            told = mask.masked(own[-1])
            assert isinstance(told, ev.AttemptFinished)
            message = one_line(told.result.content.removeprefix("ERROR: "), LONGEST)
        yield CallFigures(
            call=call.key,
            tool=call.tool or call.raw.name,
            at=own[-1].at if own else ended,
            ms=round(sum(one.ms for one in own)),
            ran=bool(call.attempts),
            status=call.result.status.value if call.result else "",
            code=call.rejection,
            message=message,
        )


def _went_wrong(call: CallState) -> bool:
    return call.result is not None and bool(call.attempts) and call.result.status in _WENT_WRONG


def _mask(events: Sequence[ev.Event]) -> RunMask:
    mask = RunMask()
    for event in events:
        mask.learn(event)
    return mask
