"""Which of a user's reminders a call means, or the question which."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_finding
from pointsman.domain.reminders.reminder import Reminder, ReminderState
from pointsman.domain.schemas.coercion import BLANK
from pointsman.engine.reminders.book import ReminderBook
from pointsman.engine.reminders.remind_add import OPEN, language_of
from pointsman.ports import CallContext, Unready

CHOSEN = "chosen"
"""The context field that only these tools fill: ids and lines of the reminders that are meant."""
CURRENT = (ReminderState.ACTIVE, ReminderState.PAUSED)
MOST = 200
WHICH: dict[str, Any] = {
    "type": "string",
    "description": "Which reminder, in the user's own words: what it says, when it is due, or its "
    "number in the list (开会的提醒, the one at 9, 第二个). Leave it out when the user names none.",
    "x-title": {"zh": "哪个提醒", "en": "reminder"},
    "x-source": OPEN,
    "x-nature": "words",
    BLANK: "absent",
}
_NONE: dict[Language, str] = {"zh": "您现在没有提醒。", "en": "You have no reminders."}
_NO_SUCH: dict[Language, str] = {
    "zh": "没有找到“{words}”的提醒。现有的提醒：",
    "en": "There is no reminder “{words}”. There are:",
}
_WHICH: dict[Language, str] = {"zh": "是哪一个提醒？", "en": "Which reminder is it?"}
_PICK: dict[Language, str] = {"zh": "（回复序号）", "en": "(reply with its number)"}


async def listed(
    book: ReminderBook, user: str, state: Collection[ReminderState] = CURRENT
) -> list[Reminder]:
    """A user's reminders in the order, and so by the numbers, that he sees."""
    return remind_finding.in_order(await book.list(user, state=state, limit=MOST))


async def chosen(
    book: ReminderBook,
    arguments: Mapping[str, Any],
    context: CallContext,
    *,
    state: Collection[ReminderState] = CURRENT,
    many: bool = False,
) -> list[Reminder] | Unready:
    """The reminder that is meant, or several where the user means all of them.

    Args:
        many: all of them can be meant.
    """
    language, words = language_of(context), str(arguments.get("which") or "")
    ordered = await listed(book, context.user, state)
    if not ordered:
        return Unready(content=f"NOT RUN: {_NONE[language]}")
    found = remind_finding.found(words, ordered, context.now)
    if len(found) == 1 or (many and found and remind_finding.means_all(words)):
        return found
    head = _WHICH[language] if found else _NO_SUCH[language].format(words=words)
    lines = remind_finding.lines(ordered, found or ordered, language)
    question = "\n".join(
        (head, *lines, *((_WHICH[language],) if not found else ()), _PICK[language])
    )
    return Unready(
        content="NOT RUN: it is not clear which reminder is meant. The user is asked.",
        missing=("which",),
        question=question,
    )


def as_values(found: Sequence[Reminder], language: Language) -> list[dict[str, str]]:
    """What a confirmed call holds of them."""
    return [{"id": one.id, "line": remind_finding.line(one, language)} for one in found]
