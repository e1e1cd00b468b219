"""Whatever the order of pieces and whole texts, the reader sees each text once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.entrypoints.web.shown import BETWEEN, LostText, ShownText

words = st.text("ab \n", max_size=12)


@given(st.lists(st.lists(words, max_size=5), max_size=4), st.booleans())
def test_turns_are_shown_once_with_a_gap_between(turns: list[list[str]], streamed: bool) -> None:
    shown, seen = ShownText(), ""
    for pieces in turns:
        if streamed:
            seen += "".join(shown.piece(piece) for piece in pieces)
        seen += shown.turn("".join(pieces))
    texts = ["".join(pieces).strip() for pieces in turns]
    gaps = [text for text in seen.split(BETWEEN) if text.strip()]
    assert "".join(seen.split()) == "".join("".join(texts).split())
    if not any(BETWEEN in text for text in texts):
        assert [gap.strip() for gap in gaps] == [text for text in texts if text]


@given(words, words)
def test_a_turn_whose_end_was_not_told_is_completed(told: str, rest: str) -> None:
    shown = ShownText()
    seen = shown.piece("x" + told) + shown.turn("x" + told + rest + "y")
    assert seen == "x" + told + rest + "y"


def test_pieces_of_the_next_turn_may_come_before_the_whole_text() -> None:
    shown = ShownText()
    seen = [shown.piece("Let me see."), shown.piece("Sunny"), shown.turn("Let me see.")]
    assert [*seen, shown.piece("."), shown.turn("Sunny.")] == ["Let me see.", "Sunny", "", ".", ""]


def test_the_last_turns_text_is_not_said_again_at_the_end() -> None:
    shown = ShownText()
    assert shown.turn("Sunny.") == "Sunny."
    assert shown.end("Sunny.") == ""


def test_what_the_engine_says_comes_after_what_the_model_said() -> None:
    shown = ShownText()
    assert shown.piece("I will book it.") == "I will book it."
    assert shown.end("Shall I?") == "\n\nShall I?"


def test_thinking_that_was_shown_as_text_does_not_hide_the_text() -> None:
    shown = ShownText()
    assert shown.piece("hm, so") + shown.piece(" Sunny.") + shown.turn("Sunny.") == "hm, so Sunny."


def test_pieces_that_were_lost_on_the_way_are_noticed() -> None:
    shown = ShownText()
    shown.piece("y.")
    with pytest.raises(LostText):
        shown.turn("It is sunny.")


def test_nothing_is_lost_when_a_reply_is_void_before_it_was_seen() -> None:
    shown = ShownText()
    assert shown.piece("  \n") == ""
    shown.void()
    assert shown.piece("Sunny.") == "Sunny."


def test_what_was_read_cannot_be_void() -> None:
    shown = ShownText()
    shown.piece("Sun")
    with pytest.raises(LostText):
        shown.void()
