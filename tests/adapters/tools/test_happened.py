"""What a function's ``check`` says of a call that was cut off."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pointsman import Happened, agentfile, bootstrap, tool
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.functions import FunctionTool
from pointsman.errors import ToolDefinitionError
from pointsman.ports import CallContext, Checked, CheckedTool

pytestmark = pytest.mark.anyio


def context() -> CallContext:
    return CallContext(
        run="r1",
        conversation="c1",
        user="ann",
        agent="desk",
        input="",
        language="en",
        now=datetime(2026, 2, 28, tzinfo=UTC),
        key="r1:1.0",
        progress=lambda fraction, message: None,
    )


def booking() -> Callable[..., Any]:
    """A function that nobody has declared yet."""

    def book(room: str) -> str:
        """Book a room."""
        return f"{room} is booked"

    return book


async def checked(check: Callable[..., Any]) -> Checked | None:
    made = FunctionTool(tool(check=check)(booking()))
    return await made.check({"room": "201"}, context())


async def test_it_gets_the_arguments_and_the_key_and_its_yes_carries_the_result() -> None:
    def was_booked(arguments: Mapping[str, Any], about: CallContext) -> Happened:
        return Happened.yes({"room": arguments["room"], "key": about.key})

    said = await checked(was_booked)
    assert said is not None
    assert said.answer == "happened"
    assert said.result is not None
    assert said.result.ok
    assert said.result.data == {"room": "201", "key": "r1:1.0"}


@pytest.mark.parametrize(
    ("said", "answer"), [(Happened.no(), "not_happened"), (Happened.unknown(), "unknown")]
)
async def test_an_async_check_is_awaited(said: Happened, answer: str) -> None:
    async def was_booked(arguments: Mapping[str, Any], about: CallContext) -> Happened:
        return said

    assert await checked(was_booked) == Checked(answer=answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, True, False, "yes", OSError("the bank is away")])
async def test_anything_else_means_that_nobody_knows(value: Any) -> None:
    def was_booked(arguments: Mapping[str, Any], about: CallContext) -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    said = await checked(was_booked)
    assert said is not None
    assert (said.answer, said.result) == ("unknown", None)
    assert said.detail


async def test_a_function_without_a_check_has_no_way_to_know() -> None:
    made = FunctionTool(booking())
    assert isinstance(made, CheckedTool)
    assert await made.check({"room": "201"}, context()) is None


@pytest.mark.parametrize("check", ["book", 5, lambda: None, lambda one: None])
def test_a_check_that_cannot_be_asked_is_refused(check: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="check"):
        tool(check=check)


async def test_an_agent_file_names_the_check_of_a_function(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(
        "agent: desk\nmodel: {use: offline}\noffline: {fallback: x}\n"
        "tools:\n  - {python: 'tools:book', check: 'tools:was_booked'}\n"
    )
    (tmp_path / "tools.py").write_text(
        "from pointsman import Happened\n"
        "def book(room: str) -> str:\n    '''Book.'''\n    return room\n"
        "def was_booked(arguments, context):\n    return Happened.no()\n"
    )
    [source] = bootstrap.tool_sources(agentfile.load(tmp_path), SystemClock())
    [made] = source.tools()
    assert isinstance(made, CheckedTool)
    assert await made.check({"room": "201"}, context()) == Checked(answer="not_happened")
