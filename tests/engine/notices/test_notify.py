"""``System_Notify``: the right people, exactly what was confirmed, and the real outcome."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.tools.builtin import built_in_spec
from pointsman.domain import events as ev
from pointsman.domain.directory.entries import Department, Directory, Person
from pointsman.domain.directory.recipients import Contact
from pointsman.domain.notices.delivery import Outcome
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus
from pointsman.engine.directory import KnownPeople
from pointsman.engine.notices import notify
from pointsman.engine.notices.addressing import Wanting, ways_of
from pointsman.engine.notices.channels import Channel
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.record.replay import replay
from pointsman.engine.service import Service
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import CallerError
from pointsman.ports import CallContext
from tests.cases import params
from tests.support.engine import approve, events, message, say, service_of
from tests.support.notices import People, PlayedChannel, carrying, mailroom

pytestmark = pytest.mark.anyio

DOWN = Outcome(verdict="retry", about="channel", detail="connection refused")
ADMIN = Contact(login="admin", name="管理员", about="信息部", addresses={"email": "admin@a.test"})
WANG = Contact(
    login="wangfang", name="王芳", about="财务部 部长", addresses={"email": "wang@a.test"}
)
ZHANG1 = Contact(login="zhang1", name="张伟", about="财务部 会计", addresses={"email": "z1@a.test"})
ZHANG2 = Contact(login="zhang2", name="张伟", about="市场部 经理", addresses={"email": "z2@a.test"})
LI = Contact(login="lina", name="李娜", about="市场部")
PEOPLE = People(
    ADMIN,
    WANG,
    ZHANG1,
    ZHANG2,
    LI,
    descriptions={"财务部的部长": ["wangfang"], "市场部的人": ["zhang2", "lina"]},
)


class Office:
    """An engine with the tool, and what its channels got."""

    def __init__(self, service: Service, room: Mailroom, email: PlayedChannel) -> None:
        self.service, self.room, self.email = service, room, email
        self.chat = PlayedChannel()
        self.script: list[Any] = []

    async def say(self, text: str, *replies: Any, conversation: str = "") -> Run:
        self.script[:] = replies
        return await say(self.service, text, user="ann", conversation=conversation)

    async def on(self, run: Run) -> Run:
        """Approve what waits and carry the run to its reply."""
        await approve(self.service, run)
        await self.service._loop.drive(run.id)
        return await self.service.run(run.id, None)

    async def inbox(self, login: str) -> list[str]:
        return [one.text for one in await self.room.inboxes.messages(login)]


def calling(**arguments: Any) -> list[tuple[str, str]]:
    return [("System_Notify", json.dumps(arguments))]


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    store = sqlite(tmp_path / "test.db")
    async with _office(store) as made:
        yield made


class _office:
    def __init__(self, store: SqlStore, *answers: Any, patience: float = 2.0) -> None:
        self._store, self._answers, self._patience = store, answers, patience

    async def __aenter__(self) -> Office:
        email, around = PlayedChannel(*self._answers), Surroundings()
        chat = PlayedChannel()
        room = mailroom(
            self._store,
            {
                "email": email,
                "weixingroup": Channel(
                    name="weixingroup", notifier=chat, groups=("产品群", "研发群")
                ),
            },
            directory=PEOPLE,
        )
        around.notify_by(room)
        tool = notify.SystemNotify(
            built_in_spec(notify.NAME, **notify.about()), around, patience=self._patience
        )
        script: list[Any] = []
        service = await service_of(
            lambda request: script.pop(0), tool, store=self._store, language="zh"
        )
        self._office = Office(service, room, email)
        self._office.chat, self._office.script = chat, script
        self._carrying = carrying(room)
        await self._carrying.__aenter__()
        return self._office

    async def __aexit__(self, *_: object) -> None:
        await self._carrying.__aexit__(None, None, None)
        await self._office.service.aclose()


async def test_a_message_goes_to_whom_the_user_named_after_his_word(office: Office) -> None:
    run = await office.say(
        "把知识库178、用户51发给admin",
        calling(
            message="知识库178，用户51",
            toUser="admin",
            userDesc="",
            msgType="system",
            toName="",
            agentID="forged",
            userLoginName="forged",
            userInput="forged",
        ),
        "已发送给 admin。",
    )
    assert run.status is RunStatus.WAITING
    assert "管理员（信息部，admin）" in run.said
    assert "内容：“知识库178，用户51”" in run.said
    assert await office.inbox("admin") == []
    run = await office.on(run)
    assert run.reply == "已发送给 admin。"
    (found,) = await office.room.inboxes.messages("admin")
    assert (found.text, found.sender, found.run) == ("知识库178，用户51", "ann", run.id)
    (validated,) = await events(office.service, run.id, ev.CallValidated)
    assert validated.arguments["userLoginName"] == "ann"
    assert validated.arguments["agentID"] == "desk"
    assert validated.arguments["userInput"].startswith("把知识库178")
    assert validated.arguments["recipients"] == [
        {
            "channel": "system",
            "address": "admin",
            "name": "管理员",
            "login": "admin",
            "about": "信息部",
            "also": {},
        }
    ]
    assert validated.sources["recipients"].kind == "directory"
    assert validated.sources["toUser.0"].kind == "user"


async def test_several_people_by_several_channels_in_one_call(office: Office) -> None:
    run = await office.say(
        "用邮件和系统消息通知王芳、张伟（市场部的人）下午三点开会",
        calling(
            message="下午三点开会",
            toUser="王芳",
            userDesc="市场部的人",
            msgType="email,system",
        ),
        "",
    )
    # 李娜 has no mail address: nobody is left out in silence.
    assert run.status is RunStatus.DONE
    assert "李娜" in run.reply
    assert "邮件" in run.reply
    run = await office.say(
        "用邮件和系统消息通知王芳和admin下午三点开会",
        calling(message="下午三点开会", toUser="王芳,admin", msgType="email,system"),
        "通知已发送。",
    )
    assert "收件人（2）" in run.said
    run = await office.on(run)
    assert sorted(letter.address for letter in office.email.letters) == [
        "admin@a.test",
        "wang@a.test",
    ]
    assert await office.inbox("wangfang") == await office.inbox("admin") == ["下午三点开会"]
    assert run.past[0].result is not None
    assert run.past[0].result.content.count("SENT") == 5


async def test_a_description_is_looked_up_and_journaled(office: Office) -> None:
    run = await office.say(
        "请通知财务部的部长提交月报",
        calling(message="请提交月报", userDesc="财务部的部长"),
        "已通知。",
    )
    assert "王芳" in run.said
    await office.on(run)
    assert await office.inbox("wangfang") == ["请提交月报"]


async def test_namesakes_are_asked_about_and_the_answer_completes_the_call(
    office: Office,
) -> None:
    run = await office.say("通知张伟开会", calling(message="开会", toUser="张伟"))
    assert run.kind == "question"
    assert "1. 张伟（财务部 会计，zhang1）" in run.reply
    assert "2. 张伟（市场部 经理，zhang2）" in run.reply
    assert await office.room.post.deliveries() == []
    again = await office.say("市场部", "已通知。", conversation=run.conversation)
    assert again.status is RunStatus.WAITING
    assert "zhang2" in again.said
    await office.on(again)
    assert await office.inbox("zhang2") == ["开会"]
    assert await office.inbox("zhang1") == []


async def test_a_number_picks_one_of_the_candidates(office: Office) -> None:
    run = await office.say("通知张伟开会", calling(message="开会", toUser="张伟"))
    again = await office.say("第二个", "已通知。", conversation=run.conversation)
    assert "zhang2" in again.said


async def test_nobody_who_fits_is_a_question(office: Office) -> None:
    run = await office.say("通知赵云开会", calling(message="开会", toUser="赵云"))
    assert run.kind == "question"
    assert "没有找到“赵云”" in run.reply
    assert await office.room.post.deliveries() == []


async def test_a_name_that_the_user_never_said_is_not_used(office: Office) -> None:
    run = await office.say("通知大家开会", calling(message="开会", toUser="王芳"))
    assert run.kind == "question"
    assert await office.room.post.deliveries() == []


async def test_a_channel_that_is_not_set_up_is_a_question(office: Office) -> None:
    run = await office.say(
        "发短信通知王芳开会", calling(message="开会", toUser="王芳", msgType="sms")
    )
    assert run.kind == "question"
    assert "短信没有配置" in run.reply
    assert "系统消息、邮件、微信群" in run.reply


async def test_a_group_is_named_or_asked_about(office: Office) -> None:
    run = await office.say(
        "发到微信群：今晚发布", calling(message="今晚发布", msgType="weixingroup")
    )
    assert "产品群、研发群" in run.reply
    run = await office.say(
        "发到研发群：今晚发布",
        calling(message="今晚发布", msgType="weixingroup", toName="研发群"),
        "已发到研发群。",
    )
    await office.on(run)
    assert [letter.address for letter in office.chat.letters] == ["研发群"]


@pytest.mark.parametrize(
    ("named", "groups"), [("研发群", {"研发群"}), ("研发群和产品群", {"研发群", "产品群"})]
)
async def test_a_recipient_who_has_the_very_name_of_a_group_is_the_group(
    named: str, groups: set[str], office: Office
) -> None:
    run = await office.say(
        f"把今晚发布发到{named}", calling(message="今晚发布", toUser=[named]), "已发出。"
    )
    await office.on(run)
    assert {letter.address for letter in office.chat.letters} == groups


async def test_approving_other_recipients_needs_their_names(office: Office) -> None:
    run = await office.say("把日报发给王芳", calling(message="日报", toUser="王芳"), "已发送。")
    approval = run.waiting[0].approval
    assert approval is not None
    edited = {"message": "日报", "toUser": ["李娜"], "msgType": []}
    with pytest.raises(CallerError, match="recipients: write"):
        await office.service.desk.edit(approval.id, edited, by="ann")
    found = notify._ways(run.waiting[0].arguments)[0]
    named = {
        **edited,
        "recipients": [
            msgspec.to_builtins(
                replace(found, address="lina", name="李娜", login="lina", about="市场部")
            )
        ],
    }
    await office.service.desk.edit(approval.id, named, by="ann")
    await office.service._loop.drive(run.id)
    assert await office.inbox("lina") == ["日报"]
    assert await office.inbox("wangfang") == []


@pytest.mark.parametrize("case", params(9, only=("N19",)))
async def test_what_is_not_sent_is_not_said_to_be(case: dict[str, Any], tmp_path: Path) -> None:
    assert case["input"]["downstream"] == "down"
    async with _office(sqlite(tmp_path / "down.db"), DOWN, patience=0.3) as office:
        run = await office.say(
            "发邮件给王芳：开会",
            calling(message="开会", toUser="王芳", msgType="email"),
            "邮件已发送给王芳。",
            "邮件已发送给王芳。",
        )
        run = await office.on(run)
        result = run.past[0].result
        assert result is not None
        assert result.status is ResultStatus.UNCERTAIN
        assert "NOT SENT YET" in result.content
        assert "connection refused" in result.content
        assert run.reply != "邮件已发送给王芳。"
        assert "不确定" in run.reply
        (delivery,) = await office.room.post.deliveries(run=run.id)
        assert delivery.id in result.content


@pytest.mark.parametrize("case", params(9, only=("N18",)))
async def test_each_recipient_has_a_state_of_his_own(case: dict[str, Any], tmp_path: Path) -> None:
    assert case["expected"]["per_recipient"]["bad@a.test"] == "failed_permanent"
    refused = Outcome(verdict="failed", about="recipient", code="550", detail="no such user")

    def answer(letter: Any) -> Outcome:
        return refused if letter.address == "wang@a.test" else Outcome(verdict="sent")

    async with _office(sqlite(tmp_path / "one.db"), answer) as office:
        run = await office.say(
            "发邮件给王芳和admin：开会",
            calling(message="开会", toUser="王芳,admin", msgType="email"),
            "给 admin 的邮件已发送，给王芳的没有发送成功。",
        )
        run = await office.on(run)
        result = run.past[0].result
        assert result is not None
        assert result.status is ResultStatus.ERROR
        assert "管理员 by email: SENT" in result.content
        assert "王芳 by email: FAILED for good, not sent (550 no such user)" in result.content


async def test_the_same_call_after_a_crash_sends_once(office: Office) -> None:
    """The rows are there, the end of the attempt is not: it runs again, with the same key."""
    run = await office.say("把日报发给王芳", calling(message="日报", toUser="王芳"), "已发送。")
    tool = office.service.agents.get("desk").registry.tool("System_Notify")
    assert tool is not None
    call = run.waiting[0]
    for _ in range(2):
        context = _context(run)
        result = await tool.call(call.arguments, context)
        assert result.ok
    assert await office.inbox("wangfang") == ["日报"]


def _context(run: Run) -> CallContext:
    return CallContext(
        run=run.id,
        conversation=run.conversation,
        user="ann",
        agent="desk",
        input=run.input,
        language="zh",
        now=run.created,
        key=f"{run.id}:1.0",
        progress=lambda fraction, text: None,
    )


async def test_handing_in_without_an_agent_asks_the_same_questions(office: Office) -> None:
    arguments = {"message": "开会", "toUser": ["张伟"]}
    with pytest.raises(Wanting, match="哪一位"):
        await notify.hand_in(arguments, office.room, key="k", sender="ann", language="zh")
    taken = await notify.hand_in(
        {"message": "开会", "toUser": ["我"]},
        office.room,
        key="k",
        sender="lina",
        language="zh",
    )
    assert [one.address for one in taken] == ["lina"]
    assert message("x").user == "ann"


OFFICE = KnownPeople(
    Directory(
        [
            Person(login="wangfang", name="王芳", titles=("部长",), departments=("公司/财务部",)),
            Person(login="zhang1", name="张伟", titles=("会计",), departments=("公司/财务部",)),
            Person(login="zhang2", name="张伟", titles=("经理",), departments=("公司/市场部",)),
            Person(login="lina", name="李娜", departments=("公司/市场部",)),
            Person(login="admin", name="陈晨", roles=("系统管理员",), departments=("公司",)),
        ],
        [
            Department(path="公司"),
            Department(path="公司/财务部", head="wangfang"),
            Department(path="公司/市场部"),
        ],
    )
)


@pytest.mark.parametrize(
    ("arguments", "logins"),
    [
        ({"userDesc": "财务部的部长"}, ["wangfang"]),
        ({"userDesc": "系统管理员"}, ["admin"]),
        ({"userDesc": "市场部的所有人"}, ["lina", "zhang2"]),
        ({"toUser": ["王芳", "李娜"]}, ["lina", "wangfang"]),
        ({"toUser": ["admin"]}, ["admin"]),
        ({"toUser": ["张伟"], "userDesc": "市场部"}, ["zhang2"]),
        ({"toUser": ["张伟"], "userDesc": "市场部的那个"}, ["zhang2"]),
        ({"toUser": ["张伟"], "userDesc": "2"}, ["zhang2"]),
        ({"toUser": ["王芳"], "userDesc": "财务部的部长"}, ["wangfang"]),
        ({"toUser": ["李娜"], "userDesc": "财务部的部长"}, ["lina", "wangfang"]),
        ({"toUser": ["我"]}, ["lina"]),
        ({"toUser": ["王芳"], "userDesc": "财务部所有人"}, ["wangfang", "zhang1"]),
        ({"toUser": ["李娜和张伟"], "userDesc": "财务部的"}, ["lina", "zhang1"]),
        ({"toUser": ["李娜和张伟"], "userDesc": "2"}, ["lina", "zhang2"]),
        ({"toUser": ["李娜和赵云"], "userDesc": "王芳"}, ["lina", "wangfang"]),
        ({"userDesc": "李娜和赵云", "toUser": ["王芳"]}, ["lina", "wangfang"]),
    ],
)
async def test_people_of_an_office_are_found(
    arguments: dict[str, Any], logins: list[str], tmp_path: Path
) -> None:
    store = sqlite(tmp_path / "office.db")
    room = mailroom(store, {}, directory=OFFICE)
    ways = await ways_of(arguments, room, asking="lina", language="zh")
    await store.aclose()
    assert sorted(way.login for way in ways) == logins


@pytest.mark.parametrize(
    ("arguments", "missing", "words"),
    [
        ({"toUser": ["张伟"]}, "userDesc", "市场部 经理"),
        ({"toUser": ["赵云"]}, "toUser", "没有找到“赵云”"),
        ({"toUser": ["李娜和赵云"]}, "userDesc", "没有找到“赵云”"),
        ({"toUser": ["李娜或王芳"]}, "userDesc", "李娜（市场部，lina）、2. 王芳"),
        ({"toUser": ["财务部的张伟或李娜"]}, "userDesc", "请问是哪一位"),
        ({"userDesc": "法务部的部长"}, "userDesc", "没有找到“法务部的部长”"),
        ({}, "toUser", "发给谁"),
    ],
)
async def test_what_is_not_clear_is_asked(
    arguments: dict[str, Any], missing: str, words: str, tmp_path: Path
) -> None:
    store = sqlite(tmp_path / "office.db")
    room = mailroom(store, {}, directory=OFFICE)
    with pytest.raises(Wanting, match=words) as raised:
        await ways_of(arguments, room, asking="lina", language="zh")
    await store.aclose()
    assert raised.value.missing == missing


@pytest.mark.parametrize("answered", [True, False])
async def test_a_replay_asks_no_directory_and_sends_nothing(answered: bool, office: Office) -> None:
    whom = "王芳" if answered else "张伟"
    run = await office.say(f"把日报发给{whom}", calling(message="日报", toUser=whom), "已发送。")
    if answered:
        run = await office.on(run)
    stored = await office.service.store.load(run.id)
    assert stored is not None
    before = await office.room.post.deliveries()
    office.room.directory = People()
    live = office.service.agents.get("desk")
    assert await replay(stored, live, MemoryStore(), MemoryBus()) == []
    assert await office.room.post.deliveries() == before
