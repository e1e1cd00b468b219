"""What a text leaves out of what comes again, apart from the words that say when: every day at 9 to
stretch, except on Sundays; 每天9点提醒我站会，国庆除外."""

import re
from collections.abc import Callable

_EXCEPTION = re.compile(
    r"(?:除了?|不包括|不含|排除)(?P<but>[^，,。；;！!]{1,12}?)(?:以外|之外|外|(?=[，,。；;！!]|$))"
    r"|(?P<zh>[^，,。；;（(\s]{1,10}?)除外"
    r"|\b(?:except|excluding|apart from|other than|but not)\s+(?:for\s+|on\s+|during\s+)*"
    r"(?P<en>[^,.;!?]{2,40}?)(?=[,.;!?]|$)",
    re.IGNORECASE,
)
_HOLIDAYS = re.compile(
    r"节假日|法定假|假期|放假|休息日|\b(?:holidays?|vacations?|days? off)\b",
    re.IGNORECASE,
)


def left_out(text: str, words: str, is_time: Callable[[str], bool]) -> str:
    """The words of an exception that is a time and is not among those that were read; empty when
    there is none.

    Args:
        words: what was read of the text.
        is_time: whether words name one.
    """
    for found in _EXCEPTION.finditer(text):
        what = found["but"] or found["zh"] or found["en"]
        if found[0] not in words and (_HOLIDAYS.search(what) or is_time(what)):
            return found[0].strip()
    return ""


def is_of_holidays(exception: str) -> bool:
    """Whether it leaves out what working days leave out anyway."""
    return _HOLIDAYS.search(exception) is not None
