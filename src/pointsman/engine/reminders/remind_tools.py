"""``RemindList``, ``RemindChange``, ``RemindSnooze``, ``RemindCancel``: what users do with the
reminders that they have. Which one is meant is found before anybody confirms."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_changes, remind_finding, remind_texts
from pointsman.domain.reminders.remind_changes import Former
from pointsman.domain.reminders.remind_times import Doubt, Settled
from pointsman.domain.reminders.reminder import Reminder, ReminderState
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.engine.reminders import remind_drafts
from pointsman.engine.reminders.remind_add import (
    DRAFT,
    OPEN,
    RELATED,
    TIME,
    answer,
    doubted,
    draft_in,
    heard_in,
    language_of,
    same,
)
from pointsman.engine.reminders.remind_drafts import Draft, Same, Unclear, Wish
from pointsman.engine.reminders.remind_finding import (
    CHOSEN,
    CURRENT,
    WHICH,
    as_values,
    chosen,
    listed,
)
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import CallerError, StoreError, ToolSourceError
from pointsman.ports import CallContext, Prepared, Tool, Unready

UNTIL = "until"
"""The context field that ``RemindSnooze`` fills."""
RECENT = timedelta(hours=24)
"""How long after it fired "remind me again" can mean a reminder."""
_DESCRIPTIONS = {
    "RemindList": "List the user's reminders, with the number of each.",
    "RemindChange": "Change one of the user's reminders: its time, what it says or does, or "
    "whether it is paused.",
    "RemindSnooze": "Have a reminder come again later, once; the rest of its times stay.",
    "RemindCancel": "Cancel one of the user's reminders, or all of them.",
}
_TITLES: dict[str, dict[str, str]] = {
    "RemindList": {"zh": "查看提醒", "en": "List reminders"},
    "RemindChange": {"zh": "修改提醒", "en": "Change a reminder"},
    "RemindSnooze": {"zh": "推迟提醒", "en": "Snooze a reminder"},
    "RemindCancel": {"zh": "取消提醒", "en": "Cancel reminders"},
}
_SAID: dict[str, dict[Language, str]] = {
    "none": {"zh": "您现在没有提醒。", "en": "You have no reminders."},
    "list": {"zh": "您有 {count} 个提醒：", "en": "Your reminders ({count}):"},
    "changed": {"zh": "已修改提醒。{line}", "en": "The reminder was changed. {line}"},
    "pause": {"zh": "暂停 {line}", "en": "pause {line}"},
    "resume": {"zh": "恢复 {line}", "en": "go on with {line}"},
    "paused": {"zh": "已暂停提醒：{line}", "en": "Paused: {line}"},
    "resumed": {"zh": "已恢复提醒：{line}", "en": "Going on again: {line}"},
    "snoozed": {
        "zh": "好的，{at}再提醒您：{content}",
        "en": "I will remind you again on {at}: {content}",
    },
    "cancelled": {"zh": "已取消提醒：{line}", "en": "Cancelled: {line}"},
    "change what": {
        "zh": "要改成什么时间或什么内容？",
        "en": "What is to be changed: its time, or its text?",
    },
    "which fired": {
        "zh": "最近没有响过的提醒，请说明提醒什么。",
        "en": "No reminder has come up lately; say what to remind you of.",
    },
}


def about(name: str) -> dict[str, Any]:
    """What a tool says of itself, as ``schemas.tool_spec`` takes it."""
    properties: dict[str, Any] = {"which": WHICH}
    context = {"userLoginName": "user", "userInput": "input", CHOSEN: CHOSEN}
    match name:
        case "RemindList":
            properties = {"state": _choice("Only these.", ["active", "paused", "done", "all"])}
            del context[CHOSEN]
        case "RemindChange":
            properties |= {
                "time": TIME,
                "timeRelated": RELATED,
                "something": {
                    "type": "string",
                    "description": "What it says or does from now on.",
                    "x-title": {"zh": "提醒内容", "en": "what"},
                    "x-source": OPEN,
                    "maxLength": 2000,
                },
                "state": _choice("paused, or active to go on.", ["active", "paused"]),
            }
            context["reminder"] = DRAFT
        case "RemindSnooze":
            properties |= {"time": TIME, "timeRelated": RELATED}
            context[UNTIL] = UNTIL
    return {
        "description": _DESCRIPTIONS[name],
        "title": _TITLES[name]["en"],
        "titles": _TITLES[name],
        "parameters": {"type": "object", "properties": properties},
        "risk": Risk.READ if name == "RemindList" else Risk.WRITE,
        "idempotent": True,
        "context": context,
    }


def _choice(description: str, options: list[str]) -> dict[str, Any]:
    return {"type": "string", "enum": options, "description": description, "x-source": OPEN}


async def _tried(doing: Awaitable[dict[str, Any]]) -> ToolResult:
    """What was done, or why not, as the result of a call."""
    try:
        return answer(await doing)
    except (ToolSourceError, CallerError) as fault:
        return ToolResult(status=ResultStatus.ERROR, content=f"ERROR: {fault}")
    except StoreError as fault:
        content = f"ERROR: the reminders could not be reached: {fault}"
        return ToolResult(status=ResultStatus.FAILED, content=content, retryable=True)


class RemindList:
    """``ports.Tool``."""

    def __init__(self, spec: ToolSpec, surroundings: Surroundings) -> None:
        self.spec = spec
        self._surroundings = surroundings

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await _tried(self._list(str(arguments.get("state") or ""), context))

    async def _list(self, state: str, context: CallContext) -> dict[str, Any]:
        states = {"": CURRENT, "all": tuple(ReminderState)}.get(state)
        found = await listed(
            self._surroundings.drafting.book,
            context.user,
            states if states is not None else (ReminderState(state),),
        )
        language = language_of(context)
        lines = remind_finding.lines(found, found, language)
        head = _SAID["list" if found else "none"][language].format(count=len(found))
        return {
            "count": len(found),
            "reminders": [_row(place, one, language) for place, one in enumerate(found, start=1)],
            "said": "\n".join((head, *lines)),
        }


def _row(place: int, one: Reminder, language: Language) -> dict[str, Any]:
    due = one.next.astimezone(ZoneInfo(one.timezone)) if one.next else None
    return {
        "number": place,
        "kind": one.kind,
        "something": one.content,
        "time": remind_finding.when_of(one, language),
        "next": remind_texts.instant(due, language) if due else "",
        "state": one.state.value,
    }


class RemindCancel:
    """``ports.PreparedTool``."""

    def __init__(self, spec: ToolSpec, surroundings: Surroundings) -> None:
        self.spec = spec
        self._surroundings = surroundings

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """Which are meant."""
        book = self._surroundings.drafting.book
        found = await chosen(book, arguments, context, many=True)
        if isinstance(found, Unready):
            return found
        return Prepared(values={CHOSEN: as_values(found, language_of(context))})

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        return _lines(arguments)

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await _tried(self._cancel(arguments, context))

    async def _cancel(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        for one in arguments[CHOSEN]:
            await self._surroundings.drafting.book.cancel(one["id"], context.user)
        return _told("cancelled", language_of(context), line=_lines(arguments))


class RemindSnooze:
    """``ports.PreparedTool``."""

    def __init__(self, spec: ToolSpec, surroundings: Surroundings) -> None:
        self.spec = spec
        self._surroundings = surroundings

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """Which is meant, and until when."""
        heard = heard_in(arguments, context)
        until = remind_drafts.until(heard, context.now)
        found = await self._meant(arguments, context)
        if isinstance(until, Doubt):
            return doubted(until, language_of(context))
        if isinstance(found, Unready):
            return found
        values = as_values(found, language_of(context))
        return Prepared(values={CHOSEN: values, UNTIL: until.isoformat()})

    async def _meant(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> list[Reminder] | Unready:
        """The one that is named, else the one that came up last."""
        book = self._surroundings.drafting.book
        if arguments.get("which"):
            state = (*CURRENT, ReminderState.DONE)
            return await chosen(book, arguments, context, state=state)
        ordered = await listed(book, context.user, (ReminderState.ACTIVE, ReminderState.DONE))
        fired = [one for one in ordered if _fired(one) and context.now - one.handled < RECENT]
        if fired:
            return [max(fired, key=lambda one: one.handled)]
        current = [one for one in ordered if one.state is ReminderState.ACTIVE]
        if len(current) == 1:
            return current
        return Unready(content=f"NOT RUN: {_SAID['which fired'][language_of(context)]}")

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        at = datetime.fromisoformat(arguments[UNTIL])
        return (
            f"{remind_texts.instant(at, 'en' if language == 'en' else 'zh')}\n{_lines(arguments)}"
        )

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await _tried(self._snooze(arguments, context))

    async def _snooze(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        (one,), language = arguments[CHOSEN], language_of(context)
        at = datetime.fromisoformat(arguments[UNTIL])
        made = await self._surroundings.drafting.book.snooze(one["id"], context.user, at)
        when = remind_texts.instant(at.astimezone(context.now.tzinfo), language)
        return _told("snoozed", language, at=when, content=made.content)


def _fired(one: Reminder) -> bool:
    return one.handled > one.created


class RemindChange:
    """``ports.PreparedTool``."""

    def __init__(self, spec: ToolSpec, surroundings: Surroundings) -> None:
        self.spec = spec
        self._surroundings = surroundings

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """Which is meant, and what it will be."""
        language = language_of(context)
        found = await chosen(self._surroundings.drafting.book, arguments, context)
        if isinstance(found, Unready):
            return found
        values: dict[str, Any] = {CHOSEN: as_values(found, language)}
        if arguments.get("state"):
            return Prepared(values=values)
        draft = await self._draft(found[0], arguments, context)
        if isinstance(draft, Unready):
            return draft
        return Prepared(values={**values, DRAFT: msgspec.to_builtins(draft)})

    async def _draft(
        self, one: Reminder, arguments: Mapping[str, Any], context: CallContext
    ) -> Draft | Unready:
        language, heard = language_of(context), heard_in(arguments, context)
        words = str(arguments.get("something") or "")
        timed = bool(heard.when or heard.time)
        if not words and not timed:
            missing = ("timeRelated",)
            question = _SAID["change what"][language]
            return Unready(
                content="NOT RUN: nothing to change.", missing=missing, question=question
            )
        wish = Wish(
            user=context.user,
            agent=one.agent,
            kind=one.kind,
            content=words or one.content,
            heard=heard,
            language=language,
            now=context.now,
            mine=one.id,
            planned=not words,
        )
        when = self._when(one, wish) if timed else Settled(schedule=one.schedule, words=one.words)
        if isinstance(when, Doubt):
            return doubted(when, language)
        draft = await self._surroundings.drafting.draft(wish, when)
        match draft:
            case Doubt():
                return doubted(draft, language)
            case Same():
                return same(draft, language)
            case Unclear():
                return Unready(content=f"ERROR: {draft.question}")
            case Draft():
                return draft

    def _when(self, one: Reminder, wish: Wish) -> Settled | Doubt:
        """The new time, with the day or the hour that it leaves as it was."""
        due = one.next.astimezone(wish.now.tzinfo) if one.next else None
        workdays = self._surroundings.drafting.book.workdays(remind_drafts.zone_of(wish.now))
        former = Former(schedule=one.schedule, due=due)
        return remind_changes.changed(wish.heard, former, wish.now, workdays)

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        spoken: Language = "en" if language == "en" else "zh"
        if DRAFT not in arguments:
            what = "pause" if arguments["state"] == "paused" else "resume"
            return _SAID[what][spoken].format(line=_lines(arguments))
        return f"\n{_lines(arguments)}{remind_drafts.confirmation(draft_in(arguments), spoken)}"

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return await _tried(self._change(arguments, context))

    async def _change(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        (one,), language = arguments[CHOSEN], language_of(context)
        book = self._surroundings.drafting.book
        if DRAFT in arguments:
            timed = bool(arguments.get("timeRelated") or arguments.get("time"))
            what = bool(arguments.get("something"))
            changes = remind_drafts.changes_of(draft_in(arguments), when=timed, what=what)
            made = await book.change(one["id"], context.user, changes)
            done = "changed"
        elif arguments["state"] == "paused":
            made, done = await book.pause(one["id"], context.user), "paused"
        else:
            made, done = await book.resume(one["id"], context.user), "resumed"
        return _told(done, language, line=remind_finding.line(made, language))


def _lines(arguments: Mapping[str, Any]) -> str:
    lines = [one["line"] for one in arguments[CHOSEN]]
    return lines[0] if len(lines) == 1 else "".join(f"\n- {line}" for line in lines)


def _told(what: str, language: Language, **names: str) -> dict[str, Any]:
    return {"said": _SAID[what][language].format(**names)}


TOOLS: dict[str, Callable[[ToolSpec, Surroundings], Tool]] = {
    "RemindList": RemindList,
    "RemindChange": RemindChange,
    "RemindSnooze": RemindSnooze,
    "RemindCancel": RemindCancel,
}
