"""Where a message is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.classifiers.clauses import LONGEST, MOST, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("查一下订单", ["查一下订单"]),
        ("查一下订单，然后转人工", ["查一下订单", "转人工"]),
        ("查订单并且开发票。谢谢", ["查订单", "开发票", "谢谢"]),
        ("帮我查订单，再帮我开发票", ["帮我查订单", "帮我开发票"]),
        ("Track it and then call me", ["Track it", "call me"]),
        ("Where is it? Also send the invoice.", ["Where is it", "send the invoice"]),
        ("salt and pepper", ["salt and pepper"]),
        ("version 1.5 please", ["version 1.5 please"]),
        ("ok. 好", []),
        ("", []),
    ],
)
def test_a_message_is_cut_between_its_wishes(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(max_size=3 * LONGEST))
def test_parts_are_few_and_come_from_the_text(text: str) -> None:
    parts = sentences(text)
    assert len(parts) <= MOST
    assert all(part in text for part in parts)
