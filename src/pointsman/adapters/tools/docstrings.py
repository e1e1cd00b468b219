"""Descriptions from a docstring: Google, NumPy and reST styles, English and Chinese headings."""

import inspect
import re
from collections.abc import Collection

_PARAMETERS = re.compile(
    r"(args|arguments|parameters|params|参数|参数说明|入参)\s*[:：]?", re.IGNORECASE
)
_SECTION = re.compile(
    r"(returns?|yields?|raises?|examples?|notes?|see also|warnings?|attributes|source"
    r"|返回值?|返回说明|异常|抛出|示例|例子|注意|备注)\s*[:：]\s*",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-=]{3,}")
_ITEM = re.compile(
    r"[*-]?\s*`{0,2}(?P<name>\w+)`{0,2}\s*(?:[(（\[][^:：]*[)）\]])?\s*[:：]\s*(?P<text>.*)"
)
_NUMPY_ITEM = re.compile(r"(?P<name>\w+)\s*(:.*)?")
_FIELD = re.compile(
    r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?(?P<name>\w+)\s*:\s*(?P<text>.*)"
)


def described(docstring: str | None, names: Collection[str]) -> tuple[str, dict[str, str]]:
    """What a docstring says of the function, and of each of the named parameters."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    about: list[str] = []
    found: dict[str, list[str]] = {}
    current: list[str] = about
    style = "text"
    for number, line in enumerate(lines):
        underlined = number + 1 < len(lines) and bool(_RULE.fullmatch(lines[number + 1].strip()))
        if _RULE.fullmatch(line.strip()) and style != "text":
            continue
        if _PARAMETERS.fullmatch(line) and (underlined or line.rstrip()[-1] in ":："):
            style, current = "numpy" if underlined else "google", []
        elif underlined or _SECTION.fullmatch(line) or (style != "text" and _SECTION.match(line)):
            style, current = "other", []
        elif item := _FIELD.fullmatch(line.strip()):
            style, current = "field", found.setdefault(item["name"], [item["text"]])
        elif line.startswith(":"):
            style, current = "other", []
        elif style in ("google", "numpy") and (item := _item(line, style, names)):
            text = "" if style == "numpy" else item["text"]
            current = found.setdefault(item["name"], [text])
        elif style == "google" and line.strip() and not line[0].isspace():
            style, current = "text", about
            about.append(line)
        else:
            current.append(line.strip() if current is not about else line)
    parameters = {name: " ".join(filter(None, found[name])).strip() for name in found}
    return "\n".join(about).strip(), {name: text for name, text in parameters.items() if text}


def _item(line: str, style: str, names: Collection[str]) -> re.Match[str] | None:
    """The line as the start of a known parameter's entry."""
    if style == "numpy":
        item = None if line[:1].isspace() else _NUMPY_ITEM.fullmatch(line.rstrip())
    else:
        item = _ITEM.fullmatch(line.strip())
    return item if item and item["name"] in names else None
