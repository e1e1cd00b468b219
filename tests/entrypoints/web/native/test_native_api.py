"""Runs and conversations over HTTP: a user's own, in order, and nothing of anybody else."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import msgspec
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.agent import Limits
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.engine.service import Submission
from pointsman.ports import RunRecord
from tests.entrypoints.web.native import booking, books, get, post, say, stream_of
from tests.support.engine import service_of
from tests.support.function_model import HeldModel
from tests.support.scripted_model import Answer
from tests.support.tools import fake_tool
from tests.support.web import Event, Site, events, serving

pytestmark = pytest.mark.anyio


def echo(request: ModelRequest) -> Answer:
    last = request.messages[-1]
    assert isinstance(last, UserMessage)
    return f"echo {last.text}"


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(await service_of(echo)) as site:
        yield site


async def test_a_message_is_accepted_and_its_run_named(site: Site) -> None:
    body = {"agent": "desk", "text": "hello"}
    async with site.http.post("/api/messages", json=body) as answer:
        accepted = await answer.json()
        assert answer.status == 202
        assert answer.headers["Location"] == f"/api/runs/{accepted['run']}"
    await site.service.wait(accepted["run"], "local")
    run = await get(site, f"/api/runs/{accepted['run']}")
    assert (run["status"], run["text"], run["input"]) == ("done", "echo hello", "hello")
    assert run["usage"]["total"] == 15


async def handed_in(site: Site, text: str, key: str, status: int = 202) -> Any:
    body = {"agent": "desk", "text": text}
    headers = {"Idempotency-Key": key}
    async with site.http.post("/api/messages", json=body, headers=headers) as answer:
        assert answer.status == status
        return await answer.json(content_type=None)


async def test_a_message_that_comes_again_with_its_key_makes_one_run(site: Site) -> None:
    first = await handed_in(site, "hello", "k1")
    await site.service.wait(first["run"], "local")
    assert await handed_in(site, "hello", "k1") == first
    assert await handed_in(site, "hello", "k2") != first
    refused = await handed_in(site, "something else", "k1", status=409)
    assert "Idempotency-Key" in refused["detail"]
    assert len((await get(site, "/api/runs"))["runs"]) == 2


async def test_a_message_that_comes_many_times_at_once_makes_one_run(site: Site) -> None:
    answers: list[Any] = []

    async def send() -> None:
        answers.append(await handed_in(site, "hello", "k"))

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(send)
    assert answers == [answers[0]] * 8
    assert len((await get(site, "/api/runs"))["runs"]) == 1


async def test_a_key_is_its_users_own() -> None:
    service = await service_of(echo)
    runs = [
        await service.submit_once(Submission(agent="desk", user=user, text="hi"), "k")
        for user in ("ann", "bob", "ann")
    ]
    await service.aclose()
    assert runs[0] == runs[2] != runs[1]


async def test_a_conversation_goes_on_and_holds_its_messages_and_runs(site: Site) -> None:
    first = await say(site, "one")
    await site.service.wait(first["run"], "local")
    second = await say(site, "two", first["conversation"])
    await site.service.wait(second["run"], "local")
    found = await get(site, f"/api/conversations/{first['conversation']}")
    assert [(m["role"], m["text"]) for m in found["messages"]] == [
        ("user", "one"),
        ("assistant", "echo one"),
        ("user", "two"),
        ("assistant", "echo two"),
    ]
    assert [run["run"] for run in found["runs"]] == [second["run"], first["run"]]
    assert found["usage"]["total"] == 30


@pytest.mark.parametrize("case", [pytest.param("X27", id="X27")])
async def test_messages_at_once_in_one_conversation_are_answered_in_turn(case: str) -> None:
    def counts(request: ModelRequest) -> Answer:
        return f"{len(request.messages)} messages"

    async with serving(await service_of(counts)) as site:
        conversation = (await say(site, "0"))["conversation"]
        runs: list[str] = []

        async def add(text: str) -> None:
            runs.append((await say(site, text, conversation))["run"])

        async with anyio.create_task_group() as tasks:
            for number in range(1, 5):
                tasks.start_soon(add, str(number))
        for run in runs:
            await site.service.wait(run, "local")
        found = await get(site, f"/api/conversations/{conversation}")
    roles = [message["role"] for message in found["messages"]]
    assert roles == ["user", "assistant"] * 5
    replies = [m["text"] for m in found["messages"] if m["role"] == "assistant"]
    assert replies == [f"{2 * number} messages" for number in range(1, 6)]


async def test_a_runs_events_come_in_order_with_their_positions_and_then_end(site: Site) -> None:
    run = (await say(site, "hello"))["run"]
    stream = await stream_of(site, run)
    journal = [event for event in stream if event.id]
    assert [int(event.id) for event in journal] == list(range(len(journal)))
    assert journal[0].name == "message_received"
    assert journal[-1].name == "reply_given"
    assert journal[-1].data["text"] == "echo hello"
    assert (stream[-1].name, stream[-1].id, stream[-1].data) == ("end", "", {"status": "done"})


async def test_pieces_of_the_reply_come_between_the_events_without_an_id() -> None:
    model = HeldModel("It is ", "sunny.")
    async with serving(await service_of(model)) as site:
        run = (await say(site, "hello"))["run"]
        async with site.http.get(f"/api/runs/{run}/events") as answer:
            seen = events(answer)
            async for event in seen:
                if event.name == "model_asked":
                    break
            model.go.set()
            rest = [event async for event in seen]
    told = [event for event in rest if event.name == "text"]
    assert told[-1] == Event({"text": "sunny."}, "text")


async def test_a_stream_is_taken_up_where_it_was_left(site: Site) -> None:
    run = (await say(site, "hello"))["run"]
    whole = [event for event in await stream_of(site, run) if event.id]
    for seen in whole:
        later = await stream_of(site, run, **{"Last-Event-ID": seen.id})
        assert [event for event in later if event.id] == whole[int(seen.id) + 1 :]
        assert later[-1].name == "end"
    async with site.http.get(f"/api/runs/{run}/events?after=1") as answer:
        assert (await anext(events(answer))).id == "2"


async def test_a_position_after_the_end_gets_the_end_alone(site: Site) -> None:
    run = (await say(site, "hello"))["run"]
    await site.service.wait(run, "local")
    assert [event.name for event in await stream_of(site, run, **{"Last-Event-ID": "999"})] == [
        "end"
    ]


async def test_a_position_that_is_none_is_refused(site: Site) -> None:
    run = (await say(site, "hello"))["run"]
    path = f"/api/runs/{run}/events"
    async with site.http.get(path, headers={"Last-Event-ID": "next"}) as answer:
        assert answer.status == 400
    await get(site, f"{path}?after=-2", 400)


async def test_a_run_is_cancelled_once() -> None:
    model = HeldModel("It is ", "sunny.")
    async with serving(await service_of(model)) as site:
        run = (await say(site, "hello"))["run"]
        await model.told.wait()
        path = f"/api/runs/{run}/cancel"
        assert (await post(site, path, {"reason": "no need"}))["status"] == "cancelled"
        await post(site, path, status=409)
        trace = await get(site, f"/api/runs/{run}/trace")
    assert trace["events"][-1]["type"] == "run_cancelled@1"
    assert [event["position"] for event in trace["events"]] == list(range(len(trace["events"])))


async def test_runs_are_listed_newest_first_a_page_at_a_time(site: Site) -> None:
    made = [(await say(site, str(number)))["run"] for number in range(5)]
    for run in made:
        await site.service.wait(run, "local")
    seen: list[str] = []
    page = await get(site, "/api/runs?limit=2")
    while True:
        assert len(page["runs"]) <= 2
        seen += [run["run"] for run in page["runs"]]
        if page["before"] is None:
            break
        page = await get(site, f"/api/runs?limit=2&before={page['before']}")
    assert seen == made[::-1]


async def test_runs_are_found_by_status() -> None:
    async with serving(await booking()) as site:
        run = (await say(site, "go"))["run"]
        await site.service.wait(run, "local")
        assert (await get(site, "/api/runs?status=done&status=failed"))["runs"] == []
        assert len((await get(site, "/api/runs?status=waiting&status=done"))["runs"]) == 1
        await get(site, "/api/runs?status=asleep", 400)


async def test_the_whole_of_a_cut_result_can_be_read() -> None:
    long = "\n".join(f"line {number}" for number in range(500))
    tool = fake_tool("book", long, required=["what"])
    async with serving(await service_of(books, tool, limits=Limits(result_chars=200))) as site:
        run = (await say(site, "go"))["run"]
        await site.service.wait(run, "local")
        (call,) = (await get(site, f"/api/runs/{run}"))["calls"]
        assert len(call["content"]) < 400
        async with site.http.get(f"/api/runs/{run}/results/{call['result']}") as answer:
            assert (await answer.text(), answer.content_type) == (long, "text/plain")
        await get(site, f"/api/runs/{run}/results/nothing", 404)


async def test_tokens_are_counted_for_the_user_and_for_a_conversation(site: Site) -> None:
    first, second = await say(site, "one"), await say(site, "two")
    for accepted in (first, second):
        await site.service.wait(accepted["run"], "local")
    assert (await get(site, "/api/usage"))["total"] == 30
    path = f"/api/usage?conversation={first['conversation']}"
    assert (await get(site, path))["total"] == 15


async def test_the_agents_show_their_tools() -> None:
    async with serving(await booking()) as site:
        (agent,) = (await get(site, "/api/agents"))["agents"]
    assert (agent["agent"], agent["model"]) == ("desk", "scripted")
    assert [(tool["name"], tool["risk"]) for tool in agent["tools"]] == [("book", "write")]
    assert agent["sources"] == [{"name": "python", "state": "ready"}]


async def test_a_tool_is_called_something_in_each_language() -> None:
    plain = fake_tool("book", "booked")
    plain.spec = msgspec.structs.replace(plain.spec, titles={"zh": "预订", "en": "Book"})
    async with serving(await service_of(["hello"], plain)) as site:
        (agent,) = (await get(site, "/api/agents"))["agents"]
    assert agent["tools"][0]["titles"] == {"zh": "预订", "en": "Book"}


async def test_the_server_says_that_it_is_up(site: Site) -> None:
    assert (await get(site, "/healthz"))["status"] == "ok"


async def _of_bob(site: Site) -> tuple[str, str]:
    """A run of another user, and its conversation."""
    run = await site.service.submit(Submission(agent="desk", user="bob", text="密码是42"))
    await site.service.wait(run, None)
    return run, (await site.service.record(run, None)).conversation


@pytest.mark.parametrize("case", [pytest.param("X07", id="X07"), pytest.param("X08", id="X08")])
async def test_what_is_anothers_looks_like_what_does_not_exist(site: Site, case: str) -> None:
    run, conversation = await _of_bob(site)
    places: list[tuple[str, str, Any]] = [
        ("GET", "/api/runs/RUN", None),
        ("GET", "/api/runs/RUN/trace", None),
        ("GET", "/api/runs/RUN/events", None),
        ("GET", "/api/runs/RUN/results/x", None),
        ("POST", "/api/runs/RUN/cancel", {}),
        ("GET", "/api/approvals/RUN.00000000", None),
        ("POST", "/api/approvals/RUN.00000000", {"decision": "deny"}),
        ("GET", "/api/conversations/TALK", None),
        ("GET", "/api/usage?conversation=TALK", None),
        ("POST", "/api/messages", {"agent": "desk", "text": "hi", "conversation": "TALK"}),
    ]
    for method, path, body in places:
        answers = []
        for names in ((run, conversation), ("0" * 32, "1" * 32)):
            where = path.replace("RUN", names[0]).replace("TALK", names[1])
            sent = body and {key: value.replace("TALK", names[1]) for key, value in body.items()}
            async with site.http.request(method, where, json=sent) as answer:
                text = (await answer.text()).replace(names[0], "RUN").replace(names[1], "TALK")
                text = text.replace(answer.headers["X-Request-Id"], "ID")
                answers.append((answer.status, answer.content_type, text))
        assert answers[0] == answers[1], path
        assert answers[0][0] == 404, path
    assert (await get(site, "/api/runs"))["runs"] == []
    assert (await get(site, f"/api/runs?conversation={conversation}"))["runs"] == []
    assert (await get(site, "/api/usage"))["total"] == 0


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"agent": "desk"}, "text: this key is required"),
        ({"agent": "desk", "text": ""}, "text: must not be empty"),
        ({"agent": "desk", "text": " \u3000\n"}, "text: must not be blank"),
        ({"agent": "desk", "text": "x", "usr": "bob"}, "usr: unknown key 'usr'"),
        ({"agent": "desk", "text": "x", "language": "fr"}, "language: expected one of zh, en"),
        ([], "expected keys and values"),
    ],
)
async def test_a_bad_message_is_refused_with_every_fault(
    site: Site, body: Any, detail: str
) -> None:
    async with site.http.post("/api/messages", json=body) as answer:
        problem = await answer.json(content_type="application/problem+json")
        assert answer.status == 400
        assert problem["request_id"] == answer.headers["X-Request-Id"]
    assert problem["detail"].startswith(detail)
    assert problem["errors"][0]["problem"]


async def test_a_body_that_is_not_json_is_refused(site: Site) -> None:
    async with site.http.post("/api/messages", data={"agent": "desk"}) as form:
        assert form.status == 415
    headers = {"Content-Type": "application/json"}
    async with site.http.post("/api/messages", data=b"{'a'", headers=headers) as broken:
        assert (await broken.json(content_type=None))["detail"] == "the body is not JSON"


async def test_an_unknown_agent_is_not_found(site: Site) -> None:
    await post(site, "/api/messages", {"agent": "nobody", "text": "hi"}, 404)


async def test_a_fault_of_ours_says_nothing_of_the_inside() -> None:
    class BrokenStore(MemoryStore):
        async def record(self, run: str) -> RunRecord | None:
            raise RuntimeError("a secret of the inside")

    async with serving(await service_of(echo, store=BrokenStore())) as site:
        problem = await get(site, "/api/runs/x", 500)
        assert "secret" not in str(problem)
        assert problem["request_id"]
