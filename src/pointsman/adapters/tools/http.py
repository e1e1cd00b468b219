"""HTTP operations as a source of tools: those that an agent file writes down, and those of an
OpenAPI document (``openapi``).

Above: the registry and the executor. Below: ``http_request`` (what is sent), ``http_fetch`` (how),
``http_guard`` (where to).
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import anyio
from msgspec.structs import replace

from pointsman.adapters.tools.http_fetch import LONGEST_ANSWER, Answer, Fetcher, Lost, NotSent, Sent
from pointsman.adapters.tools.http_guard import (
    Unsafe,
    check_host,
    target_of,
)
from pointsman.adapters.tools.http_request import Unfit, request_of
from pointsman.adapters.tools.http_resolver import CheckedResolver, Resolve, system_resolve
from pointsman.adapters.tools.http_settings import Filler, HttpOperation, HttpSettings
from pointsman.domain import names, results, retry
from pointsman.domain.arguments.json_text import clean_value
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.text import clean
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec
from pointsman.errors import ToolSourceError
from pointsman.ports import CallContext, Tool

_LATER = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses after which the same request may succeed."""
_NOBODY_KNOWS = frozenset({502, 504})
"""A server in between says that it does not know what became of the request."""
_MOST_SAID = 4000
"""Characters of an error's body that the model reads."""


class HttpTool:
    """One operation."""

    def __init__(
        self, operation: HttpOperation, settings: HttpSettings, fetcher: Fetcher, filler: Filler
    ) -> None:
        self.spec = spec_of(operation, settings)
        self._operation, self._fetcher, self._filler = operation, fetcher, filler

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Ask once, in at most ``spec.timeout`` seconds."""
        sent = Sent()
        with anyio.move_on_after(self.spec.timeout):
            try:
                request = request_of(
                    filled(self._operation, self._filler), clean_value(arguments), key=context.key
                )
                answer = await self._fetcher.fetch(request, sent)
            except (Unfit, ToolSourceError) as fault:
                return _failed(str(fault), ResultStatus.REJECTED)
            except NotSent as fault:
                return _failed(str(fault), ResultStatus.FAILED, retryable=fault.retryable)
            except Lost as fault:
                return self._uncertain(str(fault))
            return self._result(answer, arguments, context.language)
        if sent.yet:
            return retry.after_timeout(self.spec)
        return _failed("the server could not be reached in time", retryable=True)

    def _uncertain(self, why: str) -> ToolResult:
        if self.spec.repeatable:
            return _failed(why, retryable=True)
        return retry.uncertain(why)

    def _result(self, answer: Answer, arguments: Mapping[str, Any], language: str) -> ToolResult:
        if not 200 <= answer.status < 300:
            return self._refusal(answer)
        if answer.encoded or not answer.whole:
            why = (
                f"is coded as {clean(answer.encoded)[:20]!r}"
                if answer.encoded
                else f"is larger than {LONGEST_ANSWER} bytes"
            )
            if self.spec.repeatable:
                return _failed(f"the answer {why}", ResultStatus.ERROR)
            return ToolResult(
                status=ResultStatus.OK,
                content=f"HTTP {answer.status}: it was done. The answer {why}, and is left out.",
            )
        value = self._read(answer)
        text, data, _ = results.content(value, arguments, language)
        plain = None if isinstance(value, str) or value is None else data
        return ToolResult(status=ResultStatus.OK, content=text, data=plain)

    def _refusal(self, answer: Answer) -> ToolResult:
        if answer.status in _NOBODY_KNOWS and not self.spec.repeatable:
            return retry.uncertain(f"HTTP {answer.status}")
        said = "" if answer.encoded else self._text(answer).strip()
        text = f"ERROR: HTTP {answer.status}" + (f": {said[:_MOST_SAID]}" if said else "")
        return ToolResult(
            status=ResultStatus.ERROR, content=text, retryable=answer.status in _LATER
        )

    def _read(self, answer: Answer) -> Any:
        """The answer's JSON value, or its text, or what it is when it is neither."""
        kind = answer.content_type
        if not answer.body:
            return None
        if kind == "application/json" or kind.endswith("+json"):
            try:
                return json.loads(self._text(answer))
            except (ValueError, RecursionError):
                return self._text(answer)
        if kind.startswith("text/") or kind.endswith(("xml", "yaml", "x-www-form-urlencoded")):
            return self._text(answer)
        return f"[{clean(kind)[:80]}, {len(answer.body)} bytes]"

    def _text(self, answer: Answer) -> str:
        try:
            text = answer.body.decode(answer.charset or "utf-8", "replace")
        except (LookupError, ValueError):
            text = answer.body.decode("utf-8", "replace")
        return self._filler.mask(clean(text))


def spec_of(operation: HttpOperation, settings: HttpSettings) -> ToolSpec:
    """The operation as the engine knows it."""
    return tool_spec(
        source=settings.name,
        original=operation.original,
        name=names.safe(operation.name),
        description=clean(operation.description),
        parameters=dict(operation.schema),
        title=operation.title,
        titles=operation.titles,
        said=operation.said,
        risk=operation.effect,
        timeout=operation.timeout or 30.0,
        idempotent=operation.repeatable,
        retries=2 if operation.retries is None else operation.retries,
        trusted=settings.trusted,
        limits=operation.limits,
    )


def filled(operation: HttpOperation, filler: Filler) -> HttpOperation:
    """The operation with the environment's values put in.

    Raises:
        ToolSourceError: a variable is not set.
    """
    return replace(
        operation,
        url=filler.filled(operation.url),
        body=filler.filled(operation.body),
        query=filler.filled(operation.query),
        headers=filler.filled(operation.headers),
    )


def _failed(
    why: str, status: ResultStatus = ResultStatus.FAILED, *, retryable: bool = False
) -> ToolResult:
    return ToolResult(status=status, content=f"ERROR: {why}", retryable=retryable)


class HttpTools:
    """``ports.ToolSource`` of one server's operations."""

    def __init__(
        self,
        settings: HttpSettings,
        *,
        environ: Mapping[str, str] = os.environ,
        fetcher: Fetcher | None = None,
    ) -> None:
        self.name = settings.name
        self._settings = settings
        self._filler = Filler(environ)
        self._fetcher = fetcher or Fetcher(settings.private)
        self._tools = tuple(
            HttpTool(one, settings, self._fetcher, self._filler) for one in settings.operations
        )

    async def open(self) -> None:
        """Nothing is connected to before the first call."""
        self._fetcher.open()

    async def settle(self, patience: float | None = None) -> None:
        """The list never changes."""

    def tools(self) -> Sequence[Tool]:
        return self._tools

    def absent(self, name: str) -> ToolResult | None:
        return None

    def state(self) -> str:
        """``ready``, or which variable is not set."""
        try:
            for one in self._settings.operations:
                filled(one, self._filler)
        except ToolSourceError as fault:
            return str(fault)
        return "ready"

    async def aclose(self) -> None:
        await self._fetcher.aclose()


async def out_of_reach(
    settings: HttpSettings,
    environ: Mapping[str, str] = os.environ,
    resolve: Resolve = system_resolve,
) -> list[str]:
    """Why hosts of the operations cannot be asked, one sentence each; asks only for their
    addresses."""
    filler = Filler(environ)
    resolver = CheckedResolver(settings.private, resolve)
    problems: dict[str, None] = {}
    for one in settings.operations:
        if one.url.startswith("{"):
            continue
        try:
            target = target_of(str(filler.filled(one.url)))
            check_host(target.host, private=target.host in settings.private)
            await resolver.resolve(target.host, target.origin[2])
        except (Unsafe, ToolSourceError) as fault:
            problems[str(fault)] = None
        except OSError as fault:
            problems[f"the host of {one.url} has no address: {fault.strerror or fault}"] = None
    return list(problems)
