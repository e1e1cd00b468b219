"""What processes say to one another fits a message, and loses nothing on the way."""

from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.bus import wire
from pointsman.adapters.bus.line import LIMIT
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.ports import NewAnswer, Progress, Signal

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3000)


@given(st.lists(st.tuples(st.sampled_from([TextDelta, ReasoningDelta]), texts), max_size=8))
def test_pieces_arrive_whole_numbered_and_in_messages_that_can_be_sent(
    told: list[tuple[type[TextDelta | ReasoningDelta], str]],
) -> None:
    stream = wire.Stream("r" * 32, so_far=[NewAnswer(1)])
    for kind, text in told:
        stream.add(kind(text))
    messages = list(wire.packed(stream.take()))
    assert all(len(message) <= LIMIT for message in messages)
    said = [one for message in messages for one in wire.unpack(message)]
    assert said.pop(0) == wire.Begin("r" * 32, 1)
    pieces = [one for one in said if isinstance(one, wire.Piece)]
    assert [one.number for one in pieces] == list(range(1, len(pieces) + 1))
    for kind, tag in ((TextDelta, wire.TEXT), (ReasoningDelta, wire.REASONING)):
        whole = "".join(text for one, text in told if one is kind)
        assert "".join(one.text for one in pieces if one.kind == tag) == whole


def test_who_comes_later_is_told_the_answer_from_its_beginning() -> None:
    stream = wire.Stream("r1", so_far=[NewAnswer(1), ReasoningDelta("hm"), TextDelta("a")])
    stream.add(TextDelta("b"))
    assert list(stream.take()) == [
        wire.Begin("r1", 1),
        wire.Piece("r1", 1, wire.REASONING, "hm"),
        wire.Piece("r1", 2, wire.TEXT, "ab"),
    ]


def test_pieces_that_wait_are_one_message() -> None:
    stream = wire.Stream("r1", so_far=[NewAnswer(1)])
    for piece in ("a", "b", "c"):
        stream.add(TextDelta(piece))
    assert list(stream.take()) == [wire.Begin("r1", 1), wire.Piece("r1", 1, wire.TEXT, "abc")]
    stream.add(TextDelta("d"))
    assert list(stream.take()) == [wire.Piece("r1", 2, wire.TEXT, "d")]
    assert list(stream.take()) == []


def test_of_signals_and_progress_in_a_row_the_last_is_said() -> None:
    stream = wire.Stream("r1", so_far=[])
    for position in (1, 2, 3):
        stream.add(Signal(position))
    for call, fraction in (("1.0", 0.1), ("1.0", 0.2), ("1.1", 0.3)):
        stream.add(Progress(call=call, fraction=fraction, message=""))
    assert list(stream.take()) == [
        wire.Grown("r1", 3, False),
        wire.Far("r1", "1.0", 0.2, ""),
        wire.Far("r1", "1.1", 0.3, ""),
    ]


def test_a_new_answer_takes_the_place_of_pieces_that_nobody_has_got() -> None:
    stream = wire.Stream("r1", so_far=[])
    stream.add(TextDelta("first"))
    stream.add(Signal(4))
    stream.add(NewAnswer(1))
    stream.add(TextDelta("second"))
    stream.add(ResetDelta(2))
    stream.add(TextDelta("third"))
    assert list(stream.take()) == [
        wire.Grown("r1", 4, False),
        wire.Begin("r1", 1),
        wire.Begin("r1", 0, 2),
        wire.Piece("r1", 1, wire.TEXT, "third"),
    ]


def test_an_answer_that_waits_too_long_is_torn() -> None:
    stream = wire.Stream("r1", so_far=[NewAnswer(1)])
    stream.add(TextDelta("start"))
    assert len(list(stream.take())) == 2
    stream.add(TextDelta("x" * wire.HELD))
    stream.add(TextDelta("more"))
    stream.add(TextDelta("more"))
    kept = [one for one in stream.take() if isinstance(one, wire.Piece)]
    stream.add(TextDelta("end"))
    [end] = stream.take()
    assert isinstance(end, wire.Piece)
    assert end.number == kept[-1].number + 2


def test_ids_of_many_runs_fit_a_message() -> None:
    watching = wire.Watching("pointsman_" + "a" * 32, tuple("r" * 32 for _ in range(wire.RUNS)))
    assert len(list(wire.packed([watching]))) == 1
    assert len(next(wire.packed([watching]))) <= LIMIT
