"""What a message is when a question is open: its answer, a change of subject, or "never mind".

Careful on purpose: what is none of these for sure is unclear, and the question stays open while
the message takes the ordinary way.
"""

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from enum import StrEnum

from pointsman.domain.schemas.schema_reading import Schema, resolve
from pointsman.domain.values.filling import Filled, Unclear, fill
from pointsman.domain.values.natures import described


class Reply(StrEnum):
    """What a message does to an open question."""

    ANSWER = "answer"
    CHANGE = "change"
    """It asks for something else: the open call is dropped."""
    NEVER_MIND = "never mind"
    UNCLEAR = "unclear"


_NEVER_MIND = re.compile(
    r"(?:嗯|我们?|那|哦|额|呃|还是|先|我想|我要|请|帮我|please|i want to|ok|well|no|oh|actually)*"
    r"[\s,，]*"
    r"(?:算了(?!一下)|不用(?:了|查|订|弄|管|发|改)*|取消(?:了?吧?|这个|操作|掉)?|不(?:查|订|要|发|弄|改|退|办|做|需要|想查|想要)了|别(?:查|弄|发|订|管|改|做)了?"
    r"|先别弄了?|没事了?|放弃|不必了?|到此为止|当我没说"
    r"|never\s?mind(?:\s+that)?|forget\s+(?:it|about\s+it|that)|cancel(?:\s+(?:it|that|this|the\s+request))?|drop\s+it|stop(?:\s+it)?"
    r"|no\s+thanks?(?:\s+you)?|don'?t\s+bother|leave\s+it|not\s+needed|scratch\s+that)"
    r"(?:吧|了|啦|吧了|[,，]?\s*(?:谢谢|thanks?(?:\s+you)?|please))*",
    re.IGNORECASE,
)
_EDGES = " \t\r\n,，。.!！?？;；:：、~～…\"'“”"
_QUESTION = re.compile(
    r"[?？]\s*$|吗|怎么样?|怎样|如何|什么|为什么|哪[里儿个些]|多少|有没有|能不能|是不是|谁"
    r"|\b(?:what|why|how|which|who|where|can you|could you|do you|does|is there|are there"
    r"|tell me)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"帮我|给我|替我|请你?|我想|我要|查|看看|订|预订|买|发|写|翻译|提醒|取消|退|改|算|推荐|规划|导航|打开|关闭|统计|列出|换个|另外|顺便|对了|话说"
    r"|\b(?:please|i want|i need|i'd like|show|find|book|order|send|write|remind|check|search"
    r"|look up|create|make|list|count|cancel|tell|notify"
    r"|by the way|instead|also|another)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"换个话题|另外|顺便|对了[,，]|话说|先不说|别的事|\bby the way\b|\bsomething else\b"
    r"|\bnew topic\b",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"帮我|给我|请|麻烦|我想|我要|想要|查询?一?下?|看看|就|是|为|吧|的|了|呢|啊|哦|嗯|好|行|可以|应该|大概|这个|那个|我|您|你|订单|单号|编号|号码?|用|选择?|要|去|到|在|从|换成|改成|改为|时间|日期|地点|城市|名字|叫"
    r"|\b(?:please|it'?s|is|the|my|order|number|id|it|that|one|for|on|at|to|in|i|want|need|would|like|check|make|use|name|date|time|yes|ok|sure|option)\b",
    re.IGNORECASE,
)


def reply_kind(
    text: str,
    wanted: Mapping[str, Schema],
    *,
    now: datetime,
    zone: tzinfo | None = None,
    root: Schema | None = None,
) -> Reply:
    """What the message is to the open question.

    Args:
        wanted: the parameters that were asked for, by name.
        root: the tool's schema, for references.
    """
    stripped = text.strip(_EDGES)
    given: Filled | Unclear | None
    for name, schema in wanted.items():
        given = fill(schema, text, now=now, zone=zone, name=name, root=root)
        if isinstance(given, Filled) and isinstance(given.value, bool):
            return Reply.CHANGE if _asks_more(text, given) else Reply.ANSWER
    if found := _NEVER_MIND.match(stripped):
        rest = stripped[found.end() :].strip(_EDGES)
        if not rest:
            return Reply.NEVER_MIND
        if stripped[found.end()] in _EDGES and (_REQUEST.search(rest) or _QUESTION.search(text)):
            return Reply.CHANGE
    if _ABOUT.search(text):
        return Reply.CHANGE
    for name, schema in wanted.items():
        given = fill(schema, text, now=now, zone=zone, name=name, root=root)
        if isinstance(given, Unclear):
            return Reply.CHANGE if _QUESTION.search(text) else Reply.ANSWER
        if given is None or _asks_more(text, given):
            continue
        whole = given.start == 0 and given.end >= len(text.rstrip())
        if whole and isinstance(given.value, str) and _REQUEST.match(stripped):
            return Reply.UNCLEAR if _takes_any_text(schema, name, root) else Reply.CHANGE
        return Reply.ANSWER
    if stripped and (_REQUEST.search(text) or _QUESTION.search(text)):
        return Reply.CHANGE
    return Reply.UNCLEAR


def _takes_any_text(schema: Schema, name: str, root: Schema | None) -> bool:
    """Whether even a request can be the value, as for the body of a message."""
    top = root if root is not None else schema
    return described(resolve(schema, top), top, name=name).nature == "text"


def _asks_more(text: str, given: Filled) -> bool:
    """Whether a message that holds a value asks for something else with it (明天天气怎么样)."""
    around = f"{text[: given.start]} {text[given.end :]}"
    if _QUESTION.search(around):
        return True
    rest = _AROUND.sub(" ", around).strip(_EDGES)
    content = len(rest.split()) if rest.isascii() else len(re.sub(r"\s", "", rest))
    return content >= 2 and bool(_REQUEST.search(around))
