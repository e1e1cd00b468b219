"""What workers do to a run: its state after they took it up, left it, or vanished on it."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pointsman.domain import events as ev
from pointsman.domain.calls import Stage
from pointsman.domain.statuses import RunStatus

if TYPE_CHECKING:
    from pointsman.domain.runs import Run

Changes = dict[str, Any]
"""Fields of a run and their new values."""


def started(run: "Run", event: ev.RunStarted) -> Changes:
    """A worker has taken it up."""
    taken = {"status": RunStatus.RUNNING, "step": _step(run)}
    return taken | {"started": event.at, "system": event.system}


def resumed(run: "Run", event: ev.RunResumed) -> Changes:
    """Another one has."""
    if run.waiting:
        return {}
    taken = {"status": RunStatus.RUNNING, "step": _step(run), "deaths": deaths(run)}
    return {**taken, "waited": run.waited + _seconds_since(run, event.at)}


def released(run: "Run", event: ev.RunReleased) -> Changes:
    """A worker has left it to the next."""
    return {"step": None}


def parked(run: "Run", event: ev.RunParked) -> Changes:
    """It is left to a person."""
    rests = {"status": RunStatus.PARKED, "step": None, "deaths": event.deaths}
    return rests | {"notice": event.text, "waited": run.waited + _seconds_since(run, event.at)}


def unparked(run: "Run", event: ev.RunUnparked) -> Changes:
    """The person lets it go on."""
    waited = run.waited + _seconds_since(run, event.at)
    return {"status": RunStatus.RUNNING, "deaths": 0, "notice": "", "waited": waited}


def deaths(run: "Run") -> int:
    """How many workers have vanished on the run one after the other, when it is taken up now."""
    if run.step is None:
        return run.deaths
    return run.deaths + 1 if run.step == _step(run) else 1


def _step(run: "Run") -> tuple[int, ...]:
    """How far the run has come: another value when it has come further."""
    settled = sum([call.stage is Stage.SETTLED for call in run.calls])
    routed = int(run.route is not None)
    return (routed, len(run.messages), len(run.past), settled, len(run.checks))


def _seconds_since(run: "Run", at: datetime) -> float:
    return max((at - run.last).total_seconds(), 0.0)
