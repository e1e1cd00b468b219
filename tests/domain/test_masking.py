"""What is taken out of what is stored and shown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.masking import (
    mask_text,
    mask_value,
    masked_events,
    message_without_credentials,
    private_parameters,
    result_without_credentials,
)
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.tools import RawCall, ResultStatus, ToolResult
from tests.support.events import (
    answered,
    finished,
    pending,
    received,
    rejected,
    replied,
    started,
    validated,
)

KEY = "sk-proj-abcdEFGH1234567890wxyz"
ID_CARD = "11010519491231002X"
CARD_TYPO = "62220260067053549999"
BANK_CARD = "6222026006705354216"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"the key is {KEY}.", "the key is [masked:api_key:wxyz]."),
        ("AKIAIOSFODNN7EXAMPLE", "[masked:api_key:MPLE]"),
        ("ghp_0123456789abcdefghij0123", "[masked:token:0123]"),
        ("pm_" + "0aA" * 16 + "9", "[masked:token:0aA9]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3", "[masked:token:P4J3]"),
        ("Authorization: Bearer abc.def-12345678", "Authorization: Bearer [masked:token:5678]"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic [masked:token:ZA==]"),
        ("postgresql://ann:hunter2@db/x", "postgresql://ann:[masked:password]@db/x"),
        ("password=hunter22 user=ann", "password=[masked:password] user=ann"),
        ("API_KEY = 'abcd1234'", "API_KEY = '[masked:password]'"),
        (
            '{"db_password": "hunter22", "user": "ann"}',
            '{"db_password": "[masked:password]", "user": "ann"}',
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter",
            "[masked:private_key]\nafter",
        ),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "[masked:private_key]"),
    ],
)
def test_a_credential_is_masked_and_the_rest_stays(text: str, masked: str) -> None:
    assert mask_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "明天成都有小雨，建议驾车前往。",
        "The token limit is 1000 tokens; max_tokens=1000.",
        "task-management-and-more-words-in-a-row",
        "https://example.com/path?page=2&sort=name",
        "Your password has been changed. Keys: 3.",
        '{"next_page_token": "abcdefgh", "key": "order"}',
        f"身份证 {ID_CARD}，卡号 {BANK_CARD}",
        "mail ann@example.com: see https://example.com",
    ],
)
def test_ordinary_text_stays_the_same_object(text: str) -> None:
    assert mask_text(text) is text or mask_text(text) == text
    assert mask_text(text) == text


@given(st.text() | st.sampled_from([KEY, "password=hunter22", "Bearer abcdefgh12345678"]))
def test_masking_twice_is_masking_once(text: str) -> None:
    assert mask_text(mask_text(text)) == mask_text(text)


@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "eyJ-",
        "eyJaaaaaaaa.",
        "bearer ",
        "Bearer a-",
        "://a:",
        "password=",
        '"a_',
        "-----BEGIN ",
    ],
)
def test_a_hostile_text_is_masked_in_a_time_in_proportion_to_its_length(piece: str) -> None:
    """No time is measured: what grows with the square would not end within the test run."""
    assert mask_text(piece * 100_000)


def test_a_structured_value_is_masked_by_its_keys_too() -> None:
    value = {"list": [{"password": "hunter22"}, KEY], "n": 1}
    assert mask_value(value) == {
        "list": [{"password": "[masked:password]"}, "[masked:api_key:wxyz]"],
        "n": 1,
    }
    plain = {"city": "成都", "days": [1, 2]}
    assert mask_value(plain) is plain


def test_results_and_model_texts_are_stored_without_credentials() -> None:
    result = ToolResult(status=ResultStatus.OK, content=KEY, data={"secret": "abcdefgh"})
    masked = result_without_credentials(result)
    assert masked.content == "[masked:api_key:wxyz]"
    assert masked.data == {"secret": "[masked:password]"}
    clean = ToolResult(status=ResultStatus.OK, content="rain", data={"city": "成都"})
    assert result_without_credentials(clean) is clean
    call = RawCall(id="a", name="login", arguments=f'{{"key": "{KEY}"}}')
    message = message_without_credentials(AssistantMessage(text=f"It is {KEY}", calls=(call,)))
    assert message.text == "It is [masked:api_key:wxyz]"
    assert message.calls == (call,), "a call must run with its own arguments"


@pytest.mark.parametrize(
    ("schema", "private"),
    [
        ({"properties": {"a": {"x-private": True}, "b": {"type": "string"}}}, ("a",)),
        ({"properties": {"a": {"items": {"properties": {"n": {"x-private": True}}}}}}, ("a",)),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/P"}},
                "$defs": {
                    "P": {"properties": {"n": {"x-private": True}, "p": {"$ref": "#/$defs/P"}}}
                },
            },
            ("a",),
        ),
        ({"properties": {"a": {"x-private": "yes"}}}, ()),
        ({"properties": []}, ()),
        ({}, ()),
    ],
)
def test_the_schema_says_which_parameters_are_private(
    schema: dict[str, Any], private: tuple[str, ...]
) -> None:
    assert private_parameters(schema) == private


def run_with(arguments: dict[str, Any], *private: str) -> list[ev.Event]:
    shown = " ".join(str(value) for value in arguments.values())
    call = validated("1.0", "pay", arguments=arguments)
    asked = replace(pending("1.0"), question=f"pay with {shown}?")
    return [
        received(UserMessage(text=f"use {shown}")),
        started(),
        answered("", ("pay", str(arguments))),
        replace(call, private=private),
        asked,
        finished("1.0", f"paid with {shown}"),
        replied(f"Done with {shown}"),
    ]


@pytest.mark.parametrize(
    ("value", "mask"),
    [
        (ID_CARD, "[masked:id_card:002X]"),
        (BANK_CARD, "[masked:bank_card:4216]"),
        (6222026006705354216, "[masked:bank_card:4216]"),
        ("13800138000", "[masked:number:8000]"),
        ("张三丰", "[masked:private]"),
        (123456, "[masked:private]"),
    ],
)
def test_a_private_value_is_masked_wherever_it_stands(value: Any, mask: str) -> None:
    events = run_with({"card": value, "note": "rent"}, "card")
    masked = masked_events(events)
    assert str(value) not in str(masked)
    arguments = [one.arguments for one in masked if isinstance(one, ev.CallValidated)]
    assert arguments == [{"card": mask, "note": "rent"}]
    replies = [one.text for one in masked if isinstance(one, ev.ReplyGiven)]
    assert replies == [f"Done with {mask} rent"]


def test_a_private_value_of_a_call_that_did_not_fit_is_masked_too() -> None:
    events: list[ev.Event] = [
        received(UserMessage(text=f"use {CARD_TYPO}")),
        started(),
        answered("", ("pay", f'{{"card": "{CARD_TYPO}"}}'), ("pay", "no json")),
        replace(rejected("1.0"), content=f"ERROR: got {CARD_TYPO}", private=("card",)),
        replace(rejected("1.1", "malformed"), private=("card",)),
    ]
    masked = masked_events(events)
    assert CARD_TYPO not in str(masked)
    assert "[masked:number:9999]" in str(masked)


def test_a_short_private_value_is_masked_in_its_argument_alone() -> None:
    masked = masked_events(run_with({"sex": "m"}, "sex"))
    assert [one.arguments for one in masked if isinstance(one, ev.CallValidated)] == [
        {"sex": "[masked:private]"}
    ]
    assert "Done with m" in str(masked)


def test_what_is_not_private_and_no_credential_is_shown() -> None:
    events = run_with({"card": BANK_CARD, "read": "read"})
    assert masked_events(events) == events


def test_names_ids_and_instants_are_never_masked() -> None:
    events = run_with({"who": "python", "tool": "pay"}, "who", "tool")
    masked = masked_events(events)
    call = next(one for one in masked if isinstance(one, ev.CallValidated))
    assert (call.tool, call.source, call.at) == ("pay", "python", events[3].at)
