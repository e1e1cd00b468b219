"""In which language a user is answered."""

import pytest

from pointsman.domain.agent import Language
from pointsman.domain.languages import answered_in, language_of
from pointsman.domain.messages import AssistantMessage, Message, UserMessage


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我的订单到哪了", "zh"),
        ("where is my order", "en"),
        ("Where's my parcel?", "en"),
        ("我的 iPhone order 到了吗", "zh"),
        ("订单 A-771", "zh"),
        ("order A-771", "en"),
        ("I want it", "en"),
        ("Hi", "en"),
        ("123456789", None),
        ("A-771", None),
        ("SF998", None),
        ("CA1501-b", None),
        ("bob@example.com", None),
        ("https://example.com/orders", None),
        ("example.com", None),
        ("v2", None),
        ("#refund_9", None),
        ("2026-05-01 10:00", None),
        ("👍", None),
        ("…", None),
        ("", None),
    ],
)
def test_a_text_shows_its_language_or_none(text: str, language: Language | None) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "before", "asked", "language"),
    [
        ("Where is it?", [], False, "en"),
        ("123456789", [], False, "zh"),
        ("123456789", ["where is my order"], True, "en"),
        ("123456789", ["where is my order", "不对，换一个"], True, "zh"),
        ("123456789", ["where is my order", "A-771"], True, "en"),
        ("Ann Smith", ["给谁发？", "发邮件"], True, "zh"),
        ("Ann Smith", ["send a mail"], True, "en"),
        ("to my boss at work", ["发邮件"], True, "en"),
        ("Ann Smith", ["发邮件"], False, "en"),
    ],
)
def test_the_users_words_win_then_those_before_then_the_agents_language(
    text: str, before: list[str], asked: bool, language: Language
) -> None:
    messages: list[Message] = [UserMessage(text=one) for one in (*before, text)]
    messages.insert(len(before), AssistantMessage(text="請 please"))
    assert answered_in(messages, "zh", asked=asked) == language
