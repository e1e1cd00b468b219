"""Whether a yes or a no has been said.

True needs that the user spoke of it: the words of the flag's name and description, or a yes to a
question about it. False is what an unmentioned flag means, except where leaving the thing out is
the risky side (``dry_run``, ``confirm``, ``backup``): then it has to be said as well.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from pointsman.domain.phrases import kin, occurrences, words
from pointsman.domain.values.meanings import synonyms
from pointsman.domain.values.natures import Parameter

_ASIDE = frozenset(
    "whether include including included includes enable enabled enabling need needed needs"
    " boolean flag true "
    "false if indicate indicates option should want wants user specify specifies require"
    " required requires "
    "using use this these that when has have was were been do does not no any all information info "
    "details detail perform performs performing consider considers prefer prefers allow allowed"
    " allows is_ "
    "also their they you your my which set setting settings value give gives get show request"
    " requested "
    "provide provides check results result report yes".split()
)
_ASIDE_STEMS = frozenset(word for raw in _ASIDE for word in words(raw)) | _ASIDE
_ZH_ASIDE = re.compile(
    r"是否|需要|包括|包含|启用|开启|进行|考虑|查询|关于|信息|用户|希望|要求|收集|应用|使用|的|是|对|在|或|和|与|以及|布尔值|true|false|不|显示|提供|所有|各个|一个|额外"
)
_SAFETY = re.compile(
    r"dry|confirm|backup|back_up|notify|preview|verify|verification|safe|secure|encrypt|undo|reversible|soft"
    r"|private|log|audit|test|approval|protect|演练|确认|备份|通知|预览|验证|安全|加密|撤销|保护|审批|测试|日志",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[a-z0-9']+")
_YES = re.compile(
    r"\s*(?:是的?|对的?|好的?|要的?|需要|可以|行|没问题|嗯|当然|yes|yeah|yep|sure|ok(?:ay)?"
    r"|of course|please do|correct|right)"
    r"(?:$|[\s,，。.!！、；;吧啊呀])",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\s*(?:不|否|不用|不要|不需要|没有|别|no|nope|not)(?:$|[\s,，。.!！、；;])", re.IGNORECASE
)
_POLITE = re.compile(
    r"能不能|是不是|要不要|可不可以|会不会|有没有|不好意思|不同|不少|不止|不久|不管|不论|不仅|不但|不错|不断|没问题"
)
_ANSWER_NO = re.compile(r"[^,，。;；\n]{0,4}[:：=]\s*(?:否|不|no\b|false|off|关)")
_NEGATION = re.compile(
    r"不|没|无需|别|免|勿|except|without|no\b|not\b|n't\b|never|否|去掉|关闭|禁用", re.IGNORECASE
)


def affirms(text: str) -> bool:
    """Whether a message begins with a yes."""
    return bool(_YES.match(text))


def denies(text: str) -> bool:
    """Whether a message begins with a no."""
    return bool(_NO.match(text))


def is_true(value: object) -> bool:
    """Whether a flag's value, boolean or a word for it, says yes."""
    return str(value).casefold() in ("true", "yes", "y", "on", "是", "开", "需要", "1")


@lru_cache(maxsize=2048)
def topics(name: str, description: str) -> tuple[str, ...]:
    """The words that tell what a flag is about."""
    plain = _ZH_ASIDE.sub(" ", description)
    listed = [*words(name), *words(plain)]
    own = words(name)
    found = [w for w in listed if w not in _ASIDE_STEMS and len(w) > 1]
    return tuple(dict.fromkeys(found if any(w in found for w in own) else [*own, *found]))


def mentioned(parameter: Parameter, text: str, *, yes: bool) -> tuple[int, int] | None:
    """Where a text (folded) speaks of the flag's subject and says yes to it, or no."""
    for topic in topics(parameter.name, parameter.words):
        for start, end in _places(topic, text):
            if (negated(text, start) or bool(_ANSWER_NO.match(text, end))) is not yes:
                return start, end
    return None


def _places(topic: str, text: str) -> Iterator[tuple[int, int]]:
    if topic.isascii():
        for found in _LATIN.finditer(text):
            if any(kin(topic, stemmed) for stemmed in words(found[0])):
                yield found.span()
        for other in synonyms(topic):
            if not other.isascii() and len(other) > 1:
                yield from occurrences(other, text)
        return
    for size in dict.fromkeys((len(topic), 3, 2)):
        for start in range(len(topic) - size + 1):
            yield from occurrences(topic[start : start + size], text)


def negated(text: str, at: int) -> bool:
    """Whether the words before a place in a text (folded), in the same clause, say no."""
    before = re.split(r"[,，。.;；!！?？\n]|但|but\b", text[:at])[-1]
    return bool(_NEGATION.search(_POLITE.sub("", before[-24:])))


def is_safety(parameter: Parameter) -> bool:
    """Whether leaving this out is the risky side."""
    return bool(_SAFETY.search(f"{parameter.name} {parameter.words}"))
