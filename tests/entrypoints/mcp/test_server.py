"""The official MCP client works unchanged against the agents of a real server, in the current
protocol and in that of old."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestFormParams, ElicitResult, TextContent

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from pointsman.errors import StoreUnavailable
from pointsman.ports import CallContext
from tests.support.engine import message, service_of
from tests.support.scripted_model import Answer, results
from tests.support.tools import FakeTool, fake_tool
from tests.support.waiting import until
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


def books(request: ModelRequest) -> Answer:
    """Books what the user named, one call a word, and reads the results out."""
    found = results(request)
    if found:
        return " / ".join(found)
    last = request.messages[-1]
    assert isinstance(last, UserMessage)
    if last.text == "book":
        return [("book", "{}")]
    if not last.text.startswith("book"):
        return f"I heard: {last.text}"
    return [("book", f'{{"what": "{word}"}}') for word in last.text.split()[1:]]


async def booking(risk: Risk = Risk.WRITE, **spec: Any) -> tuple[Service, FakeTool]:
    tool = fake_tool("book", "booked", required=["what"], risk=risk)
    return await service_of(books, tool, title="Travel desk", **spec), tool


class User:
    """Who sits before the client, and fills in its forms."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.forms: list[dict[str, Any]] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.asked.append(params.message)
        self.forms.append(params.requested_schema)
        return self.answers.pop(0)


def says(action: Any, **content: Any) -> ElicitResult:
    return ElicitResult(action=action, content=content or None)


YES, NO = says("accept", approve=True), says("accept", approve=False)


@asynccontextmanager
async def connected(site: Site, era: str, user: User | None = None) -> AsyncIterator[Client]:
    # Without the certificates of this machine, which take it 0.2 s to read.
    async with httpx2.AsyncClient(verify=False, timeout=30) as plain:
        transport = streamable_http_client(f"{site.url}/mcp", http_client=plain)
        mode = "legacy" if era == "legacy" else "auto"
        async with Client(transport, mode=mode, elicitation_callback=user) as client:
            yield client


def text_of(result: Any) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


ERAS = pytest.mark.parametrize("era", ["legacy", "current"])


@ERAS
async def test_each_agent_is_a_tool(era: str) -> None:
    service, _ = await booking()
    async with serving(service) as site, connected(site, era) as client:
        agent, look = (await client.list_tools()).tools
    assert (agent.name, agent.title, look.name) == ("desk", "Travel desk", "pointsman_run")
    assert agent.description is not None
    assert "book" in agent.description
    assert agent.input_schema["required"] == ["message"]


@ERAS
async def test_an_answer_is_text_and_structure_and_goes_on_in_its_conversation(era: str) -> None:
    service, _ = await booking()
    async with serving(service) as site, connected(site, era) as client:
        first = await client.call_tool("desk", {"message": "hello"})
        assert (first.is_error, text_of(first)) == (False, "I heard: hello")
        said = first.structured_content
        assert (said["status"], said["text"], said["waiting"]) == ("done", "I heard: hello", [])
        more = {"message": "again", "conversation": said["conversation"]}
        second = await client.call_tool("desk", more)
        assert second.structured_content["conversation"] == said["conversation"]
        assert len((await site.service.conversation(said["conversation"], "local")).messages) == 4


@ERAS
async def test_what_waits_is_put_to_the_user_and_runs_when_he_accepts(era: str) -> None:
    service, tool = await booking()
    user = User(YES, YES)
    async with serving(service) as site, connected(site, era, user) as client:
        done = await client.call_tool("desk", {"message": "book train hotel"})
    assert text_of(done) == "booked / booked"
    assert [one["what"] for one in tool.calls] == ["train", "hotel"]
    assert sorted("train" in one for one in user.asked) == [False, True]
    assert user.forms[0]["required"] == ["approve"]


@ERAS
@pytest.mark.parametrize("answer", [NO, says("decline")], ids=["no", "decline"])
async def test_what_the_user_declines_does_not_run(era: str, answer: ElicitResult) -> None:
    service, tool = await booking()
    async with serving(service) as site, connected(site, era, User(answer)) as client:
        done = await client.call_tool("desk", {"message": "book train"})
        assert done.structured_content["status"] == "done"
        assert "DENIED" in text_of(done)
    assert tool.calls == []


@ERAS
@pytest.mark.parametrize(
    "answer",
    [says("cancel"), says("accept"), says("accept", approve="yes"), says("cancel", approve=True)],
    ids=["cancel", "empty", "odd", "cancel-with-yes"],
)
async def test_what_the_user_does_not_answer_goes_on_waiting(
    era: str, answer: ElicitResult
) -> None:
    service, tool = await booking()
    async with serving(service) as site, connected(site, era, User(answer)) as client:
        waits = await client.call_tool("desk", {"message": "book train"})
        assert waits.structured_content["status"] == "waiting"
        assert [run.status for run in await service.runs(user=None)] == [RunStatus.WAITING]
    assert tool.calls == []


@ERAS
async def test_a_question_is_put_to_the_user_and_his_words_go_on_with_it(era: str) -> None:
    service, tool = await booking(Risk.READ)
    user = User(says("accept", answer="train"))
    async with serving(service) as site, connected(site, era, user) as client:
        done = await client.call_tool("desk", {"message": "book"})
    assert user.forms[0]["required"] == ["answer"]
    assert (text_of(done), tool.calls) == ("booked", [{"what": "train"}])


@ERAS
async def test_a_client_without_forms_is_told_what_waits_and_how_to_go_on(era: str) -> None:
    service, tool = await booking()
    async with serving(service) as site, connected(site, era) as client:
        waits = await client.call_tool("desk", {"message": "book train"})
        said = waits.structured_content
        assert (said["status"], said["waiting"][0]["by"]) == ("waiting", "user")
        assert f'conversation="{said["conversation"]}"' in text_of(waits)
        assert tool.calls == []
        yes = {"message": "yes", "conversation": said["conversation"]}
        assert text_of(await client.call_tool("desk", yes)) == "booked"
    assert len(tool.calls) == 1


@ERAS
async def test_a_yes_of_the_calling_model_counts_for_nothing_where_the_user_can_be_asked(
    era: str,
) -> None:
    service, tool = await booking()
    user = User(says("cancel"), says("decline"))
    async with serving(service) as site, connected(site, era, user) as client:
        waits = await client.call_tool("desk", {"message": "book train"})
        yes = {"message": "yes", "conversation": waits.structured_content["conversation"]}
        assert "DENIED" in text_of(await client.call_tool("desk", yes))
    assert (len(user.asked), tool.calls) == (2, [])


@ERAS
async def test_what_is_up_to_a_role_is_left_to_it_and_can_be_looked_at(era: str) -> None:
    service, tool = await booking(
        policy=[{"tool": "book", "then": "approve", "by": "finance"}],
        roles={"finance": ["fay"]},
    )
    async with serving(service) as site, connected(site, era, User()) as client:
        waits = await client.call_tool("desk", {"message": "book train"})
        said = waits.structured_content
        assert "finance" in text_of(waits)
        yes = {"message": "yes", "conversation": said["conversation"]}
        assert text_of(await client.call_tool("desk", yes)) == text_of(waits)
        approval = said["waiting"][0]["approval"]
        await service.decide(said["run"], approval, "approved", by="fay")
        await until(lambda: bool(tool.calls))
        with anyio.fail_after(60):
            while True:
                look = await client.call_tool("pointsman_run", {"run": said["run"]})
                if look.structured_content["status"] == "done":
                    break
    assert text_of(look) == "booked"


@ERAS
async def test_progress_is_told(era: str) -> None:
    async def slow(arguments: Any, context: CallContext) -> str:
        context.progress(0.5, "half way")
        return "booked"

    service = await service_of(books, fake_tool("book", slow, required=["what"], risk=Risk.READ))
    told: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with serving(service) as site, connected(site, era) as client:
        await client.call_tool("desk", {"message": "book train"}, progress_callback=note)
    assert [step for step, _ in told] == sorted({step for step, _ in told})
    assert {"thinking", "calling book", "half way"} <= {words for _, words in told}


@ERAS
async def test_a_call_that_is_cancelled_stops_its_run(era: str) -> None:
    begun, stopped = anyio.Event(), anyio.Event()

    async def endless(arguments: Any, context: CallContext) -> str:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()
        return ""

    tool = fake_tool("book", endless, required=["what"], risk=Risk.READ)
    service = await service_of(books, tool)
    async with serving(service) as site, connected(site, era) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "desk", {"message": "book train"})
            await begun.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(60):
            await stopped.wait()
            while [run.status for run in await service.runs(user=None)] != [RunStatus.CANCELLED]:
                await anyio.lowlevel.checkpoint()


async def test_a_server_that_stops_leaves_its_runs_to_go_on() -> None:
    begun = anyio.Event()

    async def endless(arguments: Any, context: CallContext) -> str:
        begun.set()
        await anyio.sleep_forever()
        return ""

    service = await service_of(books, fake_tool("book", endless, required=["what"], risk=Risk.READ))

    async def call(site: Site) -> None:
        with anyio.CancelScope(), pytest.raises(Exception):  # noqa: B017, PT011 - however it breaks
            async with connected(site, "current") as client:
                await client.call_tool("desk", {"message": "book train"})

    async with anyio.create_task_group() as tasks:
        async with serving(service) as site:
            tasks.start_soon(call, site)
            await begun.wait()
        (run,) = await service.runs(user=None)
        tasks.cancel_scope.cancel()
    assert run.status is not RunStatus.CANCELLED


@ERAS
async def test_another_users_conversation_and_run_are_not_found(era: str) -> None:
    service, _ = await booking()
    async with serving(service) as site, connected(site, era) as client:
        run = await service.submit(message("hello", user="ann"))
        conversation = (await service.record(run, "ann")).conversation
        said = await client.call_tool("desk", {"message": "x", "conversation": conversation})
        assert said.is_error
        assert "no conversation" in text_of(said)
        look = await client.call_tool("pointsman_run", {"run": run})
        assert (look.is_error, "no run" in text_of(look)) == (True, True)


@ERAS
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("nobody", {"message": "x"}), ("desk", {}), ("desk", {"message": " "}), ("desk", None)],
)
async def test_a_call_that_makes_no_sense_is_refused(
    era: str, tool: str, arguments: dict[str, Any] | None
) -> None:
    service, _ = await booking()
    async with serving(service) as site, connected(site, era) as client:
        with pytest.raises(MCPError):
            await client.call_tool(tool, arguments)


async def raw_call(client: Client, message: str, **more: Any) -> Any:
    """One round of the current protocol."""
    return await client.session.call_tool(
        "desk", {"message": message}, allow_input_required=True, **more
    )


async def test_the_state_of_a_round_is_not_believed() -> None:
    service, tool = await booking()
    async with serving(service) as site, connected(site, "current", User()) as client:
        waits = await raw_call(client, "book train")
        (key,) = waits.input_requests
        foreign = await service.submit(message("book boat", user="ann"))
        async for _ in service.follow(foreign, "ann"):
            pass
        (theirs,) = (await service.run(foreign, "ann")).waiting
        assert theirs.approval is not None
        for state in (f"run:{foreign}", "run:" + "0" * 32, "x", "", f"run:{foreign}\n"):
            for answer in (key, theirs.approval.id):
                said = await raw_call(
                    client, "book train", request_state=state, input_responses={answer: YES}
                )
                assert said.is_error, state
        mixed = {theirs.approval.id: YES, "words": says("accept", answer="yes")}
        said = await raw_call(client, "x", request_state=waits.request_state, input_responses=mixed)
        assert said.structured_content["status"] == "waiting"
        assert tool.calls == []
        for _ in range(2):  # an answer that is sent again does nothing again
            said = await raw_call(
                client, "x", request_state=waits.request_state, input_responses={key: YES}
            )
            assert text_of(said) == "booked"
    assert tool.calls == [{"what": "train"}]


async def test_an_answer_that_comes_late_is_told_how_it_was_settled() -> None:
    service, tool = await booking()
    async with serving(service) as site, connected(site, "current", User()) as client:
        waits = await raw_call(client, "book train")
        (key,) = waits.input_requests
        (run,) = await service.runs(user=None)
        await service.decide(run.id, key, "denied", by="local")
        said = await raw_call(
            client, "x", request_state=waits.request_state, input_responses={key: YES}
        )
        assert (said.structured_content["status"], "DENIED" in text_of(said)) == ("done", True)
    assert tool.calls == []


async def test_what_fails_inside_is_not_told_outside(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MemoryStore):
        async def conversation(self, conversation: str) -> Any:
            raise StoreUnavailable("postgresql://secret@10.0.0.1")

    service = await service_of(["hello"], store=Broken())
    async with serving(service) as site, connected(site, "current") as client:
        said = await client.call_tool("desk", {"message": "hi", "conversation": "c"})
    assert (said.is_error, "secret" in text_of(said)) == (True, False)
    assert "secret" in caplog.text


async def test_a_page_of_another_origin_is_refused() -> None:
    service, _ = await booking()
    async with serving(service) as site:
        headers = {"Origin": "http://evil.test"}
        async with site.http.post("/mcp", json={}, headers=headers) as response:
            assert response.status == 403
        headers = {"Host": "evil.test"}
        async with site.http.post("/mcp", json={}, headers=headers) as response:
            assert response.status == 421
