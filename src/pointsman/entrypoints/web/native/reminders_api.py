"""The native API for reminders: make them from words, list, change, snooze, pause, cancel.

Below: ``engine.reminders.book``; what words mean is read as for the tools. A reminder belongs to
its user.
"""

from datetime import UTC, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from pointsman.domain.agent import Language
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled
from pointsman.domain.reminders.reminder import Reminder, ReminderState
from pointsman.engine.reminders import remind_drafts
from pointsman.entrypoints.reminders import (
    Doubtful,
    Plain,
    Unconfirmed,
    doubtful,
    drafted,
    previewed,
    zone_for,
    zone_of,
)
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.reminder_shapes import (
    ChangedReminder,
    Later,
    NewReminder,
    OccurrenceShape,
    PreviewShape,
    ReadingShape,
    ReminderList,
    ReminderProblem,
    ReminderShape,
    ReminderWhole,
    ShownShape,
    ToConfirm,
    Words,
)
from pointsman.entrypoints.web.parameters import Instant
from pointsman.entrypoints.web.problems import PROBLEM_TYPE, Refusal, request_id
from pointsman.errors import CallerError

MOST = 200
"""On one page."""
ASKED: dict[int | str, dict[str, Any]] = {
    409: {"model": ReminderProblem, "description": "it is to be settled first"}
}
router = APIRouter(prefix="/api/reminders", tags=["reminders"])
Spoken = Annotated[Language, Query(description="of the words in the answer")]


@router.get("")
async def reminders(
    service: Engine,
    user: User,
    state: Annotated[tuple[ReminderState, ...], Query()] = (),
    due_from: Annotated[Instant | None, Query(alias="from")] = None,
    due_to: Annotated[Instant | None, Query(alias="to")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: str | None = None,
    language: Spoken = "zh",
) -> ReminderList:
    """The user's reminders, newest first, a page at a time; ``from`` and ``to`` bound when they are
    due next."""
    found = await service.reminders.list(
        user, state=state, due_from=due_from, due_to=due_to, limit=limit + 1, before=before
    )
    page = found[:limit]
    return ReminderList(
        reminders=[ReminderShape.of(one, language) for one in page],
        before=page[-1].id if len(found) > limit else None,
    )


@router.post(
    "",
    status_code=201,
    response_model=ReminderShape,
    responses=ASKED,
    openapi_extra=takes(NewReminder),
)
async def make(
    user: User,
    new: Annotated[NewReminder, Depends(body(NewReminder))],
    service: Engine,
    request: Request,
) -> ReminderShape | Response:
    """Make a reminder. 409 with the readings when the time can be meant in two ways, and with what
    must be confirmed when it does something."""
    own = zone_for(service, new.agent)
    zone = zone_of(new.timezone) if new.timezone else own
    plain = Plain(
        user=user,
        agent=new.agent,
        kind="text" if new.text.strip() else "action",
        content=new.text.strip() or new.action.strip(),
        when=new.when,
        language=new.language,
        confirm=new.confirm,
    )
    try:
        draft = await drafted(plain, service, service.now().astimezone(zone))
    except (Doubtful, Unconfirmed) as fault:
        return _asked(fault, request)
    made = remind_drafts.reminder_of(
        draft,
        id="",
        user=user,
        agent=new.agent,
        conversation=new.conversation,
        language=new.language,
    )
    return ReminderShape.of(await service.reminders.add(made), new.language)


@router.post("/preview", openapi_extra=takes(Words))
async def preview(
    user: User, words: Annotated[Words, Depends(body(Words))], service: Engine
) -> PreviewShape:
    """What words for a time mean, and the next times of each reading."""
    zone = words.timezone or next((one.spec.timezone for one in service.agents), "UTC")
    now = service.now().astimezone(zone_of(zone))
    readings, problem = previewed(words.when, words.language, service, now)
    return PreviewShape(
        readings=[ReadingShape.model_validate(one) for one in readings], problem=problem
    )


@router.get("/{reminder}")
async def one(reminder: str, service: Engine, user: User, language: Spoken = "zh") -> ReminderWhole:
    """A reminder, with what became of its last occurrences."""
    found = await service.reminders.get(reminder, user)
    occurrences = await service.reminders.occurrences(reminder, user)
    return ReminderWhole(
        **ReminderShape.of(found, language).model_dump(),
        occurrences=[OccurrenceShape.of(one) for one in occurrences],
    )


@router.patch(
    "/{reminder}",
    response_model=ReminderShape,
    responses=ASKED,
    openapi_extra=takes(ChangedReminder),
)
async def change(
    user: User,
    reminder: str,
    changed: Annotated[ChangedReminder, Depends(body(ChangedReminder))],
    service: Engine,
    request: Request,
) -> ReminderShape | Response:
    """Change when it is due, or what it says or does. A changed action is confirmed anew."""
    found = await service.reminders.get(reminder, user)
    content = changed.text if found.kind == "text" else changed.action
    other = changed.action if found.kind == "text" else changed.text
    if other is not None or (content is None and changed.when is None):
        raise CallerError(f"give when or {found.kind} to change this reminder")
    plain = Plain(
        user=user,
        agent=found.agent,
        kind=found.kind,
        content=(content or found.content).strip(),
        when=changed.when or "",
        language=changed.language,
        confirm=changed.confirm,
        mine=found.id,
        planned=content is None,
    )
    kept = Settled(schedule=found.schedule, words=found.words) if changed.when is None else None
    now = service.now().astimezone(zone_of(found.timezone))
    try:
        draft = await drafted(plain, service, now, kept)
    except (Doubtful, Unconfirmed) as fault:
        return _asked(fault, request)
    changes = remind_drafts.changes_of(draft, when=kept is None, what=content is not None)
    made = await service.reminders.change(found.id, user, changes)
    return ReminderShape.of(made, changed.language)


@router.post(
    "/{reminder}/snooze",
    response_model=ReminderShape,
    responses=ASKED,
    openapi_extra=takes(Later),
)
async def snooze(
    user: User,
    reminder: str,
    later: Annotated[Later, Depends(body(Later))],
    service: Engine,
    request: Request,
) -> ReminderShape | Response:
    """Have it come again later, once; its other times stay."""
    found = await service.reminders.get(reminder, user)
    now = service.now().astimezone(zone_of(found.timezone))
    until = now + timedelta(minutes=later.minutes or 0)
    if later.until is not None:
        meant = remind_drafts.until(Heard(when=later.until), now)
        if isinstance(meant, Doubt):
            return _asked(doubtful(meant, later.language, service, now), request)
        until = meant
    made = await service.reminders.snooze(reminder, user, until)
    return ReminderShape.of(made, later.language)


@router.post("/{reminder}/pause")
async def pause(
    reminder: str, service: Engine, user: User, language: Spoken = "zh"
) -> ReminderShape:
    """Have nothing due until it is resumed."""
    return _shape(await service.reminders.pause(reminder, user), language)


@router.post("/{reminder}/resume")
async def resume(
    reminder: str, service: Engine, user: User, language: Spoken = "zh"
) -> ReminderShape:
    """Go on; what was due during the pause is passed over."""
    return _shape(await service.reminders.resume(reminder, user), language)


@router.post("/{reminder}/cancel")
async def cancel(
    reminder: str, service: Engine, user: User, language: Spoken = "zh"
) -> ReminderShape:
    """End it for good."""
    return _shape(await service.reminders.cancel(reminder, user), language)


def _shape(reminder: Reminder, language: Language) -> ReminderShape:
    return ReminderShape.of(reminder, language)


def _asked(fault: Doubtful | Unconfirmed, request: Request) -> Response:
    """What must be settled first, as a problem document.

    Raises:
        Refusal: 400, when the words have no reading at all.
    """
    known: dict[str, Any] = {
        "detail": str(fault),
        "instance": request.url.path,
        "request_id": request_id(request.scope),
    }
    if isinstance(fault, Doubtful) and not fault.readings:
        raise Refusal(400, str(fault), field="when", code="unclear")
    if isinstance(fault, Doubtful):
        document = ReminderProblem(
            **known,
            code="unclear",
            readings=[ReadingShape.model_validate(one) for one in fault.readings],
        )
    else:
        document = ReminderProblem(
            **known,
            code="confirm",
            to_confirm=ToConfirm(
                confirm=fault.digest,
                told=str(fault),
                next=[one.astimezone(UTC) for one in fault.draft.next],
                calls=[
                    ShownShape(title=one.title, told=one.told, waits=one.waits)
                    for one in fault.draft.calls
                ],
            ),
        )
    return JSONResponse(document.model_dump(mode="json"), 409, media_type=PROBLEM_TYPE)
