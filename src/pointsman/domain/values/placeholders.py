"""Required values that are not there, although the model wrote something in their place.

A value counts as a placeholder only as a whole: "None of these work" is a sentence, "none" is not.
What the schema lists in an enumeration is always a value.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from msgspec import Struct

from pointsman.domain.schemas.schema_reading import Schema, properties, required, resolve, types

_LONGEST = 60
_EDGES = "\u200b\u2060\ufeff \t\r\n.。!！,，;；:：\"'“”‘’`"

_WORDS = frozenset(
    """
    n/a|tbd|tba|t.b.d|null|none|nil|undefined|unknown|unspecified|not specified|not provided
    |not given|not available|not known|not sure|to be determined|to be confirmed|to be provided
    |placeholder|missing value|user did not specify|user did not provide|ask user|ask the user
    |please provide|please specify|please enter|please fill in|insert here|fill in|your value here
    |未知|不详|待定|待确认|待补充|待填写|待填|待输入|待提供|待用户提供|待用户确认|暂无|暂未提供|未提供|未指定
    |未填写|未说明|未给出|未明确|用户未提供|用户未指定|用户未说明|请提供|请输入|请填写|请补充|请指定|请选择|请告知
    |请说明|请用户提供|请您提供|需要用户提供|需用户提供|需要补充|占位符|某某
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_MARKS = re.compile(r"\?+|[—–]+|[-_]{2,}|\.{3,}|x{3,}", re.IGNORECASE)
_EMPTY = "\u200b\u2060\ufeff \t\r\n\"'“”‘’`"
_DATE_FORM = re.compile(r"yyyy\W?mm\W?dd(?:\W?hh\W?mm(?:\W?ss)?)?|yyyy年mm月dd日|hh:mm(?::ss)?")
_TEMPLATE = re.compile(r"<[^<>/=\"]{1,40}>|\$?\{\{?[^{}:=\"]{1,40}\}\}?")
_BRACKETED = re.compile(r"[\[【〔(（](?P<inside>[^\[\]【】〔〕]{1,40})[\]】〕)）]")
_SPACES = re.compile(r"[\s_-]+")
_SLOTS = re.compile(
    r"(?:.{0,4}(?:城市|地点|地址|日期|时间|姓名|名字|名称|电话|手机号|邮箱|编号|号码|订单号|单号|金额|数量|参数|信息))"
)
_FREE_TEXT = re.compile(
    r"message|content|text|body|note|remark|comment|reply|description|question|query|title|subject"
    r"|内容|正文|消息|留言|备注|说明|回复|标题|问题",
    re.IGNORECASE,
)
_YOURS = re.compile(r"(?:your|enter|insert|the user'?s?|user'?s?)[ _-][\w' -]{1,40}", re.IGNORECASE)
_YOURS_HERE = re.compile(
    r"(?:your|enter|insert)[ _-][\w -]{1,40}[ _-]here|your_\w{1,40}", re.IGNORECASE
)
_ASKING = re.compile(
    r"(?:请|待|需要?|(?=用户|未))(?:您|用户)?未?(?:提供|输入|填写|补充|指定|选择|告知)"
    r"(?:具体的?|您的|你的)?(?P<what>.{0,12})"
    r"|please (?:provide|specify|enter|give|fill in)(?: the| your| an?)? (?P<thing>.{1,40})"
)


class Need(Struct, frozen=True, kw_only=True):
    """A required parameter, with what is needed to tell a value from a placeholder.

    Attributes:
        words: name, title and description.
        values: texts that the schema lists as values.
        nullable: null is a value.
    """

    name: str
    words: str
    values: frozenset[str]
    nullable: bool


def needs(schema: Schema) -> tuple[Need, ...]:
    """The parameters that a schema always requires, in its order."""
    known = properties(schema, schema)
    found = []
    for name in required(schema, schema):
        own = resolve(known.get(name, {}), schema)
        listed = [own, resolve(own.get("items"), schema)]
        found.append(
            Need(
                name=name,
                words=" ".join(
                    [name, *(str(own.get(key) or "")[:200] for key in ("title", "description"))]
                ),
                values=frozenset(
                    value
                    for part in listed
                    for value in [part.get("const"), *(part.get("enum") or ())]
                    if isinstance(value, str)
                ),
                nullable="null" in (types(own, schema) or ()),
            )
        )
    return tuple(found)


def missing(value: dict[str, Any], needed: tuple[Need, ...]) -> tuple[str, ...]:
    """Names of required parameters without a real value: absent, null, blank or a placeholder."""
    return tuple(need.name for need in needed if _is_empty(value.get(need.name), need))


def _is_empty(value: Any, need: Need) -> bool:
    if value is None:
        return not need.nullable
    if isinstance(value, list) and value:
        return all(isinstance(item, str) and _is_empty(item, need) for item in value)
    return isinstance(value, str) and value not in need.values and is_placeholder(value, need.words)


@lru_cache(maxsize=4096)
def is_placeholder(text: str, parameter: str = "") -> bool:
    """Whether the whole text is blank or stands for a value that somebody else should give.

    Args:
        parameter: the parameter's name, title and description: ``[city]`` or 请提供城市 is a
            placeholder for a city, and perhaps a real text elsewhere.
    """
    if len(text) > _LONGEST:
        return not text.strip()
    plain = unicodedata.normalize("NFKC", text).strip()
    if not plain.strip(_EMPTY):
        return True
    bare = plain.strip(_EDGES).casefold()
    if bare in _WORDS or _MARKS.fullmatch(plain) or _TEMPLATE.fullmatch(plain):
        return True
    if _YOURS_HERE.fullmatch(bare) or _DATE_FORM.fullmatch(bare):
        return True
    if bracketed := _BRACKETED.fullmatch(plain):
        inside = bracketed["inside"].strip().casefold()
        return inside in _WORDS or bool(_YOURS.fullmatch(inside)) or _asks(inside, parameter)
    return _asks(bare, parameter, asking_only=True)


def _asks(words: str, parameter: str, *, asking_only: bool = False) -> bool:
    """Whether the words ask for the parameter, or merely name it."""
    if asking := _ASKING.fullmatch(words):
        what = asking["what"] or asking["thing"] or ""
        slot = bool(_SLOTS.fullmatch(what)) and not _FREE_TEXT.search(parameter)
        return slot or _names(what, parameter)
    return not asking_only and _names(words, parameter)


def _names(words: str, parameter: str) -> bool:
    plain = _SPACES.sub(" ", words).strip().casefold()
    chinese = re.findall("[\u4e00-\u9fff]{2,}", parameter)
    return plain in _SPACES.sub(" ", parameter).casefold() or any(word in plain for word in chinese)
