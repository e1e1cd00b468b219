"""The system prompt: the date line, then the agent's instructions."""

from datetime import datetime

from pointsman.domain.agent import Language

_WEEKDAYS = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


def date_line(now: datetime, language: Language) -> str:
    """Date, time and weekday of an instant in its own zone, in the agent's language (D3)."""
    weekday = _WEEKDAYS[language][now.weekday()]
    if language == "zh":
        day = f"{now.year:04}年{now.month:02}月{now.day:02}日"
        return f"今天是 {day} {now.hour:02}时{now.minute:02}分{now.second:02}秒 {weekday}。"
    return f"Today is {weekday}, {now.isoformat(' ')[:19]}."


def system_prompt(instructions: str, now: datetime, language: Language) -> str:
    """What the model reads first."""
    return f"{date_line(now, language)}\n{instructions}".rstrip()
