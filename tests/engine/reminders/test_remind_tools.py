"""The reminder tools, called as a model calls them: what is asked, confirmed, made and kept."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.models.offline import OfflineModel
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.tools.builtin import built_in_spec
from pointsman.domain.directory.recipients import Contact
from pointsman.domain.reminders.remind_times import Heard
from pointsman.domain.reminders.reminder import Reminder, ReminderState
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine.notices import notify
from pointsman.engine.notices.notify import SystemNotify
from pointsman.engine.reminders import remind_add, remind_tools
from pointsman.engine.reminders.remind_add import RemindAdd
from pointsman.engine.reminders.remind_drafts import Drafting, Wish, zone_of
from pointsman.engine.service import Service
from pointsman.engine.surroundings import Surroundings
from pointsman.engine.tasks import planning
from pointsman.engine.tasks.planning import Decomposition
from pointsman.ports import ChatModel, Tool
from tests.support.engine import approve, say, service_of, tool_texts
from tests.support.notices import People, mailroom
from tests.support.reminders import MORNING, SHANGHAI, StillClock
from tests.support.scripted_model import Script

pytestmark = pytest.mark.anyio

ALLOWED = ({"tool": "Remind*", "then": "allow"},)
PEOPLE = People(
    Contact(login="admin", name="章程"),
    Contact(login="z1", name="张伟", about="财务部"),
    Contact(login="z2", name="张伟", about="市场部"),
)
RULES: dict[str, Any] = {
    "split": {"tool": "Global_Decomposition"},
    "values": {
        "to": {"patterns": ["发给(admin|张伟)"]},
        "text": {"patterns": ["说(.+)$"]},
    },
    "calls": {
        "send": {
            "tool": "System_Notify",
            "when": ["发给"],
            "after": ["*"],
            "task": "把结果发给{{ values.to }}",
            "arguments": {
                "toUser": "to",
                "message": {
                    "from": "text",
                    "text": "{{ for one in given }}{{ one.text }}{{ end }}",
                },
            },
        },
        "list": {"tool": "RemindList", "when": ["数一下"], "task": "数一下"},
    },
    "fallback": "?",
}


class Desk:
    """An engine with the tools, at 10:00 in Shanghai on 5 March 2025, a Wednesday."""

    def __init__(self, store: SqlStore) -> None:
        self.store, self.clock = store, StillClock(MORNING)
        self.around = Surroundings()
        self.service: Service

    async def open(self, script: Script | ChatModel, policy: Any = ALLOWED, **more: Any) -> "Desk":
        tools: list[Tool] = [
            RemindAdd(built_in_spec(remind_add.NAME, **remind_add.about()), self.around),
            SystemNotify(built_in_spec(notify.NAME, **notify.about()), self.around),
            Decomposition(built_in_spec(planning.NAME, **planning.about())),
        ]
        tools += [
            make(built_in_spec(name, **remind_tools.about(name)), self.around)
            for name, make in remind_tools.TOOLS.items()
        ]
        room = mailroom(self.store, {}, clock=self.clock, directory=PEOPLE)
        self.service = await service_of(
            script,
            *tools,
            store=self.store,
            clock=self.clock,
            mailroom=room,
            policy=policy,
            timezone="Asia/Shanghai",
            **more,
        )
        self.around.notify_by(room)
        self.around.remind_by(Drafting(self.service.reminders, self.service.agents))
        return self

    async def reminders(self, *state: ReminderState) -> list[Reminder]:
        return list(await self.service.reminders.list("ann", state=state))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(sqlite(tmp_path / "test.db"))
    yield made
    await made.service.aclose()


def call(tool: str, **arguments: Any) -> list[tuple[str, str]]:
    return [(tool, json.dumps(arguments, ensure_ascii=False))]


def add(something: str, when: str, **more: Any) -> list[tuple[str, str]]:
    return call("RemindAdd", something=something, timeRelated=when, **more)


async def told(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tool_texts(run.messages)[-1])
    return found


async def test_the_articles_arguments_make_a_reminder(desk: Desk) -> None:
    given = {
        "time": "2025-03-05 17:28",
        "isEveryDay": "false",
        "contentType": "text",
        "userInput": "invented by the model",
        "userLoginName": "somebody else",
    }
    await desk.open([add("开会", "17:28", **given), "好的。"])
    run = await say(desk.service, "17:28提醒我开会")
    (made,) = await desk.reminders()
    assert (made.user, made.kind, made.text, made.words) == ("ann", "text", "开会", "17:28")
    assert made.next == datetime(2025, 3, 5, 9, 28, tzinfo=UTC)
    assert (made.timezone, made.run, made.conversation) == (
        "Asia/Shanghai",
        run.id,
        run.conversation,
    )


async def test_the_words_decide_and_a_model_that_reckons_otherwise_is_asked_about(
    desk: Desk,
) -> None:
    wrong = add("开会", "明天下午3点", time="2025-03-07 15:00")
    await desk.open([wrong, "好的。"])
    run = await say(desk.service, "明天下午3点提醒我开会")
    assert run.kind == "question"
    assert "1. 2025年3月6日 周四 15:00\n2. 2025年3月7日 周五 15:00" in run.reply
    assert await desk.reminders() == []
    await say(desk.service, "第一个", conversation=run.conversation)
    (made,) = await desk.reminders()
    assert made.schedule.start == datetime(2025, 3, 6, 7, tzinfo=UTC)


async def test_words_that_the_user_did_not_say_count_for_nothing(desk: Desk) -> None:
    await desk.open([add("开会", "明天早上8点", time="2025-03-06 08:00"), "好的。"])
    run = await say(desk.service, "提醒我开会，明天下午3点")
    assert "1. 2025年3月6日 周四 15:00\n2. 2025年3月6日 周四 08:00" in run.reply
    assert await desk.reminders() == []


async def test_a_model_may_say_the_users_words_in_its_own(desk: Desk) -> None:
    await desk.open([add("开会", "明天15:00", time="2025-03-06 15:00"), "好的。"])
    await say(desk.service, "提醒我开会，明天下午三点")
    (made,) = await desk.reminders()
    assert made.words == "明天下午三点"


async def test_a_time_that_nobody_said_is_asked_for(desk: Desk) -> None:
    await desk.open([add("开会", "明天9点", time="2025-03-06 09:00"), "好的。"])
    run = await say(desk.service, "提醒我开会")
    assert run.reply.startswith("请问什么时候提醒？")


async def test_an_hour_is_asked_for_and_the_answer_completes_the_call(desk: Desk) -> None:
    await desk.open([add("交报告", "明天", time="2025-03-06 09:00"), "好的。"])
    run = await say(desk.service, "明天提醒我交报告")
    assert run.reply == "2025年3月6日 周四几点提醒？"
    await say(desk.service, "下午4点", conversation=run.conversation)
    (made,) = await desk.reminders()
    assert made.next == datetime(2025, 3, 6, 8, tzinfo=UTC)


async def test_what_has_passed_is_never_taken_in_silence(desk: Desk) -> None:
    await desk.open([add("开会", "今天9点", time="2025-03-05 09:00"), "好的。"])
    run = await say(desk.service, "今天9点提醒我开会")
    assert run.kind == "question"
    assert "已经过去" in run.reply


async def test_the_question_is_in_the_users_language(desk: Desk) -> None:
    await desk.open([add("call Bob", ""), "ok"])
    run = await say(desk.service, "remind me to call Bob")
    assert run.reply.startswith("When shall I remind you?")


async def test_every_day_is_taken_from_the_words_or_asked_about(desk: Desk) -> None:
    await desk.open(
        [add("吃药", "每天9点", isEveryDay="true"), "好的。", add("跑步", "9点", isEveryDay=True)]
    )
    await say(desk.service, "每天9点提醒我吃药")
    run = await say(desk.service, "9点提醒我跑步")
    assert "每天都提醒" in run.reply
    (made,) = await desk.reminders()
    assert made.schedule.rule == "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"


async def test_an_equal_reminder_is_told_and_not_made_twice(desk: Desk) -> None:
    await desk.open([add("开会", "明天9点"), "好的。", add("开会", "明天9点"), "已经有了。"])
    await say(desk.service, "明天9点提醒我开会")
    run = await say(desk.service, "明天9点提醒我开会")
    assert "已经有一个相同的提醒" in tool_texts(run.messages)[-1]
    assert len(await desk.reminders()) == 1


async def test_a_call_that_runs_twice_makes_one_reminder(desk: Desk) -> None:
    await desk.open([add("开会", "明天9点"), "好的。"])
    run = await say(desk.service, "明天9点提醒我开会")
    (made,) = await desk.reminders()
    assert (len(made.id), made.id[:12]) == (32, run.id[:12])
    assert await desk.service.reminders.add(made) == made
    assert len(await desk.reminders()) == 1


class TestAnAction:
    async def test_is_confirmed_with_its_time_in_words_and_zone(self, desk: Desk) -> None:
        await desk.open(
            [add("统计用户数，发给admin", "每天9点", contentType="action"), "好的。"], policy=()
        )
        run = await say(desk.service, "每天9点统计用户数，发给admin")
        assert run.status is RunStatus.WAITING
        (waiting,) = run.waiting
        assert waiting.approval is not None
        question = waiting.approval.question
        for words in ("每天 09:00", "Asia/Shanghai", "2025年3月6日 周四 09:00", "3月7日", "3月8日"):
            assert words in question
        assert "仍会等您确认" in question
        await approve(desk.service, run)
        await desk.service.resume(run.id)

    async def test_of_a_language_model_covers_no_call(self, desk: Desk) -> None:
        await desk.open([add("发给admin", "明天9点", contentType="action"), "好的。"])
        await say(desk.service, "明天9点发给admin")
        (made,) = await desk.reminders()
        assert made.covered == ()

    async def test_of_rules_shows_and_covers_the_calls_that_it_will_make(self, desk: Desk) -> None:
        await desk.open(OfflineModel(RULES))
        live = desk.service.agents.get("desk")
        draft = await drafted(desk, "发给admin说早上好")
        (covered,) = draft.covered
        assert (covered.tool, covered.open) == ("System_Notify", ())
        assert covered.arguments["message"] == "早上好"
        assert [way["login"] for way in covered.arguments["recipients"]] == ["admin"]
        (shown,) = draft.calls
        assert "章程" in shown.told
        assert "早上好" in shown.told
        assert live.model.name == "offline"

    async def test_leaves_open_only_the_text_that_hangs_on_results(self, desk: Desk) -> None:
        await desk.open(OfflineModel(RULES))
        draft = await drafted(desk, "数一下，发给admin")
        (covered,) = draft.covered
        assert covered.open == ("message",)
        assert "message" not in covered.arguments
        assert "“数一下”的结果" in draft.calls[0].told

    async def test_covers_no_call_that_will_have_to_be_asked_about(self, desk: Desk) -> None:
        rules = {**RULES, "calls": {"send": {**RULES["calls"]["send"]}}}
        rules["calls"]["send"]["arguments"] = {"toUser": "to", "message": {"fixed": "请付 500 元"}}
        await desk.open(OfflineModel(rules))
        assert (await drafted(desk, "发给admin")).calls == ()

    async def test_that_is_not_clear_is_told_before_it_is_made(self, desk: Desk) -> None:
        await desk.open(OfflineModel(RULES))
        found = await drafting(desk, "发给张伟说早上好")
        assert "请问是哪一位" in found.question

    async def test_a_role_has_to_approve_is_shown_as_waiting(self, desk: Desk) -> None:
        policy = ({"tool": "System_Notify", "then": "approve", "by": "boss"},)
        await desk.open(OfflineModel(RULES), policy=policy)
        draft = await drafted(desk, "发给admin说早上好")
        assert draft.covered == ()
        assert [one.waits for one in draft.calls] == [True]

    async def test_that_the_policy_allows_needs_no_cover(self, desk: Desk) -> None:
        policy = ({"tool": "System_Notify", "then": "allow"},)
        await desk.open(OfflineModel(RULES), policy=policy)
        assert (await drafted(desk, "发给admin说早上好")).calls == ()


async def drafting(desk: Desk, action: str) -> Any:
    now = desk.clock.now().astimezone(SHANGHAI)
    assert zone_of(now) == "Asia/Shanghai"
    return await desk.around.drafting.draft(
        Wish(
            user="ann",
            agent="desk",
            kind="action",
            content=action,
            heard=Heard(when="明天9点"),
            language="zh",
            now=now,
        )
    )


async def drafted(desk: Desk, action: str) -> Any:
    found = await drafting(desk, action)
    assert hasattr(found, "covered"), found
    return found


class TestKeeping:
    async def test_a_list_has_numbers_in_the_order_of_what_is_due(self, desk: Desk) -> None:
        await desk.open(
            [add("开会", "后天9点"), "好", add("吃药", "明天9点"), "好", call("RemindList"), "好"]
        )
        await say(desk.service, "后天9点提醒我开会")
        await say(desk.service, "明天9点提醒我吃药")
        run = await say(desk.service, "我有哪些提醒")
        found = await told(run)
        assert [one["something"] for one in found["reminders"]] == ["吃药", "开会"]
        assert found["said"].splitlines()[1] == "1. 2025年3月6日 周四 09:00：吃药"

    async def test_a_reminder_is_cancelled_by_what_it_says(self, desk: Desk) -> None:
        await desk.open(
            [add("开会", "明天9点"), "好", call("RemindCancel", which="开会的提醒"), "好"]
        )
        await say(desk.service, "明天9点提醒我开会")
        await say(desk.service, "取消开会的提醒")
        (made,) = await desk.reminders()
        assert made.state is ReminderState.CANCELLED

    async def test_two_that_fit_are_asked_about_and_a_number_picks_one(self, desk: Desk) -> None:
        await desk.open(
            [
                add("开会", "明天9点"),
                "好",
                add("开会", "后天9点"),
                "好",
                call("RemindCancel", which="开会"),
                "好",
            ]
        )
        await say(desk.service, "明天9点提醒我开会")
        await say(desk.service, "后天9点提醒我开会")
        run = await say(desk.service, "取消开会的提醒")
        assert run.kind == "question"
        assert "1. 2025年3月6日" in run.reply
        assert "2. 2025年3月7日" in run.reply
        await say(desk.service, "2", conversation=run.conversation)
        (left,) = await desk.reminders(ReminderState.ACTIVE)
        assert left.next == datetime(2025, 3, 6, 1, tzinfo=UTC)

    async def test_nobody_elses_reminder_is_found(self, desk: Desk) -> None:
        await desk.open(
            [add("开会", "明天9点"), "好", call("RemindCancel", which="开会"), "没有提醒。"]
        )
        await say(desk.service, "明天9点提醒我开会")
        run = await say(desk.service, "取消开会的提醒", user="bob")
        assert "您现在没有提醒" in tool_texts(run.messages)[-1]
        assert [one.state for one in await desk.reminders()] == [ReminderState.ACTIVE]

    async def test_a_new_time_is_shown_with_what_it_replaces(self, desk: Desk) -> None:
        change = call("RemindChange", which="开会", timeRelated="后天10点")
        await desk.open(
            [add("开会", "明天9点"), "好", change, "好"],
            policy=({"tool": "RemindAdd", "then": "allow"},),
        )
        await say(desk.service, "明天9点提醒我开会")
        run = await say(desk.service, "把开会的提醒改到后天10点")
        assert run.waiting[0].approval is not None
        question = run.waiting[0].approval.question
        assert "3月6日 周四 09:00" in question
        assert "3月7日 周五 10:00" in question

    async def test_an_hour_by_itself_leaves_the_day_of_the_reminder(self, desk: Desk) -> None:
        change = call("RemindChange", which="开会", timeRelated="10点")
        await desk.open(
            [add("开会", "后天9点"), "好", change, "好"],
            policy=({"tool": "Remind*", "then": "allow"},),
        )
        await say(desk.service, "后天9点提醒我开会")
        await say(desk.service, "把开会的提醒改到10点")
        (made,) = await desk.reminders()
        assert made.next == datetime(2025, 3, 7, 2, tzinfo=UTC)

    async def test_pausing_and_going_on_keep_the_rest(self, desk: Desk) -> None:
        await desk.open(
            [
                add("吃药", "每天9点"),
                "好",
                call("RemindChange", which="吃药", state="paused"),
                "好",
                call("RemindChange", which="吃药", state="active"),
                "好",
            ]
        )
        await say(desk.service, "每天9点提醒我吃药")
        await say(desk.service, "暂停吃药的提醒")
        assert [one.state for one in await desk.reminders()] == [ReminderState.PAUSED]
        await say(desk.service, "恢复吃药的提醒")
        (made,) = await desk.reminders()
        assert (made.state, made.next) == (
            ReminderState.ACTIVE,
            datetime(2025, 3, 6, 1, tzinfo=UTC),
        )

    async def test_a_snooze_takes_a_bare_span_and_leaves_the_series(self, desk: Desk) -> None:
        """Case T42."""
        await desk.open(
            [add("吃药", "每天9点"), "好", call("RemindSnooze", timeRelated="10分钟"), "好"]
        )
        await say(desk.service, "每天9点提醒我吃药")
        await say(desk.service, "推迟10分钟")
        (made,) = await desk.reminders()
        assert made.next == datetime(2025, 3, 5, 2, 10, tzinfo=UTC)
        assert made.schedule.rule == "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"
