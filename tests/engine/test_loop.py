"""A run on its way: what the model proposes, what runs, what the model and the user are told."""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from pointsman.domain import events as ev
from pointsman.domain.agent import Limits
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    ResetDelta,
    Stop,
    SystemMessage,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.results import content
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult
from pointsman.errors import EmptyReply, ModelUnavailable, SettingsError
from pointsman.ports import CallContext, Progress
from tests import cases
from tests.support.engine import events, is_paired, message, say, service_of, serving, tool_texts
from tests.support.fake_clock import FakeClock
from tests.support.histories import tool_spec
from tests.support.scripted_model import ScriptedModel, results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio

ALLOW = ({"then": "allow"},)


def script_of(case: dict[str, Any], last: str = "ok") -> list[Any]:
    """The model's turns as a case writes them, and a last word."""
    turns: list[Any] = []
    for turn in case["input"]["model_turns"]:
        if "text" in turn:
            turns.append(turn["text"])
            continue
        calls = [turn["call"]] if "call" in turn else turn["calls"]
        proposed = [(name, json.dumps(arguments)) for name, arguments in calls]
        turns += [proposed] * turn.get("repeat", 1)
    return turns if isinstance(turns[-1], str) else [*turns, last]


async def test_a_message_without_a_call_is_answered() -> None:
    model = ScriptedModel(["hello"])
    run = await say(await service_of(model))
    assert (run.status, run.reply, run.kind) == (RunStatus.DONE, "hello", "answer")
    assert [type(one) for one in model.requests[0].messages] == [SystemMessage, UserMessage]


async def test_one_call_brings_its_result_to_the_model() -> None:
    weather = fake_tool("weather", "rain", required=["city"])
    model = ScriptedModel([[("weather", '{"city": "成都"}')], "It rains."])
    run = await say(await service_of(model, weather))
    assert weather.calls == [{"city": "成都"}]
    assert results(model.requests[1]) == ["rain"]
    assert run.reply == "It rains."


async def test_calls_that_depend_on_results_follow_one_another() -> None:
    """D2: rain → driving, no rain → cycling."""
    tools = [fake_tool(name, answer) for name, answer in
             (("weather", "rain"), ("drive", "20 min"), ("cycle", "50 min"))]  # fmt: skip

    def script(request: ModelRequest) -> Any:
        match results(request):
            case []:
                return [("weather", "{}")]
            case ["rain"]:
                return [("drive", "{}")]
            case found:
                return f"By car: {found[-1]}"

    run = await say(await service_of(script, *tools))
    assert [len(tool.calls) for tool in tools] == [1, 1, 0]
    assert run.reply == "By car: 20 min"
    assert is_paired(run.messages)


async def test_reads_of_one_reply_overlap() -> None:
    both = anyio.Event()
    running: list[str] = []

    async def meet(arguments: Mapping[str, Any], context: CallContext) -> str:
        running.append(context.key)
        if len(running) == 2:
            both.set()
        await both.wait()
        return "met"

    look = fake_tool("look", meet, timeout=5)
    run = await say(await service_of([[("look", "{}"), ("look", "{}")], "done"], look))
    assert tool_texts(run.messages) == ["met", "met"]


async def test_results_stand_in_the_order_of_the_calls_whoever_ends_first() -> None:
    second_ended = anyio.Event()

    async def answer(arguments: Mapping[str, Any], context: CallContext) -> str:
        if arguments["n"] == "1":
            await second_ended.wait()
        else:
            second_ended.set()
        return str(arguments["n"])

    look = fake_tool("look", answer, required=["n"], timeout=5)
    run = await say(
        await service_of([[("look", '{"n": "1"}'), ("look", '{"n": "2"}')], "done"], look)
    )
    assert tool_texts(run.messages) == ["1", "2"]


class Ledger:
    """What ran, in order, and whether anything ran beside a write."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.active = 0
        self.crowded = False

    async def note(self, arguments: Mapping[str, Any], context: CallContext) -> str:
        self.order.append(context.key.partition(":")[2])
        self.active += 1
        self.crowded |= self.active > 1
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        self.active -= 1
        return "ok"


@pytest.mark.parametrize("case", cases.params(3, only=("L19",)))
async def test_calls_that_change_something_run_one_at_a_time_in_order(
    case: dict[str, Any],
) -> None:
    ledger = Ledger()
    tools = [
        fake_tool(name, ledger.note, properties={"id": {}, "order": {}}, risk=Risk.WRITE)
        for name in ("create_order", "pay")
    ]
    run = await say(await service_of(script_of(case), *tools, policy=ALLOW))
    assert (ledger.order, ledger.crowded) == (["1.0", "1.1"], False)
    assert len(tool_texts(run.messages)) == 2


async def test_every_call_of_a_reply_gets_exactly_one_result_and_the_cap_holds() -> None:
    """Case L19: at most eight calls a turn run."""
    ledger = Ledger()
    write = fake_tool("write", ledger.note, properties={"n": {}}, risk=Risk.WRITE)
    calls = [("write", f'{{"n": {number}}}') for number in range(10)]
    run = await say(await service_of([calls, "done"], write, policy=ALLOW))
    texts = tool_texts(run.messages)
    assert len(texts) == 10
    assert is_paired(run.messages)
    assert ledger.order == [f"1.{number}" for number in range(8)]
    assert all("not run, limit" in text for text in texts[8:])


@pytest.mark.parametrize("case", cases.params(3, only=("L01",)))
async def test_an_unknown_tool_is_told_with_what_is_near_and_the_run_goes_on(
    case: dict[str, Any],
) -> None:
    tools = [fake_tool(name, properties={"q": {}}) for name in case["input"]["registered"]]
    model = ScriptedModel(script_of(case))
    run = await say(await service_of(model, *tools))
    told = results(model.requests[1])
    assert len(told) == 1
    assert "unknown tool 'serach_docs'" in told[0]
    assert "Close matches: ['search_docs']" in told[0]
    assert "Available tools: ['search_docs', 'http_get']" in told[0]
    executed = [[tool.spec.name, call] for tool in tools for call in tool.calls]
    assert executed == case["expected"]["executed"]
    assert run.reply == "ok"


async def test_at_most_twenty_tools_are_listed() -> None:
    tools = [fake_tool(f"tool_{number}") for number in range(30)]
    model = ScriptedModel([[("tol", "{}")], "ok"])
    await say(await service_of(model, *tools))
    assert results(model.requests[1])[0].count("'tool_") <= 23  # 3 close matches, 20 listed


@pytest.mark.parametrize("case", cases.params(3, only=("L03",)))
async def test_a_name_that_is_no_name_is_echoed_short_and_never_read(
    case: dict[str, Any],
) -> None:
    tool = fake_tool("call_rag")
    model = ScriptedModel(script_of(case))
    run = await say(await service_of(model, tool))
    assert tool.calls == case["expected"]["executed"]
    assert "unknown tool" in results(model.requests[1])[0]
    assert run.status is RunStatus.DONE


async def test_a_name_full_of_rubbish_is_cut_and_cleaned() -> None:
    model = ScriptedModel([[("a\x1b[31m\n" + "b" * 500, "{}")], "ok"])
    await say(await service_of(model, fake_tool("look")))
    told = results(model.requests[1])[0]
    assert "\x1b" not in told
    assert "b" * 65 not in told


@pytest.mark.parametrize("case", cases.params(3, only=("L04",)))
async def test_the_habits_of_some_models_are_read(case: dict[str, Any]) -> None:
    tool = fake_tool("search", properties={"q": {}})
    run = await say(await service_of(script_of(case), tool))
    assert [["search", call] for call in tool.calls] == case["expected"]["executed"]
    assert run.reply == "ok"


@pytest.mark.parametrize("case", cases.params(3, only=("L07",)))
async def test_the_same_call_is_blocked_the_third_time(case: dict[str, Any]) -> None:
    async def answer(arguments: Mapping[str, Any], context: CallContext) -> str:
        return content(case["input"]["tool_result"], arguments, context.language)[0]

    tool = fake_tool("list", answer, required=["f"])
    model = ScriptedModel(script_of(case))
    run = await say(await service_of(model, tool))
    told = tool_texts(run.messages)
    assert told[0] == 'no results for f="x"; this is final'
    assert len(tool.calls) == 2
    assert all("this exact call was already made 2 times" in one for one in told[2:])
    assert (run.status, run.failure, len(told)) == (RunStatus.FAILED, "repeated", 5)


async def test_the_second_equal_failure_says_not_to_repeat_it() -> None:
    """Case L07."""

    async def fail(arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content="ERROR: no such file.")

    look = [("look", "{}")]
    run = await say(await service_of([look, look, "given up"], fake_tool("look", fail)))
    first, second = tool_texts(run.messages)
    assert first == "ERROR: no such file."
    assert second.endswith("The same call failed before; do not repeat it unchanged.")


@pytest.mark.parametrize(
    ("insistent", "kind"),
    [(("lok", "{}"), "unknown tool 'lok'"), (("look", '{"n": "x"}'), "expected integer")],
)
async def test_a_call_that_is_refused_again_and_again_ends_the_run(
    insistent: tuple[str, str], kind: str
) -> None:
    """Cases L01 and L07."""
    look = fake_tool("look", properties={"n": {"type": "integer"}})
    model = ScriptedModel([[insistent]])
    run = await say(await service_of(model, look))
    first, second, *more = tool_texts(run.messages)
    assert all(kind in told for told in (first, second, *more))
    assert "repeat" not in first
    assert second == first + " The same call failed before; do not repeat it unchanged."
    assert all("already refused" in told for told in more)
    assert (run.status, run.failure, len(more), look.calls) == (
        RunStatus.FAILED,
        "repeated",
        3,
        [],
    )


async def test_other_arguments_that_do_not_fit_are_not_the_same_call() -> None:
    """Case L07."""
    look = fake_tool("look", properties={"n": {"type": "integer"}})
    tries: list[Any] = [[("look", f'{{"n": "{word}"}}')] for word in "abcdef"]
    run = await say(await service_of([*tries, [("look", '{"n": 5}')], "ok"], look))
    assert look.calls == [{"n": 5}]
    assert not any("refused" in told or "repeat" in told for told in tool_texts(run.messages))


async def test_equal_calls_of_one_reply_are_counted_too() -> None:
    look = fake_tool("look")
    run = await say(await service_of([[("look", "{}")] * 3, "ok"], look))
    assert len(look.calls) == 2
    assert "already made" in tool_texts(run.messages)[2]


@pytest.mark.parametrize("case", cases.params(3, only=("L08",)))
async def test_a_forced_choice_holds_for_the_first_question_only(case: dict[str, Any]) -> None:
    choice = case["input"]["tool_choice"]
    for where in ({"tool_choice": choice}, {}):
        model = ScriptedModel([[("t", "{}")], "done"])
        service = await service_of(model, fake_tool("t"), **where)
        await say(service, tool_choice=None if where else choice)
        assert [one.tool_choice for one in model.requests] == (
            case["expected"]["requests_tool_choice"]
        )


async def test_where_the_caller_wants_no_call_none_runs() -> None:
    """Case L08: a choice that forbids is not one that forces."""
    look = fake_tool("look")
    model = ScriptedModel([[("look", "{}")], "done"])
    run = await say(await service_of(model, look), tool_choice="none")
    assert {one.tool_choice for one in model.requests} == {"none"}
    assert "not available for this request" in results(model.requests[1])[0]
    assert (look.calls, run.status) == ([], RunStatus.DONE)


@pytest.mark.parametrize("case", cases.params(3, only=("L10",)))
def test_a_limit_that_cannot_be_meant_is_refused(case: dict[str, Any]) -> None:
    for value in (case["input"]["max_turns"], *case["input"]["variants"]):
        if value is None:
            assert Limits.checked(turns=None).turns == 25
            continue
        with pytest.raises(SettingsError, match="turns must be a positive whole number"):
            Limits.checked(turns=value)
    with pytest.raises(SettingsError, match="unknown limit"):
        Limits.checked(max_turns=3)
    with pytest.raises(SettingsError):
        Limits.checked(turns=2.5)
    for endless in (float("inf"), float("nan")):
        with pytest.raises(SettingsError, match="seconds must be a positive number"):
            Limits.checked(seconds=endless)
    assert Limits.checked(seconds=2, calls=3) == Limits(seconds=2, calls=3)


@pytest.mark.parametrize("case", cases.params(3, only=("L18",)))
async def test_progress_is_news_and_never_a_message(case: dict[str, Any]) -> None:
    mark = case["input"]["assistant_text"].splitlines()[0]

    async def tell(arguments: Mapping[str, Any], context: CallContext) -> str:
        context.progress(0.5, mark)
        return "结果"

    model = ScriptedModel([[("search", "{}")], "好了"])
    service = await service_of(model, fake_tool("search", tell))
    async with serving(service):
        run_id = await service.submit(message("找", stream=True))
        seen = [one async for one in service.follow(run_id, "ann")]
    run = await service.run(run_id, "ann")
    assert [one.message for one in seen if isinstance(one, Progress)] == [mark]
    assert mark not in repr(run.messages)
    assert mark not in repr(model.requests)
    assert mark not in repr(await service.trace(run_id, "ann"))


@pytest.mark.parametrize("case", cases.params(5, only=("H06",)))
async def test_two_calls_with_one_id_both_run_and_are_paired_in_order(
    case: dict[str, Any],
) -> None:
    calls = tuple(
        RawCall(id=call["id"], name="t", arguments=json.dumps({"n": number}))
        for number, call in enumerate(case["input"]["messages"][1]["tool_calls"])
    )
    twice = ModelReply(
        message=AssistantMessage(calls=calls), stop=Stop.TOOL_CALLS, model="scripted"
    )

    async def answer(arguments: Mapping[str, Any], context: CallContext) -> str:
        return ("first", "second")[arguments["n"]]

    tool = fake_tool("t", answer, properties={"n": {"type": "integer"}})
    run = await say(await service_of([twice, "done"], tool))
    assert len(tool.calls) == 2
    assert tool_texts(run.messages) == ["first", "second"]
    assert is_paired(run.messages)


@pytest.mark.parametrize("case", cases.params(5, only=("H02",)))
async def test_a_turn_that_cannot_fit_ends_honestly(case: dict[str, Any]) -> None:
    calls = [("t", f'{{"n": {number}}}') for number in range(8)]
    tool = fake_tool("t", "X" * 4000, properties={"n": {}})
    limits = Limits(history_chars=500)
    run = await say(await service_of([calls, "done"], tool, limits=limits), language="zh")
    assert (run.status, run.failure) == (RunStatus.FAILED, "context")
    assert run.reply.startswith("抱歉，这段对话太长")
    assert "停下之前已执行：t。" in run.reply
    assert is_paired(run.messages)


@pytest.mark.parametrize("case", cases.params(5, only=("H12",)))
@pytest.mark.parametrize(
    ("language", "sentence"),
    [("zh", "（模型没有返回内容）"), ("en", "(The model returned nothing.)")],
)
@pytest.mark.parametrize("answer", ["", " \n", EmptyReply("no content")])
async def test_an_empty_reply_becomes_an_honest_sentence_and_no_message(
    case: dict[str, Any], language: Any, sentence: str, answer: Any
) -> None:
    service = await service_of([answer])
    run = await say(service, case["input"]["messages"][0]["content"], language=language)
    assert (run.status, run.failure, run.reply) == (RunStatus.FAILED, "empty", sentence)
    stored = await service.conversation(run.conversation, "ann")
    assert stored.messages == (UserMessage(text="a"), AssistantMessage(text=sentence))


async def test_a_withheld_answer_is_said_to_be_withheld() -> None:
    withheld = ModelReply(message=AssistantMessage(), stop=Stop.FILTERED, model="scripted")
    run = await say(await service_of([withheld]))
    assert (run.failure, run.status) == ("filtered", RunStatus.FAILED)
    assert "content filter" in run.reply


async def test_a_call_that_was_cut_off_never_runs() -> None:
    """Case S24."""
    cut = ModelReply(
        message=AssistantMessage(),
        cut=(RawCall(id="c1", name="pay", arguments="{}"),),
        stop=Stop.LENGTH,
        model="scripted",
    )
    pay = fake_tool("pay", risk=Risk.WRITE)
    model = ScriptedModel([cut, "It was not paid: my output was cut."])
    run = await say(await service_of(model, pay, policy=ALLOW))
    assert pay.calls == []
    assert "max_tokens" in results(model.requests[1])[0]
    assert run.reply == "It was not paid: my output was cut."


async def test_unreadable_arguments_get_one_more_chance() -> None:
    """Case A21."""
    tool = fake_tool("weather", required=["city"])
    bad = [("weather", '{"city": ')]
    model = ScriptedModel([bad, [("weather", '{"city": "成都"}')], "ok"])
    assert (await say(await service_of(model, tool))).reply == "ok"
    assert '"required": ["city"]' in results(model.requests[1])[0]
    run = await say(await service_of([bad, bad, "never"], tool))
    assert (run.status, run.failure) == (RunStatus.FAILED, "malformed")


async def test_a_missing_value_is_asked_of_the_user_and_the_rest_still_runs() -> None:
    weather = fake_tool("weather", required=["city"])
    model = ScriptedModel([[("weather", "{}"), ("look", "{}")], "never"])
    look = fake_tool("look")
    service = await service_of(model, weather, look, language="zh")
    run = await say(service, "明天天气如何")
    assert (run.kind, run.reply, run.status) == ("question", "请问city是什么？", RunStatus.DONE)
    assert (weather.calls, look.calls, len(model.requests)) == ([], [{}], 1)
    assert is_paired(run.messages)
    assert run.messages[-1] == AssistantMessage(text="请问city是什么？")


async def test_calls_of_the_callers_own_tools_go_to_the_caller() -> None:
    theirs = tool_spec("theirs")
    run = await say(await service_of([[("theirs", '{"a": 1}')]]), client_tools=(theirs,))
    assert (run.kind, [call.name for call in run.handed]) == ("calls", ["theirs"])


async def test_a_caller_tool_beside_one_of_ours_is_sent_back() -> None:
    theirs, look = tool_spec("theirs"), fake_tool("look")
    model = ScriptedModel([[("theirs", "{}"), ("look", "{}")], "I could not call theirs."])
    run = await say(await service_of(model, look), client_tools=(theirs,))
    assert "call this tool alone" in results(model.requests[1])[0]
    assert (run.reply, len(look.calls)) == ("I could not call theirs.", 1)


async def test_a_run_stops_after_its_turns_and_says_what_it_did() -> None:
    script = [[("look", f'{{"n": {number}}}')] for number in range(9)]
    look = fake_tool("look", properties={"n": {}})
    model = ScriptedModel(script)
    run = await say(await service_of(model, look, limits=Limits(turns=3)))
    assert (run.failure, len(model.requests), len(look.calls)) == ("turns", 3, 3)
    assert "3 rounds" in run.reply
    assert run.reply.endswith("Run before that: look.")


async def test_calls_over_the_limit_do_not_run_and_the_model_may_answer() -> None:
    look = fake_tool("look", properties={"n": {}})
    calls = [("look", f'{{"n": {number}}}') for number in range(3)]
    model = ScriptedModel([calls, "I could not look at the third."])
    run = await say(await service_of(model, look, limits=Limits(calls=2)))
    assert len(look.calls) == 2
    assert "2 tool calls. Answer now." in results(model.requests[1])[2]
    assert run.reply == "I could not look at the third."


async def test_a_run_stops_when_its_tokens_are_used_up() -> None:
    model = ScriptedModel([[("look", "{}")], "never"])
    run = await say(await service_of(model, fake_tool("look"), limits=Limits(tokens=14)))
    assert (run.failure, len(model.requests)) == ("tokens", 1)


async def test_a_run_stops_when_its_time_is_up() -> None:
    clock = FakeClock()

    async def linger(arguments: Mapping[str, Any], context: CallContext) -> str:
        clock.advance(61)
        return "late"

    model = ScriptedModel([[("look", "{}")], "never"])
    service = await service_of(
        model, fake_tool("look", linger), clock=clock, limits=Limits(seconds=60)
    )
    run = await say(service)
    assert (run.failure, len(model.requests)) == ("seconds", 1)
    assert "60 seconds" in run.reply


async def test_a_model_that_cannot_be_reached_is_said_to_be() -> None:
    service = await service_of([ModelUnavailable("503 from the provider")])
    run = await say(service, language="zh")
    assert (run.status, run.failure) == (RunStatus.FAILED, "model")
    assert run.reply == "抱歉，现在联系不上模型（ModelUnavailable），没有得到回答。请稍后再试。"
    (failure,) = await events(service, run.id, ev.ModelFailed)
    assert (failure.error, failure.detail) == (
        "ModelUnavailable",
        "scripted: 503 from the provider",
    )


async def test_the_fallback_answers_and_the_journal_says_so() -> None:
    class Fallback(ScriptedModel):
        name = "offline"

    fallback = Fallback([_reply_of("offline", "from the rules")])
    broken = _broken_stream("half an ans")
    service = await service_of(broken, fallback=fallback)
    told: list[Delta] = []
    run = await service.carry(message(stream=True), told.append)
    assert run.reply == "from the rules"
    assert told == [TextDelta("half an ans"), ResetDelta(2), TextDelta("from the rules")]
    (failure,) = await events(service, run.id, ev.ModelFailed)
    (answer,) = await events(service, run.id, ev.ModelAnswered)
    assert (failure.error, answer.model) == ("ModelUnavailable", "offline")


def _reply_of(model: str, text: str) -> ModelReply:
    return ModelReply(message=AssistantMessage(text=text), stop=Stop.STOP, model=model)


def _broken_stream(shown: str) -> Any:
    class Broken(ScriptedModel):
        async def ask(self, request: ModelRequest, tell: Any) -> ModelReply:
            tell(TextDelta(shown))
            raise ModelUnavailable("the stream broke")

    return Broken([])


async def test_a_fault_inside_ends_the_run_with_its_id(caplog: pytest.LogCaptureFixture) -> None:
    def script(request: ModelRequest) -> Any:
        raise KeyError("secret detail")

    run = await say(await service_of(script))
    assert (run.status, run.failure) == (RunStatus.FAILED, "internal")
    assert run.id in run.reply
    assert "secret" not in run.reply
    assert "failed inside" in caplog.text


async def test_an_event_that_cannot_be_stored_leaves_no_hole_in_the_journal() -> None:
    async def broken(arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return ToolResult(status=ResultStatus.OK, content="ok", data=object())

    service = await service_of([[("look", "{}")], "never"], fake_tool("look", broken))
    run = await say(service)
    assert (run.status, run.failure) == (RunStatus.FAILED, "internal")
    assert await service.run(run.id, "ann") == run


async def test_the_date_line_is_fixed_for_the_whole_run() -> None:
    """D3."""
    clock = FakeClock()

    async def linger(arguments: Mapping[str, Any], context: CallContext) -> str:
        clock.advance(60)
        return context.now.isoformat()

    model = ScriptedModel([[("look", "{}")], "done"])
    service = await service_of(
        model,
        fake_tool("look", linger),
        clock=clock,
        language="zh",
        timezone="Asia/Shanghai",
        instructions="你是导游。",
    )
    await say(service)
    system = SystemMessage(text="今天是 2026年02月28日 15时05分30秒 星期六。\n你是导游。")
    assert [one.messages[0] for one in model.requests] == [system, system]
    assert results(model.requests[1]) == ["2026-02-28T15:05:30+08:00"]


async def test_messages_that_fit_are_the_same_objects_in_each_question() -> None:
    """Case H03: the prompt cache lives on it."""
    model = ScriptedModel([[("look", "{}")], [("look", "{}")], "done"])
    await say(await service_of(model, fake_tool("look")))
    for earlier, later in zip(model.requests, model.requests[1:], strict=False):
        assert all(a is b for a, b in zip(earlier.messages, later.messages, strict=False))
        assert earlier.tools is later.tools


async def test_a_call_shows_the_tool_who_asks() -> None:
    look = fake_tool("look")
    service = await service_of([[("look", "{}")], "done"], look)
    run = await say(service, "查一下", user="bob")
    context = look.contexts[0]
    assert (context.user, context.input, context.agent) == ("bob", "查一下", "desk")
    assert (context.run, context.conversation) == (run.id, run.conversation)
    assert context.key == f"{run.id}:1.0"


async def test_tool_messages_name_the_call_as_the_model_wrote_it() -> None:
    run = await say(await service_of([[("functions.look", "{}")], "ok"], fake_tool("look")))
    (told,) = [one for one in run.messages if isinstance(one, ToolMessage)]
    assert (told.call_id, told.name) == ("call_0", "functions.look")
