"""Events as they are stored, and the chain that binds them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from importlib.metadata import version
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.journal import verify
from pointsman.errors import EventUnknown, JournalCorrupt
from pointsman.ports import Row
from tests.support.events import RUN, received, started
from tests.support.fake_clock import START

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=4,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    datetime: st.datetimes(timezones=st.just(UTC)),
    str: texts,
    int: st.integers(-(2**63), 2**63 - 1),
    float: numbers,
    bool: st.booleans(),
    type(None): st.none(),
    Any: json_values,
}


@cache
def values(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that events use."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(values, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(texts, values(arguments[1]), max_size=3)
    if issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    assert issubclass(hint, Struct)
    return st.builds(hint, **{name: values(one) for name, one in get_type_hints(hint).items()})


@pytest.mark.parametrize("kind", get_args(ev.Event), ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_an_event_is_read_back_as_it_was_written(kind: type[ev.Event], data: st.DataObject) -> None:
    event = data.draw(values(kind))
    assert ev.decode(ev.encode(event)) == event


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"message_received@2","at":"2026-01-01T00:00:00Z"}',
        b'{"type":"tea_served@1"}',
        b'{"at":"2026-01-01T00:00:00Z"}',
        b'{"type":"run_started@1","at":"2026-01-01T00:00:00Z","system":1,"model":"m"}',
        b'{"type":"run_started@1"',
        b"\xff\xfe",
        b"[]",
        b"",
    ],
)
def test_what_is_no_known_event_stops_the_reader(body: bytes) -> None:
    with pytest.raises(JournalCorrupt):
        ev.decode(body)


def test_a_lone_surrogate_in_a_tools_data_does_not_stop_the_journal() -> None:
    """Case H08."""
    result = ToolResult(status=ResultStatus.OK, content="", data={"k\udc97": ["\ud83d", 1, None]})
    event = ev.AttemptFinished(at=START, call="1.0", attempt=1, result=result, ms=1.0)
    stored = ev.decode(ev.encode(event))
    assert isinstance(stored, ev.AttemptFinished)
    assert stored.result.data == {"k\ufffd": ["\ufffd", 1, None]}


def chained(bodies: Sequence[bytes], run: str = RUN) -> list[Row]:
    rows, head = [], ev.GENESIS
    for position, body in enumerate(bodies):
        head = ev.link(head, run, position, body)
        rows.append(Row(position=position, body=body, hash=head))
    return rows


def renumbered(rows: list[Row]) -> list[Row]:
    return [Row(position=at, body=row.body, hash=row.hash) for at, row in enumerate(rows)]


bodies = st.lists(st.binary(max_size=8), min_size=3, max_size=8, unique=True)


@given(bodies)
def test_an_untouched_chain_holds(stored: list[bytes]) -> None:
    rows = chained(stored)
    assert verify(RUN, rows) == rows[-1].hash
    assert verify(RUN, []) == ev.GENESIS


@given(bodies, st.data())
def test_any_change_of_a_row_is_found(stored: list[bytes], data: st.DataObject) -> None:
    rows = chained(stored)
    at = data.draw(st.integers(0, len(rows) - 1))
    other = data.draw(st.binary(max_size=8).filter(lambda body: body != rows[at].body))
    rows[at] = Row(position=at, body=other, hash=rows[at].hash)
    with pytest.raises(JournalCorrupt, match=f"breaks at position {at}"):
        verify(RUN, rows)


@given(bodies, st.data())
def test_a_row_that_is_removed_is_found(stored: list[bytes], data: st.DataObject) -> None:
    rows = chained(stored)
    del rows[data.draw(st.integers(0, len(rows) - 2))]
    for found in (rows, renumbered(rows)):
        with pytest.raises(JournalCorrupt):
            verify(RUN, found)


@given(bodies, st.data())
def test_a_row_that_is_inserted_is_found(stored: list[bytes], data: st.DataObject) -> None:
    rows = chained(stored)
    at = data.draw(st.integers(0, len(rows)))
    rows.insert(at, Row(position=at, body=b"forged", hash=bytes(32)))
    for found in (rows, renumbered(rows)):
        with pytest.raises(JournalCorrupt):
            verify(RUN, found)


@given(bodies, st.data())
def test_rows_that_are_swapped_are_found(stored: list[bytes], data: st.DataObject) -> None:
    rows = chained(stored)
    one, other = data.draw(
        st.lists(st.integers(0, len(rows) - 1), min_size=2, max_size=2, unique=True)
    )
    rows[one], rows[other] = rows[other], rows[one]
    for found in (rows, renumbered(rows)):
        with pytest.raises(JournalCorrupt):
            verify(RUN, found)


def test_a_row_of_another_run_is_found() -> None:
    rows = chained([ev.encode(received()), ev.encode(started())], run="1" * 32)
    with pytest.raises(JournalCorrupt, match="breaks at position 0"):
        verify(RUN, rows)


OLDER = b'{"type":"run_resumed@-1","at":"2026-02-28T07:05:30Z","why":"a crash"}'
LIFTED = {
    "run_resumed@-1": lambda old: {"at": old["at"], "cause": {"text": old["why"]}},
    "run_resumed@0": lambda old: {"at": old["at"], "reason": old["cause"]["text"]},
}


def test_an_event_of_an_older_release_is_lifted_version_by_version() -> None:
    assert ev.decode(OLDER, LIFTED) == ev.RunResumed(at=START, reason="a crash")


def test_lifting_leaves_the_stored_bytes_and_their_hash_alone() -> None:
    rows = chained([ev.encode(received()), OLDER])
    assert verify(RUN, rows) == rows[-1].hash


@pytest.mark.parametrize("tag", ["run_resumed@7", "run_teleported@1"])
def test_an_event_of_a_newer_release_is_a_clear_stop(tag: str) -> None:
    with pytest.raises(EventUnknown, match=rf"'{tag}'.*{version('pointsman')}.*upgrade") as stop:
        ev.decode(b'{"type":"%b","at":"2026-02-28T07:05:30Z"}' % tag.encode(), LIFTED)
    assert stop.value.tag == tag


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"type":5}',
        b'{"type":"run_resumed"}',
        b'{"type":"run_resumed@1"}',
        b'{"type":"run_resumed@0"}',
        b'{"type":"run_resumed@-1","at":"never","why":"a crash"}',
    ],
)
def test_what_is_no_event_of_any_release_is_corrupt(body: bytes) -> None:
    with pytest.raises(JournalCorrupt) as stop:
        ev.decode(body, LIFTED)
    assert not isinstance(stop.value, EventUnknown)
