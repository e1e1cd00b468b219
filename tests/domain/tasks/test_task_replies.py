"""What a task's reply says of the task itself."""

import pytest

from pointsman.domain.tasks.task_replies import is_question, says_undone


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot do this: I have no tool for it.",
        "Sorry, this could not be done because no recipient is known.",
        "Unfortunately I was unable to open the page.",
        "I did not send the mail; I need a text for it.",
        "I don't have permission to send mail.",
        "This step was not completed.",
        "抱歉，我无法完成这个任务。",
        "抱歉，这一步我做不了。",
        "暂时无法为您查询库存。",
        "我没有权限发送邮件。",
        "任务没有完成。",
        "失败了：邮件服务器没有响应。",
        "执行失败。",
    ],
)
def test_a_reply_that_begins_with_a_refusal_says_that_it_was_not_done(reply: str) -> None:
    assert says_undone(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "There are 51 users; I could not find any duplicates.",
        "The list: 1. send the mail 2. done",
        "It is not open on Mondays.",
        "No user has this name.",
        "没有找到这个用户。",
        "订单没有完成支付。",
        "无法确定明天是否下雨，但预报是晴。",
        "他不能提供发票。",
        "诗写好了：我不能忘记你",
        "失败是成功之母。",
        "失败 3 次的登录有 5 个。",
        "无法完成的订单有 5 个。",
        "没有权限的用户有两个。",
    ],
)
def test_a_result_that_holds_a_not_is_a_result(reply: str) -> None:
    assert not says_undone(reply)


@pytest.mark.parametrize(
    ("reply", "desc", "asks"),
    [
        ("Which warehouse do you mean, north or south?", "count the boxes", True),
        ("请问发给谁？ ", "把结果发给他", True),
        ("There are 51 users.", "count the users", False),
        ("Shall I? I did.", "count the users", False),
        ("word " * 100 + "?", "count the users", False),
        ("What has keys and opens no lock?", "write a riddle", False),
        ("准备好了吗？", "写一句口号", False),
    ],
)
def test_a_short_reply_that_ends_with_a_question_mark_is_a_question_unless_that_was_wanted(
    reply: str, desc: str, asks: bool
) -> None:
    assert is_question(reply, desc) is asks
