"""Secrets, taken out of what is stored and shown.

Two rules. *Credentials* (keys, tokens, passwords in ``name=value``, private keys) are masked in
tool results and in what a model writes before either is journaled: nothing needs them to go on.
*Private values* (arguments of a parameter that its schema marks ``"x-private": true``) are needed
to run the call, so they are stored, and masked wherever they stand in every view of the journal.

A mask is ``[masked:kind:last4]``, without the last four characters where they would tell too much.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage
from pointsman.domain.schemas.schema_reading import local_target
from pointsman.domain.tools import ToolResult

MARK = "x-private"

_MOST_PARTS = 20_000
"""Parts of a parameter's schema that are looked at; schemas come from foreign servers."""
_SHORTEST_SHOWN = 12
"""A secret of fewer characters shows none of them."""


class _Rule(Struct, frozen=True):
    """One form of credential; the first group of the pattern is the secret. Repetitions are bounded
    or possessive: the texts come from strangers."""

    kind: str
    pattern: re.Pattern[str]
    shows_end: bool = False


_WORDS = (
    r"pass(?:word|wd|phrase)|pwd|(?:client[_-]?)?secret"
    r"|(?:access|refresh|auth|session|api)[_-]?token|(?:api|access|secret|private)[_-]?key"
)
_VALUE = r"(?!\[masked:)[^\s\"'`,;&<>()\[\]{}\\]{4,}"
_RULES = (
    _Rule(
        "private_key",
        re.compile(
            r"(-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*))",
            re.DOTALL,
        ),
    ),
    _Rule(
        "api_key",
        re.compile(
            r"\b((?:sk-|[sprw]k_(?:live|test)_)(?=[\w-]{0,200}\d)[\w-]{16,}+|(?:AKIA|ASIA)[A-Z0-9]{16}\b"
            r"|LTAI[A-Za-z0-9]{12,}+|AIza[\w-]{30,}+)"
        ),
        shows_end=True,
    ),
    _Rule(
        "token",
        re.compile(
            r"\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|pm_[0-9A-Za-z]{49}\b|glpat-[\w-]{16,}+|xox[abeprs]-[\w-]{10,}+"
            r"|eyJ[\w-]{8,500}+\.eyJ[\w-]{8,4000}+\.[\w-]{8,})"
        ),
        shows_end=True,
    ),
    _Rule(
        "token",
        re.compile(
            r"(?i:\bbearer|\bauthorization[\"']?\s*[:=]\s*[\"']?basic) +"
            r"((?=[\w.+/=~-]{0,200}[\d+/=])[\w.+/=~-]{12,}+)"
        ),
        shows_end=True,
    ),
    _Rule("password", re.compile(r"://[^\s/:@\"']{0,200}:([^\s/@\"'\[]+)(?=@)")),
    _Rule(
        "password",
        re.compile(
            rf"(?<![a-z])(?:{_WORDS}|token)\\?[\"']?\s*=\s*\\?[\"']?({_VALUE})", re.IGNORECASE
        ),
    ),
    _Rule(
        "password",
        re.compile(
            rf"[\"'](?:\w{{1,40}}[_-])?(?:{_WORDS})\\?[\"']\s*:\s*\\?[\"']((?!\[masked:)[^\"'\\]{{4,}})",
            re.IGNORECASE,
        ),
    ),
)
_SECRET_NAME = re.compile(rf"(?:\w+[_-])?(?:{_WORDS})", re.IGNORECASE)


def _may_hold_credential(text: str) -> bool:
    """A cheap look, for which one of the marks in every rule's pattern is enough. Single characters
    come first: looking for one costs next to nothing."""
    return (
        ("-" in text and ("sk-" in text or "-----" in text or "glpat-" in text or "xox" in text))
        or ("_" in text and any(mark in text for mark in _UNDERSCORED))
        or ("A" in text and any(mark in text for mark in ("AKIA", "ASIA", "LTAI", "AIza")))
        or ("J" in text and "eyJ" in text)
        or ("@" in text and "://" in text)
        or (" " in text and ("earer " in text or "BEARER " in text))
        or (("=" in text or ":" in text) and _names_secret(text))
    )


_UNDERSCORED = ("_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "pm_")


def _names_secret(text: str) -> bool:
    """Whether a name of a secret stands in a text, before ``=`` or as the key of a value."""
    if "=" not in text and '":' not in text and "':" not in text and "uthorization" not in text:
        return False
    small = text.lower()
    return (
        "key" in small
        or "pass" in small
        or "token" in small
        or "secret" in small
        or "pwd" in small
        or "authorization" in small
    )


_ID_CARD = re.compile(r"\d{17}[\dXx]")
_DIGITS = re.compile(r"\+?\d[\d -]{6,}\d")


def holds_key(text: str) -> bool:
    """Whether a key or a token stands in the text, which cannot be anything else by its form."""
    return _may_hold_credential(text) and any(
        rule.pattern.search(text) for rule in _RULES if rule.kind != "password"
    )


def mask_text(text: str) -> str:
    """The text without credentials; the same object when it holds none."""
    if _may_hold_credential(text):
        for rule in _RULES:
            text = rule.pattern.sub(partial(_masked_match, rule), text)
    return text


def _masked_match(rule: _Rule, found: re.Match[str]) -> str:
    before = found.start(1) - found.start()
    return found[0][:before] + _mask(rule.kind, found[1] if rule.shows_end else "")


def _mask(kind: str, shown: str = "") -> str:
    tail = f":{shown[-4:]}" if len(shown) >= _SHORTEST_SHOWN else ""
    return f"[masked:{kind}{tail}]"


def mask_value(value: Any, mask: Callable[[str], str] = mask_text) -> Any:
    """A JSON value with every text in it masked; the same object when nothing was."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        masked = {name: _masked_item(name, item, mask) for name, item in value.items()}
        return masked if any(masked[name] is not value[name] for name in value) else value
    if isinstance(value, list | tuple):
        listed = [mask_value(item, mask) for item in value]
        return listed if any(a is not b for a, b in zip(listed, value, strict=True)) else value
    return value


def _masked_item(name: Any, item: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(item, str) and isinstance(name, str) and _SECRET_NAME.fullmatch(name):
        return item if not item or item.startswith("[masked:") else _mask("password")
    return mask_value(item, mask)


def result_without_credentials(result: ToolResult) -> ToolResult:
    """What may be journaled of a tool's result, and read by a model."""
    content, data = mask_text(result.content), result.data
    if data is not None and _may_hold_credential(msgspec.json.encode(data).decode()):
        data = mask_value(data)
    if content is result.content and data is result.data:
        return result
    return replace(result, content=content, data=data)


def message_without_credentials(message: AssistantMessage) -> AssistantMessage:
    """What may be journaled of a model's text. Its calls stay as they are: they are to run."""
    text, reasoning = mask_text(message.text), mask_text(message.reasoning)
    if text is message.text and reasoning is message.reasoning:
        return message
    return replace(message, text=text, reasoning=reasoning)


def private_parameters(parameters: dict[str, Any]) -> tuple[str, ...]:
    """The top-level parameters of a schema that are private, or hold something that is."""
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return ()
    return tuple(name for name, part in properties.items() if _is_marked(part, parameters))


def _is_marked(part: Any, root: dict[str, Any]) -> bool:
    """Whether the mark stands in a schema, or in one that it refers to."""
    open_parts, seen = [part], set[str]()
    for _ in range(_MOST_PARTS):
        if not open_parts:
            break
        part = open_parts.pop()
        if isinstance(part, dict):
            if part.get(MARK) is True:
                return True
            reference = part.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                open_parts.append(local_target(reference, root))
            open_parts += part.values()
        elif isinstance(part, list):
            open_parts += part
    return False


def masked_events(events: Sequence[ev.Event]) -> list[ev.Event]:
    """The events of one run as a view may show them: without credentials, and without private
    values wherever they stand (arguments, questions, results, the user's own words)."""
    mask = RunMask()
    for event in events:
        mask.learn(event)
    return [mask.masked(event) for event in events]


class RunMask:
    """Masks the events of one run by what is known of it: the values of private arguments, as they
    were checked and as they were proposed."""

    def __init__(self) -> None:
        self._proposed: dict[str, str] = {}
        self._values: list[Any] = []
        self._mask: Callable[[str], str] = mask_text

    def learn(self, event: ev.Event) -> None:
        """Know what the event tells."""
        if isinstance(event, ev.ModelAnswered):
            for index, call in enumerate((*event.message.calls, *event.cut)):
                self._proposed[f"{event.turn}.{index}"] = call.arguments
        elif isinstance(event, ev.TaskAsks | ev.TaskEnded) and event.hidden:
            self._values += event.hidden
            self._mask = _private_mask(self._values)
        elif isinstance(event, _WithArguments) and event.private:
            former = event.former if isinstance(event, ev.ApprovalEdited) else {}
            written = _read(self._proposed.get(event.call, ""))
            for arguments in (event.arguments, former, written):
                self._values += (arguments[name] for name in event.private if name in arguments)
            self._mask = _private_mask(self._values)

    def masked(self, event: ev.Event) -> ev.Event:
        """The event as a view may show it."""
        return _masked_event(event, self._mask)


def _read(arguments: str) -> dict[str, Any]:
    """What a model wrote for arguments; nothing when it is no JSON object."""
    try:
        read = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return {}
    return read if isinstance(read, dict) else {}


def _private_mask(values: Iterable[Any]) -> Callable[[str], str]:
    """Masks credentials and the values, the longer ones first."""
    texts = sorted({text for value in values for text in _texts(value)}, key=len, reverse=True)
    if not texts:
        return mask_text
    pattern = re.compile("|".join(map(re.escape, texts)))
    return lambda text: mask_text(pattern.sub(lambda found: _private(found[0]), text))


def _texts(value: Any) -> Iterable[str]:
    """The texts and numbers in a value that are long enough to be found again in other text."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value).strip()
        if len(text) >= (4 if text.isascii() else 2):
            yield text


def _private(value: Any) -> Any:
    """The mask of a private value, which tells what kind of number it was."""
    if isinstance(value, dict):
        return {name: _private(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_private(item) for item in value]
    text = str(value)
    if _ID_CARD.fullmatch(text):
        return _mask("id_card", text)
    digits = re.sub(r"\D", "", text)
    if not _DIGITS.fullmatch(text):
        return _mask("private")
    if 12 <= len(digits) <= 19 and _luhn(digits):
        return _mask("bank_card", digits)
    return f"[masked:number:{digits[-4:]}]"


def _luhn(digits: str) -> bool:
    """Whether the check digit of a card number is right (ISO/IEC 7812-1, annex B)."""
    doubled = [int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


_WithArguments = ev.CallValidated | ev.CallRejected | ev.ApprovalEdited
_FREE = frozenset(
    "text content reasoning data arguments former question detail reason draft faults notes why"
    " input description desc request asked hidden".split()
)
"""Fields of events whose texts people and models write; what is under them is masked, and no
name, id, digest or instant."""


def _masked_event(event: ev.Event, mask: Callable[[str], str]) -> ev.Event:
    built: dict[str, Any] = msgspec.to_builtins(event)
    masked = _masked_fields(built, mask)
    if isinstance(event, _WithArguments) and event.private:
        for field in {"arguments", "former"} & built.keys():
            hidden = {n: _private(v) for n, v in built[field].items() if n in event.private}
            masked = {**masked, field: {**masked[field], **hidden}}
    if masked is built:
        return event
    again: ev.Event = msgspec.convert(masked, ev.Event)
    return again


def _masked_fields(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        masked = {
            name: mask_value(item, mask) if name in _FREE else _masked_fields(item, mask)
            for name, item in value.items()
        }
        return masked if any(masked[name] is not value[name] for name in value) else value
    if isinstance(value, list | tuple):
        listed = [_masked_fields(item, mask) for item in value]
        return listed if any(a is not b for a, b in zip(listed, value, strict=True)) else value
    return value
