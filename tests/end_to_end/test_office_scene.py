"""O10: the article's scene with the office agent, against a server process whose clock the test
moves: what is confirmed, what runs when it is due, and what the receiver's page shows."""

import asyncio
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.support.file_clock import FileClock
from tests.support.served import PASSWORD, Person, served, signed_in
from tests.support.waiting import until_it_is
from tests.support.web import events

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

OFFICE = Path(__file__).parents[2] / "examples" / "office"
SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 17, 0, tzinfo=SHANGHAI)
DUE = datetime(2026, 3, 4, 17, 28, tzinfo=SHANGHAI)


async def settled(who: Person, run: str) -> dict[str, Any]:
    """The run when it has ended or waits for a person."""

    found: dict[str, Any] = {}

    async def rests() -> bool:
        found.update(await who.call("GET", f"/api/runs/{run}"))
        return found["status"] in ("done", "failed", "waiting", "cancelled")

    await until_it_is(rests, seconds=60)
    return found


async def at(who: Person, run: str) -> tuple[datetime, datetime]:
    """When a run began and ended, by the server's clock."""
    trace = (await who.call("GET", f"/api/runs/{run}/trace"))["events"]
    instants = [datetime.fromisoformat(one["at"]) for one in trace]
    return instants[0], instants[-1]


@pytest.mark.parametrize(
    ("wish", "yes", "shown", "numbers"),
    [
        pytest.param(
            "在晚上17点28统计一下知识库数量和用户数量，一起发给admin",
            "确认",
            ["2026年3月4日 周三 17:28", "Asia/Shanghai", "发送通知", "章程", "到时不再询问"],
            ["知识库数量：178", "用户数量：51"],
            id="zh",
        ),
        pytest.param(
            "at 17:28 count the knowledge bases and the users and send both to admin",
            "yes",
            ["Wed, 4 Mar 2026, 17:28", "Asia/Shanghai", "Send a notification", "without asking"],
            ["Number of knowledge bases: 178", "Number of users: 51"],
            id="en",
        ),
    ],
)
async def test_at_the_set_time_both_numbers_reach_admins_open_page(
    wish: str, yes: str, shown: list[str], numbers: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "office"
    shutil.copytree(OFFICE, folder, ignore=shutil.ignore_patterns(".pointsman"))
    clock = FileClock(tmp_path / "clock", NOW)
    async with (
        served(folder, tmp_path / "clock") as server,
        signed_in(
            server.url, "/api/setup", code=server.code, login="admin", password=PASSWORD
        ) as admin,
    ):
        invited = await admin.call(
            "POST", "/api/users", login="liming", name="李明", roles=["user"]
        )
        invitation = "/api/invitations/" + invited["invitation"].rpartition("/")[2]
        async with signed_in(server.url, invitation, password=PASSWORD) as liming:
            asked = await liming.call("POST", "/api/messages", agent="office", text=wish)
            waiting = await settled(liming, asked["run"])
            assert waiting["status"] == "waiting"
            (question,) = [one["question"] for one in waiting["waiting"]]
            assert [words for words in shown if words not in question] == []
            answer = {"agent": "office", "text": yes, "conversation": asked["conversation"]}
            await liming.call("POST", "/api/messages", **answer)
            assert (await settled(liming, asked["run"]))["status"] == "done"
            (reminder,) = (await liming.call("GET", "/api/reminders"))["reminders"]
            assert datetime.fromisoformat(reminder["next"]) == DUE

            async with admin.http.get("/api/inbox/events") as stream:
                page = events(stream)
                clock.set(DUE - timedelta(seconds=1))
                message = await _message(page)
            assert clock.now() >= DUE
            assert [words for words in numbers if words not in message["text"]] == []
            await _was_done_in_three_runs(liming, reminder["reminder"], message["run"])


async def _message(page: Any) -> dict[str, Any]:
    async with asyncio.timeout(60):
        async for one in page:
            if one.name == "message":
                found: dict[str, Any] = one.data
                return found
    raise AssertionError("the stream ended")


async def _was_done_in_three_runs(who: Person, reminder: str, sender: str) -> None:
    """Two runs that overlap in time and a third after both, which sent the message."""
    (occurrence,) = (await who.call("GET", f"/api/reminders/{reminder}"))["occurrences"]
    assert occurrence["state"] == "fired"
    assert (await settled(who, occurrence["run"]))["status"] == "done"
    graph = await who.call("GET", f"/api/runs/{occurrence['run']}/graph")
    tasks = [one["run"] for one in graph["tasks"]]
    assert len(tasks) == 3
    one, other, third = [await at(who, run) for run in tasks]
    assert max(one[0], other[0]) < min(one[1], other[1])
    assert third[0] >= max(one[1], other[1])
    assert sender == tasks[2]
