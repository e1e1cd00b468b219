"""Addresses and answers of services as logs, journals and people may see them: ``key=***``.

Keys of webhooks travel in the address, and an answer may repeat what was sent (case N20). What is
in tool results and in a model's text is ``masking``'s.
"""

import re

_NAMES = (
    r"key|token|access_?token|app_?token|secret|sign(?:ature)?|sig|password|passwd|pwd|pass|auth"
    r"|api_?key|access_?key|send_?key|webhook"
)
_QUERY = re.compile(rf"(?i)([?&;](?:{_NAMES})=)[^&\s\"'<>]+")
_FIELD = re.compile(
    rf"(?i)((?<![a-z])(?:\w{{1,24}}[_-])?(?:{_NAMES})[\"']?\s*[:=]\s*[\"']?)(?!\*\*\*)[^\s\"'&,;<>{{}}]{{3,}}"
)
_HEADER = re.compile(r"(?i)((?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?)[^\r\n\"']+")
_SCHEME = re.compile(r"(?i)\b((?:bearer|basic|digest)\s+)[\w.+/=~:-]{4,}")
_USER = re.compile(r"(?<=://)[^\s/@]{1,300}(?=@)")
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>]+", re.IGNORECASE)
_LONG = re.compile(r"(?<=/)(?=[\w-]*\d)[\w-]{16,}")
_STARS = "***"


def masked(text: str) -> str:
    """The text without keys: in query strings, headers, fields, user parts, and long random
    parts of a path."""
    text = _HEADER.sub(rf"\1{_STARS}", text)
    text = _SCHEME.sub(rf"\1{_STARS}", text)
    text = _QUERY.sub(rf"\1{_STARS}", text)
    text = _FIELD.sub(rf"\1{_STARS}", text)
    return _URL.sub(lambda found: _LONG.sub(_STARS, _USER.sub(_STARS, found[0])), text)


def without(text: str, secrets: tuple[str, ...]) -> str:
    """The text with none of these in it, and otherwise as ``masked``."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, _STARS)
    return masked(text)
