"""Notifications through a running server: ``kill -9`` between a channel's yes and our mark, on both
databases; and an inbox that a page holds open."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.cases import params
from tests.end_to_end.test_kill import call, free_port, is_up
from tests.support.command import COMMAND
from tests.support.robot_server import robot_server
from tests.support.waiting import until
from tests.support.web import Event, events

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

AGENT = """\
agent: office
language: zh
tools:
  - builtin: System_Notify
offline:
  calls:
    notify:
      tool: System_Notify
      when: [发给]
      arguments: {message: {fixed: 日报}, toUser: {fixed: admin}}
  fallback: 什么？
"""
SETTINGS = """\
[channels.weixingroup]
rooms = { "产品群" = "GROUP_URL" }

[channels.hook]
kind = "webhook"
idempotent = true
rooms = { "总线" = "HOOK_URL" }
"""


@asynccontextmanager
async def serving(folder: Path, **environment: str) -> AsyncIterator[tuple[Any, str]]:
    """A server process on the folder, and the address of its API."""
    port = free_port()
    kept = {k: v for k, v in os.environ.items() if not k.startswith("POINTSMAN_")}
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(COMMAND, "serve", "agent", "--port", str(port)),
            cwd=folder,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=log,
            env={**kept, "NO_PROXY": "127.0.0.1", **environment},
        )
    try:
        async with asyncio.timeout(60):
            while not await is_up(port):
                assert process.returncode is None, (folder / "log").read_text()
                await asyncio.sleep(0.05)
        yield process, f"http://127.0.0.1:{port}/api"
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


def write(folder: Path, settings: str = SETTINGS) -> None:
    (folder / "agent").mkdir(parents=True)
    (folder / "agent" / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (folder / "agent" / "pointsman.toml").write_text(settings, encoding="utf-8")


async def ended(api: str, count: int) -> dict[str, dict[str, Any]]:
    """Every delivery by its channel, when so many have ended."""
    async with asyncio.timeout(60):
        while True:
            found = (await call("GET", f"{api}/deliveries"))["deliveries"]
            done = [one for one in found if one["sent"] or one["status"].startswith(("f", "d"))]
            if len(done) >= count:
                return {one["channel"]: one for one in found}
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("case", params(9, only=("N03",)))
async def test_kill_9_between_send_and_mark_on_both_databases(
    case: dict[str, Any], tmp_path: Path, postgres_url: str
) -> None:
    assert case["input"]["recipients"] == 3
    async with asyncio.TaskGroup() as both:  # each waits for a lease to run out
        both.create_task(killed_between(tmp_path / "sqlite"))
        both.create_task(killed_between(tmp_path / "postgres", POINTSMAN_DATABASE=postgres_url))


async def killed_between(folder: Path, **place: str) -> None:
    """Kill a server that has sent and not marked, and look what the next one does.

    Args:
        place: where the database is; in the folder by default.
    """
    write(folder)
    async with robot_server() as robots:
        secrets = {
            "GROUP_URL": robots.address("wecom"),
            "HOOK_URL": robots.address("webhook"),
            **place,
        }
        robots.hold = asyncio.Event()
        notice = {
            "message": "知识库 178，用户 51",
            "to": ["admin"],
            "channels": ["system", "weixingroup", "hook"],
            "groups": ["产品群", "总线"],
            "key": "daily",
        }
        async with serving(folder, **secrets) as (process, api):
            await call("POST", f"{api}/deliveries", **notice)
            # Both services have taken the message, and nobody has heard them say so.
            await until(lambda: len(robots.taken) >= 2)
            await ended(api, 1)
            process.send_signal(signal.SIGKILL)
            await process.wait()
        robots.hold.set()
        async with serving(folder, **secrets) as (_, api):
            stand = await ended(api, 3)
            again = await call("POST", f"{api}/deliveries", **notice)
            count = len((await call("GET", f"{api}/deliveries"))["deliveries"])
    assert {one["status"] for one in stand.values()} == {"sent"}
    attempts = {name: one["attempts"] for name, one in stand.items()}
    assert attempts == {"system": 1, "weixingroup": 2, "hook": 2}
    doubts = {name: one["maybe_duplicated"] for name, one in stand.items()}
    assert doubts == {"system": False, "weixingroup": True, "hook": False}
    # What was sent twice was sent with one key, so that who knows keys takes it once.
    assert len(robots.keys) == 4
    assert sorted({*robots.keys}) == sorted(
        [stand["hook"]["delivery"], stand["weixingroup"]["delivery"]]
    )
    assert count == 3
    assert {one["status"] for one in again["deliveries"]} == {"sent"}


async def _messages(response: aiohttp.ClientResponse, count: int) -> AsyncIterator[Event]:
    async for one in events(response):
        if one.name == "message":
            yield one
            count -= 1
            if not count:
                return


async def test_an_inbox_is_told_without_asking_again(tmp_path: Path) -> None:
    write(tmp_path, "")
    async with (
        serving(tmp_path) as (_, api),
        aiohttp.ClientSession() as client,
        client.get(f"{api}/inbox/events") as stream,
    ):
        seen = events(stream)
        first = await anext(seen)
        assert (first.name, first.data) == ("unread", {"unread": 0})
        sent = await call("POST", f"{api}/deliveries", message="下班了", to=["我"])
        assert sent["deliveries"][0]["status"] in ("pending", "sending", "sent")
        async with asyncio.timeout(60):
            arrived, unread = await anext(seen), await anext(seen)
        assert (arrived.name, arrived.data["text"]) == ("message", "下班了")
        assert (unread.name, unread.data) == ("unread", {"unread": 1})
        # A page that comes back goes on where it was.
        await call("POST", f"{api}/deliveries", message="明天见", to=["我"])
        headers = {"Last-Event-ID": arrived.id}
        async with client.get(f"{api}/inbox/events", headers=headers) as back:
            async with asyncio.timeout(60):
                later = [one.data["text"] async for one in _messages(back, 1)]
            assert later == ["明天见"]
        await call("POST", f"{api}/inbox/{arrived.data['id']}/read", read=True)
        page = await call("GET", f"{api}/inbox?unread=true")
        assert [one["text"] for one in page["messages"]] == ["明天见"]


async def test_a_confirmed_call_of_an_agent_reaches_the_inbox(tmp_path: Path) -> None:
    write(tmp_path, "")
    async with serving(tmp_path) as (_, api):
        said = await call("POST", f"{api}/messages", agent="office", text="把日报发给admin")
        async with asyncio.timeout(60):
            while True:
                run = await call("GET", f"{api}/runs/{said['run']}")
                if run["status"] == "waiting":
                    break
                await asyncio.sleep(0.05)
        assert "收件人（1）：admin" in run["text"]
        await call(
            "POST",
            f"{api}/messages",
            agent="office",
            text="确认",
            conversation=said["conversation"],
        )
        async with asyncio.timeout(60):
            while True:
                run = await call("GET", f"{api}/runs/{said['run']}")
                if run["status"] == "done":
                    break
                await asyncio.sleep(0.05)
        found = (await call("GET", f"{api}/deliveries"))["deliveries"]
    assert [(one["recipient"], one["status"]) for one in found] == [("admin", "sent")]
    assert found[0]["run"] == said["run"]
