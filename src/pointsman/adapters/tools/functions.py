"""Python functions as tools: declared with ``@tool`` and otherwise unchanged.

    @tool(risk="write", timeout=10)
    def refund_order(order_id: str, amount: float) -> str:
        \"\"\"Refund an order.\"\"\"

Async functions are awaited, others run in a thread (``threads``). The schema comes from the type
hints and the docstring (``signatures``).
"""

import functools
import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

import anyio.from_thread
from msgspec import Struct, structs
from pydantic import ValidationError

from pointsman.adapters.tools.happened import Check, Happened, checked_by
from pointsman.adapters.tools.returned import as_json
from pointsman.adapters.tools.signatures import FromContext, signature_of
from pointsman.adapters.tools.threads import Flight, Threads, TooManyAbandoned
from pointsman.domain import names, results
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits, breaker_of, rate_of
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.text import clean
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.errors import ToolDefinitionError
from pointsman.ports import CallContext, Checked

__all__ = ["FromContext", "FunctionTool", "FunctionTools", "Happened", "ToolError", "tool"]

log = logging.getLogger("pointsman.tools")

Function = TypeVar("Function", bound=Callable[..., Any])

_DECLARED = "__pointsman_tool__"
_IN_WORDS: dict[str, Callable[[object], Any]] = {"rate": rate_of, "breaker": breaker_of}
"""Options that are read from words."""
_MESSAGE = 500
_PERMANENT = (
    FileNotFoundError,
    FileExistsError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
)


class ToolError(Exception):
    """Raised by a tool's author: the call failed, and the model may read why.

    Args:
        message: shown to the model as it is.
        retryable: a further attempt may succeed.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class Declaration(Struct, frozen=True, kw_only=True):
    """What a function's author, or the agent file over him, says about it; see ``ToolSpec``."""

    name: str = ""
    title: str = ""
    titles: Mapping[str, str] = {}
    parameters: Mapping[str, Mapping[str, Any]] = {}
    description: str = ""
    risk: Risk = Risk.WRITE
    timeout: float = 30.0
    idempotent: bool = False
    retries: int = 2
    trusted: bool = True
    at_once: int = 0
    rate: Rate | None = None
    breaker: BreakerLimits = BreakerLimits()
    check: Check | None = None


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(
    *,
    name: str = ...,
    title: str | Mapping[str, str] = ...,
    description: str = ...,
    risk: Risk | str = ...,
    timeout: float = ...,
    idempotent: bool = ...,
    retries: int = ...,
    trusted: bool = ...,
    at_once: int = ...,
    rate: str = ...,
    breaker: bool | Mapping[str, float] = ...,
    check: Check = ...,
) -> Callable[[Function], Function]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Declare a function as a tool. The function stays the plain function that it is.

    Args:
        name: for the model; the function's own name when left out.
        title: for people, in questions and confirmations; also by language, as a mapping of ``zh``
            and ``en``.
        description: for the model; the docstring's when left out.
        risk: read, write or critical; write when left out.
        timeout: seconds for one attempt.
        idempotent: running it twice is the same as once.
        retries: further attempts after a retryable failure, if read-only or idempotent.
        trusted: its results are our own words, not a stranger's.
        at_once: calls that run at the same time, over all runs; 0 for any number.
        rate: calls of one user, such as ``10/min``; any when left out.
        breaker: leave the tool alone for ``pause`` seconds after so many ``failures`` in so many
            seconds (``window``), as a mapping; True for the usual numbers, False for never.
        check: says of a call that was cut off whether it happened (``happened``).

    Raises:
        ToolDefinitionError: an option has a value that cannot be meant.
    """
    declaration = _declaration(Declaration(), options, "@tool")

    def declare(function: Function) -> Function:
        if not inspect.isfunction(function):
            raise ToolDefinitionError(f"@tool: {function!r} is not a function")
        setattr(function, _DECLARED, declaration)
        return function

    return declare if function is None else declare(function)


def is_declared(value: Any) -> bool:
    """Whether it is a function under ``@tool``."""
    return inspect.isfunction(value) and hasattr(value, _DECLARED)


class FunctionTool:
    """A function as the engine calls it.

    Args:
        overrides: fields of the declaration that somebody else, such as the agent file, sets;
            ``parameters`` among them (name → keywords of its schema).

    Raises:
        ToolDefinitionError: the function cannot be a tool: which one, and why.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        source: str = "python",
        overrides: Mapping[str, Any] | None = None,
        threads: Threads | None = None,
    ) -> None:
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function)
        self._threads = threads or Threads()
        self._signature = signature = signature_of(function)
        self.name = original = function.__name__
        declared = getattr(function, _DECLARED, Declaration())
        said = _declaration(declared, dict(overrides or {}), f"tool function {original!r}")
        self._check = said.check
        if unknown := said.parameters.keys() - signature.parameters["properties"].keys():
            raise ToolDefinitionError(
                f"tool function {original!r} takes no parameter {min(unknown)!r} from the model"
            )
        self.spec: ToolSpec = tool_spec(
            source=source,
            original=original,
            name=names.safe(said.name or original),
            description=said.description or signature.description,
            parameters=signature.parameters,
            title=said.title,
            titles=said.titles,
            said=said.parameters,
            risk=said.risk,
            timeout=said.timeout,
            idempotent=said.idempotent,
            retries=said.retries,
            trusted=said.trusted,
            context=signature.context,
            limits=ToolLimits(at_once=said.at_once, rate=said.rate, breaker=said.breaker),
        )

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Run the function once."""
        flight = Flight()
        try:
            values = self._signature.read(arguments, self._context(context, flight))
        except ValidationError as fault:
            return _failed(ResultStatus.REJECTED, _first_fault(fault))
        try:
            returned = await self._run(values, flight)
            return self._result(returned, arguments, context.language)
        except ToolError as fault:
            return _failed(ResultStatus.ERROR, str(fault), retryable=fault.retryable)
        except TooManyAbandoned as fault:
            return _failed(ResultStatus.FAILED, str(fault), retryable=True)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - the border to foreign code
            message = f"{type(fault).__name__}: {fault}".removesuffix(": ")
            return _failed(ResultStatus.FAILED, message, retryable=_may_pass(fault))

    async def check(self, arguments: Mapping[str, Any], context: CallContext) -> Checked | None:
        """What the tool's ``check`` knows of a call that was cut off; None when it has none."""
        if self._check is None:
            return None
        ask = functools.partial(self._check, dict(arguments), context)
        try:
            is_async = inspect.iscoroutinefunction(self._check)
            said = ask() if is_async else await self._threads.run(self.name, ask, Flight())
            said = await said if inspect.isawaitable(said) else said
            if not isinstance(said, Happened):
                raise TypeError(f"the check gave {type(said).__name__}, not Happened")
            if said.answer != "happened":
                return Checked(answer=said.answer)
            result = self._result(said.value, arguments, context.language)
            return Checked(answer="happened", result=result)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - the border to foreign code
            log.warning("tool %s: its check failed: %s", self.name, fault)
            return Checked(answer="unknown", detail=f"{type(fault).__name__}: {fault}")

    def _context(self, context: CallContext, flight: Flight) -> CallContext:
        """What the function is told of the run; from a thread, in a thread's way."""
        if self._is_async:
            return context
        return structs.replace(
            context,
            cancelled=flight.cancelled,
            progress=functools.partial(_progress_from_thread, context, flight),
        )

    async def _run(self, values: dict[str, Any], flight: Flight) -> Any:
        if self._is_async:
            return await self._function(**values)
        call = functools.partial(self._function, **values)
        returned = await self._threads.run(self.name, call, flight)
        return await returned if inspect.isawaitable(returned) else returned

    def _result(self, returned: Any, arguments: Mapping[str, Any], language: str) -> ToolResult:
        if isinstance(returned, ToolResult):
            return returned
        shown = {name: arguments[name] for name in arguments if name not in self.spec.context}
        content, plain, had_nan = results.content(as_json(returned), shown, language)
        if had_nan:
            log.warning("tool %s returned numbers that are not finite", self.name)
        structured = plain if isinstance(plain, dict | list) else None
        return ToolResult(status=ResultStatus.OK, content=content, data=structured)


class FunctionTools:
    """Python functions as a source of tools; always ready.

    Args:
        name: of the source.
        functions: functions, under ``@tool`` or not, or tools made of them.

    Raises:
        ToolDefinitionError: a function cannot be a tool, or two have one name.
    """

    def __init__(self, name: str, functions: Sequence[Callable[..., Any] | FunctionTool]) -> None:
        self.name = name
        threads = Threads()
        self._tools = tuple(
            one
            if isinstance(one, FunctionTool)
            else FunctionTool(one, source=name, threads=threads)
            for one in functions
        )
        seen: set[str] = set()
        for one in self._tools:
            if one.spec.name in seen:
                raise ToolDefinitionError(f"two functions make a tool {one.spec.name!r}")
            seen.add(one.spec.name)

    async def open(self) -> None:
        """Nothing to start."""

    async def settle(self, patience: float | None = None) -> None:
        """Nothing to wait for."""

    def tools(self) -> Sequence[FunctionTool]:
        return self._tools

    def absent(self, name: str) -> ToolResult | None:
        return None

    def state(self) -> str:
        return "ready"

    async def aclose(self) -> None:
        """Nothing to let go of; threads end with their functions."""


def _progress_from_thread(
    context: CallContext, flight: Flight, fraction: float | None, message: str
) -> None:
    if not flight.cancelled():
        anyio.from_thread.run_sync(context.progress, fraction, message)


def _declaration(base: Declaration, options: dict[str, Any], where: str) -> Declaration:
    """The declaration with some fields set, checked.

    Raises:
        ToolDefinitionError: an unknown field, or a value that cannot be meant.
    """
    if unknown := options.keys() - set(Declaration.__struct_fields__):
        raise ToolDefinitionError(f"{where}: unknown option {min(unknown)!r}")
    if isinstance(title := options.get("title", ""), Mapping):
        options["titles"], options["title"] = _titles(title, where), next(iter(title.values()), "")
    elif title:
        options.setdefault("titles", {})
    risk = options.get("risk", base.risk)
    if risk not in list(Risk):
        known = ", ".join(Risk)
        raise ToolDefinitionError(f"{where}: risk must be one of {known}, not {risk!r}")
    for name in _IN_WORDS.keys() & options.keys():
        try:
            options[name] = _IN_WORDS[name](options[name])
        except ValueError as fault:
            raise ToolDefinitionError(f"{where}: {name}: {fault}") from None
    if options.get("check") is not None:
        options["check"] = checked_by(options["check"], where)
    declared = structs.replace(base, **{**options, "risk": Risk(risk)})
    timeout: Any = declared.timeout
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise ToolDefinitionError(f"{where}: timeout must be seconds above 0, not {timeout!r}")
    for name in ("retries", "at_once"):
        number: Any = getattr(declared, name)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ToolDefinitionError(f"{where}: {name} must be 0 or more, not {number!r}")
    return declared


def _titles(given: Mapping[str, str], where: str) -> dict[str, str]:
    if given.keys() - {"zh", "en"} or not all(isinstance(one, str) for one in given.values()):
        raise ToolDefinitionError(f"{where}: title must be a text, or texts by zh and en")
    return dict(given)


def _failed(status: ResultStatus, message: str, *, retryable: bool = False) -> ToolResult:
    text = clean(message)
    short = text if len(text) <= _MESSAGE else text[:_MESSAGE] + "…"
    return ToolResult(status=status, content=f"ERROR: {short}", retryable=retryable)


def _first_fault(fault: ValidationError) -> str:
    first = fault.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _may_pass(fault: BaseException) -> bool:
    """Whether the same call may succeed later: the network's faults, not the caller's."""
    return isinstance(fault, OSError) and not isinstance(fault, _PERMANENT)
