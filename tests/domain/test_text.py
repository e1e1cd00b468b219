"""Text as it enters and as it is cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.text import clean, cut_bytes, cut_middle, visible
from tests import cases

# With surrogates, as json.loads and surrogateescape leave them.
any_text = st.text(st.characters() | st.sampled_from("\ud83d\ude00\udc97\x00👨‍👩‍👧"))


@pytest.mark.parametrize("case", cases.params(5, only=("H08",)))
def test_lone_surrogates_are_replaced(case: dict[str, Any]) -> None:
    text = json.loads(case["input"]["json_escaped"])
    assert json.dumps(clean(text)) == case["expected"]["stored_json_escaped"]


def test_pairs_are_combined_and_nul_is_removed() -> None:
    assert clean("\ud83d\ude00 a\x00b") == "😀 ab"


@given(any_text)
def test_clean_text_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_text_that_is_clean_is_not_touched(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize("case", cases.params(5, only=("H09",)))
def test_a_cut_falls_between_characters(case: dict[str, Any]) -> None:
    text = case["input"]["text"]
    for limit in (*case["input"]["limits"], *range(len(text.encode()) + 2)):
        cut = cut_bytes(text, limit)
        assert text.startswith(cut)
        assert len(cut.encode()) <= limit
        assert not cut.endswith(("\u200d", "\ufe0e", "\ufe0f"))
    assert cut_bytes(text, 5) == "a👨"
    assert cut_bytes(text, -1) == ""


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 40))
def test_a_cut_text_is_the_start_of_the_text(text: str, limit: int) -> None:
    cut = cut_bytes(text, limit)
    assert text.startswith(cut)
    assert len(cut.encode()) <= limit


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>")), st.data())
def test_a_cut_in_the_middle_keeps_head_and_tail(text: str, data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, len(text) + 1))
    cut = cut_middle(text, limit, "<{left_out}>")
    if len(text) <= limit:
        assert cut == text
        return
    head, note = cut.split("<")
    left_out, tail = note.split(">")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(left_out) == len(text) - limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202egpj.exe", "a[U+202E]gpj.exe"),
        ("zero\u200bwidth\u2060", "zero[U+200B]width[U+2060]"),
        ("bell\x07 and back\rover", "bell[U+0007] and back[U+000D]over"),
        ("hidden\U000e0041", "hidden[U+E0041]"),
        ("两行\r\n\t第二行\n", "两行\r\n\t第二行\n"),
        ("👨\u200d👩\u200d👧 ❤\ufe0f", "👨\u200d👩\u200d👧 ❤\ufe0f"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown
