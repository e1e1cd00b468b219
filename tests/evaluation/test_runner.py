"""Cases on a real engine: the offline agent of a folder, or a scripted model over its tools."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from pointsman.domain.intents import Classification, Intent
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.engine.agents import LiveAgent
from pointsman.errors import AgentFileError, ModelUnavailable
from pointsman.evaluation.metrics import CaseResult, summarise
from pointsman.evaluation.runner import Plan, run
from pointsman.evaluation.staging import Subject
from tests.support.evaluated import case, faults, kiosk, result_of, results_of, suite_of
from tests.support.scripted_model import Answer, ScriptedModel, results

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return kiosk(tmp_path)


async def test_a_case_passes_when_all_of_it_holds(folder: Path) -> None:
    result = await result_of(
        folder,
        case(
            "what is the price of tea?",
            tools=["price"],
            arguments={"price": {"item": "tea"}},
            outcome="answer",
            reply={"contains": "costs 3"},
        ),
    )
    assert (result.passed, result.score, result.failed) == (True, 1.0, ())
    assert result.turns[0].model == "offline"
    assert result.usage.total > 0
    assert result.story == ()


async def test_a_case_that_fails_keeps_its_story(folder: Path) -> None:
    plan = Plan(
        suite=suite_of(folder, case("hello", tools=["price"])),
        story=lambda run, trace: [f"{run}: {len(trace)} events"],
    )
    (result,) = await run(plan, Subject(path=folder))
    assert faults(result) == ["tools"]
    assert 0 < result.score < 1
    assert result.story == (f"{result.turns[0].run}: 5 events",)


async def test_a_missing_value_is_asked_for_and_the_answer_goes_on(folder: Path) -> None:
    turns = [
        {"say": "buy tea", "expect": {"tools": [], "asks": ["many"]}},
        {
            "say": "5 cups",
            "expect": {
                "tools": ["order"],
                "arguments": {"order": {"item": "tea", "many": 5}},
                "confirm": "yes",
                "outcome": "answer",
            },
        },
    ]
    assert faults(await result_of(folder, {"id": "a", "turns": turns})) == []


@pytest.mark.parametrize(
    ("expect", "reply"),
    [
        ({"confirm": "yes", "outcome": "answer"}, "ordered 2 tea"),
        ({"confirm": "no", "outcome": "answer"}, "not"),
        ({"outcome": "waiting"}, "Shall I?"),
    ],
)
async def test_the_user_confirms_denies_or_is_waited_for(
    folder: Path, expect: dict[str, object], reply: str
) -> None:
    one = case("buy 2 cups of tea", tools=["order"], reply={"contains": reply}, **expect)
    assert faults(await result_of(folder, one)) == []


async def test_a_confirmation_in_words_goes_on_with_the_same_call(folder: Path) -> None:
    turns = [
        {"say": "buy 2 cups of tea", "expect": {"tools": ["order"], "outcome": "waiting"}},
        {"say": "yes", "expect": {"tools": ["order"], "reply": {"contains": "ordered 2"}}},
    ]
    result = await result_of(folder, {"id": "a", "turns": turns})
    assert faults(result) == []
    assert result.turns[0].run == result.turns[1].run


async def test_a_role_approves_what_the_user_may_not(folder: Path) -> None:
    yes = case("refund tea", tools=["refund"], approve="yes", reply={"contains": "refunded"})
    assert faults(await result_of(folder, yes)) == []
    left = case("refund tea", confirm="yes")
    assert faults(await result_of(folder, left)) == ["confirm"]


@pytest.mark.parametrize("error", ["the till is on fire", "timeout"])
async def test_a_tool_fails_as_the_case_wants_and_nobody_waits(folder: Path, error: str) -> None:
    one = case(
        "price of tea",
        setup={"fail": {"price": error}},
        tools=["price"],
        reply={"not_contains": "costs", "any_of": ["fire", "no answer within"]},
    )
    result = await result_of(folder, one)
    assert faults(result) == []
    assert result.turns[0].calls[0].status == ("timeout" if error == "timeout" else "error")


async def test_a_tool_that_changes_something_and_is_late_is_uncertain(folder: Path) -> None:
    one = case("buy 2 cups of tea", setup={"fail": {"order": "timeout"}}, confirm="yes")
    result = await result_of(folder, one)
    assert result.turns[0].calls[0].status == "uncertain"


async def test_a_tool_returns_what_the_case_says(folder: Path) -> None:
    model = ScriptedModel(
        lambda request: (
            results(request)[-1]
            if results(request)
            else [("price", '{"item": "tea", "day": "2026-03-02"}')]
        )
    )
    one = case("x", setup={"returns": {"price": {"costs": 9}}}, reply={"contains": '"costs": 9'})
    assert faults(await result_of(folder, one, model=model)) == []


async def test_what_was_said_before_reaches_the_model(folder: Path) -> None:
    model = ScriptedModel(["ok"])
    context = [{"user": "I am Ann"}, {"assistant": "Hello Ann"}]
    await result_of(folder, case("who am I?", setup={"context": context}), model=model)
    (request,) = model.requests
    assert [message.text for message in request.messages[1:] if hasattr(message, "text")] == [
        "I am Ann",
        "Hello Ann",
        "who am I?",
    ]


async def test_a_suite_has_its_own_now_in_the_agents_zone(folder: Path) -> None:
    one = case(
        "price of tea", arguments={"price": {"day": "2026-03-03"}}, reply={"contains": "3 March"}
    )
    result = await result_of(
        folder, one | {"expect": one["expect"] | {"reply": {}}}, now="2026-03-03T00:30"
    )
    assert faults(result) == []
    elsewhere = await result_of(folder, one, now="2026-03-02T16:30:00+00:00")
    assert faults(elsewhere) == ["reply"]


async def test_every_case_starts_without_what_others_said(folder: Path) -> None:
    def said(request: ModelRequest) -> Answer:
        return str(sum(isinstance(message, UserMessage) for message in request.messages))

    cases = [case("hi", str(number), reply={"contains": "1"}) for number in range(6)]
    found = await results_of(folder, *cases, model=ScriptedModel(said))
    assert [result.passed for result in found] == [True] * 6


async def test_cases_run_at_once_and_come_back_in_the_order_of_the_suite(folder: Path) -> None:
    together, waiting = 0, anyio.Event()

    async def answer(request: ModelRequest) -> Answer:
        nonlocal together
        together += 1
        if together == 3:
            waiting.set()
        await waiting.wait()
        return "ok"

    told: list[CaseResult] = []
    plan = Plan(suite=suite_of(folder, *(case("x", name) for name in "abc")), jobs=3)
    with anyio.fail_after(60):
        found = await run(plan, Subject(path=folder, model=ScriptedModel(answer)), told.append)
    assert [result.case for result in found] == ["a", "b", "c"]
    assert {result.case for result in told} == {"a", "b", "c"}


async def test_finished_cases_are_skipped_and_others_repeated(folder: Path) -> None:
    suite = suite_of(folder, case("hello", "a"), case("hello", "b"))
    plan = Plan(suite=suite, repeat=2, finished={("a", 1), ("b", 2)})
    found = await run(plan, Subject(path=folder))
    assert [(result.case, result.repeat) for result in found] == [("a", 2), ("b", 1)]


async def test_tools_keep_their_state_unless_the_suite_wants_cases_apart(folder: Path) -> None:
    cases = [case("count", str(number)) for number in range(3)]
    shared = await results_of(folder, *cases)
    assert [one.turns[0].reply for one in shared] == [f"asked {n} times" for n in (1, 2, 3)]
    apart = await results_of(folder, *cases, isolate=True)
    assert [one.turns[0].reply for one in apart] == ["asked 1 times"] * 3


async def test_a_model_that_cannot_be_reached_is_a_failure_not_an_answer(folder: Path) -> None:
    model = ScriptedModel([ModelUnavailable("gone")])
    result = await result_of(folder, case("hello", outcome="answer"), model=model)
    assert faults(result) == ["outcome"]
    assert result.counts.failures == 1
    expected = await result_of(folder, case("hello", outcome="failure"), model=model)
    assert expected.passed


async def test_a_model_that_invents_tools_and_values_is_seen(folder: Path) -> None:
    def proposes(request: ModelRequest) -> Answer:
        return "I refunded it." if results(request) else [("refund_all", "{}"), ("order", "{}")]

    one = case("hello", tools=[], forbidden=["refund", "order"])
    result = await result_of(folder, one, model=ScriptedModel(proposes))
    assert result.turns[0].calls == ()
    assert result.turns[0].rejected == ("refund_all: unknown_tool", "order: missing")


class WordScores:
    """A classifier whose scores stand in the message: ``buy=0.9``."""

    name = "words"

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        pairs = (word.split("=") for word in text.split() if "=" in word)
        return Classification(scores={name: float(score) for name, score in pairs}, by="words")


class Routed(Subject, frozen=True, kw_only=True):
    """The agent with two intents."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LiveAgent]:
        intents = {
            "prices": Intent(name="prices", tools=("price",)),
            "buy": Intent(name="buy", tools=("order",)),
        }
        async with super().opened() as live:
            yield replace(live, intents=intents, classifier=WordScores())


async def test_intents_routes_and_questions_about_them_are_read_from_the_journal(
    folder: Path,
) -> None:
    suite = suite_of(
        folder,
        case("price of tea prices=0.9", "taken", intent="prices", route="tools", tools=["price"]),
        case("hello prices=0.1", "none", intent="none", route="answer", tools=[]),
        case("tea? prices=0.5 buy=0.4", "asked", route="ask", asks=["buy", "prices"]),
        case("buy 2 cups of tea prices=0.9", "wrong", intent="buy", tools=["order"]),
        case("tea? prices=0.5", "needless", intent="prices"),
    )
    results = {one.case: one for one in await run(Plan(suite=suite), Routed(path=folder))}
    assert {name: faults(one) for name, one in results.items()} == {
        "taken": [],
        "none": [],
        "asked": [],
        "wrong": ["intent", "tools"],
        "needless": ["intent", "question"],
    }
    assert results["asked"].turns[0].candidates == ("prices", "buy")
    assert results["taken"].turns[0].scores == {"prices": 0.9}
    summary = summarise("s", list(results.values()), {})
    assert summary.metrics["intent"] == pytest.approx(3 / 5)
    assert summary.confusion["prices"] == {"prices": 1, "ask": 1}


@pytest.mark.parametrize(
    ("expect", "setup", "told"),
    [
        ({"tools": ["prise"]}, None, "the agent has no tool 'prise' (did you mean 'price'?)"),
        ({"arguments": {"buy": {}}}, None, "no tool 'buy'"),
        ({}, {"fail": {"pay": "x"}}, "no tool 'pay'"),
        ({"intent": "order_query"}, None, "no intent 'order_query' (it has no intents)"),
    ],
)
async def test_a_name_that_the_agent_does_not_have_is_a_fault_of_the_suite(
    folder: Path, expect: dict[str, object], setup: object, told: str
) -> None:
    with pytest.raises(AgentFileError) as caught:
        await results_of(folder, case("x", setup=setup, **expect))
    assert told in str(caught.value)
    assert "suite.yaml:2: one: " in str(caught.value)


def test_the_digest_of_an_agent_is_of_its_files_and_not_of_its_data(folder: Path) -> None:
    subject = Subject(path=folder)
    before = subject.digest()
    (folder / ".pointsman").mkdir()
    (folder / ".pointsman" / "notes.py").touch()
    (folder / "orders.db").touch()
    (folder / "evaluation" / "suite.yaml").touch()
    assert subject.digest() == before
    (folder / "prices.py").touch()
    assert subject.digest() != before


def test_another_model_keeps_the_agents_parameters_and_has_no_fallback(folder: Path) -> None:
    file = folder / "agent.yaml"
    model = "model: {use: deepseek, name: deepseek-chat, temperature: 0.1, fallback: offline}\n"
    file.write_text(file.read_text(encoding="utf-8") + model, encoding="utf-8")
    spec = Subject(path=folder, use="openai/gpt-5").file().spec.model
    assert (spec.use, spec.name, spec.fallback) == ("openai", "gpt-5", "")
    assert spec.params.temperature == 0.1
    assert Subject(path=folder).names == "deepseek/deepseek-chat"
