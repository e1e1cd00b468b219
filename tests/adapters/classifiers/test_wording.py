"""How the learned classifier reads a text."""

import pytest

from pointsman.adapters.classifiers.wording import LONGEST, plain


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Order ＡＢＣ", "order abc"),
        ("订单123456789到哪了", "订单0到哪了"),
        ("987 654 321 这单", "0 这单"),
        ("138-0000-0000", "0"),
        ("refund 500 yuan at 10:30", "refund 500 yuan at 10:30"),
        ("\x00a\ud800", "a\ufffd"),
        ("x" * 2 * LONGEST, "x" * LONGEST),
    ],
)
def test_width_case_and_long_numbers_make_no_difference(text: str, read: str) -> None:
    assert plain(text) == read
