"""``RemindAdd``: a reminder, or something to be done at a set time (O1 to O3).

Before anybody confirms, the user's own words become instants, which are compared with what the
model reckoned; what can be meant in two ways is a question. Of an action it is told which calls it
is known to need: those the confirmation covers, and no others.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_finding, remind_texts
from pointsman.domain.reminders.remind_times import Doubt, Heard
from pointsman.domain.schemas.coercion import BLANK
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.engine.reminders import remind_drafts
from pointsman.engine.reminders.remind_drafts import Draft, Same, Unclear, Wish
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import CallerError, StoreError, ToolSourceError
from pointsman.ports import CallContext, Prepared, Unready

NAME = "RemindAdd"
DRAFT = "reminder"
"""The context field that only these tools fill: the reminder as it is confirmed."""
OPEN = ["user", "tool", "default", "model"]
"""Where a value may come from that the tool checks itself against the user's words."""
TIME: dict[str, Any] = {
    "type": "string",
    "description": "The time in 24-hour form, such as 2025-02-05 15:31, in local time without an "
    "offset. For something daily it is today's. It is compared with the user's words.",
    "x-title": {"zh": "时间", "en": "time"},
    "x-source": OPEN,
    "x-nature": "words",
    "x-answer": "time",
    BLANK: "absent",
}
RELATED: dict[str, Any] = {
    "type": "string",
    "description": "The user's own words for the time, as he wrote them and all of them: 3分钟后, "
    "明天下午4点, every weekday at 9; also a cron line.",
    "x-title": {"zh": "时间", "en": "time"},
    "x-source": OPEN,
    "x-nature": "words",
}
_DESCRIPTION = (
    "Set a reminder, or have something done at a set time or again and again. Takes the whole "
    "request: do not do now what is to be done later, and do not split it. An hour that can be "
    "meant in two ways is asked about by the tool; do not guess, and do not ask yourself."
)
_ALREADY: dict[Language, str] = {
    "zh": "已经有一个相同的提醒，没有重复添加：{line}",
    "en": "There is an equal reminder already, so no second one was made: {line}",
}
_LATE: dict[Language, str] = {
    "zh": "要确认的时间已经过去，提醒没有添加，请重新说一个时间",
    "en": "the time has passed meanwhile, so no reminder was made; say another time",
}


def about() -> dict[str, Any]:
    """What the tool says of itself, as ``schemas.tool_spec`` takes it."""
    return {
        "description": _DESCRIPTION,
        "title": "Set a reminder",
        "titles": {"zh": "添加提醒", "en": "Set a reminder"},
        "parameters": {
            "type": "object",
            "properties": {
                "time": TIME,
                "something": {
                    "type": "string",
                    "description": "What the user wants to be reminded of, or done then, in his "
                    "own words without the time: 开会, 统计用户数量，发给admin.",
                    "x-title": {"zh": "提醒内容", "en": "what"},
                    "x-source": OPEN,
                    "minLength": 1,
                    "maxLength": 2000,
                },
                "timeRelated": RELATED,
                "isEveryDay": {
                    "type": "boolean",
                    "description": "Whether it is every day.",
                    "default": False,
                    "x-source": OPEN,
                },
                "contentType": {
                    "type": "string",
                    "enum": ["text", "action"],
                    "description": "text: the user is told it then. action: something is done "
                    "then (look up, count, send, notify …).",
                    "default": "text",
                    "x-source": OPEN,
                },
            },
            "required": ["something"],
        },
        "risk": Risk.WRITE,
        "idempotent": True,
        "context": {
            "userLoginName": "user",
            "userInput": "input",
            "reminder": DRAFT,
        },
    }


class RemindAdd:
    """``ports.PreparedTool``."""

    def __init__(self, spec: ToolSpec, surroundings: Surroundings) -> None:
        self.spec = spec
        self._surroundings = surroundings

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """The draft of the reminder, or the question."""
        language = language_of(context)
        wish = Wish(
            user=context.user,
            agent=context.agent,
            kind="action" if arguments.get("contentType") == "action" else "text",
            content=arguments["something"],
            heard=heard_in(arguments, context),
            language=language,
            now=context.now,
        )
        draft = await self._surroundings.drafting.draft(wish)
        match draft:
            case Doubt():
                return doubted(draft, language)
            case Same():
                return same(draft, language)
            case Unclear():
                return Unready(content=f"ERROR: {draft.question}")
            case Draft():
                return Prepared(values={DRAFT: msgspec.to_builtins(draft)})

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        return remind_drafts.confirmation(draft_in(arguments), "en" if language == "en" else "zh")

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Make it, once for each call of the engine."""
        language, draft = language_of(context), draft_in(arguments)
        reminder = remind_drafts.reminder_of(
            draft,
            id=remind_drafts.id_of(context.run, context.key),
            user=context.user,
            agent=context.agent,
            conversation=context.conversation,
            language=language,
            run=context.run,
        )
        try:
            made = await self._surroundings.drafting.book.add(reminder)
        except ToolSourceError as fault:
            return ToolResult(status=ResultStatus.FAILED, content=f"ERROR: {fault}")
        except CallerError:
            return ToolResult(status=ResultStatus.ERROR, content=f"ERROR: {_LATE[language]}")
        except StoreError as fault:
            content = f"ERROR: the reminder could not be stored: {fault}"
            return ToolResult(status=ResultStatus.FAILED, content=content, retryable=True)
        told = {
            "reminder": made.id,
            "kind": draft.kind,
            "something": draft.content,
            "time": remind_texts.told(draft.schedule, language),
            "timezone": draft.timezone,
            "said": remind_drafts.said(draft, language),
        }
        return answer(told)


def answer(told: dict[str, Any]) -> ToolResult:
    """A result that the model and the rules read."""
    content = msgspec.json.encode(told).decode()
    return ToolResult(status=ResultStatus.OK, content=content, data=told)


def heard_in(arguments: Mapping[str, Any], context: CallContext) -> Heard:
    """What is known of the time that a call names."""
    messages = context.heard()
    return Heard(
        when=str(arguments.get("timeRelated") or ""),
        said=tuple(one.text for one in messages),
        asked=messages[0].asked if messages else "",
        time=str(arguments.get("time") or ""),
        daily=bool(arguments.get("isEveryDay")),
    )


def doubted(doubt: Doubt, language: Language) -> Unready:
    """The question about a time."""
    told = f"NOT RUN: the time is not clear ({doubt.why}). The user is asked; do not guess."
    question = remind_texts.question(doubt, language)
    return Unready(content=told, missing=("time",), question=question)


def same(found: Same, language: Language) -> Unready:
    """That there is an equal one."""
    line = remind_finding.line(found.reminder, language)
    return Unready(content=f"NOT RUN: {_ALREADY[language].format(line=line)}")


def draft_in(arguments: Mapping[str, Any]) -> Draft:
    """The draft that a prepared call holds."""
    return msgspec.convert(arguments[DRAFT], Draft)


def language_of(context: CallContext) -> Language:
    return "en" if context.language == "en" else "zh"
