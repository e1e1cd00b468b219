"""MCP over stdin and stdout, against server processes of ours."""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from pointsman.adapters.tools.mcp import McpServer
from pointsman.adapters.tools.mcp_settings import McpSettings, McpToolSettings
from pointsman.domain.tools import RawCall, ResultStatus, Risk
from pointsman.engine.validation import check
from pointsman.errors import ArgumentsInvalid
from tests.cases import params
from tests.support.fake_clock import START, FakeClock
from tests.support.mcp_sources import (
    OFFICIAL,
    RAW,
    HeldClock,
    call,
    context,
    fifo,
    heard,
    originals,
    raw,
    running,
    tool,
    until,
)

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def starts(journal: Path) -> list[list[str]]:
    """What each process of a raw server was asked, in order."""
    lines = journal.read_text().splitlines()
    begun = [i for i, line in enumerate(lines) if line == "start"] + [len(lines)]
    return [lines[a + 1 : b] for a, b in pairwise(begun)]


async def test_a_source_is_made_where_there_is_no_event_loop() -> None:
    settings = McpSettings(name="maps", command=RAW)
    source = await anyio.to_thread.run_sync(McpServer, settings, FakeClock())
    await source.aclose()
    assert source.name == "maps"


async def test_a_server_on_the_official_sdk_works_in_the_current_protocol() -> None:
    told: list[tuple[float | None, str]] = []
    async with running(command=(*OFFICIAL, "stdio"), joiner="-", prefix="maps") as server:
        assert server.state() == "ready"
        assert tool(server, "add").spec.name == "maps-add"
        added = await call(server, "add", a=1, b=2)
        counted = await tool(server, "count").call(
            {"to": 2}, context(lambda fraction, message: told.append((fraction, message)))
        )
        refused = await call(server, "refuse")
        shown = await call(server, "picture")
        await call(server, "grow")
        await server.settle()
        grown = await call(server, "grown")
    assert (added.content, added.data) == ("3", {"result": 3})
    assert (counted.content, told) == ("counted to 2", [(0.5, "at 1"), (1.0, "at 2")])
    assert refused.status is ResultStatus.ERROR
    assert "permission denied" in refused.content
    assert shown.content == "a caption\n[image: image/png, 2 KB]"
    assert grown.content == "new"


@pytest.mark.parametrize(
    ("era", "first"),
    [
        ("modern", ["server/discover", "subscriptions/listen", "tools/list"]),
        ("legacy", ["server/discover", "initialize", "notifications/initialized", "tools/list"]),
    ],
)
async def test_the_protocol_is_asked_for_once_and_known_at_a_restart(
    era: str, first: list[str], tmp_path: Path
) -> None:
    journal = tmp_path / "journal"
    async with running(clock=FakeClock(), **raw(ERA=era, JOURNAL=str(journal))) as server:
        await call(server, "crash")
        assert (await call(server, "echo", a=1)).content == '{"a": 1}'
    begun = starts(journal)
    assert begun[0] == [*first, "tools/call"]
    assert begun[1][: len(first)] == [*first[1:], "tools/call"]


async def test_a_server_that_dies_of_the_new_protocol_is_spoken_to_in_the_old_one(
    tmp_path: Path,
) -> None:
    clock, journal = HeldClock(), tmp_path / "journal"
    async with running(clock=clock, **raw(ERA="mortal", JOURNAL=str(journal))) as server:
        assert server.state().startswith("not available: ")
        clock.let_go()
        await until(lambda: server.state() == "ready")
    assert starts(journal)[1][0] == "initialize"


@pytest.mark.parametrize("case", params(4, only=("M04",)))
async def test_who_cancels_a_call_cancels_only_that(case: dict[str, Any]) -> None:
    async with running(**raw()) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, server, "hang")
            tasks.start_soon(call, server, "hang")
            while len(await heard(server, "tools/call")) < 3:
                pass
            tasks.cancel_scope.cancel()
        assert (await call(server, "echo", b=1)).ok
        hanging = [
            m["id"] for m in await heard(server, "tools/call") if m["params"]["name"] == "hang"
        ]
        given_up = [
            m["params"]["requestId"] for m in await heard(server, "notifications/cancelled")
        ]
        assert sorted(given_up) == sorted(hanging)


@pytest.mark.parametrize(
    ("risk", "status"), [(Risk.READ, ResultStatus.TIMEOUT), (Risk.WRITE, ResultStatus.UNCERTAIN)]
)
async def test_a_call_without_an_answer_ends_at_its_own_deadline(
    risk: Risk, status: ResultStatus
) -> None:
    tools = {"hang": McpToolSettings(risk=risk, timeout=0.1)}
    async with running(**raw(), tools=tools) as server:
        result = await call(server, "hang")
        assert result.status is status
        assert len(await heard(server, "notifications/cancelled")) == 1


@pytest.mark.parametrize("case", params(4, only=("M06",)))
async def test_all_pages_of_the_list_are_read(case: dict[str, Any]) -> None:
    async with running(**raw(PAGES=case["input"]["pages"])) as server:
        assert originals(server) == case["expected"]["tools"]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({"": [[], "c1"], "c1": [["a"], ""]}, ["a"]),
        ({"": [["a"], "c1"], "c1": [["b"], "c1"]}, ["a", "b"]),
        ({"": [["a", "a", {"title": "nameless"}, "text"], None]}, ["a", "text"]),
    ],
    ids=["an empty page goes on", "a circle of cursors ends", "what is no tool is left out"],
)
async def test_odd_pages_are_read_for_what_they_hold(pages: Any, expected: list[str]) -> None:
    async with running(**raw(PAGES=pages)) as server:
        assert originals(server) == expected


async def test_a_tool_with_an_odd_schema_does_not_lose_the_list() -> None:
    schemas: list[Any] = [None, {}, {"type": "object", "properties": None}, {"type": "string"}, 7]
    entries = [{"name": f"t{i}", "inputSchema": schema} for i, schema in enumerate(schemas)]
    async with running(**raw(PAGES={"": [[*entries, {"name": "bare"}], None]})) as server:
        assert len(server.tools()) == 6
        assert all(t.spec.parameters["type"] == "object" for t in server.tools())
        assert (await call(server, "bare", a=1)).content == '{"a": 1}'


@pytest.mark.parametrize("case", params(4, only=("M15",)))
async def test_an_error_result_is_an_error(case: dict[str, Any]) -> None:
    async with running(**raw()) as server:
        result = await call(server, "result", result=case["input"]["result"])
    assert (result.status, result.content) == (ResultStatus.ERROR, "ERROR: permission denied")


@pytest.mark.parametrize("case", params(4, only=("M17",)))
async def test_a_server_that_floods_stderr_answers(case: dict[str, Any]) -> None:
    async with running(**raw(TOKEN="${TOKEN}")) as server:
        assert (await call(server, "flood")).content == "flooded"
        await call(server, "echo")
        said = server.stderr()
    assert 4096 < len(said) <= 8192
    assert "tok-" not in said
    assert "hunter2" not in said
    assert "*** is my token, password=***" in said


@pytest.mark.parametrize("case", params(4, only=("M18",)))
async def test_nobody_waits_for_a_slow_start(case: dict[str, Any], tmp_path: Path) -> None:
    gate = fifo(tmp_path / "gate")
    async with running(settle=False, **raw(GATE=gate)) as server:
        assert (server.state(), server.tools()) == ("starting", ())
        answer = server.absent("s__echo")
        assert answer is not None
        assert "starting, try again" in answer.content
        with anyio.move_on_after(0.05) as bounded:
            await server.settle()
        assert bounded.cancelled_caught
        await anyio.to_thread.run_sync(Path(gate).write_text, "go")
        await server.settle()
        assert server.state() == "ready"
        assert (await call(server, "echo")).ok


async def test_a_start_that_takes_too_long_is_given_up_and_tried_again(tmp_path: Path) -> None:
    gate, clock = fifo(tmp_path / "gate"), HeldClock()
    async with running(clock=clock, startup_timeout=0.2, **raw(GATE=gate)) as server:
        assert server.state() == "not available: not started within 0.2 s"
        assert server.tools() == ()
        await clock.asleep.wait()
        clock.let_go()
        await clock.asleep.wait()
        assert server.state() == "not available: not started within 0.4 s"
        assert clock.sleeps == [0.5 * 1.25, 1.0 * 1.25]
        await anyio.to_thread.run_sync(Path(gate).write_text, "go")


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("case", params(4, only=("M19",)))
async def test_a_changed_list_is_read_before_the_next_model_call(
    case: dict[str, Any], era: str
) -> None:
    changed = {"name": "b", "inputSchema": {"type": "object", "properties": {"n": {}}}}
    kept = {"": [["change", "history", "hang"], "more"]}
    async with running(**raw(ERA=era, PAGES=kept | {"more": [["a", "b"], None]})) as server:
        old_a, old_b, same = tool(server, "a"), tool(server, "b"), tool(server, "history")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, server, "hang")
            pages = kept | {"more": [[changed, "c"], None]}
            await call(server, "change", pages=pages, times=50)
            await server.settle()
            assert originals(server) == ["change", "history", "hang", "b", "c"]
            assert tool(server, "history") is same
            assert len(await heard(server, "tools/list")) == 4
            gone = await old_a.call({}, context())
            stale = await old_b.call({}, context())
            assert gone.status is stale.status is ResultStatus.REJECTED
            assert "tool no longer available" in gone.content
            assert "has changed" in stale.content
            assert tool(server, "b").spec.digest != old_b.spec.digest
            absent = server.absent("s__a")
            assert absent is not None
            assert "tool no longer available" in absent.content
            tasks.cancel_scope.cancel()


async def test_a_call_sees_a_change_that_was_announced_just_before() -> None:
    async with running(**raw(PAGES={"": [["change", "a"], None]})) as server:
        old = tool(server, "a")
        await call(server, "change", pages={"": [["change"], None]})
        assert "no longer available" in (await old.call({}, context())).content


@pytest.mark.parametrize(
    ("risk", "status", "retryable"),
    [(Risk.READ, ResultStatus.FAILED, True), (Risk.WRITE, ResultStatus.UNCERTAIN, False)],
)
async def test_a_crash_during_a_call_is_uncertain_unless_the_tool_only_reads(
    risk: Risk, status: ResultStatus, retryable: bool
) -> None:
    async with running(**raw(), risk=risk) as server:
        result = await call(server, "crash")
        assert (result.status, result.retryable) == (status, retryable)


async def test_a_crash_is_followed_by_a_restart_and_harms_no_other_server() -> None:
    clock = HeldClock()
    async with running(clock=clock, **raw()) as server, running(**raw()) as other:
        await call(server, "crash")
        assert server.state() == "restarting: the server ended (it wrote: last words)"
        assert "echo" in originals(server)
        assert (await call(other, "echo")).ok
        await clock.asleep.wait()
        clock.let_go()
        assert (await call(server, "echo", a=1)).content == '{"a": 1}'


async def test_crash_after_crash_waits_longer_and_longer() -> None:
    clock = HeldClock()
    async with running(clock=clock, **raw(ERA="legacy")) as server:
        for _ in range(3):
            await call(server, "crash")
            await clock.asleep.wait()
            clock.let_go()
            await server.settle()
        clock.advance(3600)
        await call(server, "crash")
        await server.settle()
        assert (await call(server, "echo")).ok
    assert clock.sleeps == [0.5 * 1.25, 1.0 * 1.25, 2.0 * 1.25]


async def test_a_command_that_does_not_exist_is_named() -> None:
    async with running(command=("/no/such/program",)) as server:
        assert server.state() == (
            "not available: cannot start /no/such/program: No such file or directory"
        )


async def test_a_server_that_ends_at_once_leaves_its_last_words() -> None:
    code = "import sys; sys.exit('cannot find my token=abcdefgh')"
    async with running(command=(sys.executable, "-c", code)) as server:
        assert "cannot find my token=***" in server.state()


async def test_an_unset_variable_is_named() -> None:
    async with running(**raw(KEY="${NO_SUCH_VARIABLE}")) as server:
        assert server.state().endswith("the environment variable NO_SUCH_VARIABLE is not set")


async def test_progress_and_the_idempotency_key_reach_their_ends() -> None:
    told: list[tuple[float | None, str]] = []
    async with running(**raw()) as server:
        result = await tool(server, "progress").call(
            {}, context(lambda fraction, message: told.append((fraction, message)))
        )
    assert result.content == "r/1.0"
    assert told == [(0.25, "step 1"), (0.5, "step 2")]


@pytest.mark.parametrize("case", params(4, only=("M24",)))
async def test_arguments_that_do_not_fit_never_reach_the_server(case: dict[str, Any]) -> None:
    entry = {"name": "echo", "inputSchema": case["input"]["inputSchema"]}
    async with running(**raw(PAGES={"": [[entry, "history"], None]})) as server:
        written = RawCall(id="1", name="s__echo", arguments=json.dumps(case["input"]["arguments"]))
        with pytest.raises(ArgumentsInvalid, match=r"n.*abc.*integer|n.*integer.*abc"):
            check(written, key="1.0", spec=tool(server, "echo").spec, context_values={}, now=START)
        calls = await heard(server, "tools/call")
        assert [call["params"]["name"] for call in calls] == ["history"]


async def test_a_question_of_the_server_is_declined() -> None:
    async with running(**raw(ERA="legacy")) as server:
        assert (await call(server, "ask")).content == "Elicitation not supported"


async def test_noise_on_stdout_is_passed_over() -> None:
    async with running(**raw()) as server:
        assert (await call(server, "noise")).content == "after the noise"


async def test_only_allowed_tools_are_offered() -> None:
    async with running(**raw(), allow=("echo", "hang"), deny=("hang",)) as server:
        assert originals(server) == ["echo"]


async def test_a_result_of_two_megabytes_arrives_whole() -> None:
    result = {"content": [{"type": "text", "text": "界" * 1_700_000}]}
    async with running(**raw()) as server:
        assert len((await call(server, "result", result=result)).content) == 1_700_000


async def test_a_closed_source_offers_nothing_and_says_so() -> None:
    async with running(**raw()) as server:
        echo = tool(server, "echo")
    assert (server.tools(), server.state()) == ((), "stopped")
    assert (await echo.call({}, context())).status is ResultStatus.FAILED


async def test_a_source_can_be_closed_while_it_starts(tmp_path: Path) -> None:
    gate = fifo(tmp_path / "gate")
    async with running(settle=False, **raw(GATE=gate)) as server:
        await anyio.lowlevel.checkpoint()
        await anyio.to_thread.run_sync(Path(gate).write_text, "go")
    assert server.state() == "stopped"
