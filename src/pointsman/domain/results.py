"""What a model reads of a tool's result: the same rules for every kind of tool.

JSON stays readable (no escapes for Chinese) and valid (no NaN); an empty result says that it is
final, so that nobody tries again; a huge one is cut where it hurts least (cases L07, M21, M23).
"""

import json
import math
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from pointsman.domain.text import clean, cut_middle

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_EMPTY = {
    "zh": "没有查到结果（{about}）；这就是最终结果，不必重试。",
    "en": "no results for {about}; this is final",
}
_NOTHING = {
    "zh": "已执行完毕，没有返回内容。",
    "en": "finished; the tool returned nothing",
}
_WITHOUT = {"zh": "无参数", "en": "a call without arguments"}
_ABOUT = 200
_LEFT_OUT = " … {left_out} chars left out, saved as {where} … "
_ITEMS_LEFT_OUT = "… {left_out} of {all} items left out, saved as {where} …"


def json_text(value: Any) -> tuple[str, Any, bool]:
    """A JSON value as text, the value itself without NaN, and whether it had any.

    NaN and the infinities become the texts "NaN", "Infinity" and "-Infinity": null would be read as
    "no value" (case M23).
    """
    try:
        text, plain = _encode(value), value
    except ValueError:
        plain = _finite(value)
        text = _encode(plain)
    return clean(text), plain, plain is not value


def content(value: Any, arguments: Mapping[str, Any], language: str) -> tuple[str, Any, bool]:
    """What the model reads for a tool's returned value, and the rest as in ``json_text``.

    A text is read as it is; None, an empty text, list or object is said in words, also where the
    text is the JSON of one.

    Args:
        value: a JSON value.
        arguments: of the call, to say what there are no results for.
    """
    told = value.strip() if isinstance(value, str) else value
    if told in (None, "", "null"):
        return _worded(_NOTHING, language), value, False
    if told in ([], {}, "[]", "{}"):
        return empty(arguments, language), value, False
    if isinstance(value, str):
        return clean(value), clean(value), False
    return json_text(value)


def empty(arguments: Mapping[str, Any], language: str) -> str:
    """The words for a search that found nothing (case L07)."""
    about = ", ".join(
        f"{name}={json.dumps(item, ensure_ascii=False, default=str)}"
        for name, item in arguments.items()
    )
    if len(about) > _ABOUT:
        about = about[:_ABOUT] + "…"
    return clean(_worded(_EMPTY, language).format(about=about or _worded(_WITHOUT, language)))


def shorten(text: str, limit: int, where: str) -> str:
    """At most ``limit`` characters of a result: head and tail, and where the whole is kept.

    A JSON list, also one inside an object, is cut between items and stays JSON (case M21).

    Args:
        where: how the whole can be found, such as ``result://<id>``.
    """
    if len(text) <= limit:
        return text
    if text.lstrip()[:1] in ("[", "{") and (cut := _cut_json(text, limit, where)):
        return cut
    note = _LEFT_OUT.replace("{where}", where)
    return cut_middle(text, max(limit - len(note) - len(str(len(text))), 0), note)


def _cut_json(text: str, limit: int, where: str) -> str:
    """The JSON with items of its (longest) list left out, or nothing if that is not enough."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, list):
        return _cut_list(value, limit, where)
    if not isinstance(value, dict):
        return ""
    sizes = {key: len(_dump(item)) for key, item in value.items() if isinstance(item, list)}
    if not sizes:
        return ""
    longest = max(sizes, key=sizes.__getitem__)
    around = len(_dump({**value, longest: []})) - 2
    cut = _cut_list(value[longest], limit - around, where)
    return _dump({**value, longest: json.loads(cut)}) if cut else ""


def _cut_list(items: list[Any], limit: int, where: str) -> str:
    note = _ITEMS_LEFT_OUT.format(left_out=len(items), all=len(items), where=where)
    room = limit - len(_dump([note])) - 2
    head = _fitting(items, room * 3 // 4)
    tail = _fitting(items[:head:-1], room - room * 3 // 4)
    if not head and not tail:
        return ""
    left_out = len(items) - head - tail
    note = _ITEMS_LEFT_OUT.format(left_out=left_out, all=len(items), where=where)
    return _dump([*items[:head], note, *items[len(items) - tail :]])


def _fitting(items: list[Any], room: int) -> int:
    """How many of the first items fit into so many characters."""
    for count, item in enumerate(items):
        room -= len(_dump(item)) + 2
        if room < 0:
            return count
    return len(items)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _worded(words: Mapping[str, str], language: str) -> str:
    return words["zh" if language.startswith("zh") else "en"]


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def blob_id(whole: str) -> str:
    """The name of a whole result in the store: what the journal says of it binds its text."""
    return sha256(whole.encode()).hexdigest()[:32]
