"""A call as the HTTP request that it stands for. What a model chose can fill its place and nothing
else: no further path, query, header or host comes of it (case X14)."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from pointsman.adapters.tools.http_settings import HttpOperation, HttpParameter

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_NO_BODY = frozenset({"GET", "HEAD", "OPTIONS"})


class Unfit(Exception):
    """A value that cannot go where it should. ``str(error)`` is for the model."""


class Outgoing(Struct, frozen=True, kw_only=True):
    """A request as it is sent."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None


def request_of(operation: HttpOperation, arguments: Mapping[str, Any], *, key: str) -> Outgoing:
    """The request of a call.

    Args:
        operation: with the environment's values put in.
        key: the call's idempotency key.

    Raises:
        Unfit: an argument cannot go where it should.
    """
    given = {one.name: arguments.get(one.name) for one in operation.parameters}
    headers = {"Accept": "application/json, text/*;q=0.9, */*;q=0.5", **operation.headers}
    query: list[tuple[str, str]] = list(operation.query.items())
    for one in operation.parameters:
        value = given[one.name]
        if value is None:
            continue
        if one.where == "query":
            query += [(one.key, text) for text in _texts(one, value)]
        elif one.where == "header":
            headers[one.key] = _line(one.name, ",".join(_texts(one, value)))
    if operation.key_header:
        headers[operation.key_header] = key
    body, kind = _body(operation, given)
    if kind:
        headers["Content-Type"] = kind
    return Outgoing(
        method=operation.method,
        url=_url(operation, given, query),
        headers=headers,
        body=body,
    )


def _url(operation: HttpOperation, given: Mapping[str, Any], query: list[tuple[str, str]]) -> str:
    if whole := _PLACE.fullmatch(operation.url):
        return _line(whole[1], str(given.get(whole[1]) or ""))
    url = _PLACE.sub(lambda found: _step(found[1], given.get(found[1])), operation.url)
    _, _, path = url.partition("://")
    if any(step in (".", "..") for step in path.split("/")):
        raise Unfit("a step of the path may not be '.' or '..'")
    return f"{url}?{urlencode(query, quote_via=quote, safe='')}" if query else url


def _step(name: str, value: Any) -> str:
    """A value as a piece of a path."""
    text = _line(name, _text(value))
    if not text:
        raise Unfit(f"{name} is empty, and the address needs it")
    return quote(text, safe="")


def _texts(one: HttpParameter, value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    texts = [_line(one.name, _text(item)) for item in values]
    return [",".join(texts)] if one.joined else texts


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _line(name: str, text: str) -> str:
    if _CONTROL.search(text):
        raise Unfit(f"{name} may hold no line breaks or control characters")
    return text


def _body(operation: HttpOperation, given: Mapping[str, Any]) -> tuple[bytes | None, str]:
    """The body and its content type."""
    inside = [one for one in operation.parameters if one.where in ("body", "whole")]
    if operation.body is not None:
        content = _placed(operation.body, given)
    elif not inside or operation.method in _NO_BODY:
        return None, ""
    elif inside[0].where == "whole":
        content = given[inside[0].name]
        if content is None:
            return None, ""
    else:
        content = {one.key: given[one.name] for one in inside if given[one.name] is not None}
    if operation.encoding == "form":
        pairs = content.items() if isinstance(content, Mapping) else ()
        form = [
            (name, _text(item))
            for name, value in pairs
            for item in (value if isinstance(value, list) else [value])
        ]
        return urlencode(form).encode(), "application/x-www-form-urlencoded"
    return json.dumps(content, ensure_ascii=False).encode(), "application/json"


_ABSENT = object()


def _placed(template: Any, given: Mapping[str, Any]) -> Any:
    """The body with the values in their places; what was not given is left out."""
    filled = _filled(template, given)
    return None if filled is _ABSENT else filled


def _filled(template: Any, given: Mapping[str, Any]) -> Any:
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1] in given:
            value = given[whole[1]]
            return _ABSENT if value is None else value
        return _PLACE.sub(
            lambda found: _text(given[found[1]]) if found[1] in given else found[0], template
        )
    if isinstance(template, Mapping):
        items = {name: _filled(one, given) for name, one in template.items()}
        return {name: one for name, one in items.items() if one is not _ABSENT}
    if isinstance(template, list | tuple):
        return [one for one in (_filled(one, given) for one in template) if one is not _ABSENT]
    return template


def placeholders(value: Any) -> set[str]:
    """The names in braces in a text, or in the texts of a JSON value."""
    if isinstance(value, str):
        return set(_PLACE.findall(re.sub(r"\$\{[^}]*\}", "", value)))
    if isinstance(value, Mapping):
        return {name for one in value.values() for name in placeholders(one)}
    if isinstance(value, list | tuple):
        return {name for one in value for name in placeholders(one)}
    return set()
