"""Reminders over HTTP: made from words, asked about, confirmed, changed, and nobody else's."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.models.offline import OfflineModel
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.tools.builtin import built_in_spec
from pointsman.domain.directory.recipients import Contact
from pointsman.engine.notices import notify
from pointsman.engine.notices.notify import SystemNotify
from pointsman.engine.surroundings import Surroundings
from tests.support.engine import service_of
from tests.support.notices import People, mailroom
from tests.support.reminders import MORNING, StillClock, reminder
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

RULES: dict[str, Any] = {
    "values": {"to": {"patterns": ["发给(admin|bob)"]}},
    "calls": {
        "send": {
            "tool": "System_Notify",
            "when": ["发给"],
            "arguments": {"toUser": "to", "message": {"fixed": "早上好"}},
        }
    },
    "fallback": "?",
}
PEOPLE = People(Contact(login="admin", name="章程"))
PATH = "/api/reminders"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    store, clock = sqlite(tmp_path / "test.db"), StillClock(MORNING)
    around, room = Surroundings(), mailroom(store, {}, clock=clock, directory=PEOPLE)
    around.notify_by(room)
    tool = SystemNotify(built_in_spec(notify.NAME, **notify.about()), around)
    service = await service_of(
        OfflineModel(RULES),
        tool,
        store=store,
        clock=clock,
        mailroom=room,
        timezone="Asia/Shanghai",
    )
    async with serving(service, drive=False) as site:
        yield site


async def ask(site: Site, method: str, path: str, status: int = 200, **body: Any) -> Any:
    async with site.http.request(method, path, json=body or None) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def made(site: Site, **more: Any) -> Any:
    given = {"agent": "desk", "when": "明天9点", "text": "开会", **more}
    return await ask(site, "POST", PATH, 201, **given)


async def test_a_reminder_is_made_from_words_and_found_again(site: Site) -> None:
    found = await made(site)
    assert found["next"] == "2025-03-06T01:00:00Z"
    assert (found["kind"], found["text"], found["words"]) == ("text", "开会", "明天9点")
    assert found["when"] == "2025年3月6日 周四 09:00"
    (listed,) = (await ask(site, "GET", PATH))["reminders"]
    assert listed == found
    whole = await ask(site, "GET", f"{PATH}/{found['reminder']}?language=en")
    assert (whole["when"], whole["occurrences"]) == ("Thu, 6 Mar 2025, 09:00", [])


async def test_another_zone_is_taken_when_it_is_given(site: Site) -> None:
    found = await made(site, timezone="Europe/Berlin")
    assert (found["next"], found["timezone"]) == ("2025-03-06T08:00:00Z", "Europe/Berlin")
    await ask(site, "POST", PATH, 400, agent="desk", when="明天9点", text="x", timezone="Mars")


async def test_two_readings_are_a_conflict_that_lists_them(site: Site) -> None:
    problem = await ask(site, "POST", PATH, 409, agent="desk", when="今天9点", text="开会")
    assert problem["code"] == "unclear"
    assert [one["start"] for one in problem["readings"]] == [
        "2025-03-05T13:00:00Z",
        "2025-03-06T01:00:00Z",
    ]
    assert problem["readings"][0]["words"] == "2025年3月5日 周三 21:00"
    assert await made(site, when=problem["readings"][0]["start"])


@pytest.mark.parametrize(
    ("when", "language", "words"),
    [
        ("昨天", "zh", "已经过去"),
        ("明天", "zh", "几点"),
        ("soon", "en", "When shall I"),
        ("99 9 * * *", "en", "cannot be followed"),
    ],
)
async def test_words_without_a_reading_are_refused_with_the_question(
    when: str, language: str, words: str, site: Site
) -> None:
    given = {"agent": "desk", "text": "x", "language": language}
    problem = await ask(site, "POST", PATH, 400, when=when, **given)
    assert words in problem["detail"]
    assert problem["code"] == "unclear"


async def test_an_action_is_made_when_what_was_shown_is_confirmed(site: Site) -> None:
    given = {"agent": "desk", "when": "每天9点", "action": "发给admin，说早上好"}
    problem = await ask(site, "POST", PATH, 409, **given)
    shown = problem["to_confirm"]
    assert problem["code"] == "confirm"
    assert "章程" in shown["calls"][0]["told"]
    assert shown["next"][0] == "2025-03-06T01:00:00Z"
    await ask(site, "POST", PATH, 409, **given, confirm="0" * 32)
    found = await ask(site, "POST", PATH, 201, **given, confirm=shown["confirm"])
    assert found["calls"][0]["arguments"]["message"] == "早上好"
    path = f"{PATH}/{found['reminder']}"
    moved = await ask(site, "PATCH", path, when="每天10点")
    assert (moved["calls"], moved["action"]) == (found["calls"], "发给admin，说早上好")
    assert (await ask(site, "PATCH", path, 409, action="再发给admin，说早上好"))[
        "code"
    ] == "confirm"
    unclear = {"agent": "desk", "when": "每天9点", "action": "发给bob，说早上好", "confirm": True}
    assert "bob" in (await ask(site, "POST", PATH, 400, **unclear))["detail"]


async def test_an_equal_reminder_is_a_conflict(site: Site) -> None:
    await made(site)
    problem = await ask(site, "POST", PATH, 409, agent="desk", when="明天9点", text="开会")
    assert "equal reminder" in problem["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"agent": "desk", "when": "明天9点"},
        {"agent": "desk", "when": "明天9点", "text": "a", "action": "b"},
        {"agent": "desk", "text": "a"},
        {"agent": "desk", "when": "明天9点", "text": "a", "user": "bob"},
    ],
)
async def test_a_body_that_does_not_fit_is_refused(body: dict[str, Any], site: Site) -> None:
    await ask(site, "POST", PATH, 400, **body)


async def test_an_agent_that_there_is_not_is_not_found(site: Site) -> None:
    await ask(site, "POST", PATH, 404, agent="nobody", when="明天9点", text="x")


async def test_a_preview_shows_readings_and_the_next_times(site: Site) -> None:
    found = await ask(site, "POST", f"{PATH}/preview", when="每周一9点")
    (reading,) = found["readings"]
    assert (found["problem"], reading["words"]) == ("", "每周一 09:00")
    assert len(reading["next"]) == 5
    assert reading["next"][0] == "2025-03-10T01:00:00Z"
    two = await ask(site, "POST", f"{PATH}/preview", when="今天9点", language="en")
    assert len(two["readings"]) == 2
    assert "has passed" in two["problem"]


async def test_time_and_text_are_changed_each_by_itself(site: Site) -> None:
    path = f"{PATH}/{(await made(site))['reminder']}"
    changed = await ask(site, "PATCH", path, when="后天10点")
    assert (changed["next"], changed["text"]) == ("2025-03-07T02:00:00Z", "开会")
    changed = await ask(site, "PATCH", path, text="交报告")
    assert (changed["next"], changed["text"]) == ("2025-03-07T02:00:00Z", "交报告")
    await ask(site, "PATCH", path, 400)
    await ask(site, "PATCH", path, 400, action="发给admin")
    await ask(site, "PATCH", path, 409, when="今天9点")


async def test_it_is_snoozed_paused_resumed_and_cancelled(site: Site) -> None:
    path = f"{PATH}/{(await made(site, when='每天9点'))['reminder']}"
    snoozed = await ask(site, "POST", f"{path}/snooze", minutes=10)
    assert snoozed["snoozed"] == "2025-03-05T02:10:00Z"
    assert (await ask(site, "POST", f"{path}/snooze", until="半小时"))["next"].startswith(
        "2025-03-05T02:30"
    )
    await ask(site, "POST", f"{path}/snooze", 400)
    assert (await ask(site, "POST", f"{path}/pause"))["state"] == "paused"
    assert (await ask(site, "POST", f"{path}/resume"))["state"] == "active"
    assert (await ask(site, "POST", f"{path}/cancel"))["state"] == "cancelled"
    await ask(site, "POST", f"{path}/pause", 409)


async def test_lists_are_filtered_and_paged(site: Site) -> None:
    for day in ("明天", "后天", "大后天"):
        await made(site, when=f"{day}9点")
    page = await ask(site, "GET", f"{PATH}?limit=2")
    assert [one["next"][:10] for one in page["reminders"]] == ["2025-03-08", "2025-03-07"]
    rest = await ask(site, "GET", f"{PATH}?limit=2&before={page['before']}")
    assert (len(rest["reminders"]), rest["before"]) == (1, None)
    span = await ask(site, "GET", f"{PATH}?from=2025-03-07T00:00:00Z&to=2025-03-08T00:00:00Z")
    assert len(span["reminders"]) == 1
    assert (await ask(site, "GET", f"{PATH}?state=paused"))["reminders"] == []


async def test_another_users_reminder_is_not_found(site: Site) -> None:
    theirs = await site.service.reminders.add(reminder(user="bob"))
    assert (await ask(site, "GET", PATH))["reminders"] == []
    for method, rest in (("GET", ""), ("POST", "/cancel"), ("POST", "/pause")):
        await ask(site, method, f"{PATH}/{theirs.id}{rest}", 404)
