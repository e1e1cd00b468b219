"""The offline model and the user's own words: as arguments, as the answer to a question, as the
pick of an intent, and the language that they are in."""

import pytest

from pointsman.domain.intents import Intent
from pointsman.domain.messages import AssistantMessage
from pointsman.domain.routing import question
from tests.support.offline_agents import SATURDAY, model
from tests.support.offline_talk import Talk

HELP_DESK = r"""
values:
  machine: {patterns: ['(?:machine )?(?P<value>M?\d{3})'], remember: true}
calls:
  guide:
    tool: guide
    when: [how do, 怎么, guides]
    arguments: {question: {said: clause}}
  repair:
    tool: repair
    when: [repair, '/M\d{3}/', 修, repairs]
    unless: [how do]
    arguments: {machine: machine}
    say: {zh: 修好了。, en: Repaired.}
  complaint:
    tool: complaint
    when: [angry, complain, 投诉]
    arguments: {text: {said: message}}
fallback: {zh: 我管机器。, en: I look after machines.}
"""
TITLES = {name: Intent(name=name, title={"zh": name, "en": name}) for name in ("guides", "repairs")}


@pytest.fixture
def talk() -> Talk:
    tools = dict.fromkeys(("guide", "repair", "complaint"), lambda given: given)
    return Talk(model(HELP_DESK), tools, today=SATURDAY)


def test_a_clause_goes_into_its_call_as_it_was_said(talk: Talk) -> None:
    turn = talk.say("How do I clean it? Also repair M123")
    assert turn.calls == [
        ("guide", {"question": "How do I clean it?"}),
        ("repair", {"machine": "M123"}),
    ]


def test_two_clauses_that_ask_for_the_same_make_one_call_with_all_the_words(talk: Talk) -> None:
    text = "I am angry, it broke again, I want to complain"
    assert talk.say(text).calls == [("complaint", {"text": text})]


@pytest.mark.parametrize(
    "text",
    ["如果坏了怎么办", "If it is broken, how do I open it?", "How do I open it if it is hot"],
)
def test_an_if_is_part_of_a_question_that_goes_to_a_tool_in_words(talk: Talk, text: str) -> None:
    ((tool, arguments),) = talk.say(text).calls
    assert tool == "guide"
    assert arguments["question"].replace(",", "") == text.replace(",", "")


@pytest.mark.parametrize("answer", ["M123", "machine M123"])
def test_an_answer_of_nothing_but_the_value_goes_on_with_the_request(
    talk: Talk, answer: str
) -> None:
    """Even where these words alone would be a request of their own."""
    assert talk.say("complain, and repair it").names == ["complaint", "repair"]
    assert talk.say(answer).names == ["complaint", "repair"]


@pytest.mark.parametrize("pick", ["2", "第二个", "second", "repairs"])
def test_a_pick_is_read_as_the_message_that_was_asked_about_with_the_title(
    talk: Talk, pick: str
) -> None:
    talk.say("the thing M123 please")
    asked = question(tuple(TITLES), TITLES, "en")
    talk.messages.append(AssistantMessage(text=asked))
    assert talk.say(pick).calls == [("repair", {"machine": "M123"})]


def test_a_number_after_another_list_is_only_a_number(talk: Talk) -> None:
    talk.say("hello")
    talk.messages.append(AssistantMessage(text="1. repair it\n2. sell it"))
    assert not talk.say("1").calls


def test_a_word_that_answers_a_question_keeps_the_language(talk: Talk) -> None:
    talk.say("修一下机器")
    talk.messages.append(AssistantMessage(text="哪一台？"))
    assert talk.say("M123").reply == "修好了。"


def test_an_address_or_a_number_alone_keeps_the_language(talk: Talk) -> None:
    talk.say("修一下M123")
    assert talk.say("456").reply == "修好了。"
