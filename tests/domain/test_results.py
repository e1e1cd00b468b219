"""What a model reads of a result (cases L07, M21, M23, H08)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.results import content, json_text, shorten
from tests.cases import CASES
from tests.domain.arguments.test_arguments import json_values


def test_m23_numbers_that_are_not_finite_become_text() -> None:
    text, plain, had_nan = json_text({"mean": float("nan")})
    assert text == CASES["M23"]["expected"]["content"]
    assert plain == {"mean": "NaN"}
    assert had_nan
    nested = {"a": [float("inf"), {"b": -float("inf")}, 1.5]}
    assert json_text(nested)[0] == '{"a": ["Infinity", {"b": "-Infinity"}, 1.5]}'


@given(json_values)
def test_json_without_nan_is_kept_as_it_is(value: Any) -> None:
    text, plain, had_nan = json_text(value)
    assert json.loads(text) == value
    assert plain is value
    assert not had_nan


@pytest.mark.parametrize("nothing", [None, "", " \n", "null", " null\n"])
def test_a_tool_that_returns_nothing_has_finished(nothing: Any) -> None:
    assert content(nothing, {}, "en")[0] == "finished; the tool returned nothing"
    assert content(nothing, {}, "zh-CN")[0] == "已执行完毕，没有返回内容。"


@pytest.mark.parametrize("empty", [CASES["L07"]["input"]["tool_result"], {}, "[]", "{}", "[]\n"])
def test_l07_an_empty_result_is_said_to_be_final(empty: Any) -> None:
    assert content(empty, {"f": "x"}, "en")[0] == 'no results for f="x"; this is final'
    assert content(empty, {}, "en")[0] == "no results for a call without arguments; this is final"
    said = content(empty, {"city": "成都"}, "zh")[0]
    assert said == '没有查到结果（city="成都"）；这就是最终结果，不必重试。'


def test_l07_the_words_stay_short_for_long_arguments() -> None:
    assert len(content([], {"text": "长" * 5000}, "zh")[0]) < 300


def test_a_text_is_read_as_it_is_and_other_values_as_json() -> None:
    assert content("晴，24℃", {}, "zh")[0] == "晴，24℃"
    assert content({"天气": "晴"}, {}, "zh")[0] == '{"天气": "晴"}'
    assert content(0, {}, "zh")[0] == "0"
    assert content(False, {}, "zh")[0] == "false"


def test_h08_lone_surrogates_and_nul_do_not_pass() -> None:
    assert content("a\ud83d\x00b", {}, "en")[0] == "a\ufffdb"
    assert content({"a": "\ud83d"}, {}, "en")[0] == '{"a": "\ufffd"}'


WHERE = "result://0198c0ffee"


def test_m21_a_huge_text_keeps_head_and_tail_and_says_where_the_rest_is() -> None:
    text = "头" + "x" * 1_700_000 + "尾"
    cut = shorten(text, 20_000, WHERE)
    assert 19_000 < len(cut) <= 20_000
    assert cut.startswith("头x")
    assert cut.endswith("x尾")
    note = cut[cut.index("…") : cut.rindex("…")]
    left_out = int(note.split()[1])
    assert note.endswith(f"chars left out, saved as {WHERE} ")
    assert left_out == len(text) - (len(cut) - len(f" {note}… "))


def test_m21_a_json_list_is_cut_between_items() -> None:
    rows = [{"id": n, "name": f"第{n}行"} for n in range(10_000)]
    cut = json.loads(shorten(json.dumps(rows, ensure_ascii=False), 2_000, WHERE))
    assert cut[0] == rows[0]
    assert cut[-1] == rows[-1]
    (note,) = (item for item in cut if isinstance(item, str))
    assert note == f"… {10_000 - len(cut) + 1} of 10000 items left out, saved as {WHERE} …"


def test_m21_the_longest_list_inside_an_object_is_cut() -> None:
    result = {"total": 5000, "few": [1, 2], "rows": [f"row {n}" for n in range(5000)]}
    short = shorten(json.dumps(result), 1_000, WHERE)
    cut = json.loads(short)
    assert len(short) <= 1_000
    assert (cut["total"], cut["few"]) == (5000, [1, 2])
    assert cut["rows"][0] == "row 0"
    assert cut["rows"][-1] == "row 4999"


def test_m21_an_item_larger_than_the_limit_is_cut_as_text() -> None:
    cut = shorten(json.dumps(["x" * 5000]), 500, WHERE)
    assert len(cut) <= 500
    assert WHERE in cut


def test_a_short_result_is_not_touched() -> None:
    assert shorten("[1,  2]", 7, WHERE) == "[1,  2]"


@given(
    st.text(max_size=400) | json_values.map(lambda value: json.dumps([value] * 9)),
    st.integers(100, 300),
)
def test_m21_what_is_cut_never_exceeds_the_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit, WHERE)) <= max(limit, 0)
