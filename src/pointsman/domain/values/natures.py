"""What kind of value a parameter takes, read from its schema: this decides what may fill it.

In a tool that changes something a value must come from the user, a tool or a default; only ``text``
may be the model's own words, and a ``words`` value may be put together from the user's.

| nature  | from                                                    |
|---------|---------------------------------------------------------|
| choice  | ``enum``, ``const``, a pattern of alternatives          |
| flag    | type boolean; a choice of yes and no (see ``flags``)    |
| number  | type integer or number                                  |
| time    | format date …, a name or description that says so       |
| id      | format uuid; a name that ends in id, number, code, 编号 |
| contact | format email, uri …; a name such as phone, 邮箱, path   |
| name    | people: recipient, author, 姓名, 收件人                 |
| place   | city, country, address, 地点                            |
| text    | message, body, reason, 备注 …; a long ``maxLength``     |
| words   | any other text; ``x-nature: words``                     |

The head of a name decides: ``message_id`` is an id, ``content_type`` is not free text.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.phrases import occurrences
from pointsman.domain.schemas.schema_reading import Schema, as_schema, properties, resolve, types
from pointsman.domain.tools import ToolSpec

Nature = Literal[
    "choice", "flag", "number", "time", "id", "contact", "name", "place", "text", "words"
]

_FORMATS: dict[str, Nature] = {
    "date": "time",
    "date-time": "time",
    "time": "time",
    "duration": "words",
    "uuid": "id",
    "email": "contact",
    "idn-email": "contact",
    "uri": "contact",
    "url": "contact",
    "hostname": "contact",
    "ipv4": "contact",
    "ipv6": "contact",
    "phone": "contact",
}
_HEADS: dict[str, Nature] = {
    word: nature  # type: ignore[misc]  # the keys are natures
    for nature, listed in {
        "time": (
            "date time datetime day deadline timestamp birthday birthdate dob start end"
            " when until since"
        ),
        "id": (
            "id ids uuid code codes number no sn serial identifier key token isbn sku vin"
            " plate account iban"
        ),
        "contact": (
            "email emails mail phone mobile tel telephone url uri link website path"
            " filepath file ip host"
        ),
        "name": "recipient recipients to receiver sender author owner assignee attendee"
        " attendees cc bcc person payee beneficiary passenger guest member employee"
        " people user full first last middle username nickname firstname lastname surname"
        " fullname customer contact",
        "place": "city country address location place region province district destination"
        " origin venue town"
        " state area departure arrival from",
        "text": "message content body text reason remark remarks note notes comment comments"
        " description summary"
        " subject title feedback question prompt instructions caption reply greeting details"
        " explanation"
        " justification memo review statement abstract bio",
    }.items()
    for word in listed.split()
}
_ZH_ENDS: tuple[tuple[str, Nature], ...] = (
    ("日期|时间|时刻|日子|生日|期限|截止日", "time"),
    (
        "编号|号码|代码|编码|ID|id|识别码|标识|标识符|唯一码|序列号|单号|账号|卡号|密钥|令牌|邮政编码|邮编",
        "id",
    ),
    ("邮箱|邮箱地址|邮件地址|电话|手机号|联系方式|网址|链接|URL|路径|文件路径", "contact"),
    ("姓名|人名|收件人|发件人|联系人|用户名|作者|负责人|参会人|接收人|名字", "name"),
    ("城市|国家|地址|地点|地区|省份|目的地|出发地|起点|终点|位置|区域", "place"),
    (
        "内容|正文|备注|说明|描述|原因|理由|消息|留言|评论|反馈|标题|主题|摘要|总结|祝福语|文案|提示词|问题描述|详情",
        "text",
    ),
)
_ZH_COMPILED = tuple(
    (re.compile(rf"(?:{ends})(?:列表|信息)?$"), nature) for ends, nature in _ZH_ENDS
)
_EN_TEXT = re.compile(
    r"(?:an? |the )?(?:brief |short |detailed |full )?(?:description|summary|message|content"
    r"|text|body|reason|notes?"
    r"|comments?|explanation|feedback)\b(?! (?:type|id|length|format))",
    re.IGNORECASE,
)
_HEX_COLOUR = re.compile(r"colou?r.*hex|颜色.*十六进制", re.IGNORECASE)
_TITLE_AFTER = re.compile(
    r"['\"’”]?\s*(?:[=:：(（]|为|表示|代表|是|-\s)\s*['\"‘“]?(?P<word>[^\s,，;；、。)）'\"]{1,16})"
)
_TITLE_BEFORE = re.compile(r"(?P<word>[一-鿿]{1,8})\s*[(（]['\"]?$")
_CODED = frozenset("country language lang currency locale".split())
_PHRASE = re.compile(r"[。．；;，,：:（(\n]|\.(?:\s|$)|例如|比如|如'|，?格式")
_DATE_FORMAT = re.compile(r"YYYY|HH:MM|hh:mm|ISO[ -]?8601", re.IGNORECASE)
_TIMELIKE = re.compile(r"\b(?:date|time|deadline)\b|日期|时间点|时刻", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\^\(?(?P<options>[\w\s\-一-鿿]+(?:\|[\w\s\-一-鿿]+)+)\)?\$")
_YES_NO = frozenset("yes no true false 是 否 y n on off 开 关 需要 不需要".split())
_YES_NO_WORDS = re.compile(r"(?:是否|[Ww]hether|[Oo]ption to).*['\"‘“](?:是|yes|Yes)['\"’”]")
_LONG = 200
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+")
GIVEN = ("user", "tool", "default", "model")
SOURCES = (*GIVEN, "context")


class Parameter(Struct, frozen=True, kw_only=True):
    """What the checks need to know of one parameter.

    Attributes:
        path: property names from the tool's arguments down; list positions left out.
        options: allowed values of a choice, in order.
        titles: option → other words for it, from the schema.
        words: title and description.
        allowed: the source kinds that the author declared in ``x-source``; empty when undeclared.
        listed: it is an item of a list.
    """

    path: tuple[str, ...]
    nature: Nature
    schema: Schema
    options: tuple[Any, ...] = ()
    titles: dict[str, tuple[str, ...]] = {}
    words: str = ""
    allowed: tuple[str, ...] = ()
    listed: bool = False

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else ""


_KEPT = 512


class Parameters(dict[tuple[str, ...], Parameter]):
    """The parameters of one tool by their paths of property names and list positions, each read
    when it is first asked for."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __missing__(self, path: tuple[str, ...]) -> Parameter:
        if len(self) >= _KEPT:
            self.clear()
        found = self[path] = _read(path, self.schema)
        return found


_known: dict[str, Parameters] = {}


def parameters(spec: ToolSpec) -> Parameters:
    """The tool's parameters; kept by its digest."""
    kept = _known.get(spec.digest)
    if kept is None or (kept.schema is not spec.parameters and kept.schema != spec.parameters):
        if len(_known) >= _KEPT:
            del _known[next(iter(_known))]
        kept = _known[spec.digest] = Parameters(spec.parameters)
    return kept


def parameter(spec: ToolSpec, path: tuple[str, ...]) -> Parameter:
    """The tool's parameter at a path."""
    return parameters(spec)[path]


def _read(path: tuple[str, ...], root: Schema) -> Parameter:
    schema, named, words = resolve(root, root), "", ""
    allowed: tuple[str, ...] = ()
    listed = False
    for step in path:
        accepted = types(schema, root) or frozenset()
        listed = step.isdecimal() and ("array" in accepted or "items" in schema)
        if listed:
            schema = resolve(schema.get("items"), root)
        else:
            schema, named = _member(schema, step, root), step
            words = ""
        words = _words(schema) or words
        allowed = _declared(schema) or allowed
    found = described(schema, root, name=named, words=words, path=path)
    return replace(
        found,
        allowed=allowed or found.allowed,
        listed=listed,
    )


def described(
    schema: Schema,
    root: Schema,
    *,
    name: str,
    words: str = "",
    path: tuple[str, ...] = (),
) -> Parameter:
    """One parameter, from its resolved schema and its name."""
    words = words or _words(schema)
    options, titles = _options(schema)
    return Parameter(
        path=tuple(step for step in path if not step.isdecimal()) or (name,),
        nature=_nature(name, schema, root, words, options),
        schema=schema,
        options=options,
        titles={**_explained(options, words), **titles},
        words=words,
        allowed=_declared(schema),
    )


def _member(schema: Schema, name: str, root: Schema) -> Schema:
    found = resolve(properties(schema, root).get(name, {}), root)
    for word in ("anyOf", "oneOf"):
        branches = [
            resolve(b, root) for b in found.get(word) or () if as_schema(b).get("type") != "null"
        ]
        if len(branches) == 1:
            found = {**{k: v for k, v in found.items() if k != word}, **branches[0]}
    return found


def _words(schema: Schema) -> str:
    return " ".join(str(schema[key])[:400] for key in ("title", "description") if schema.get(key))


def _declared(schema: Schema) -> tuple[str, ...]:
    given = schema.get("x-source")
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return tuple(kind for kind in listed if isinstance(kind, str) and is_source(kind))


def is_source(kind: str) -> bool:
    """Whether an author may write this of a parameter: a kind, or one tool's results."""
    return kind in SOURCES or (kind.startswith("tool:") and len(kind) > len("tool:"))


def _options(schema: Schema) -> tuple[tuple[Any, ...], dict[str, tuple[str, ...]]]:
    """Allowed values and their titles: ``enum`` with ``x-titles``, or ``oneOf`` of constants."""
    branches = [as_schema(one) for word in ("oneOf", "anyOf") for one in schema.get(word) or ()]
    constants = [one for one in branches if "const" in one]
    if constants and len(constants) == len(branches):
        titles = {str(one["const"]): tuple(_texts(one.get("title"))) for one in constants}
        return tuple(one["const"] for one in constants), titles
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(listed, list):
        alternatives = _ALTERNATIVES.fullmatch(str(schema.get("pattern") or ""))
        return (tuple(alternatives["options"].split("|")) if alternatives else ()), {}
    options = tuple(one for one in listed if one is not None)
    given = schema.get("x-titles") or schema.get("x-enum-titles") or schema.get("enumNames")
    if isinstance(given, dict):
        return options, {str(key): tuple(_texts(title)) for key, title in given.items()}
    if isinstance(given, list) and len(given) == len(options):
        return options, {str(o): tuple(_texts(t)) for o, t in zip(options, given, strict=True)}
    return options, {}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (str(one) for one in value.values())
    elif isinstance(value, list):
        yield from map(str, value)


def _explained(options: tuple[Any, ...], words: str) -> dict[str, tuple[str, ...]]:
    """Words for options that a description gives: "1=男, 2=女", "low（低）", "经济舱(economy)"."""
    found: dict[str, tuple[str, ...]] = {}
    for option in options:
        for start, end in occurrences(str(option), words):
            after, before = _TITLE_AFTER.match(words, end), _TITLE_BEFORE.search(words[:start])
            if texts := tuple(one["word"] for one in (after, before) if one):
                found[str(option)] = texts
                break
    return found


def _nature(
    name: str, schema: Schema, root: Schema, words: str, options: tuple[Any, ...]
) -> Nature:
    if options:
        return "flag" if {str(one).casefold() for one in options} <= _YES_NO else "choice"
    if schema.get("x-nature") == "words":
        return "words"
    if _YES_NO_WORDS.search(words) and "number" not in (schema.get("type") or ""):
        return "flag"
    accepted = (types(schema, root) or frozenset()) - {"null"}
    if accepted == {"boolean"}:
        return "flag"
    if accepted and accepted <= {"integer", "number"}:
        return "number"
    if _HEX_COLOUR.search(words):
        return "words"
    if nature := _FORMATS.get(str(schema.get("format") or "")):
        return nature
    if "pattern" not in schema and int(schema.get("maxLength") or 0) >= _LONG:
        return "text"
    by_name = _by_name(name)
    by_words = _by_description(words)
    if (
        by_name in ("words", "text", "time")
        and _DATE_FORMAT.search(words)
        and (by_name == "time" or _TIMELIKE.search(words))
    ):
        return "time"
    if by_name == "id":
        return "id"
    if by_name == "text" and ("pattern" in schema or by_words not in ("words", "text")):
        return by_words
    return by_words if by_name == "words" or (by_words == "text" and by_name != "time") else by_name


def _by_name(name: str) -> Nature:
    parts = [part.lower() for part in _CAMEL.split(name) if part]
    if not parts:
        return "words"
    if len(parts) > 1 and parts[-1] in ("code", "codes", "id") and parts[-2] in _CODED:
        return "place" if parts[-2] == "country" else "words"
    if len(parts) > 1 and parts[-1] in ("name", "names"):
        parts.pop()
    head = parts[-1] if parts[-1] in _HEADS else parts[-1].rstrip("s")
    if (
        head in ("start", "end", "from", "to")
        and len(parts) > 1
        and parts[0] not in ("date", "time")
    ):
        return "words"
    return _HEADS.get(head, "words")


def _by_description(words: str) -> Nature:
    phrase = _PHRASE.split(words.strip(), maxsplit=1)[0].strip().strip("。.")
    if _EN_TEXT.match(phrase):
        return "text"
    for pattern, nature in _ZH_COMPILED:
        if pattern.search(phrase):
            return nature
    return "words"
