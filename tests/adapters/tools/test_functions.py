"""Python functions as tools: schema, context, threads, results, faults."""

import dataclasses
import inspect
import logging
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from pydantic import AfterValidator, BaseModel, Field

from pointsman.adapters.tools.functions import (
    FromContext,
    FunctionTool,
    FunctionTools,
    ToolError,
    tool,
)
from pointsman.adapters.tools.threads import Threads
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.errors import ToolDefinitionError
from pointsman.ports import CallContext
from tests.cases import CASES

pytestmark = pytest.mark.anyio


def context(**given: Any) -> CallContext:
    fields: dict[str, Any] = {
        "run": "r1",
        "conversation": "c1",
        "user": "li",
        "agent": "travel",
        "input": "明天成都天气",
        "language": "zh",
        "now": datetime(2025, 3, 1, 10, tzinfo=ZoneInfo("Asia/Shanghai")),
        "key": "r1:1.0",
        "progress": lambda fraction, message: None,
    }
    return CallContext(**(fields | given))


async def called(function: Callable[..., Any], **arguments: Any) -> ToolResult:
    return await FunctionTool(function).call(arguments, context())


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    return FunctionTool(function).spec.parameters


# Declaration


def test_a_bare_decorator_leaves_the_function_as_it_is() -> None:
    def add(a: int, b: int = 1) -> int:
        return a + b

    decorated = tool(add)
    assert decorated is add
    assert add(2, b=3) == 5
    assert str(inspect.signature(add)) == "(a: int, b: int = 1) -> int"


def test_what_is_declared_stands_in_the_spec() -> None:
    @tool(
        name="refund",
        title="退款",
        description="Pays back.",
        risk="critical",
        timeout=5,
        idempotent=True,
        retries=0,
        trusted=False,
    )
    def refund_order(order_id: str) -> str:
        return order_id

    spec = FunctionTool(refund_order).spec
    assert (spec.name, spec.original, spec.source) == ("refund", "refund_order", "python")
    assert (spec.title, spec.description, spec.risk) == ("退款", "Pays back.", Risk.CRITICAL)
    assert (spec.timeout, spec.idempotent, spec.retries, spec.trusted) == (5, True, 0, False)


def test_an_undeclared_function_counts_as_writing() -> None:
    def save(text: str) -> None: ...

    assert FunctionTool(save).spec.risk is Risk.WRITE


def test_the_agent_file_stands_over_the_declaration() -> None:
    @tool(risk="read", timeout=5)
    def query() -> None: ...

    spec = FunctionTool(query, overrides={"risk": "write", "title": "查询"}).spec
    assert (spec.risk, spec.title, spec.timeout) == (Risk.WRITE, "查询", 5)


@pytest.mark.parametrize(
    "options",
    [
        {"risk": "dangerous"},
        {"timeout": 0},
        {"timeout": True},
        {"timeout": "5"},
        {"timeout": float("nan")},
        {"retries": -1},
        {"retries": 1.5},
        {"at_once": -1},
        {"rate": "ten a minute"},
        {"rate": "0/min"},
        {"breaker": "off"},
        {"breaker": {"failure": 3}},
        {"breaker": {"pause": 0}},
        {"colour": "red"},
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ToolDefinitionError, match=next(iter(options))):
        tool(**options)


def test_limits_are_declared_in_words() -> None:
    @tool(at_once=2, rate="3/10s", breaker={"failures": 2, "pause": 5})
    def look() -> str:
        return ""

    assert FunctionTool(look).spec.limits == ToolLimits(
        at_once=2,
        rate=Rate(calls=3, seconds=10),
        breaker=BreakerLimits(failures=2, window=60, pause=5),
    )
    quiet = FunctionTool(look, overrides={"breaker": False, "at_once": 0}).spec.limits
    assert (quiet.at_once, quiet.breaker.failures, quiet.rate) == (0, 0, Rate(calls=3, seconds=10))


def test_a_name_in_another_script_is_made_safe() -> None:
    def 查询天气(城市: str) -> str:
        return 城市

    spec = FunctionTool(查询天气).spec
    assert spec.name.isascii()
    assert spec.original == "查询天气"
    assert list(spec.parameters["properties"]) == ["城市"]


def no_type(city) -> str:  # type: ignore[no-untyped-def] # the fault under test
    return str(city)


def takes_all(*cities: str) -> str:
    return "".join(cities)


def takes_any(**more: str) -> str:
    return "".join(more)


def positional(city: str, /) -> str:
    return city


def unknown_hint(city: "Town") -> str:  # type: ignore[name-defined] # noqa: F821 - the fault
    return str(city)


def odd_type(lock: threading.Thread) -> str:
    return str(lock)


def no_such_field(login: Annotated[str, FromContext("password")]) -> str:
    return login


def yields(city: str) -> Any:
    yield city


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (no_type, "'city' has no type"),
        (takes_all, r"\*cities"),
        (takes_any, r"\*\*more"),
        (positional, "positional-only"),
        (unknown_hint, "Town"),
        (odd_type, "no JSON form"),
        (no_such_field, "'password'"),
        (yields, "yields"),
        (Threads, "not a function"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_named_with_its_fault(
    function: Callable[..., Any], word: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=word) as fault:
        FunctionTool(function)
    assert function.__name__ in str(fault.value)


def test_two_functions_of_one_name_are_refused() -> None:
    def query() -> None: ...

    with pytest.raises(ToolDefinitionError, match="query"):
        FunctionTools("python", [query, query])


async def test_a_source_of_functions_is_always_ready() -> None:
    def query() -> None: ...

    source = FunctionTools("mine", [query])
    await source.open()
    await source.settle()
    assert source.state() == "ready"
    assert [one.spec.source for one in source.tools()] == ["mine"]
    assert source.tools() is source.tools()
    await source.aclose()


# Schema


class Unit(Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(BaseModel):
    name: str
    floor: int = 1


def test_the_schema_comes_from_the_type_hints() -> None:
    def everything(
        city: str,
        mode: Literal["car", "bike"],
        unit: Unit = Unit.CELSIUS,
        at: datetime | None = None,
        place: Place | None = None,
        days: Annotated[int, Field(ge=1, le=7, title="天数", description="几天")] = 3,
        tags: list[str] = [],  # noqa: B006 - only read
        copy: bool = False,
        schema: str = Field("x", max_length=5),
    ) -> None: ...

    parameters = parameters_of(everything)
    properties = parameters["properties"]
    assert parameters["required"] == ["city", "mode"]
    assert properties["city"] == {"type": "string"}
    assert properties["mode"] == {"type": "string", "enum": ["car", "bike"]}
    assert parameters["$defs"]["Unit"] == {"type": "string", "enum": ["celsius", "fahrenheit"]}
    assert properties["at"]["anyOf"][0] == {"type": "string", "format": "date-time"}
    assert "title" not in parameters["$defs"]["Place"]
    assert properties["days"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 7,
        "title": "天数",
        "description": "几天",
        "default": 3,
    }
    assert properties["copy"] == {"type": "boolean", "default": False}
    assert properties["schema"] == {"type": "string", "maxLength": 5, "default": "x"}


def test_a_default_that_is_no_json_does_not_matter() -> None:
    def odd(key: str = object()) -> None:  # type: ignore[assignment] # the oddity under test
        ...

    assert "required" not in parameters_of(odd)


async def test_arguments_arrive_as_the_types_of_the_hints() -> None:
    seen: list[Any] = []

    async def take(
        unit: Unit,
        at: datetime,
        day: date,
        money: Decimal,
        place: Place,
        tags: set[str],
        days: int = Field(3, ge=1),
        note: str | None = None,
    ) -> None:
        seen.extend([unit, at, day, money, place, tags, days, note])

    result = await called(
        take,
        unit="celsius",
        at="2025-03-05T09:00:00+08:00",
        day="2025-03-05",
        money="1.50",
        place={"name": "大厅"},
        tags=["a", "a"],
    )
    assert result.ok, result.content
    assert seen == [
        Unit.CELSIUS,
        datetime(2025, 3, 5, 1, tzinfo=UTC),
        date(2025, 3, 5),
        Decimal("1.50"),
        Place(name="大厅"),
        {"a"},
        3,
        None,
    ]


async def test_a_check_of_the_authors_own_types_keeps_the_function_from_running() -> None:
    def even(number: int) -> int:
        if number % 2:
            raise ValueError("must be even")
        return number

    def halve(number: Annotated[int, AfterValidator(even)]) -> int:
        raise AssertionError("must not run")

    result = await called(halve, number=3)
    assert result.status is ResultStatus.REJECTED
    assert "number" in result.content
    assert "must be even" in result.content


# Context


async def test_context_parameters_are_hidden_from_the_model_and_filled() -> None:
    def whoami(
        greeting: str,
        about: CallContext,
        login: Annotated[str, FromContext("user")] = "",
        at: Annotated[datetime | None, FromContext("now")] = None,
    ) -> str:
        assert at is not None
        return f"{greeting} {login} of {about.agent} at {at.hour}"

    one = FunctionTool(whoami)
    assert list(one.spec.parameters["properties"]) == ["greeting"]
    assert one.spec.parameters["required"] == ["greeting"]
    assert one.spec.context == {"login": "user", "at": "now"}
    filled = {"greeting": "hi", "login": "li", "at": "2025-03-01T10:00:00+08:00"}
    assert (await one.call(filled, context())).content == "hi li of travel at 10"


# Results


@dataclasses.dataclass
class Row:
    id: int
    day: date


class Pair(NamedTuple):
    left: int
    right: str


@pytest.mark.parametrize(
    ("returned", "content"),
    [
        ("晴", "晴"),
        (None, "已执行完毕，没有返回内容。"),
        ([], '没有查到结果（a="b"）；这就是最终结果，不必重试。'),
        (0, "0"),
        (True, "true"),
        (1.5, "1.5"),
        ({"天气": "晴"}, '{"天气": "晴"}'),
        ({1: "a", Unit.CELSIUS: "b"}, '{"1": "a", "celsius": "b"}'),
        (Place(name="大厅"), '{"name": "大厅", "floor": 1}'),
        (Row(id=1, day=date(2025, 3, 5)), '{"id": 1, "day": "2025-03-05"}'),
        (Pair(left=1, right="b"), '{"left": 1, "right": "b"}'),
        ((1, {"b", "a"}), '[1, ["a", "b"]]'),
        (Unit.CELSIUS, "celsius"),
        (Decimal("12.50"), "12.50"),
        (datetime(2025, 3, 5, 9, tzinfo=UTC), "2025-03-05T09:00:00+00:00"),
        (2**70, str(2**70)),
        ("文字".encode(), "文字"),
        (b"\xff\xfe\x00", "<3 bytes of binary data>"),
        ({"error": "looks like one"}, '{"error": "looks like one"}'),
        ("a\ud83d", "a\ufffd"),
    ],
)
async def test_a_returned_value_becomes_readable_text(returned: Any, content: str) -> None:
    def give(a: str) -> Any:
        return returned

    result = await called(give, a="b")
    assert (result.status, result.content) == (ResultStatus.OK, content)


async def test_a_structured_value_is_kept_beside_its_text() -> None:
    def give() -> Any:
        return {"rows": [Row(id=1, day=date(2025, 3, 5))]}

    assert (await called(give)).data == {"rows": [{"id": 1, "day": "2025-03-05"}]}


async def test_a_value_that_holds_itself_does_not_end_the_run() -> None:
    def give() -> Any:
        loop: list[Any] = []
        loop.append(loop)
        return loop

    assert (await called(give)).ok


async def test_m23_a_result_that_is_not_a_number_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    case = CASES["M23"]

    def mean() -> Any:
        return eval(case["input"]["python"])

    result = await called(mean)
    assert result.content == case["expected"]["content"]
    assert result.data == {"mean": "NaN"}
    assert "mean" in caplog.text


async def test_a_whole_result_is_passed_on() -> None:
    made = ToolResult(status=ResultStatus.ERROR, content="sold out")

    def give() -> ToolResult:
        return made

    assert await called(give) is made


# Faults


@pytest.mark.parametrize(
    ("raised", "status", "content", "retryable"),
    [
        (ToolError("库存不足"), ResultStatus.ERROR, "ERROR: 库存不足", False),
        (ToolError("busy", retryable=True), ResultStatus.ERROR, "ERROR: busy", True),
        (ValueError("no"), ResultStatus.FAILED, "ERROR: ValueError: no", False),
        (KeyError("id"), ResultStatus.FAILED, "ERROR: KeyError: 'id'", False),
        (ConnectionError("x"), ResultStatus.FAILED, "ERROR: ConnectionError: x", True),
        (TimeoutError(), ResultStatus.FAILED, "ERROR: TimeoutError", True),
        (OSError(101, "no net"), ResultStatus.FAILED, "ERROR: OSError: [Errno 101] no net", True),
        (FileNotFoundError("f"), ResultStatus.FAILED, "ERROR: FileNotFoundError: f", False),
        (SystemExit(3), ResultStatus.FAILED, "ERROR: SystemExit: 3", False),
        (ValueError("\ud83d"), ResultStatus.FAILED, "ERROR: ValueError: \ufffd", False),
    ],
)
async def test_what_a_function_raises_becomes_a_result(
    raised: BaseException, status: ResultStatus, content: str, retryable: bool
) -> None:
    def fail() -> None:
        raise raised

    async def fail_later() -> None:
        raise raised

    for function in (fail, fail_later):
        result = await called(function)
        assert (result.status, result.content, result.retryable) == (status, content, retryable)


async def test_a_validation_error_of_the_functions_own_is_no_rejection() -> None:
    def parse() -> None:
        Place.model_validate({})

    result = await called(parse)
    assert result.status is ResultStatus.FAILED


async def test_a_long_message_is_cut_and_holds_no_traceback() -> None:
    def fail() -> None:
        raise RuntimeError("x" * 100_000)

    content = (await called(fail)).content
    assert len(content) < 600
    assert "Traceback" not in content


# Threads (X03)


class Gate:
    """A blocking function under the test's control."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()
        self.left = threading.Event()

    def wait(self) -> None:
        self.entered.set()
        assert self.open.wait(30)
        self.left.set()


async def _abandon(one: FunctionTool, gate: Gate) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(one.call, {}, context())
        await anyio.to_thread.run_sync(gate.entered.wait)
        group.cancel_scope.cancel()


async def _left(threads: Threads) -> None:
    """Wait until no given-up thread is left."""
    with anyio.fail_after(60):
        while threads.abandoned:
            await anyio.lowlevel.checkpoint()


async def test_a_blocking_function_does_not_block_the_others() -> None:
    gate = Gate()

    def block() -> str:
        gate.wait()
        return "done"

    async def release() -> None:
        await anyio.to_thread.run_sync(gate.entered.wait)
        gate.open.set()

    async with anyio.create_task_group() as group:
        group.start_soon(release)
        assert (await called(block)).content == "done"


async def test_x03_a_cancelled_call_returns_at_once_and_its_late_result_is_thrown_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate, threads = Gate(), Threads()

    def block() -> str:
        gate.wait()
        return "too late"

    with caplog.at_level(logging.WARNING):
        await _abandon(FunctionTool(block, threads=threads), gate)
        assert threads.abandoned == 1
        assert not gate.left.is_set()
        gate.open.set()
        await _left(threads)
        await anyio.to_thread.run_sync(gate.left.wait)
    assert "thrown away" in caplog.text


async def test_x03_only_so_many_given_up_threads_may_be_left() -> None:
    gate, threads = Gate(), Threads(abandoned_limit=1)

    def block() -> None:
        gate.wait()

    def quick() -> str:
        return "quick"

    await _abandon(FunctionTool(block, threads=threads), gate)
    refused = await FunctionTool(quick, threads=threads).call({}, context())
    assert (refused.status, refused.retryable) == (ResultStatus.FAILED, True)
    gate.open.set()
    await _left(threads)
    assert (await FunctionTool(quick, threads=threads).call({}, context())).content == "quick"


async def test_x03_a_function_can_ask_whether_it_was_given_up() -> None:
    gate, threads = Gate(), Threads()
    seen: list[bool] = []

    def block(about: CallContext) -> None:
        seen.append(about.cancelled())
        gate.wait()
        seen.append(about.cancelled())

    await _abandon(FunctionTool(block, threads=threads), gate)
    gate.open.set()
    await _left(threads)
    assert seen == [False, True]


async def test_a_call_that_never_started_is_not_counted_as_left() -> None:
    gate, threads = Gate(), Threads(limit=1)

    def block() -> None:
        gate.wait()

    one = FunctionTool(block, threads=threads)
    async with anyio.create_task_group() as group:
        group.start_soon(one.call, {}, context())
        await anyio.to_thread.run_sync(gate.entered.wait)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await one.call({}, context())
        assert threads.abandoned == 0
        gate.open.set()


async def test_progress_from_a_thread_is_told_in_the_event_loop() -> None:
    told: list[Any] = []
    loop_thread = threading.get_ident()

    def tell(fraction: float | None, message: str) -> None:
        told.append((fraction, message, threading.get_ident() == loop_thread))

    def work(about: CallContext) -> None:
        about.progress(0.5, "half")

    await FunctionTool(work).call({}, context(progress=tell))
    assert told == [(0.5, "half", True)]


async def test_an_async_function_is_awaited_in_the_loop_and_cancelled_there() -> None:
    cancelled: list[bool] = []
    started = anyio.Event()

    async def wait(about: CallContext) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(about.cancelled())

    async with anyio.create_task_group() as group:
        group.start_soon(FunctionTool(wait).call, {}, context())
        await started.wait()
        group.cancel_scope.cancel()
    assert cancelled == [False]


async def test_a_plain_function_that_returns_an_awaitable_is_awaited() -> None:
    async def later() -> str:
        return "later"

    def start() -> Any:
        return later()

    assert (await called(start)).content == "later"
