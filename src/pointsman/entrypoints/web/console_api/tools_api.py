"""Tools as operators see them: how they fare, what the gate does with their calls, a call tried by
hand, and the switch.

Below: ``engine.health`` for breakers, ``engine.switches``, ``ports.figures`` for the past, and
``engine.trial``, which carries a tried call through the same loop and gate as any other.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Query

from pointsman.domain.agent import Language
from pointsman.domain.breaker import BreakerState
from pointsman.domain.policy import assess, candidates
from pointsman.domain.text import one_line
from pointsman.domain.tools import ToolSpec
from pointsman.engine import switches
from pointsman.engine.agents import LiveAgent
from pointsman.engine.health import identity
from pointsman.engine.service import Service
from pointsman.engine.switches import Off
from pointsman.engine.trial import trial
from pointsman.entrypoints.web.access import Engine, Operator
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.tool_shapes import (
    BreakerShape,
    LastError,
    OffShape,
    SourceRow,
    Switching,
    ToolList,
    ToolRow,
    Trying,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.native_shapes import RunShape
from pointsman.errors import NotFound
from pointsman.evaluation.metrics import quantile
from pointsman.ports.console import Act
from pointsman.ports.figures import Failure, ToolSums

LONGEST_REASON = 500

router = APIRouter(prefix="/api/tools", tags=["tools"])


@router.get("", summary="Tools and how they fare")
async def tools(
    service: Engine,
    behind: Behind,
    who: Operator,
    agent: Annotated[str | None, Query(description="Its tools only.")] = None,
    days: Annotated[int, Query(ge=1, le=365, description="Whose calls are counted.")] = 7,
    language: Language = "en",
) -> ToolList:
    """Every tool that an agent may call now: its state, its calls of the last days, its last
    failures, and what the policy does with its calls."""
    await behind.reckoner.catch_up()
    agents = [service.agents.get(agent)] if agent else list(service.agents)
    until = service.now()
    since = until - timedelta(days=days)
    figures = behind.kept.figures
    sums = await figures.tools(since=since, until=until + timedelta(days=1), agent=agent)
    failures = await figures.failures(since=since, agent=agent)
    states = await switches.states(service.store)
    view = _View(
        sums={(one.agent, one.tool): one for one in sums},
        failures=failures,
        breakers=states.unwell,
        off=states.off,
        language=language,
    )
    return ToolList(
        tools=[view.row(live, spec) for live in agents for spec in live.registry.specs],
        sources=[
            SourceRow(agent=live.spec.name, source=source.name, state=source.state())
            for live in agents
            for source in live.registry.sources
        ],
        days=days,
    )


class _View(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of all tools."""

    sums: Mapping[tuple[str, str], ToolSums]
    failures: Sequence[Failure]
    breakers: Mapping[str, BreakerState]
    off: Mapping[str, Off]
    language: Language

    def row(self, live: LiveAgent, spec: ToolSpec) -> ToolRow:
        agent = live.spec.name
        none = ToolSums(agent=agent, tool=spec.name, calls=0, ok=0)
        sums = self.sums.get((agent, spec.name), none)
        state = {one.name: one.state() for one in live.registry.sources}.get(spec.source, "ready")
        off = self.off.get(switches.key(agent, spec.name))
        return ToolRow(
            agent=agent,
            tool=spec.name,
            title=spec.titled(self.language),
            description=spec.description,
            source=spec.source,
            source_state=state,
            risk=spec.risk,
            parameters=spec.parameters,
            breaker=_breaker(self.breakers.get(identity(spec))),
            calls=sums.calls,
            ok=sums.ok,
            failed=sums.calls - sums.ok,
            p50_ms=quantile(sums.times, 0.5),
            p95_ms=quantile(sums.times, 0.95),
            last_errors=[
                LastError(at=one.at, run=one.run, code=one.code, message=one.message)
                for one in self.failures
                if (one.agent, one.tool) == (agent, spec.name)
            ],
            verdict=assess(spec, live.rules).verdict,
            policy=[one.reason[self.language] for one in candidates(spec, live.rules)],
            off=OffShape(by=off.by, at=off.at, reason=off.reason) if off else None,
        )


def _breaker(state: BreakerState | None) -> BreakerShape | None:
    if state is None:
        return None
    return BreakerShape(state=state.mode, since=state.since, failures=len(state.failures))


@router.post(
    "/{agent}/{tool}/try", openapi_extra=takes(Trying), summary="Try a call, through the gate"
)
async def attempt(
    who: Operator,
    agent: str,
    tool: str,
    trying: Annotated[Trying, Depends(body(Trying))],
    service: Engine,
) -> RunShape:
    """Propose one call as a model would: it is checked, gated, run and journaled like any other.
    The answer is the run when it rests: over, or waiting for a confirmation or an approval, which
    is given as for any run."""
    _spec(service, agent, tool)
    arguments = msgspec.json.encode(trying.arguments).decode()
    run = await service.submit(trial(agent, user=who.login, tool=tool, arguments=arguments))
    return RunShape.of(await service.wait(run, who.login))


@router.post(
    "/{agent}/{tool}/switch",
    status_code=204,
    openapi_extra=takes(Switching),
    summary="Switch a tool off or on",
)
async def switch(
    who: Operator,
    agent: str,
    tool: str,
    switching: Annotated[Switching, Depends(body(Switching))],
    service: Engine,
    behind: Behind,
) -> None:
    """For all workers, within a second. A tool that is off is not shown to the model, and a call of
    it is refused with a sentence; each refusal is in its run's journal, the switch in the record
    of acts."""
    _spec(service, agent, tool)
    at, reason = service.now(), one_line(switching.reason, LONGEST_REASON)
    off = None if switching.on else Off(by=who.login, at=at, reason=reason)
    if await switches.switch(service.store, agent, tool, off):
        act = "switch_on" if switching.on else "switch_off"
        subject = switches.key(agent, tool)
        await behind.kept.acts.record(
            Act(at=at, by=who.login, act=act, subject=subject, note=reason)
        )


def _spec(service: Service, agent: str, tool: str) -> ToolSpec:
    spec = service.agents.get(agent).registry.spec(tool)
    if spec is None:
        raise NotFound("tool", tool)
    return spec
