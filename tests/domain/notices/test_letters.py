"""Parts, subjects and addresses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.notices.letters import (
    LIMITS,
    MOST_PARTS,
    is_email,
    is_phone,
    one_line,
    open_fence,
    split,
    subject_of,
)
from tests.cases import params


@pytest.mark.parametrize("case", params(9, only=("N11",)))
def test_a_long_message_is_cut_into_parts_that_fit(case: dict[str, Any]) -> None:
    limit = LIMITS[case["input"]["channel"]]
    text = "通" * (case["input"]["bytes"] // 3)
    parts = split(text, limit)
    assert len(parts) == 3
    assert all(len(part.encode()) <= limit for part in parts)
    assert "".join(part.partition("\n")[2] for part in parts) == text
    assert "内容已截断" not in parts[-1]


def test_what_does_not_fit_into_the_parts_is_left_out_and_said() -> None:
    parts = split("通" * 10_000, 2048)
    assert len(parts) == MOST_PARTS
    assert parts[-1].endswith("…（内容已截断）")
    assert all(len(part.encode()) <= 2048 for part in parts)
    assert split("x" * 30_000, 2048, language="en")[-1].endswith("… (content cut)")


def test_a_message_that_fits_stays_as_it_is() -> None:
    assert split("短", 2048) == ("短",)
    assert split("x" * 99_999, 0) == ("x" * 99_999,)


def test_a_part_ends_where_a_reader_pauses() -> None:
    first, second = split("第一句话在这里。" * 4 + "第二段从这里开始继续", 110)
    assert first.endswith("。")
    assert second.startswith("（2/2）\n")


CODE = "\n".join(f"print({n})  # 你好" for n in range(60))


@pytest.mark.parametrize("marks", ["```", "~~~~"])
def test_a_block_of_code_is_whole_in_each_part(marks: str) -> None:
    parts = split(f"intro\n{marks}python\n{CODE}\n{marks}\nafter", 500)
    assert len(parts) > 2
    for part in parts:
        assert open_fence(part) == ""
        assert len(part.encode()) <= 500
    assert parts[1].splitlines()[1] == f"{marks}python"
    lines = [line for part in parts for line in part.splitlines()]
    assert [line for line in lines if line.startswith("print")] == CODE.splitlines()


def test_that_the_rest_is_cut_is_said_behind_the_block() -> None:
    parts = split(f"```\n{CODE * 9}\n```", 300)
    assert parts[-1].endswith("\n```\n…（内容已截断）")


def test_marks_that_are_no_block_are_left_alone() -> None:
    text = "inline ```x``` and ``y`` " * 60
    assert "\n```" not in "".join(split(text, 300))


def test_a_character_of_several_code_points_is_not_torn() -> None:
    family = "👩\u200d👩\u200d👧"
    parts = split(family * 40, 100, most=50)
    assert all(part.partition("\n")[2].count("\u200d") % 2 == 0 for part in parts)


@pytest.mark.parametrize("whole", ["👍🏽", "🇨🇳", "1\ufe0f\u20e3", "e\u0301"])
@pytest.mark.parametrize("limit", [100, 101, 102, 103, 104])
def test_no_piece_of_a_character_stands_in_another_part(whole: str, limit: int) -> None:
    parts = split(whole * 60, limit, most=50)
    bodies = [part.partition("\n")[2] for part in parts]
    assert all(body == whole * (len(body) // len(whole)) for body in bodies)


@given(st.text(), st.integers(80, 400), st.sampled_from(["zh", "en"]))
def test_no_part_is_too_long_and_there_are_not_too_many(
    text: str, limit: int, language: Any
) -> None:
    text = text.encode("utf-8", "ignore").decode()
    parts = split(text, limit, language=language)
    assert 1 <= len(parts) <= MOST_PARTS
    assert all(len(part.encode()) <= limit for part in parts)


@pytest.mark.parametrize("case", params(9, only=("N15",)))
def test_no_text_begins_another_header(case: dict[str, Any]) -> None:
    assert one_line(case["input"]["subject"]) == case["expected"]["subject"]
    assert not is_email(case["input"]["to"])


@pytest.mark.parametrize(
    "subject", ["a\u2028Bcc: b", "a\x0bBcc: b", "a\x85Bcc: b", "a\x00Bcc: b", "a\tBcc: b"]
)
def test_a_subject_is_one_line_whatever_breaks_it(subject: str) -> None:
    assert one_line(subject) == "a Bcc: b"


@pytest.mark.parametrize("address", ["a@b.test", "a.b+c@mail.b-c.test", "x_1@localhost"])
def test_addresses(address: str) -> None:
    assert is_email(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "a",
        "a@",
        "@b.test",
        "a@b.test\n",
        "a@b.test\r\nRCPT TO:<c@d.test>",
        "a b@c.test",
        "A <a@b.test>",
        "a@b.test,c@d.test",
        "a@b..test",
        "a@-b.test",
        ".a@b.test",
        f"{'a' * 65}@b.test",
        "a@b.test\u2028",
    ],
)
def test_what_is_no_address(address: str) -> None:
    assert not is_email(address)


def test_telephone_numbers() -> None:
    assert is_phone("+86 138-0013-8000")
    assert not is_phone("138\n")
    assert not is_phone("call me")


def test_a_message_without_a_subject_is_called_by_how_it_begins() -> None:
    assert subject_of("\n## 日报\n内容", "zh") == "日报"
    assert subject_of("  ", "en") == "Notification"
