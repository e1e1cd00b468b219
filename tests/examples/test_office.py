"""The office agent as it is shipped: its sample data and directory, and the evaluation that it
brings, which passes offline at the thresholds of its files."""

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.adapters.models.offline import OfflineModel
from pointsman.agentfile import people
from pointsman.evaluation import suites
from tests.cases import params
from tests.support.command import Command
from tests.support.offline_talk import Talk

FOLDER = Path(__file__).parents[2] / "examples" / "office"
FILES = suites.find(FOLDER)
TAGS = frozenset("numbers split messages reminders keeping talk risky ask".split())


@pytest.fixture
def command(tmp_path: Path) -> Command:
    shutil.copytree(FOLDER, tmp_path / "office", ignore=shutil.ignore_patterns(".pointsman"))
    return Command(tmp_path)


def asked(command: Command, text: str) -> dict[str, Any]:
    found: dict[str, Any] = command.json("ask", "office", text)
    return found


def test_the_article_s_figures_come_from_the_sample_database(command: Command) -> None:
    """O9."""
    assert asked(command, "知识库有多少个？")["reply"] == "知识库数量：178"
    assert asked(command, "How many users are there?")["reply"] == "Number of users: 51 people"


def test_numbers_of_departments_come_with_a_chart(command: Command) -> None:
    """O9: drawn from the same answer."""
    run = asked(command, "用饼图展示各部门的用户数")
    (call,) = run["calls"]
    shown = command.run("runs", "show", run["run"], "--data", "office").stdout
    assert call["tool"] == "users_by_department"
    assert "饼图" in call["content"]
    assert "研发部 | 12" in shown


def test_a_chart_is_given_out_as_a_picture(command: Command) -> None:
    run = asked(command, "用饼图展示各部门的用户数")["run"]
    chart = ("runs", "chart", run, "--data", "office")
    assert command.json(*chart)["kind"] == "pie"
    drawn = command.run(*chart).stdout
    assert drawn.startswith("<svg")
    assert "研发部" in drawn
    command.run(*chart, "--out", "pie.svg")
    assert (command.folder / "pie.svg").read_text(encoding="utf-8") == drawn.rstrip("\n")
    assert ".svg or .png" in command.run(*chart, "--out", "pie.gif", code=2).stderr
    plain = asked(command, "知识库有多少个？")["run"]
    assert "no chart" in command.run("runs", "chart", plain, "--data", "office", code=2).stderr


def test_the_directory_has_everybody_of_the_database() -> None:
    directory = people.load(FOLDER / "directory.yaml")
    sql = (FOLDER / "data" / "office.sql").read_text(encoding="utf-8")
    logins = [login for login in directory.people if login != "local"]
    assert len(logins) == 51
    assert [login for login in logins if f"'{login}'" not in sql] == []


def test_there_are_cases_of_every_kind_in_both_languages() -> None:
    loaded = {file.stem: suites.load(file) for file in FILES}
    assert set(loaded) == {"zh", "en"}
    for suite in loaded.values():
        assert len(suite.cases) >= 60
        assert {tag for case in suite.cases for tag in case.tags} >= TAGS
        assert suite.thresholds["needless_questions"] == 0
        assert suite.thresholds["passed"] == 1


@pytest.mark.parametrize("case", params(7, only=("T16",)))
def test_the_rest_of_a_phrase_is_what_the_user_is_reminded_of(
    case: dict[str, Any], command: Command
) -> None:
    run = asked(command, case["input"]["phrase"])
    assert case["expected"]["text"] == "go to bed"
    assert run["calls"][0]["arguments"]["something"] == case["expected"]["text"]


def called(*said: str) -> tuple[str, dict[str, Any]]:
    """The first call that the last of these words ask for."""
    rules = yaml.safe_load((FOLDER / "agent.yaml").read_text("utf-8"))["offline"]
    tools = dict.fromkeys(("System_Notify", "RemindAdd", "Global_Decomposition"), lambda _: "OK")
    talk = Talk(OfflineModel(rules), tools, today=date(2026, 3, 4))
    turns = [talk.say(words) for words in said]
    return turns[-1].calls[0]


def notified(*said: str) -> dict[str, Any]:
    """The arguments of the message that the last of these words ask for."""
    name, arguments = called(*said)
    assert name == "System_Notify"
    return arguments


@pytest.mark.parametrize(
    ("said", "to", "message"),
    [
        ("给李明发邮件：下午开会，请带资料", "李明", "下午开会，请带资料"),
        ("给李明发邮件：合同已签。请归档。谢谢！", "李明", "合同已签。请归档。谢谢！"),
        (
            "给李明发邮件，内容是：\n第一行\n“第二行” <b>粗</b>",
            "李明",
            "第一行\n“第二行” <b>粗</b>",
        ),
        ("通知财务部的部长，预算表已更新", "财务部的部长", "预算表已更新"),
        ("给李明发邮件，说明天下午3点开会", "李明", "明天下午3点开会"),
        ("发短信给赵敏，说会议改到5点", "赵敏", "会议改到5点"),
        ("通知财务部的所有人，下午开会", "财务部的所有人", "下午开会"),
        ("把“今晚停电”发到产品群", "产品群", "今晚停电"),
        ("告诉王芳“合同到了！”", "王芳", "合同到了！"),
        ("tell my manager I'm late", "my manager", "I'm late"),
        ("send Li Ming a message: it is signed, file it", "Li Ming", "it is signed, file it"),
    ],
)
def test_a_message_keeps_all_of_its_words(said: str, to: str, message: str) -> None:
    sent = notified(said)
    assert (sent["toUser"], sent["message"]) == (to, message)


@pytest.mark.parametrize(
    ("said", "at", "what"),
    [
        ("明天下午3點提醒我開會", "明天下午3點", "開會"),
        ("每個工作日早上9點提醒我打卡", "每個工作日早上9點", "打卡"),
        ("幫我設置提醒：後天上午十點交報告", "後天上午十點", "交報告"),
        ("下週一早上八點叫我起床", "下週一早上八點", "起床"),
    ],
)
def test_a_reminder_in_traditional_characters_keeps_them(said: str, at: str, what: str) -> None:
    name, arguments = called(said)
    assert name == "RemindAdd"
    assert (arguments["timeRelated"], arguments["something"]) == (at, what)


def test_a_message_in_traditional_characters_keeps_them() -> None:
    sent = notified("給李明發郵件：下午開會，請帶資料")
    assert (sent["toUser"], sent["msgType"]) == ("李明", "email")
    assert sent["message"] == "下午開會，請帶資料"
    said = notified("給財務部的部長發消息，說明天下午三點開會")
    assert (said["toUser"], said["message"]) == ("財務部的部長", "明天下午三點開會")


def test_a_long_message_is_sent_as_it_is_written() -> None:
    code = "\n".join(f"    print({n})   # 你好" for n in range(300))
    sent = notified(f"给李明发消息：报告\n```python\n{code}\n```\n完")
    assert sent["message"] == f"报告\n```python\n{code}\n```\n完"


@pytest.mark.parametrize(
    ("correction", "to"),
    [
        ("不对，是王芳", "王芳"),
        ("不對，是王芳", "王芳"),
        ("不，王芳", "王芳"),
        ("发错了，应该是王芳", "王芳"),
        ("不是李明，是王芳", "王芳"),
        ("改成王芳", "王芳"),
        ("我说的是王芳，不是李明", "王芳"),
        ("no, Wang Fang", "Wang Fang"),
        ("not him, I meant Wang Fang", "Wang Fang"),
        ("actually, the head of finance", "the head of finance"),
        ("不，用邮件", "李明"),
    ],
)
def test_a_bare_name_corrects_whom_a_message_goes_to(correction: str, to: str) -> None:
    sent = notified("给李明发消息：合同已签，请归档", correction)
    assert (sent["toUser"], sent["message"]) == (to, "合同已签，请归档")


@pytest.mark.parametrize(
    ("said", "channels"),
    [
        ("用短信和邮件通知李明：下午开会", "sms,email"),
        ("send Li Ming a message by e-mail and sms: lunch", "email,sms"),
        ("通知李明和王芳明天上午9点开会，短信通知", "sms"),
    ],
)
def test_a_message_goes_by_every_channel_that_is_named(said: str, channels: str) -> None:
    assert notified(said)["msgType"] == channels


def test_the_task_of_sending_results_keeps_the_channel() -> None:
    _, split = called("统计用户数量和知识库数量，发邮件给财务部的部长")
    assert split["tasks"][-1]["desc"] == "用 email 把结果发给财务部的部长"
    assert notified(split["tasks"][-1]["desc"])["msgType"] == "email"


@pytest.mark.slow
def test_the_whole_evaluation_passes_offline(tmp_path: Path) -> None:
    report = Command(tmp_path).json("eval", "run", str(FOLDER), "--jobs", "2")
    assert [one["case"] for one in report["results"] if not one["passed"]] == []
    assert report["good"]
