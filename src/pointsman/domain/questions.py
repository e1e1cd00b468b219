"""The one short question for values that are missing, and the values that are to be confirmed, by
the parameters' own titles."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.agent import Language
from pointsman.domain.schemas.schema_reading import Schema, properties, resolve
from pointsman.domain.text import visible
from pointsman.domain.times import When

_PHRASE_ENDS = re.compile(r"[。．；;，,：:（(\n]|\.(?:\s|$)")
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_CHINESE = re.compile("[\u4e00-\u9fff]")
_ENDS_EARLY = re.compile(r"[，,;；:：、\n“”]")
_LONGEST = 40
_MOST_IN_LINE = 200
_EXACT = 2**53
"""Below this every whole number is told exactly without a fraction."""
_MOST_OPTIONS = 6


def ask_for(missing: Sequence[str], parameters: Schema, language: Language) -> str:
    """One question for all the missing parameters, naming the choices where there are few.

    Args:
        missing: parameter names.
        parameters: the tool's JSON Schema.
    """
    known = properties(parameters, parameters)
    titles = [_title(name, resolve(known.get(name), parameters), language) for name in missing]
    if language == "zh":
        return f"请问{'、'.join(titles[:-1])}{'和' if titles[1:] else ''}{titles[-1]}是什么？"
    if len(titles) == 1:
        return f"What is {titles[0]}?"
    return f"What are {', '.join(titles[:-1])} and {titles[-1]}?"


def ask_which(name: str, readings: Sequence[When], parameters: Schema, language: Language) -> str:
    """Which of several readings of the user's words is meant, with the readings listed."""
    known = properties(parameters, parameters)
    title = _title(name.split(".")[0], resolve(known.get(name.split(".")[0]), parameters), language)
    listed = [_reading(one, language) for one in readings]
    if language == "zh":
        return f"{title}是{'，还是'.join(listed)}？"
    return f"Is {title} {', or '.join(listed)}?"


def _reading(when: When, language: Language) -> str:
    day = when.start.strftime("%m月%d日" if language == "zh" else "%Y-%m-%d")
    return day if when.grain == "day" else f"{day} {when.start:%H:%M}"


def told(arguments: Mapping[str, Any], parameters: Schema, language: Language) -> str:
    """The arguments by the parameters' titles, in one line; where a text has several, or there is
    much, one argument a line. Nothing is left out."""
    known = properties(parameters, parameters)
    colon, comma = ("：", "，") if language == "zh" else (": ", ", ")
    parts = [
        f"{_plain_title(name, resolve(known.get(name), parameters), language)}{colon}"
        f"{_value(value, language)}"
        for name, value in arguments.items()
    ]
    if any("\n" in part for part in parts) or sum(map(len, parts)) > _MOST_IN_LINE:
        return "".join(f"\n- {part}" for part in parts) + "\n"
    return comma.join(parts)


def _value(value: Any, language: Language) -> str:
    """A value for a person; a text that could be taken for more than one value is quoted."""
    match value:
        case None:
            return "无" if language == "zh" else "none"
        case bool():
            return {"zh": ("否", "是"), "en": ("no", "yes")}[language][value]
        case str():
            unclear = value != value.strip() or not value or _ENDS_EARLY.search(value)
            return f"“{visible(value)}”" if unclear else visible(value)
        case float() if value.is_integer() and abs(value) < _EXACT:
            return str(int(value))
        case int() | float():
            return str(value)
        case [*items] if all(isinstance(one, str | int | float) for one in items):
            return ("、" if language == "zh" else ", ").join(_value(one, language) for one in items)
        case _:
            return visible(json.dumps(value, ensure_ascii=False))


def _plain_title(name: str, schema: Schema, language: Language) -> str:
    said = schema.get("x-title")
    words = _phrase(said.get(language)) if isinstance(said, dict) else ""
    words = words or _phrase(schema.get("title")) or _phrase(schema.get("description"))
    return words or _spaced(name)


def _title(name: str, schema: Schema, language: Language) -> str:
    words, options = _plain_title(name, schema, language), _options(schema)
    if language == "zh":
        return f"{words}（{'、'.join(options)}）" if options else words
    choice = f" ({' / '.join(options)})" if options else ""
    if _CHINESE.search(words):
        return words + choice
    words = _ARTICLE.sub("", words, count=1) if _ARTICLE.match(words) else words
    initial = words[:1] if words[:2].isupper() else words[:1].lower()
    return f"the {initial}{words[1:]}{choice}"


def _phrase(text: Any) -> str:
    """The first phrase of a title or description, if it is short enough to ask with."""
    first = _PHRASE_ENDS.split(text.strip(), maxsplit=1)[0].strip() if isinstance(text, str) else ""
    return first if len(first) <= _LONGEST else ""


def _spaced(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])([A-Z])(?![A-Z])", lambda found: f" {found[1].lower()}", name)
    return re.sub(r"[_-]+", " ", words).strip()


def _options(schema: Schema) -> list[str]:
    listed = schema.get("enum")
    options = [str(option) for option in listed if option is not None] if listed else []
    return options if len(options) <= _MOST_OPTIONS else []
