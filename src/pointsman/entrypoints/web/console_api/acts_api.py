"""What people did to the machinery, and not in a run: switches, publications, deletions."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from pointsman.entrypoints.web.access import Operator
from pointsman.entrypoints.web.console_api.backstage import Behind

router = APIRouter(prefix="/api/acts", tags=["operation"])


class ActShape(BaseModel):
    """``act`` is ``switch_off``, ``switch_on``, ``publish``, ``restore``, ``example`` or
    ``delete_conversation``; ``subject`` what it was done to, such as ``support/refund_order``."""

    at: datetime
    by: str
    act: str
    subject: str
    note: str


class ActList(BaseModel):
    """Newest first."""

    acts: list[ActShape]


@router.get("", summary="What people did to the machinery")
async def acts(
    behind: Behind,
    who: Operator,
    subject: Annotated[str, Query(description="Of this alone.")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> ActList:
    """Who switched, published, restored or deleted what, when, and why."""
    found = await behind.kept.acts.acts(subject=subject, limit=limit)
    return ActList(
        acts=[
            ActShape(at=one.at, by=one.by, act=one.act, subject=one.subject, note=one.note)
            for one in found
        ]
    )
