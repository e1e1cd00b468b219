import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.models.sse import EventStream
from pointsman.errors import ModelProtocolError
from tests.support.replies import split


def data_of(*reads: bytes) -> list[bytes]:
    stream = EventStream()
    return [data for read in reads for data in stream.feed(read)] + stream.end()


SHAPES = {
    "ordinary": (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
    "no-space": (b"data:a\n\n", [b"a"]),
    "only-one-space-is-dropped": (b"data:  a\n\n", [b" a"]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
    "cr": (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    "mixed-line-ends": (b"data: a\n\r\ndata: b\r\r\ndata: c\r\n\r", [b"a", b"b", b"c"]),
    "bom": (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
    "a-bom-later-is-no-bom": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [b"a"]),
    "blank-lines-first": (b"\n\ndata: a\n\n", [b"a"]),
    "several-data-lines": (b"data: a\ndata:\ndata: b\n\n", [b"a\n\nb"]),
    "empty-data": (b"data: \n\ndata\n\ndata:\n\ndata: a\n\n", [b"a"]),
    "comments": (b": ping\n\n:\n\ndata: a\n: inside\n\n", [b"a"]),
    "other-fields": (b"event: x\nid: 1\nretry: 5\ndata: a\n\nid: 2\n\n", [b"a"]),
    "unknown-field": (b"datum: x\ndata: a\n\n", [b"a"]),
    "no-blank-line-at-the-end": (b"data: a\n\ndata: b\n", [b"a", b"b"]),
    "no-line-end-at-the-end": (b"data: a\n\ndata: b", [b"a", b"b"]),
    "bare-json": (b'{"error":\n {"message": "x"}}', [b'{"error":\n {"message": "x"}}']),
    "bare-json-in-the-middle": (b'data: a\n\n{"error":1}\n\n', [b"a", b'{"error":1}']),
    "json-lines": (b'{"a":1}\n{"a":2}\n', [b'{"a":1}', b'{"a":2}']),
    "chinese": ("data: 成都\n\n".encode(), ["成都".encode()]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("raw", "expected"), SHAPES.values(), ids=SHAPES.keys())
def test_events_are_the_same_however_the_bytes_are_cut(raw: bytes, expected: list[bytes]) -> None:
    assert data_of(raw) == expected
    for place in range(len(raw) + 1):
        assert data_of(raw[:place], raw[place:]) == expected
    for size in (1, 2, 3):
        assert data_of(*split(raw, size)) == expected


_LINES = st.sampled_from(
    [b"data: a", b"data:", b"data: b c", b":x", b"id: 1", b"", b"", b'{"x":1}']
)
_ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])


@given(
    st.lists(st.tuples(_LINES, _ENDS), max_size=30),
    st.lists(st.integers(min_value=0, max_value=300), max_size=10),
)
def test_any_cutting_gives_the_same_events(
    lines: list[tuple[bytes, bytes]], cuts: list[int]
) -> None:
    raw = b"".join(line + end for line, end in lines)
    places = sorted({min(cut, len(raw)) for cut in cuts})
    reads = [raw[start:end] for start, end in zip([0, *places], [*places, len(raw)], strict=True)]
    assert data_of(*reads) == data_of(raw) == data_of(*split(raw, 1))


def test_an_event_is_given_as_soon_as_its_blank_line_came() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\n\r") == [b"a"]
    assert stream.feed(b"\ndata: b\n\n") == [b"b"]


@pytest.mark.parametrize(
    "raw",
    [b"data: " + b"x" * 200 + b"\n\n", b"data: xxxxxxxxx\n" * 20, b"y" * 200, b'{"a":\n' * 100],
    ids=["one-line", "many-lines", "no-line-end", "bare-json"],
)
@pytest.mark.parametrize("size", [1, 50, 1000])
def test_an_event_over_the_cap_is_a_protocol_error(raw: bytes, size: int) -> None:
    stream = EventStream(max_event_bytes=100)
    with pytest.raises(ModelProtocolError, match="more than 100 bytes"):
        list(map(stream.feed, split(raw, size)))


def test_many_events_over_the_cap_together_are_no_error() -> None:
    stream = EventStream(max_event_bytes=100)
    assert len(stream.feed(b"data: xxxxxxxxxx\n\n" * 1000)) == 1000
