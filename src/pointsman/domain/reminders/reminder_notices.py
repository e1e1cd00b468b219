"""What people read when a reminder fires, and when it could not."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pointsman.domain.agent import Language
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.reminders.reminder import LATE, Occurrence, Reminder

MOST_LISTED = 20
"""Missed occurrences that a notice lists; it counts the others."""
_SHOWN = 60
"""Characters of a reminder's content in a list."""

_LATE: dict[Language, str] = {"zh": "（迟到 {span}）", "en": "({span} late)"}
_PASSED: dict[Language, str] = {
    "zh": "（此前还有 {count} 次没有提醒到）",
    "en": "({count} earlier times passed without it)",
}
_SUBJECT: dict[Language, str] = {"zh": "提醒：{title}", "en": "Reminder: {title}"}
_MISSED_SUBJECT: dict[Language, str] = {
    "zh": "错过的提醒（{count}）",
    "en": "Missed reminders ({count})",
}
_MISSED: dict[Language, str] = {
    "zh": "下列提醒到期时系统没有运行，现在已经太晚，没有执行：\n{lines}",
    "en": "These reminders were due while the system was down. It is too late now; they were not "
    "done:\n{lines}",
}
_MORE: dict[Language, str] = {"zh": "…… 另有 {count} 项", "en": "… and {count} more"}
_FAILED_SUBJECT: dict[Language, str] = {
    "zh": "提醒没有完成：{title}",
    "en": "A reminder could not be done: {title}",
}
_FAILED: dict[Language, str] = {
    "zh": "提醒“{content}”（应于 {due}）没有完成：{why}。之后的提醒照常。",
    "en": "The reminder “{content}” (due {due}) could not be done: {why}. It goes on as planned.",
}
_WAITS_SUBJECT: dict[Language, str] = {
    "zh": "提醒等待确认：{title}",
    "en": "A reminder waits for you: {title}",
}
_WAITS: dict[Language, str] = {
    "zh": "提醒“{content}”正在执行，这一步需要先确认：\n{question}\n编号：{approval}",
    "en": "The reminder “{content}” is being carried out, and this step needs a decision "
    "first:\n{question}\nNumber: {approval}",
}
NO_AGENT: dict[Language, str] = {
    "zh": "智能体 {agent} 已不存在",
    "en": "there is no agent {agent} any more",
}
NO_CHANNEL: dict[Language, str] = {
    "zh": "没有发送方式 {channel}",
    "en": "there is no channel {channel} any more",
}


def span(length: timedelta, language: Language) -> str:
    """A length of time in its two largest units: 3 小时 5 分钟."""
    minutes = int(length.total_seconds()) // 60
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    units = (
        (days, "天", "day"),
        (hours, "小时", "hour"),
        (rest, "分钟", "minute"),
    )
    said = [
        f"{n} {zh}" if language == "zh" else f"{n} {en}{'s' if n != 1 else ''}"
        for n, zh, en in units
        if n
    ]
    return " ".join(said[:2]) or ("不到 1 分钟" if language == "zh" else "less than a minute")


def subject(reminder: Reminder) -> str:
    """The title of what is sent."""
    return _SUBJECT[reminder.language].format(title=titled(reminder))


def titled(reminder: Reminder) -> str:
    """A few words that tell which reminder it is."""
    return _short(reminder.title or reminder.content)


def body(reminder: Reminder, occurrence: Occurrence) -> str:
    """The text of a reminder as it is sent: to whom it is in a group, and how late it is."""
    parts = [reminder.text]
    if reminder.target.mention:
        parts.insert(0, f"@{reminder.target.mention}")
    language = reminder.language
    if occurrence.late >= LATE:
        parts.append(_LATE[language].format(span=span(occurrence.late, language)))
    if occurrence.passed:
        parts.append(_PASSED[language].format(count=occurrence.passed))
    return " ".join(parts)


def missed_subject(count: int, language: Language) -> str:
    return _MISSED_SUBJECT[language].format(count=count)


def missed(pairs: Sequence[tuple[Reminder, Occurrence]], language: Language) -> str:
    """What the owner of reminders reads that were too late to be done."""
    lines = [
        f"- {_at(occurrence.due, reminder)} {_short(reminder.content)}"
        for reminder, occurrence in pairs[:MOST_LISTED]
    ]
    if len(pairs) > MOST_LISTED:
        lines.append(_MORE[language].format(count=len(pairs) - MOST_LISTED))
    return _MISSED[language].format(lines="\n".join(lines))


def failed_subject(reminder: Reminder) -> str:
    return _FAILED_SUBJECT[reminder.language].format(title=titled(reminder))


def failed(reminder: Reminder, due: datetime, why: str) -> str:
    """What the owner of a reminder reads that could not be done."""
    return _FAILED[reminder.language].format(
        content=_short(reminder.content), due=_at(due, reminder), why=why
    )


def waits_subject(reminder: Reminder) -> str:
    return _WAITS_SUBJECT[reminder.language].format(title=titled(reminder))


def waits(reminder: Reminder, question: str, approval: str) -> str:
    """What the owner of a reminder reads whose run needs his word."""
    return _WAITS[reminder.language].format(
        content=_short(reminder.content), question=question, approval=approval
    )


def _at(instant: datetime, reminder: Reminder) -> str:
    return f"{instant.astimezone(reminder.schedule.start.tzinfo):%Y-%m-%d %H:%M}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


_SYSTEM: dict[Language, str] = {
    "zh": "用户的这条请求是事先设定的提醒，应于 {due} 执行，现在时间到了。"
    "请直接完成它，不要再设置提醒，也不要等待。",
    "en": "The user set this request as a reminder for {due}, and it is time now. Carry it out at "
    "once; set no further reminder for it.",
}


def system(reminder: ReminderOf, zone: ZoneInfo, language: Language) -> str:
    """What the model is told of a request that is a reminder."""
    return _SYSTEM[language].format(due=f"{reminder.due.astimezone(zone):%Y-%m-%d %H:%M}")
