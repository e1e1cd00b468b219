"""The chart that fits an answer, the chart that was asked for, and how it is drawn."""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.pictures import png
from pointsman.domain.numbers import charts, tables
from pointsman.domain.numbers.chart_svg import svg
from pointsman.domain.numbers.charts import Chart, ChartKind, NoChart, chart_of
from pointsman.domain.numbers.tables import Table, table_of
from pointsman.domain.results import json_text

MONTHS = [("2024-03", 5), ("2024-01", 3), ("2024-02", 4)]
PEOPLE = [("财务部", 12), ("研发部", 88), ("人事部", 5)]


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    return table_of(names, rows, truncated=False)


def drawn(given: Table, **more: Any) -> Chart:
    chart = chart_of(given, "en", **more)
    assert isinstance(chart, Chart), chart
    return chart


SHAPES: dict[str, tuple[Sequence[str], Sequence[Sequence[Any]], ChartKind]] = {
    "amounts by name": (["d", "n"], PEOPLE, "bar"),
    "amounts by month": (["m", "n"], MONTHS, "line"),
    "amounts by day": (["d", "n"], [(f"2024-01-0{n}", n) for n in (1, 2, 3)], "line"),
    "two days only": (["d", "n"], [("2024-01-01", 1), ("2024-01-02", 2)], "bar"),
    "amounts by year": (["year", "n"], [(2022, 1.5), (2023, 2.5), (2024, 3.5)], "line"),
    "Chinese months": (["m", "n"], [("1月", 1), ("2月", 2), ("3月", 3)], "line"),
    "quarters": (["q", "n"], [("2024-Q1", 1), ("2024-Q2", 2), ("2024-Q3", 3)], "line"),
    "shares": (["d", "占比"], [("a", 0.25), ("b", 0.75)], "pie"),
    "per cent": (["d", "percent"], [("a", 25), ("b", 75.4)], "pie"),
    "codes are not years": (["c", "n"], [("1001", 1), ("1002", 2), ("1003", 3)], "bar"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SHAPES))
def test_the_shape_decides(name: str) -> None:
    names, rows, kind = SHAPES[name]
    assert drawn(table(names, rows)).kind == kind


def test_a_line_goes_forward_in_time() -> None:
    chart = drawn(table(["m", "n"], MONTHS))
    assert chart.labels == ("2024-01", "2024-02", "2024-03")
    assert chart.series[0].values == (3, 4, 5)


def test_label_group_and_number_make_a_series_for_each_group() -> None:
    rows = [("2024-01", "a", 1), ("2024-01", "b", 2), ("2024-02", "a", 3)]
    chart = drawn(table(["m", "g", "n"], rows))
    assert [one.name for one in chart.series] == ["a", "b"]
    assert chart.series[1].values == (2, None)
    turned = drawn(table(["g", "m", "n"], [(g, m, n) for m, g, n in rows]))
    assert turned.labels == ("2024-01", "2024-02")


def test_a_pie_has_a_slice_for_the_rest() -> None:
    chart = drawn(table(["d", "n"], [(f"d{n}", n) for n in range(1, 21)]), kind="pie")
    assert len(chart.labels) == charts.MOST_SLICES
    assert (chart.labels[0], chart.labels[-1]) == ("d20", "Other")
    assert sum(value or 0 for value in chart.series[0].values) == 210


NOT_DRAWN: dict[str, tuple[Table, ChartKind | None, str]] = {
    "one value": (table(["n"], [(1,)]), None, "column of labels"),
    "one row": (table(["d", "n"], [("a", 1)]), "bar", "column of labels"),
    "no numbers": (table(["a", "b"], [("x", "y"), ("z", "w")]), "bar", "column of labels"),
    "negative pie": (table(["d", "n"], [("a", -1), ("b", 2)]), "pie", "below 0"),
    "empty pie": (table(["d", "n"], [("a", 0), ("b", 0)]), "pie", "above 0"),
    "pie of two": (table(["d", "n", "m"], [("a", 1, 1), ("b", 2, 2)]), "pie", "one column"),
    "too many": (table(["d", "n"], [(f"d{n}", n) for n in range(100)]), "bar", "too many"),
}


@pytest.mark.parametrize("name", list(NOT_DRAWN))
def test_what_has_not_the_shape_is_not_drawn_and_says_why(name: str) -> None:
    given, kind, why = NOT_DRAWN[name]
    chart = chart_of(given, "en", kind=kind)
    assert isinstance(chart, NoChart)
    assert why in chart.why
    told = chart_of(given, "zh", kind=kind)
    assert isinstance(told, NoChart)
    assert re.search("[一-鿿]", told.why)


@pytest.mark.parametrize("kind", charts.KINDS)
def test_a_chart_is_drawn_as_svg_with_its_words(kind: ChartKind) -> None:
    chart = drawn(table(["d", "n"], PEOPLE), kind=kind, title="<b>人数</b>", unit="人")
    root = ElementTree.fromstring(svg(chart))
    said = "".join(root.itertext())
    assert "<b>人数</b> (人)" in said
    assert all(name in said for name, _ in PEOPLE)
    assert not re.search(r"<script|href|<b>", svg(chart))


def test_a_bars_height_is_its_value() -> None:
    chart = drawn(table(["d", "n"], [("a", 50), ("b", 100), ("c", 0)]))
    heights = [
        float(one.attrib["height"])
        for one in ElementTree.fromstring(svg(chart)).iter("{http://www.w3.org/2000/svg}rect")
    ][1:]
    assert heights[0] * 2 == pytest.approx(heights[1], abs=0.2)
    assert heights[2] == 0


labels = st.text(max_size=20)
numbers = st.one_of(st.none(), st.integers(-(10**12), 10**12), st.floats(-1e15, 1e15))


@given(
    st.lists(st.tuples(labels, numbers, numbers), min_size=2, max_size=30),
    st.sampled_from([None, *charts.KINDS]),
)
def test_any_table_is_drawn_as_well_formed_svg_or_not_at_all(
    rows: list[tuple[str, float | None, float | None]], kind: ChartKind | None
) -> None:
    chart = chart_of(table(["a", "b", "c"], rows), "zh", kind=kind, title="\x00\ud800")
    if isinstance(chart, Chart):
        ElementTree.fromstring(svg(chart))
        assert json_text(charts.as_data(chart))[2] is False


def test_a_chart_is_a_png() -> None:
    picture = png(drawn(table(["d", "n"], [("a", 1), ("b", 2)])))
    assert picture is not None
    assert picture.startswith(b"\x89PNG")


# Tables


def test_a_table_is_read_as_lines() -> None:
    given = table(["部门", "a|b"], [("财务\n部", 1.5), (None, True)])
    assert tables.shown(given, "zh", title="人数", unit="人") == (
        "人数 [人]\n部门 | a\\|b\n财务 部 | 1.5\nnull | true\n（2 行）"
    )


def test_a_cut_table_says_so() -> None:
    given = table_of(["n"], [(1,), (2,)], truncated=True)
    assert tables.shown(given, "en").endswith("(only the first 2 rows; there are more)")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None], "integer"),
        ([1, 2.5], "number"),
        ([True, False], "boolean"),
        (["2024-01-01", None], "date"),
        (["2024-01-01 10:00:00", "2024-01-01T10:00:00+08:00"], "datetime"),
        (["2024-01-01", "x"], "text"),
        ([1, "x"], "text"),
        ([None], "null"),
    ],
)
def test_types_are_read_from_the_values(values: list[Any], kind: str) -> None:
    assert table(["c"], [(value,) for value in values]).columns[0].type == kind
