"""Reminders as JSON values, the same for the HTTP API and for ``--json``; and what the API and the
command line need to make and change them. Instants are ISO 8601, in UTC."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_finding, remind_texts, remind_times
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled
from pointsman.domain.reminders.reminder import Kind, Occurrence, Reminder
from pointsman.engine.reminders import remind_drafts
from pointsman.engine.reminders.remind_drafts import Draft, Drafting, Same, Unclear, Wish
from pointsman.engine.service import Service
from pointsman.errors import CallerError, Conflict

NEXT = 5
"""Instants of a reading that are shown."""


class Doubtful(CallerError):
    """The words for a time cannot be taken as they are; ``str`` is the question.

    Attributes:
        readings: what they can mean (``reading_shape``).
    """

    def __init__(self, question: str, readings: Sequence[dict[str, Any]]) -> None:
        self.readings = tuple(readings)
        super().__init__(question)


class Unconfirmed(CallerError):
    """The reminder's owner has to confirm it; ``str`` says all that it means.

    Attributes:
        digest: a confirmation of exactly this.
    """

    def __init__(self, told: str, draft: Draft) -> None:
        self.draft, self.digest = draft, draft.digest
        super().__init__(told)


class Plain(Struct, frozen=True, kw_only=True):
    """What a person writes into a form.

    Attributes:
        when: words, a cron line, an RRULE or ISO 8601.
        confirm: the digest that was shown, or True for whatever it is now.
        planned: only the time of an action changes: it needs no new confirmation.
    """

    user: str
    agent: str
    kind: Kind
    content: str
    when: str
    language: Language
    confirm: str | bool = False
    mine: str = ""
    planned: bool = False


def zone_of(name: str) -> ZoneInfo:
    """Raises:
    CallerError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CallerError(f"there is no time zone {name!r}; write it like Asia/Shanghai") from None


def zone_for(service: Service, agent: str) -> ZoneInfo:
    """The zone of an agent's users.

    Raises:
        NotFound: there is no such agent.
    """
    return zone_of(service.agents.get(agent).spec.timezone)


async def drafted(
    plain: Plain, service: Service, now: datetime, when: Settled | None = None
) -> Draft:
    """The draft that a form makes.

    Args:
        now: aware, in the user's zone.
        when: the time, where it does not change.

    Raises:
        Doubtful: the time cannot be taken as it is said.
        Unconfirmed: it does something, and that is not confirmed.
        Conflict: there is an equal one.
        CallerError: it is not clear whom it means.
    """
    drafting = Drafting(service.reminders, service.agents)
    wish = Wish(
        user=plain.user,
        agent=plain.agent,
        kind=plain.kind,
        content=plain.content,
        heard=Heard(when=plain.when),
        language=plain.language,
        now=now,
        mine=plain.mine,
        planned=plain.planned,
    )
    draft = await drafting.draft(wish, when)
    match draft:
        case Doubt():
            raise doubtful(draft, plain.language, service, now)
        case Same():
            line = remind_finding.line(draft.reminder, plain.language)
            raise Conflict(f"there is an equal reminder already ({draft.reminder.id}): {line}")
        case Unclear():
            raise CallerError(draft.question)
        case Draft():
            asks = plain.kind == "action" and not plain.planned
            if asks and plain.confirm not in (True, draft.digest):
                told = remind_drafts.confirmation(draft, plain.language).strip()
                raise Unconfirmed(told, draft)
            return draft


def doubtful(doubt: Doubt, language: Language, service: Service, now: datetime) -> Doubtful:
    """The error that stands for a doubt."""
    readings = [
        reading_shape(Settled(schedule=one, words=doubt.words), language, service, now)
        for one in doubt.options
    ]
    return Doubtful(remind_texts.question(doubt, language), readings)


def previewed(
    when: str, language: Language, service: Service, now: datetime
) -> tuple[list[dict[str, Any]], str]:
    """What words for a time mean, and what stands against taking them; empty when nothing does."""
    workdays = service.reminders.workdays(remind_drafts.zone_of(now))
    meant = remind_times.understood(Heard(when=when), now, workdays)
    if isinstance(meant, Settled):
        return [reading_shape(meant, language, service, now)], ""
    found = doubtful(meant, language, service, now)
    return list(found.readings), str(found).partition("\n")[0]


def reading_shape(
    meant: Settled, language: Language, service: Service, now: datetime
) -> dict[str, Any]:
    """One reading of words for a time."""
    schedule = meant.schedule
    workdays = service.reminders.workdays(remind_drafts.zone_of(now))
    told = remind_texts.told(schedule, language) + remind_texts.remarks(meant.remarks, language)
    return {
        "words": told,
        "rule": schedule.rule,
        "start": _utc(schedule.start),
        "next": [_utc(one) for one in remind_times.coming(schedule, now, NEXT, workdays)],
    }


def reminder_shape(reminder: Reminder, language: Language) -> dict[str, Any]:
    """A reminder; ``when`` says in words when it is due."""
    return {
        "reminder": reminder.id,
        "title": reminder.title,
        "kind": reminder.kind,
        "text": reminder.text,
        "action": reminder.action,
        "agent": reminder.agent,
        "conversation": reminder.conversation,
        "words": reminder.words,
        "when": remind_finding.when_of(reminder, language),
        "rule": reminder.schedule.rule,
        "start": _utc(reminder.schedule.start),
        "timezone": reminder.timezone,
        "next": _utc(reminder.next),
        "snoozed": _utc(reminder.snoozed),
        "state": reminder.state.value,
        "calls": [_call(one) for one in reminder.covered],
        "created": _utc(reminder.created),
        "target": [{"channel": way.channel, "name": way.name} for way in reminder.target.ways]
        or [{"channel": "system", "name": reminder.user}],
    }


def _call(covered: Covered) -> dict[str, Any]:
    return {
        "tool": covered.tool,
        "arguments": msgspec.to_builtins(covered.arguments),
        "open": list(covered.open),
    }


def occurrence_shape(occurrence: Occurrence) -> dict[str, Any]:
    """What became of one occurrence."""
    return {
        "due": _utc(occurrence.due),
        "fired": _utc(occurrence.fired),
        "state": occurrence.state.value,
        "late": round(occurrence.late.total_seconds()),
        "passed": occurrence.passed,
        "run": occurrence.run or None,
        "delivery": occurrence.deliveries[0] if occurrence.deliveries else None,
        "deliveries": list(occurrence.deliveries),
        "note": occurrence.note,
    }


def _utc(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
