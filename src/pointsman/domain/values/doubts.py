"""What is odd about a value by itself: text that was made up, an address that is none."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from pointsman.domain.phrases import fold, shares_word, stem, words
from pointsman.domain.times import ends
from pointsman.domain.values.natures import Parameter

_ODD_MARKS = re.compile(r"(?<=\w)[@#$%^*!~|<>?\\](?=\w|$)|(?<=\w)[@#$%^*!~](?=$)")
_LATIN_DIGITS = re.compile(r"(?=.*\d)(?=.*[A-Za-z]{3})[A-Za-z]+\d+|\d{2,}[A-Za-z]{3,}")
_GLUED = re.compile(r"[A-Za-z一-鿿]{2,}[@#$%!]\w+")
_NAMED_PLACE = re.compile(r"city|country|region|province|城市|国家|地区|省份")
_EMAIL = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s.,;<>]{2,}")
_URL_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]", re.IGNORECASE)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[\w-]+\.)+[a-z]{2,}(?:[:/?#]\S*)?", re.IGNORECASE)
_HOST = re.compile(r"(?:https?|ftp)(?:/{1,2}|:/?(?!/)|;//)", re.IGNORECASE)
_SMALL = frozenset(
    stem(word)
    for word in (
        "you your our my me him her them they this that these those can could will would shall"
        " should we please thank thanks very much many have has had do does did not no yes if so as"
        " but there here what which who when how all any some more most just also need want help"
        " like get make let see use one dear hello hi kind regards best sincerely"
    ).split()
)
_CHINESE = re.compile("[一-鿿]")
_LEAST_QUOTE = 24


def grounded(value: str, texts: Iterable[str]) -> bool:
    """Whether free text has a content word in common with what was said, or is in another language
    than all of it. One that has none was made up."""
    parts = [
        one for one in words(value) if len(one) > 1 and not one.isdigit() and one not in _SMALL
    ]
    said_in_chinese = False
    for text in texts:
        if any(shares_word(part, text) for part in parts):
            return True
        said_in_chinese = said_in_chinese or bool(_CHINESE.search(text))
    return bool(parts) and said_in_chinese is not bool(_CHINESE.search(value))


def quotes(value: str, content: str) -> bool:
    """Whether free text repeats a long stretch of the content, or an address or number in it."""
    folded, source = fold(value), fold(content)
    for token in re.findall(r"\S*(?:@|://|www\.)\S+|\d{6,}", folded):
        if token.strip(".,;:!?，。") in source:
            return True
    size = _LEAST_QUOTE if folded.isascii() else _LEAST_QUOTE // 2
    return any(folded[n : n + size] in source for n in range(0, max(len(folded) - size + 1, 0), 4))


@lru_cache(maxsize=4096)
def _wrong_time(value: str) -> str:
    now = datetime.fromisoformat("2024-01-01T00:00:00+00:00")
    found = ends(value, now)
    if found and not found[0].readings and found[0].why == "impossible":
        return "there is no such date or time"
    return ""


def looks_wrong(value: Any, wanted: Parameter) -> str:
    """What is wrong with a value that the schema lets pass, in a few words; nothing for most."""
    if not isinstance(value, str) or wanted.options:
        return ""
    if wanted.nature == "time":
        return _wrong_time(value)
    about = f"{wanted.name} {wanted.words}".casefold()
    if wanted.nature == "contact":
        return _wrong_contact(value, about)
    if "pattern" in wanted.schema or wanted.nature in ("text", "id"):
        return ""
    if (
        wanted.nature == "place"
        and _NAMED_PLACE.search(about)
        and (_LATIN_DIGITS.fullmatch(value.strip()) or _ODD_MARKS.search(value))
    ):
        return "this is not the name of a place"
    if wanted.nature in ("name", "words") and len(value) <= 40 and _GLUED.fullmatch(value):
        return "it has signs that do not belong there"
    return ""


def _wrong_contact(value: str, about: str) -> str:
    if re.search(r"e-?mail|邮箱|邮件", about) and not _EMAIL.fullmatch(value.strip()):
        return (
            "this is not an e-mail address"
            if "://" not in value and len(value.split()) == 1
            else ""
        )
    if re.search(r"url|网址|链接|website|uri\b", about):
        if _HOST.match(value) and not _URL_SCHEME.match(value):
            return "this is not a URL"
        host = re.sub(r"^[a-z]+://", "", value).split("/")[0]
        if (
            re.fullmatch(r"\d[\w]*\.[a-z]+\.[a-z]+", host)
            and host.split(".")[0].isdigit()
            and not value.startswith("http")
        ):
            return "this is not a URL"
    return ""
