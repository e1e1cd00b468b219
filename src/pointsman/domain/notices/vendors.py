"""What the answer of a chat service's webhook says: some refuse a message with HTTP 200.

WeCom and DingTalk answer ``errcode``, Feishu ``code`` and before that ``StatusCode``; 0 is yes.
Their code says more than a status of 4xx that comes with it, and a page instead of JSON is no
answer of theirs but of something in between. A plain webhook says it by its status alone (cases
N08, N09).

Source: the vendors' pages on group robots and on global return codes.
"""

import json
from collections.abc import Mapping
from typing import Literal

from pointsman.domain.notices.delivery import SENT, Outcome
from pointsman.domain.secrets_shown import masked

Vendor = Literal["wecom", "dingtalk", "feishu", "webhook"]

_FIELDS: dict[Vendor, tuple[str, ...]] = {
    "wecom": ("errcode",),
    "dingtalk": ("errcode",),
    "feishu": ("code", "StatusCode"),
    "webhook": (),
}
_CHATS: tuple[Vendor, ...] = ("wecom", "dingtalk", "feishu")
_ALL_FIELDS = ("errcode", "code", "StatusCode")
_LATER: dict[Vendor, Mapping[int, float | None]] = {
    "wecom": {-1: None, 45009: 60.0, 45033: 5.0},
    "dingtalk": {-1: None, 130101: 60.0, 410100: 60.0},
    "feishu": {9499: 60.0, 11232: 60.0, 99991400: 60.0},
    "webhook": {},
}
"""Codes that pass, and the seconds that they ask to wait."""
_CHANNEL: dict[Vendor, frozenset[int]] = {
    "wecom": frozenset({93000, 93004, 93008, 40001, 40013, 40014}),
    "dingtalk": frozenset({300001, 400013, 400101, 400102}),
    "feishu": frozenset({19001, 19021, 19022}),
    "webhook": frozenset(),
}
"""Codes that say that the key or the robot itself is no good: nobody gets anything by it."""
_LATER_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_DENIED = frozenset({401, 403, 404, 407, 410})
_SHOWN = 200


def read_answer(
    vendor: Vendor | Literal[""],
    status: int,
    body: str,
    *,
    retry_after: float | None = None,
) -> Outcome:
    """What came of a message that was posted.

    Args:
        vendor: whose service it is; empty when that is not known, which reads all their fields.
        retry_after: seconds, of the header.
    """
    said = masked(" ".join(body.split()))[:_SHOWN]
    taken = 200 <= status < 300
    if status in _LATER_STATUS or status >= 500:
        return Outcome(verdict="retry", code=str(status), detail=said, after=retry_after)
    number = _code(body, _FIELDS[vendor] if vendor else _ALL_FIELDS)
    if taken and vendor in _CHATS and body.lstrip().startswith("<"):
        return Outcome(verdict="retry", about="channel", code=str(status), detail=said)
    if taken and not number:
        return SENT
    if not number:
        about: Literal["channel", "message"] = "channel" if status in _DENIED else "message"
        return Outcome(verdict="failed", about=about, code=str(status), detail=said)
    for known in (vendor,) if vendor else _CHATS:
        if number in _LATER[known]:
            wait = _LATER[known][number]
            return Outcome(
                verdict="retry", code=str(number), detail=said, after=retry_after or wait
            )
        if number in _CHANNEL[known]:
            return Outcome(verdict="failed", about="channel", code=str(number), detail=said)
    return Outcome(verdict="failed", code=str(number), detail=said)


def _code(body: str, fields: tuple[str, ...]) -> int | None:
    """The number that says whether it was taken; None when there is none."""
    body = body.lstrip("\ufeff \t\r\n")
    if not fields or not body.startswith("{"):
        return None
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    for field in fields:
        value = said.get(field)
        if isinstance(value, bool):
            continue
        if isinstance(value, int):
            return value
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
            return int(value)
    return None
