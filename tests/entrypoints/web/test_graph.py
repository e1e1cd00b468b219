"""A request's tasks over HTTP: as data, as a picture, and as they happen."""

import json

import pytest

from pointsman.domain.messages import ModelRequest, UserMessage
from tests.entrypoints.web.native import get, post, say, stream_of
from tests.support.engine import service_of
from tests.support.graphs import SplittingModel, decomposition, results, rows
from tests.support.scripted_model import Answer
from tests.support.tools import strict_tool
from tests.support.web import serving

pytestmark = pytest.mark.anyio

ABC = rows(a="", b="", c="a b")


async def test_the_tasks_of_a_request_are_data_and_a_picture() -> None:
    async with serving(await service_of(SplittingModel(ABC), decomposition())) as site:
        sent = await say(site, "do it all")
        await site.service.wait(sent["run"], "local")
        found = await get(site, f"/api/runs/{sent['run']}/graph")
        chinese = await get(site, f"/api/runs/{sent['run']}/graph?language=zh")
        assert found["overall"] == "done"
        assert [(one["index"], one["base"], one["state"]) for one in found["tasks"]] == [
            ("a", [], "done"),
            ("b", [], "done"),
            ("c", ["a", "b"], "done"),
        ]
        assert found["tasks"][2]["result"] == "did do c"
        task = await get(site, f"/api/runs/{found['tasks'][2]['run']}")
        assert (task["input"], task["text"]) == ("do c", "did do c")
        assert found["text"].splitlines()[2] == "├─┘"
        assert "全部完成：完成 3" in chinese["text"]
        await get(site, f"/api/runs/{found['tasks'][0]['run']}/graph", 404)
        await get(site, "/api/runs/none/graph", 404)


async def test_who_follows_a_request_sees_its_tasks_come_and_go() -> None:
    async with serving(await service_of(SplittingModel(ABC), decomposition())) as site:
        sent = await say(site, "do it all")
        seen = await stream_of(site, sent["run"])
        names = [one.name for one in seen]
        assert names.count("task_started") == names.count("task_ended") == 3
        assert names.index("plan_accepted") < names.index("task_started")
        assert names[-1] == "end"
        ended = [one.data for one in seen if one.name == "task_ended"]
        assert {one["node"] for one in ended} == {"a", "b", "c"}


async def test_a_confirmation_of_a_task_is_given_over_http() -> None:
    def pay(request: ModelRequest) -> Answer:
        return "paid" if results(request) else [("pay", '{"amount": "5"}')]

    tool = strict_tool("pay", {"amount": {"type": "string"}}, "paid")
    model = SplittingModel(ABC, {"do a": pay})
    async with serving(await service_of(model, decomposition(), tool)) as site:
        sent = await say(site, "pay 5, and the rest")
        await site.service.wait(sent["run"], "local")
        run = await get(site, f"/api/runs/{sent['run']}")
        (waiting,) = run["waiting"]
        assert (run["status"], waiting["tool"], waiting["arguments"]) == (
            "waiting",
            "pay",
            {"amount": "5"},
        )
        assert run["text"] == waiting["question"]
        await post(site, f"/api/approvals/{waiting['approval']}", {"decision": "approve"})
        seen = await stream_of(site, sent["run"])
        assert seen[-1].name == "end"
        assert (await get(site, f"/api/runs/{sent['run']}"))["status"] == "done"
    assert tool.calls == [{"amount": "5"}]


@pytest.mark.parametrize("needed", ["confirmation", "words"])
async def test_an_openai_client_answers_what_a_task_asks(needed: str) -> None:
    def act(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        if results(request)[-1:] == ["sent"]:
            return "it is sent"
        if needed == "confirmation":
            return [("send", '{"to": "bob"}')]
        return [("send", json.dumps({"to": said[-1]} if len(said) > 1 else {}))]

    tool = strict_tool("send", {"to": {"type": "string"}}, "sent")
    policy = [] if needed == "confirmation" else [{"tool": "send", "then": "allow"}]
    model = SplittingModel(ABC, {"do a": act})
    service = await service_of(model, decomposition(), tool, policy=policy)
    async with serving(service) as site:
        talk = [{"role": "user", "content": "send bob a mail, and the rest"}]
        for answer in ("yes" if needed == "confirmation" else "bob", ""):
            reply = await site.client.chat.completions.create(model="desk", messages=talk)  # type: ignore[arg-type]
            text = reply.choices[0].message.content or ""
            talk.append({"role": "assistant", "content": text})
            talk.append({"role": "user", "content": answer})
    assert "it is sent" in talk[-2]["content"]
    assert tool.calls == [{"to": "bob"}]
