"""The offline model knows nothing but its rules: four agents of different trades use it here."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.adapters.models.offline import OfflineModel
from pointsman.agentfile.text import parse
from pointsman.domain.messages import (
    Delta,
    ModelRequest,
    Stop,
    SystemMessage,
    TextDelta,
    UserMessage,
)
from pointsman.errors import SettingsError
from tests.support.offline_agents import (
    CLINIC,
    SATURDAY,
    SHOP,
    SWITCHBOARD,
    clinic,
    library,
    model,
    shop,
)
from tests.support.offline_talk import Talk, spec


def test_a_word_leads_to_a_call_and_its_result_is_said_in_the_users_language() -> None:
    turn = library().say("Please find the book called Dune by Herbert")
    assert turn.calls == [("find_book", {"title": "Dune"})]
    assert turn.reply == "Dune: 2 to lend."
    assert library(free=0).say("查一下《三体》").reply == "《三体》借完了。"


def test_an_argument_from_a_result_waits_for_it() -> None:
    turn = library().say("Reader 12 wants to borrow 2 copies of the book Dune")
    assert [[name for name, _ in calls] for calls in turn.rounds] == [["find_book"], ["lend_book"]]
    assert turn.calls[1][1] == {
        "book_id": "B7",
        "reader": 12,
        "copies": 2,
        "channel": "desk",
        "note": "for 12",
    }
    assert turn.reply == "Dune: 2 to lend.\n\nLent until Saturday, 14/03/2026."


def test_chinese_numerals_are_numbers() -> None:
    turn = library().say("读者 12 借两本《三体》")
    assert turn.calls[1][1]["copies"] == 2


@pytest.mark.parametrize(
    ("text", "free", "taken"),
    [
        ("If it is free, lend the book Dune to reader 3, otherwise reserve it", 1, "lend_book"),
        ("If it is free, lend the book Dune to reader 3, otherwise reserve it", 0, "reserve_book"),
        ("Lend reader 3 the book Dune if it's free, and reserve it if not.", 1, "lend_book"),
        ("Lend reader 3 the book Dune if it's free, and reserve it if not.", 0, "reserve_book"),
        ("If it is not free reserve the book Dune. Else lend it to reader 3.", 1, "lend_book"),
        ("Unless it is free, reserve the book Dune for reader 3; else lend it", 0, "reserve_book"),
        ("Unless it is free, reserve the book Dune for reader 3; else lend it", 1, "lend_book"),
        ("《三体》有就借给读者 3，没有就预约", 1, "lend_book"),
        ("《三体》有就借给读者 3，没有就预约", 0, "reserve_book"),
        ("如果《三体》可借，帮读者 3 借。否则预约", 0, "reserve_book"),
        ("《三体》要是借完了就预约，不然借给读者 3", 1, "lend_book"),
    ],
)  # fmt: skip
def test_a_fork_takes_the_users_branch_and_never_both(text: str, free: int, taken: str) -> None:
    turn = library(free).say(text)
    assert turn.names == ["find_book", taken]
    assert turn.calls[0][1]["title"] in ("Dune", "三体")


def test_a_fork_with_one_branch_says_that_nothing_is_left_to_do() -> None:
    turn = library(free=0).say("If it is free, lend the book Dune to reader 3.")
    assert turn.names == ["find_book"]
    assert "It is lent." in turn.reply
    assert "nothing else to do" in turn.reply


def test_a_fork_without_its_result_takes_no_branch() -> None:
    talk = library(find_book=lambda _: "ERROR: the index is down")
    turn = talk.say("If it is free, lend the book Dune to reader 3, otherwise reserve it")
    assert turn.names == ["find_book"]
    assert "the index is down" in turn.reply
    assert "neither was done" in turn.reply


@pytest.mark.parametrize(
    ("bound", "names"), [(50, ["order_status", "refund"]), (90, ["order_status"])]
)
def test_a_condition_may_compare_with_a_number_of_the_user(bound: int, names: list[str]) -> None:
    assert shop().say(f"If AB1234 costs more than {bound}, refund it").names == names
    assert shop().say(f"如果 AB1234 超过{bound}元就退款").names == names


def test_tests_combine() -> None:
    assert shop().say("if it is open refund AB1234").names == ["order_status"]
    new = shop(order_status=lambda _: {"state": "new", "events": []})
    assert new.say("if it is open refund AB1234").names == ["order_status", "refund"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("If my cat agrees, lend the book Dune to reader 3, otherwise reserve it", "my cat agrees"),
        ("Lend the book Dune to reader 3 if my cat agrees.", "my cat agrees"),
        ("如果猫同意，把《三体》借给读者 3，否则预约", "如果猫同意"),
    ],
)
def test_a_condition_that_nobody_knows_stops_its_branches(text: str, words: str) -> None:
    turn = library().say(text)
    assert not {"lend_book", "reserve_book"} & set(turn.names)
    assert words in turn.reply


@pytest.mark.parametrize(
    "text",
    [
        "如果可以的话，查一下《三体》",
        "If possible, find the book Dune",
        "tell me if you find the book Dune",
    ],
)
def test_politeness_is_no_condition(text: str) -> None:
    assert library().say(text).names == ["find_book"]


def test_independent_calls_are_proposed_at_once() -> None:
    turn = shop().say("What is the status of AB1234 and CD5678?")
    assert turn.rounds == (
        (("order_status", {"order": "AB1234"}), ("order_status", {"order": "CD5678"})),
    )
    assert turn.reply == "AB1234: sent; 1 Lyon; 2 Paris\n\nCD5678: sent; 1 Lyon; 2 Paris"


def test_each_request_of_a_message_has_its_own_values() -> None:
    turn = shop().say("Where is AB1234? Then refund CD5678, it is broken.")
    assert turn.calls == [
        ("order_status", {"order": "AB1234"}),
        ("refund", {"order": "CD5678", "reason": "damaged"}),
    ]


def test_a_missing_value_is_asked_for_and_the_answer_goes_on() -> None:
    talk = shop()
    assert talk.say("where is my parcel").reply == "Order number?"
    assert talk.say("AB1234").calls == [("order_status", {"order": "AB1234"})]
    assert talk.say("我想退款").calls == [("refund", {"order": "AB1234"})]


def test_free_text_can_answer_a_question_but_a_refusal_cannot() -> None:
    talk = library()
    assert talk.say("please look it up").reply == "Which book?"
    assert talk.say("I don't know").reply == "I find and lend books."
    assert talk.say("Moby Dick").calls == [("find_book", {"title": "Moby Dick"})]


def test_a_missing_value_without_a_question_is_left_to_the_engine() -> None:
    turn = library(lend_book=lambda _: "ERROR: missing: reader").say("borrow the book Dune")
    assert "reader" not in turn.calls[1][1]
    assert "“lending” did not work: missing: reader" in turn.reply


def test_a_later_message_changes_the_request_before_it() -> None:
    talk = clinic()
    assert talk.say("I need an appointment").calls[0][1] == {"day": "01.03.2026"}
    assert talk.say("and on Friday?").calls[0][1] == {"day": "06.03.2026"}
    assert talk.say("那下周一呢？").calls[0][1] == {"day": "02.03.2026"}
    assert talk.say("it is urgent").calls[0][1] == {"day": "02.03.2026", "urgent": True}


@pytest.mark.parametrize(
    "correction",
    [
        "no, on Friday",
        "Sorry, I meant Friday",
        "actually make it Friday",
        "不，周五",
        "不对，是周五",
    ],
)
def test_a_correction_takes_the_place_of_what_was_said(correction: str) -> None:
    talk = clinic()
    talk.say("I need an appointment")
    assert talk.say(correction).calls[0][1] == {"day": "06.03.2026"}


@pytest.mark.parametrize("refusal", ["no, thanks", "不，不用了", "no, my brother came on Friday"])
def test_a_refusal_is_no_correction(refusal: str) -> None:
    talk = clinic()
    talk.say("I need an appointment")
    assert talk.say(refusal).calls == []


def test_a_word_that_only_looks_like_a_change_is_none() -> None:
    talk = clinic()
    talk.say("I need an appointment")
    assert talk.say("My brother came on Friday by train").reply == "I book appointments."


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("today", "28.02.2026"),
        ("tomorrow", "01.03.2026"),
        ("tmr", "01.03.2026"),
        ("tommorow", "01.03.2026"),
        ("the day after tomorrow", "02.03.2026"),
        ("in three days", "03.03.2026"),
        ("next Monday", "02.03.2026"),
        ("on Wednesday", "04.03.2026"),
        ("March 5th", "05.03.2026"),
        ("5 March 2027", "05.03.2027"),
        ("on 2026-04-01", "01.04.2026"),
        ("2026/4/1", "01.04.2026"),
        ("今天", "28.02.2026"),
        ("明天", "01.03.2026"),
        ("明早", "01.03.2026"),
        ("后天", "02.03.2026"),
        ("大后天", "03.03.2026"),
        ("三天后", "03.03.2026"),
        ("两周后", "14.03.2026"),
        ("周三", "04.03.2026"),
        ("星期六", "28.02.2026"),
        ("下周一", "02.03.2026"),
        ("下礼拜日", "08.03.2026"),
        ("这周五", "27.02.2026"),
        ("3月5日", "05.03.2026"),
        ("三月五号", "05.03.2026"),
        ("十二月三十一日", "31.12.2026"),
        ("1月1日", "01.01.2027"),
        ("2月29日", "29.02.2028"),
        ("2026年3月9日", "09.03.2026"),
        ("２０２６年３月９日", "09.03.2026"),
        ("some day", "01.03.2026"),
    ],
)
def test_a_day_in_words_is_a_date(phrase: str, day: str) -> None:
    assert clinic().say(f"appointment {phrase} please").calls[0][1]["day"] == day


@pytest.mark.parametrize("phrase", ["2月30日", "13月1日", "4月31日", "February 30", "2026-02-30"])
def test_a_day_that_does_not_exist_is_asked_about(phrase: str) -> None:
    turn = clinic().say(f"appointment {phrase}")
    assert not turn.calls
    assert phrase in turn.reply


def test_several_days_make_several_calls() -> None:
    days = [arguments["day"] for _, arguments in clinic().say("挂号：未来三天").calls]
    assert days == ["01.03.2026", "02.03.2026", "03.03.2026"]
    assert len(clinic().say("appointment today or tomorrow").calls) == 2


def test_without_a_date_line_no_day_is_guessed() -> None:
    request = ModelRequest(
        messages=(SystemMessage(text="Hello."), UserMessage(text="appointment tomorrow")),
        tools=(spec("free_slots"),),
    )
    assert json.loads(model(CLINIC).answer(request).calls[0].arguments) == {}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_today_comes_from_the_date_line(language: Any) -> None:
    talk = Talk(model(SWITCHBOARD), {}, today=SATURDAY, language=language)
    assert talk.say("what day is it").reply == "2026/02/28, Saturday"


def test_fixed_answers_and_the_fallback_speak_the_users_language() -> None:
    talk = Talk(model(SWITCHBOARD), {}, today=SATURDAY)
    assert talk.say("着火了！").reply == "请打 119。"
    assert talk.say("Fire!").reply == "Call 112."
    assert talk.say("fireworks").reply == "Say a name."
    assert talk.say("？？").reply == "Say a name."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("ERROR: no such order", "did not work: no such order"),
        ("NOT RUN: the approval expired", "did not work: the approval expired"),
        ("DENIED by policy (rule 1).", "did not work: by policy"),
        ("UNCERTAIN: the call was interrupted", "not known whether “order status” happened"),
        ('{"error": "closed on Sundays"}', "did not work: closed on Sundays"),
        ('{"order": "AB1234", "sta', "cannot be read"),
        ("ERROR: 没有这个订单\nThere is no such order", "did not work: There is no such order"),
    ],
)
def test_what_failed_is_said_as_failed(content: str, said: str) -> None:
    turn = shop(order_status=lambda _: content).say("where is AB1234")
    assert said in turn.reply
    assert "sent" not in turn.reply


def test_a_plain_text_result_is_said_as_it_is() -> None:
    turn = shop(order_status=lambda _: "It left Lyon today.").say("where is AB1234")
    assert turn.reply == "It left Lyon today."


def test_a_tool_that_is_not_offered_is_not_called() -> None:
    talk = Talk(model(SHOP), {}, today=SATURDAY)
    turn = talk.say("AB1234 到哪了")
    assert not turn.calls
    assert turn.reply == "「查订单」现在用不了，没有执行。"


def test_tool_choice_none_proposes_nothing() -> None:
    talk = shop()
    talk.messages.append(UserMessage(text="where is AB1234"))
    request = talk.request()
    closed = ModelRequest(messages=request.messages, tools=request.tools, tool_choice="none")
    assert not model(SHOP).answer(closed).calls


def test_a_glossary_puts_results_into_the_readers_words() -> None:
    assert shop().say("AB1234 到哪了").reply == "AB1234：已发货"


@pytest.mark.anyio
async def test_the_reply_is_named_counted_and_streamed() -> None:
    deltas: list[Delta] = []
    request = ModelRequest(
        messages=(SystemMessage(text="x" * 40), UserMessage(text="你好呀")), stream=True
    )
    offline = model("fallback: {zh: 第一句。第二句！, en: x}")
    reply = await offline.ask(request, deltas.append)
    assert (offline.name, reply.model, reply.stop) == ("offline", "offline", Stop.STOP)
    assert deltas == [TextDelta("第一句。"), TextDelta("第二句！")]
    assert reply.usage is not None
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.total) == (13, 7, 20)
    await offline.aclose()


@pytest.mark.anyio
async def test_calls_stop_for_tools_with_ids_unique_in_a_run() -> None:
    talk = shop()
    talk.messages.append(UserMessage(text="status of AB1234 and CD5678"))
    reply = await model(SHOP).ask(talk.request(), lambda _: None)
    assert reply.stop is Stop.TOOL_CALLS
    assert len({call.id for call in reply.message.calls}) == 2


def test_faults_in_rules_are_named_together() -> None:
    with pytest.raises(SettingsError) as caught:
        OfflineModel({"fallback": "x", "calls": {"c": {"tool": "t", "arguments": {"a": "b"}}}})
    assert "offline.calls.c.arguments.a: there is no value 'b'" in str(caught.value)
    with pytest.raises(SettingsError, match=r"values.v: needs one of .*; .*fallback: this key is"):
        OfflineModel({"values": {"v": {}}})


@pytest.mark.parametrize(
    "rules",
    [
        {"calls": {"a": {"tool": "t", "arguments": {"x": {"call": "a", "path": "id"}}}}},
        {"calls": {"a": {"tool": "t", "each": ["city"]}}},
        {"conditions": {"c": {"call": "a", "yes": "x", "test": {"path": "p", "above": 1}}}},
        {"values": {"v": {"patterns": ["("]}}},
        {"values": {"v": {"between": [{"after": ["/(?P<value>x)/"]}]}}},
        {"values": {"v": {"date": "tomorrow"}}},
        {"answers": [{"when": ["x"], "say": "{{ a | shout }}"}]},
        {"answers": [{"when": ["x"], "say": "{{ a..b }}"}]},
        {"answers": [{"when": ["x"], "say": "{{ end }}"}]},
        {"answers": [{"when": ["x"], "say": "{{ a"}]},
        {"answers": [{"when": [], "say": 3}]},
    ],
    ids=str,
)
def test_rules_that_cannot_work_are_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="offline"):
        OfflineModel({"fallback": "x", **rules})


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                "if it is free lend borrow book Dune reader 3 otherwise unless not , . ? 如果 可借 "
                "就 借 否则 预约 《三体》 读者 5 没有 的话 明天 hello and 两本".split(" ")
            ),
            max_size=9,
        ).map(" ".join),
        min_size=1,
        max_size=3,
    )
)
def test_any_words_come_to_an_end_and_to_the_same_end(texts: list[str]) -> None:
    first, second = library().say_all(texts), library().say_all(texts)
    assert first == second
    assert first.calls or first.reply


def test_the_example_of_the_documentation_works() -> None:
    page = (Path(__file__).parents[3] / "docs" / "offline.md").read_text("utf-8")
    data, _, _ = parse(page.split("```yaml\n")[1].split("```")[0])
    tools = {
        "forecast": lambda given: {"city": given["city"], "sky": "rain", "high": 17.6},
        "book_table": lambda _: "Booked.",
        "plan_walk": lambda _: "A walk.",
    }
    talk = Talk(OfflineModel(data["offline"]), tools, today=SATURDAY)
    assert talk.say("weather in Rome").reply == "Rome: rain, 18 °C"
    turn = talk.say("If it rains tomorrow book a table for Ada, otherwise plan a walk")
    assert turn.names == ["forecast", "book_table"]
    assert turn.calls[1][1] == {"guest": "Ada", "date": "2026-03-01"}
