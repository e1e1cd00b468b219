"""Conversations as their users hold them: listed, renamed, deleted, exported.

Deleting is what ``pointsman db prune`` does to old ones: the runs go with all that was said, and a
tombstone of each stays for the audit.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from pointsman.domain.agent import Language
from pointsman.domain.text import one_line
from pointsman.engine.record import retention
from pointsman.engine.service import Service
from pointsman.engine.trial import ORIGIN
from pointsman.entrypoints.keys import audit_key
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api import exports
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.console_shapes import (
    ConversationList,
    ConversationRow,
    LastRun,
    Renaming,
)
from pointsman.entrypoints.web.console_api.runs_api import first_words
from pointsman.entrypoints.web.documents import takes
from pointsman.errors import Conflict, JournalCorrupt
from pointsman.ports.console import Act, Listing

MOST = 200
"""On one page."""
LONGEST_LINE = 200
"""Characters of the last message and reply."""
MOST_RUNS = 10_000
"""Of one conversation in an export."""

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


@router.get("", summary="One's conversations, the last used first")
async def conversations(
    service: Engine,
    behind: Behind,
    user: User,
    q: Annotated[
        str, Query(max_length=200, description="Words of the title or of any message or reply.")
    ] = "",
    agent: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 30,
    before: Annotated[str | None, Query(description="As the last answer gave it.")] = None,
) -> ConversationList:
    """The user's conversations, a page at a time; trials of tools and tasks of requests are left
    out. A conversation without a title of its own is called by its first words."""
    await behind.reckoner.catch_up()
    found = await behind.kept.talks.talks(
        user, agent=agent, text=q.strip(), limit=limit + 1, before=before
    )
    page = found[:limit]
    return ConversationList(
        conversations=[_row(one) for one in page if not await _is_hidden(one, service)],
        before=page[-1].last.id if len(found) > limit else None,
    )


async def _is_hidden(one: Listing, service: Service) -> bool:
    """Whether it is a trial's or a task's that still goes on; of one that has ended the store
    knows."""
    if one.last.status.ended:
        return False
    try:
        run = await service.run(one.last.id, None)
    except JournalCorrupt:
        return False
    return run.origin == ORIGIN or run.task is not None


def _row(one: Listing) -> ConversationRow:
    last = one.last
    return ConversationRow(
        conversation=one.id,
        agent=one.agent,
        title=one.title or first_words(one.first),
        created=one.created,
        updated=one.updated,
        runs=one.runs,
        last=LastRun(
            run=last.id,
            status=last.status,
            input=one_line(last.input, LONGEST_LINE),
            reply=one_line(last.reply, LONGEST_LINE),
        ),
    )


@router.patch(
    "/{conversation}",
    status_code=204,
    openapi_extra=takes(Renaming),
    summary="Rename a conversation",
)
async def rename(
    user: User,
    conversation: str,
    renaming: Annotated[Renaming, Depends(body(Renaming))],
    service: Engine,
    behind: Behind,
) -> None:
    """Call a conversation something; an empty title is taken from its first words again."""
    await service.conversation(conversation, user)
    title = one_line(renaming.title, LONGEST_LINE)
    await behind.kept.talks.rename(conversation, title, service.now())


@router.delete("/{conversation}", status_code=204, summary="Delete a conversation")
async def delete(conversation: str, service: Engine, behind: Behind, user: User) -> None:
    """Remove all that was said, for good. 409 while one of its runs has not ended."""
    await service.conversation(conversation, user)
    removed = await retention.remove(
        service.store, behind.clock, conversation, by=user, key=audit_key()
    )
    if not removed.conversations:
        raise Conflict("the conversation goes on: cancel its run, or wait")
    await behind.kept.acts.record(
        Act(
            at=service.now(),
            by=user,
            act="delete_conversation",
            subject=conversation,
            note=f"{removed.runs} runs",
        )
    )


@router.get(
    "/{conversation}/export",
    response_class=Response,
    responses={200: {"content": {"application/json": {}, "text/markdown": {}}}},
    summary="A conversation as a file",
)
async def export(
    conversation: str,
    service: Engine,
    behind: Behind,
    user: User,
    format: Annotated[Literal["json", "markdown"], Query()] = "json",
    language: Language = "en",
) -> Response:
    """All messages, replies and calls, with credentials and private values masked, to download."""
    held = await service.conversation(conversation, user)
    records = await service.runs(user=user, conversation=conversation, limit=MOST_RUNS)
    title = await behind.kept.talks.title(conversation)
    whole = await exports.exported(
        service.store,
        held,
        records,
        title=title or first_words(records[-1].input if records else ""),
        at=service.now(),
    )
    if format == "json":
        text, media, suffix = exports.as_json(whole), "application/json", "json"
    else:
        text, media, suffix = exports.as_markdown(whole, language).encode(), "text/markdown", "md"
    name = f"conversation-{conversation[:12]}.{suffix}"
    return Response(
        text,
        media_type=media,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
