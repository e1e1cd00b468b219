"""What was used over time: one's own figures, and for operators those of all."""

from datetime import timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from fastapi import APIRouter, Query

from pointsman.engine.record.usage import Step, Sums, report
from pointsman.entrypoints.web.access import Engine, Who
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.runs_api import aware
from pointsman.entrypoints.web.console_api.usage_shapes import UsageReport
from pointsman.entrypoints.web.parameters import Instant
from pointsman.entrypoints.web.problems import Refusal

router = APIRouter(prefix="/api/usage", tags=["usage"])


@router.get("/report", summary="Figures over time")
async def usage_report(
    service: Engine,
    behind: Behind,
    who: Who,
    since: Annotated[
        Instant | None, Query(alias="from", description="Default: a week before `to`.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Left out itself. Default: now.")] = None,
    agent: str | None = None,
    user: Annotated[
        str | None, Query(description="Operators may ask for another's; theirs default to all.")
    ] = None,
    step: Step = "day",
    timezone: Annotated[str, Query(description="IANA name: where days begin.")] = "UTC",
) -> UsageReport:
    """What ended runs that began in the span add up to, in steps and in all. Users read their own
    figures, operators those of everybody."""
    if not who.has("operator"):
        if user not in (None, who.login):
            raise Refusal(403, "another user's need the role operator", code="role", field="user")
        user = who.login
    until = aware(to) or service.now() + timedelta(seconds=1)
    begun = aware(since) or until - timedelta(days=7)
    caught_up = await behind.reckoner.catch_up()
    found = await report(
        behind.kept.figures,
        since=begun,
        until=until,
        step=step,
        zone=_zone(timezone),
        user=user,
        agent=agent,
    )
    return UsageReport.model_validate(
        {
            "from": begun,
            "to": until,
            "step": step,
            "series": [{"at": at, **_shape(sums)} for at, sums in found.series],
            "totals": _shape(found.totals),
            "intents": [{"intent": name, "count": count} for name, count in found.intents],
            "tools": [
                {"tool": one.tool, "agent": one.agent, "calls": one.calls, "ok": one.ok}
                for one in found.tools
            ],
            "agents": [{"agent": name, **_shape(sums)} for name, sums in found.agents],
            "caught_up": caught_up,
        }
    )


def _shape(sums: Sums) -> dict[str, object]:
    return msgspec.structs.asdict(sums)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise Refusal(400, f"there is no time zone {name!r}", field="timezone") from None
