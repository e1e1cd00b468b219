"""A pattern with needles finds what ``re`` finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.patterns import Lexicon, Pattern, Words, needles
from pointsman.domain.replies import action_words, checking, claim_words, reply_words, untruths

PATTERNS = [
    value
    for module in (action_words, checking, claim_words, reply_words, untruths)
    for held in vars(module).values()
    for value in (
        held.values() if isinstance(held, dict) else held if isinstance(held, Lexicon) else [held]
    )
    if isinstance(value, Pattern)
]


@pytest.mark.parametrize(
    ("alternative", "words"),
    [
        ("失败", {"失败"}),
        ("[未没不]成功", {"成功"}),
        (r"\b(?:fail|den(?:ied|y)|declin)", {"fail", "den", "declin"}),
        ("没有?(?:任何)?(?:响应|反应)", {"响应", "反应"}),
        (r"e-?mailed", {"mailed"}),
        (r"(?<=已)发(?![货现])", {"发"}),
        (r"(?:ab)?c+d{0,2}", {"c"}),
        (r"a{2,}", {"a"}),
        (r"\d{1,2}日?", set()),
        (r"(?:ab|\d)x?", set()),
        (r"Sent", {"sent"}),
    ],
)
def test_every_match_of_an_alternative_holds_one_of_its_needles(
    alternative: str, words: set[str]
) -> None:
    assert needles(alternative) == words


def test_there_are_patterns_to_compare() -> None:
    assert len(PATTERNS) > 60


PIECES = st.sampled_from(
    sorted({needle for pattern in PATTERNS for needle in pattern.needles})
    + list(" ，。.!'’已未不了I")
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_a_pattern_finds_what_re_finds_in_any_text(text: str) -> None:
    for pattern in PATTERNS:
        plain = re.compile(pattern.source, re.IGNORECASE)
        found, wanted = pattern.search(text), plain.search(text)
        assert (found and found.span()) == (wanted and wanted.span())
        assert [m.span() for m in pattern.finditer(text)] == [
            m.span() for m in plain.finditer(text)
        ]


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_a_lexicon_leaves_out_no_pattern_that_matches(text: str) -> None:
    lexicon = action_words._ANY
    possible = {name for name, _ in lexicon.possible(text)}
    assert action_words.families_in(text) <= possible
    assert not [
        one
        for one in lexicon
        if one.search(text) and one not in dict(lexicon.possible(text)).values()
    ]


@given(st.text(st.sampled_from("iIwWeE_yourY'.,1 -\n\t我é")))
def test_whole_words_are_found_where_re_finds_them(text: str) -> None:
    found = re.search(r"\b(?:i|we|your)\b", text, re.IGNORECASE)
    assert Words("i", "we", "your").stand_in(text) is (found is not None)
