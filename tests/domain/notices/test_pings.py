"""Marks that call people in a chat are shown as the names in them."""

import pytest

from pointsman.domain.notices.pings import without_pings, without_tags


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('请看 <at user_id="all">所有人</at> 谢谢', "请看 @所有人 谢谢"),
        ('<at user_id="all"></at>', "@all"),
        ('<at user_id="all">', "@all"),
        ("< AT id=all >", "@all"),
        ('<at\nuser_id="ou_1">王芳</at>', "@王芳"),
        ("<@zhangsan> 你好", "@zhangsan 你好"),
        ("<@U12|bob> <!channel> <!subteam^S1|@ops> <@&99>", "@bob @channel @ops @99"),
    ],
)
def test_a_tag_that_calls_somebody_is_a_name(text: str, shown: str) -> None:
    assert without_tags(text) == shown


def test_a_tag_inside_a_tag_leaves_none() -> None:
    assert "<at" not in without_tags('<<at user_id="all">at user_id="all">b</at>')


@pytest.mark.parametrize(
    "text",
    [
        "a < b, c > d",
        "写信给 Bob <bob@example.com>",
        "see <attr> at <at 5pm>",
        "List<@NonNull String> <!-- x --> <!DOCTYPE html>",
        "@all of you",
    ],
)
def test_what_calls_nobody_stays_as_it_is(text: str) -> None:
    assert without_tags(text) == text


def test_an_unknown_chat_calls_not_everybody() -> None:
    assert without_pings("@everyone, @here") == "@\u200beveryone, @\u200bhere"
    assert without_pings("ops@all.example") == "ops@all.example"
