"""A reminder before it is made: when it is meant to fire, what it will do, which calls its owner
confirms with it, and how all of that is told.

The tools, the API and the command line make reminders from the same draft. Above: those. Below:
``remind_times``, ``remind_foresight``, the book.
"""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_texts, remind_times
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.reminders.remind_times import Doubt, Heard, Remark, Settled
from pointsman.domain.reminders.reminder import Changes, Kind, Reminder, ReminderState
from pointsman.domain.schedule import Schedule
from pointsman.engine.agents import Agents
from pointsman.engine.reminders.book import ReminderBook
from pointsman.engine.reminders.remind_foresight import Asking, foreseen

SHOWN = 3
"""Next instants that are told of a rule."""
_TITLE = 40
_MOST = 1000


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody wants to be reminded of, or done.

    Attributes:
        content: what is said, or done, when it is due.
        now: aware, in the user's zone.
        mine: id of the reminder that is changed, which no new one is equal to.
        planned: what an action will call is known already: only its time changes.
    """

    user: str
    agent: str
    kind: Kind
    content: str
    heard: Heard
    language: Language
    now: datetime
    mine: str = ""
    planned: bool = False


class Shown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that the action will make, in words; ``waits`` when it needs another word then."""

    title: str
    told: str
    waits: bool = False


class Draft(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reminder as it is confirmed. ``start`` is written with its offset; the zone stands beside.

    Attributes:
        words: the user's own for the time.
        calls: what the action is known to do; ``covered`` is what its confirmation lets pass.
        next: the first instants that it is due.
    """

    kind: Kind
    content: str
    start: datetime
    timezone: str
    rule: str = ""
    workdays: bool = False
    words: str = ""
    remarks: tuple[Remark, ...] = ()
    next: tuple[datetime, ...] = ()
    calls: tuple[Shown, ...] = ()
    covered: tuple[Covered, ...] = ()

    @property
    def schedule(self) -> Schedule:
        """In the zone whose wall clock counts."""
        start = self.start.astimezone(ZoneInfo(self.timezone))
        return Schedule(start=start, rule=self.rule, workdays=self.workdays)

    @property
    def digest(self) -> str:
        """What a confirmation of it is bound to (hex)."""
        return sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:32]


class Same(Struct, frozen=True):
    """There is an equal reminder already."""

    reminder: Reminder


class Unclear(Struct, frozen=True):
    """The action cannot be done as it is said: whom a name means, by which way."""

    question: str


class Drafting:
    """Makes drafts for the users of one engine."""

    def __init__(self, book: ReminderBook, agents: Agents) -> None:
        self.book, self._agents = book, agents

    async def draft(
        self, wish: Wish, when: Settled | None = None
    ) -> Draft | Doubt | Same | Unclear:
        """The draft, or what stands against it. Changes nothing.

        Args:
            when: the time, where it is known; else it is read from what was said.
        """
        zone = zone_of(wish.now)
        workdays = self.book.workdays(zone)
        meant = when or remind_times.understood(wish.heard, wish.now, workdays)
        if isinstance(meant, Doubt):
            return meant
        schedule = meant.schedule
        draft = Draft(
            kind=wish.kind,
            content=" ".join(wish.content.split()),
            start=schedule.start,
            timezone=zone,
            rule=schedule.rule,
            workdays=schedule.workdays,
            words=meant.words,
            remarks=meant.remarks,
            next=tuple(remind_times.coming(schedule, wish.now, SHOWN, workdays)),
        )
        if (same := await self._same(draft, wish)) is not None:
            return Same(same)
        if wish.kind == "text" or wish.planned:
            return draft
        return await self._with_calls(draft, wish)

    async def _with_calls(self, draft: Draft, wish: Wish) -> Draft | Unclear:
        live = self._agents.get(wish.agent)
        asking = Asking(action=draft.content, user=wish.user, language=wish.language, now=wish.now)
        seen = await foreseen(asking, live)
        for one in seen:
            if one.question:
                return Unclear(one.question)
        return msgspec.structs.replace(
            draft,
            calls=tuple(
                Shown(title=one.title, told=one.told, waits=one.covered is None) for one in seen
            ),
            covered=tuple(one.covered for one in seen if one.covered is not None),
        )

    async def _same(self, draft: Draft, wish: Wish) -> Reminder | None:
        """An active reminder of the user that does the same at the same times."""
        for one in await self.book.list(wish.user, state=(ReminderState.ACTIVE,), limit=_MOST):
            if one.id == wish.mine or (one.kind, one.content) != (draft.kind, draft.content):
                continue
            other = one.schedule
            if other.rule == draft.rule and (
                one.next in draft.next if draft.rule else other.start == draft.start
            ):
                return one
        return None


def zone_of(now: datetime) -> str:
    """The name of an instant's zone."""
    return getattr(now.tzinfo, "key", "UTC")


def reminder_of(
    draft: Draft,
    *,
    id: str,
    user: str,
    agent: str,
    conversation: str,
    language: Language,
    run: str = "",
) -> Reminder:
    """The reminder that a draft becomes. Without more it goes to its owner's inbox."""
    content = draft.content
    return Reminder(
        id=id,
        user=user,
        agent=agent,
        conversation=conversation,
        language=language,
        kind=draft.kind,
        text=content if draft.kind == "text" else "",
        action=content if draft.kind == "action" else "",
        title=content if len(content) <= _TITLE else content[: _TITLE - 1] + "…",
        words=draft.words,
        schedule=draft.schedule,
        timezone=draft.timezone,
        covered=draft.covered,
        run=run,
    )


def until(heard: Heard, now: datetime) -> datetime | Doubt:
    """The instant; a bare span (10分钟, 10 minutes) counts from now."""
    meant = remind_times.understood(heard, now)
    if isinstance(meant, Doubt) and meant.why == "none" and heard.when:
        for words in (f"{heard.when}后", f"in {heard.when}"):
            again = remind_times.understood(Heard(when=words), now)
            if isinstance(again, Settled):
                return again.schedule.start
    return meant if isinstance(meant, Doubt) else meant.schedule.start


def changes_of(draft: Draft, *, when: bool, what: bool) -> Changes:
    """What of a reminder is changed when it becomes the draft.

    Args:
        when: its time is another.
        what: what it says or does is another. An action's old confirmation ends with it.
    """
    made = reminder_of(draft, id="", user="", agent="", conversation="", language="zh")
    return Changes(
        schedule=made.schedule if when else None,
        timezone=made.timezone if when else None,
        words=made.words if when else None,
        title=made.title if what else None,
        text=made.text or None if what else None,
        action=made.action or None if what else None,
        covered=made.covered if what else None,
    )


def id_of(run: str, key: str) -> str:
    """The id of what a call makes: the same however often the call runs; it sorts by time."""
    told = sha256(key.encode()).hexdigest()
    return f"{run[:12]}7{told[:3]}8{told[3:18]}"


_SAID: dict[Kind, dict[Language, str]] = {
    "text": {
        "zh": "好的，{when}提醒您：{content}。{rest}",
        "en": "I will remind you {when}: {content}.{rest}",
    },
    "action": {
        "zh": "好的，{when}自动执行：{content}。{rest}",
        "en": "I will do this {when}: {content}.{rest}",
    },
}
_LINES: dict[str, dict[Language, str]] = {
    "when": {"zh": "- 时间：{when}（{zone}）{remarks}", "en": "- When: {when} ({zone}){remarks}"},
    "next": {"zh": "- 接下来：{next}", "en": "- Next: {next}"},
    "text": {"zh": "- 到时提醒您：“{content}”", "en": "- You are reminded: “{content}”"},
    "action": {"zh": "- 到时执行：“{content}”", "en": "- What is done then: “{content}”"},
    "call": {
        "zh": "- 确认后到时不再询问：{title}，{told}",
        "en": "- Done then without asking again: {title}, {told}",
    },
    "waits": {
        "zh": "- 到时还需要批准：{title}，{told}",
        "en": "- Still needs approval then: {title}, {told}",
    },
    "else": {
        "zh": "- 其他会产生改动的操作，到时仍会等您确认",
        "en": "- Anything else that changes something waits for you then",
    },
}
_JOINTS: dict[Language, tuple[str, str, str]] = {
    "zh": ("、", "；", "接下来：{next}。"),
    "en": (", ", "; ", " Next: {next}."),
}


def when(draft: Draft, language: Language) -> str:
    """When it is due, in words."""
    return remind_texts.told(draft.schedule, language)


def confirmation(draft: Draft, language: Language) -> str:
    """All that a confirmation of the draft means: when, by which clock, what, and which calls."""
    remarks = remind_texts.remarks(draft.remarks, language)
    lines = [
        _line("when", language, when=when(draft, language), zone=draft.timezone, remarks=remarks)
    ]
    if draft.rule:
        lines.append(_line("next", language, next=_next(draft, language)))
    lines.append(_line(draft.kind, language, content=draft.content))
    for call in draft.calls:
        told = _JOINTS[language][1].join(call.told.splitlines())
        lines.append(
            _line("waits" if call.waits else "call", language, title=call.title, told=told)
        )
    if draft.kind == "action":
        lines.append(_line("else", language))
    return "\n" + "\n".join(lines)


def said(draft: Draft, language: Language) -> str:
    """That it was made, in one sentence."""
    at = when(draft, language)
    if language == "en" and not draft.rule:
        at = f"on {at}"
    notes = remind_texts.remarks(draft.remarks, language)
    rest = _JOINTS[language][2].format(next=_next(draft, language)) if draft.rule else ""
    content = draft.content.rstrip("。.！!")
    return _SAID[draft.kind][language].format(when=at + notes, content=content, rest=rest)


def _next(draft: Draft, language: Language) -> str:
    return _listed(
        [remind_texts.instant(_local(one, draft), language) for one in draft.next], language
    )


def _local(at: datetime, draft: Draft) -> datetime:
    return at.astimezone(ZoneInfo(draft.timezone))


def _listed(items: Sequence[str], language: Language) -> str:
    return _JOINTS[language][1 if language == "en" else 0].join(items)


def _line(name: str, language: Language, **names: str) -> str:
    return _LINES[name][language].format(**names)
