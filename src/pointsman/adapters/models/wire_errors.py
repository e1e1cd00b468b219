"""What a model's server says went wrong → our error, without secrets.

Above: ``chat_completions`` (an HTTP status and its body) and ``deltas`` (an error inside a 200
stream). The status decides where there is one; in a stream the error's own code and words do.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.adapters.models.wire import whole_number
from pointsman.domain.text import clean
from pointsman.errors import ModelError, ModelProtocolError, ModelRejected, ModelUnavailable

MESSAGE_CHARS = 500
BODY_CHARS = 2000

_REFUSED = re.compile(
    r"invalid|not.?found|does not exist|unsupported|not support|bad.?request|authenticat"
    r"|unauthori|permission|forbidden|denied|context.?length|context.?window|too long"
    r"|content.?filter|sensitive|inspection|illegal|arrear|balance|billing|insufficient.?quota"
    r"|must be|无效|不存在|不支持|余额|欠费|敏感|违规"
)
_BUSY = re.compile(
    r"overload|rate.?limit|ratelimit|throttl|too many|too_many|busy|capacity|unavailable|time.?out"
    r"|timed out|internal|server.?error|try again|retry|exhausted|繁忙|限流|频率|稍后|超时|过载"
)
_NO_MORE_QUOTA = re.compile(r"insufficient.?quota|billing|balance|arrear|欠费|余额")
_RETRYABLE_4XX = frozenset({408, 409, 425, 429})
_NO_FAULT = frozenset({"", "0", "200", "ok", "success", "none", "null", "false"})

_CODES = ("status_code", "http_status", "status", "http_code", "code", "error_code", "type")
_MESSAGES = ("message", "msg", "status_msg", "error_msg", "errorMessage", "detail", "error")
_PLACES = ("error", "base_resp", "errors")

_KEY = re.compile(r"\b(?:sk|pk|ak|rk|ghp|gsk|key|xai|nvapi|hf)[-_][\w\-*.]{6,}", re.IGNORECASE)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w\-.~+/=*]{6,}")
_SPEAKS_OF_KEYS = re.compile(
    r"(?i)key|bearer|authori[sz]|secret|credential|passw|access.?token|密钥|凭证"
)
_LONG_WORD = re.compile(r"[\w\-.+/=*]{12,}")


def error_from(status: int | None, payload: bytes) -> ModelError:
    """The error that the server's words amount to.

    Args:
        status: of the HTTP response; None for an error inside a reply that began well.
        payload: the body, or the data of the event.

    Returns:
        ModelUnavailable: 429, 5xx, overload, and an unexplained error in the middle of a reply.
        ModelRejected: other 4xx, and errors that name a fault of the request.
        ModelProtocolError: a status that no answer to a question should have.
    """
    text = payload.decode("utf-8", "replace")
    content = _json(text)
    places = list(_places(content))
    said = _message(places) or ("" if isinstance(content, Mapping) else str(content or text))
    said = redacted(" ".join(said.split()), MESSAGE_CHARS)
    words = " ".join(_codes(places)).lower() + " " + said.lower()
    code = status if status is not None and status >= 300 else _http_code(places)
    body = redacted(text, BODY_CHARS)
    where = f"HTTP {status}" if status is not None else "an error inside the reply"
    message = f"the model's server answered {where}" + (f": {said}" if said else "")
    kind = _kind(code, words)
    if kind is ModelUnavailable:
        return ModelUnavailable(message, status=status, body=body, retry_after=_retry_after(places))
    return kind(message, status=status, body=body)


def is_error(payload: bytes) -> bool:
    """Whether data without choices is an error: ``{"code": …, "message": …}`` and its kin."""
    content = _json(payload.decode("utf-8", "replace"))
    if isinstance(content, str):
        return True
    if not isinstance(content, Mapping):
        return False
    if str(content.get("type") or "").lower() == "error" or content.get("object") == "error":
        return True
    places = list(_places(content))
    codes = {
        str(place[name]).strip().lower()
        for place in places
        for name in _CODES
        if name not in ("type", "status") and place.get(name) is not None
    }
    if codes:
        return bool(codes - _NO_FAULT)
    return any(isinstance(place.get(name), str) for place in places for name in _MESSAGES)


def redacted(text: str, limit: int) -> str:
    """The start of the text with everything that may be a key blotted out."""
    text = clean(text)[: limit * 2]
    text = _BEARER.sub(r"\1 ***", _KEY.sub("***", text))
    if _SPEAKS_OF_KEYS.search(text):
        text = _LONG_WORD.sub(_blot, text)
    return text[:limit]


def _blot(word: re.Match[str]) -> str:
    """Keys mix letters and digits; words and numbers do not."""
    mixed = any(map(str.isdigit, word[0])) and any(map(str.isalpha, word[0]))
    return "***" if mixed or "*" in word[0] else word[0]


def _kind(
    code: int | None, words: str
) -> type[ModelUnavailable] | type[ModelRejected] | type[ModelProtocolError]:
    if code is None:
        refused = _REFUSED.search(words) and not _BUSY.search(words)
        return ModelRejected if refused else ModelUnavailable
    if code >= 500 or code in _RETRYABLE_4XX:
        spent = code == 429 and _NO_MORE_QUOTA.search(words)
        return ModelRejected if spent else ModelUnavailable
    return ModelRejected if code >= 400 else ModelProtocolError


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _places(content: Any) -> Iterator[Mapping[str, Any]]:
    """The objects that may hold a code and a message, the most telling first."""
    if isinstance(content, list):
        content = content[0] if content else None
    if not isinstance(content, Mapping):
        return
    for name in _PLACES:
        inner = content.get(name)
        if isinstance(inner, list) and inner:
            inner = inner[0]
        if isinstance(inner, Mapping):
            yield inner
    choices = content.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        yield from _places(choices[0])
    yield content


def _message(places: list[Mapping[str, Any]]) -> str:
    for place in places:
        for name in _MESSAGES:
            said = place.get(name)
            if isinstance(said, str) and said.strip():
                return said
            if name == "detail" and said:
                return json.dumps(said, ensure_ascii=False)
    return ""


def _codes(places: list[Mapping[str, Any]]) -> Iterator[str]:
    for place in places:
        for name in _CODES:
            if isinstance(place.get(name), (str, int)):
                yield str(place[name])


def _http_code(places: list[Mapping[str, Any]]) -> int | None:
    """The first code that is an HTTP error status."""
    for place in places:
        for name in _CODES:
            code = whole_number(place.get(name))
            if code is not None and 400 <= code < 600:
                return code
    return None


def _retry_after(places: list[Mapping[str, Any]]) -> float | None:
    for place in places:
        seconds = place.get("retry_after")
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds > 0:
            return float(seconds)
    return None
