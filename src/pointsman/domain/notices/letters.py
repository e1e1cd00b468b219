"""A message as a channel takes it: cut into parts of so many bytes, with a subject on one line and
an address that is nothing but one."""

import re
import unicodedata

from pointsman.domain.agent import Language
from pointsman.domain.text import cut_bytes

MOST_PARTS = 5
LIMITS = {
    "wecom_markdown": 4096,
    "wecom_text": 2048,
    "wecom_app_text": 2048,
    "dingtalk_markdown": 14_000,
    "feishu_text": 14_000,
    "webhook": 60_000,
    "sms": 1_000,
    "apprise": 2_000,
    "email": 1_000_000,
    "inbox": 200_000,
}
"""Bytes of UTF-8 that one message may have.

DingTalk and Feishu count the whole request (20 000 bytes, 20 KB), with its title and with what JSON
escapes.

Source: the vendors' pages on group robots (WeCom, DingTalk, Feishu); the others are our own."""
_CUT: dict[Language, str] = {"zh": "…（内容已截断）", "en": "… (content cut)"}
_NUMBER: dict[Language, str] = {"zh": "（{part}/{parts}）\n", "en": "({part}/{parts})\n"}
_ENDS = ("\n\n", "\n", "。", "！", "？", "；", ". ", "! ", "? ", "，", "、", ", ", " ")
_LEAST = 0.5
"""A part may end at a break when it is at least so full."""
LONGEST_SUBJECT = 200
_FENCE = re.compile(r"^ {0,3}(?P<line>(?P<marks>`{3,}|~{3,})(?P<rest>[^\n`]*))$", re.MULTILINE)
_FENCE_ROOM = 16
"""Bytes that closing a block may take."""
_JOINERS = {"\u200d", "\ufe0f", "\ufe0e", "\u20e3"}
_SKINS = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))

EMAIL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
)
PHONE = re.compile(r"\+?[0-9](?:[ -]?[0-9]){4,17}")


def split(
    text: str, limit: int, *, language: Language = "zh", most: int = MOST_PARTS
) -> tuple[str, ...]:
    """The parts of a text, none above ``limit`` bytes of UTF-8, numbered when there are several.
    What does not fit into so many parts is left out, and the last one says so (case N11)."""
    size = len(text.encode())
    if limit <= 0 or size <= limit:
        return (text,)
    room = limit - len(_NUMBER[language].format(part=most, parts=most).encode())
    cut = _CUT[language]
    if room <= len(cut.encode()):
        raise ValueError(f"no text fits into {limit} bytes")
    parts: list[str] = []
    rest, again = text, ""
    fenced = _fences_fit(text, room)
    while rest and len(parts) < most:
        kept = room - len(again.encode()) - (_FENCE_ROOM if fenced else 0)
        last = len(parts) == most - 1 and len(rest.encode()) > kept
        head = _fitting(rest, kept - len(cut.encode()) if last else kept)
        rest = rest[len(head) :].lstrip("\n")
        part = again + (head.rstrip() or head)
        fence = open_fence(part) if fenced and rest else ""
        again = f"{fence}\n" if fence else ""
        closing = "\n" + _marks(fence) if fence else ""
        ending = ("\n" if closing else "") + cut if last else ""
        parts.append(part + closing + ending)
        if last:
            break
    mark = _NUMBER[language]
    return tuple(mark.format(part=n, parts=len(parts)) + part for n, part in enumerate(parts, 1))


def _fences_fit(text: str, room: int) -> bool:
    """Whether blocks of code are closed and opened again where they are cut: not where the lines
    that open them take too much of a part."""
    opening = [found["line"] for found in _FENCE.finditer(text)]
    longest = max((len(line.encode()) for line in opening), default=0)
    return bool(opening) and 4 * (longest + _FENCE_ROOM) <= room


def open_fence(text: str) -> str:
    """The line that opened the block of code in which a text ends; empty when it ends in none."""
    opened = ""
    for found in _FENCE.finditer(text):
        marks = found["marks"]
        if not opened:
            opened = found["line"].strip()
        elif (
            marks[0] == opened[0]
            and len(marks) >= len(_marks(opened))
            and not found["rest"].strip()
        ):
            opened = ""
    return opened


def _marks(line: str) -> str:
    """The marks that open a block, which close it too."""
    return line[: len(line) - len(line.lstrip(line[0]))]


def _fitting(text: str, room: int) -> str:
    """The longest beginning of so many bytes that ends where a reader pauses."""
    if len(text.encode()) <= room:
        return text
    head = cut_bytes(text, room)
    while len(head) > 1 and (
        _continues(text[len(head)])
        or head[-1] == "\u200d"
        or _tears(head)
        or head[-1] == text[len(head)] == "`"
    ):
        head = head[:-1]
    for end in _ENDS:
        at = head.rfind(end)
        if at >= 0 and len(head[: at + len(end)].encode()) >= room * _LEAST:
            return head[: at + len(end)]
    return head


def _continues(character: str) -> bool:
    """Whether it belongs to the character before it."""
    return character in _JOINERS or character in _SKINS or bool(unicodedata.combining(character))


def _tears(head: str) -> bool:
    """Whether it ends with the first half of a flag, which two letters make."""
    return (len(head) - len(head.rstrip(_FLAG_LETTERS))) % 2 == 1


def one_line(text: str, most: int = LONGEST_SUBJECT) -> str:
    """The text without what could begin another header: on one line, no control characters
    (case N15)."""
    shown = "".join(" " if _is_control(c) else c for c in text)
    line = " ".join(shown.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character != "\u200d"


def is_email(address: str) -> bool:
    """Whether the whole text is one mail address."""
    if len(address) > 254 or not EMAIL.fullmatch(address):
        return False
    return len(address.partition("@")[0]) <= 64


def is_phone(number: str) -> bool:
    """Whether the whole text is one telephone number."""
    return PHONE.fullmatch(number) is not None


def subject_of(text: str, language: Language) -> str:
    """A subject for a message that has none: how it begins."""
    lines = (line for line in text.splitlines() if line.strip() and not _FENCE.match(line))
    first = next(lines, "")
    line = one_line(first.lstrip("#>*- "), 60)
    return line or {"zh": "通知", "en": "Notification"}[language]
