"""A run on the screen while it happens: events in, text out."""

from collections.abc import Iterable

import pytest

from pointsman.domain import events as ev
from pointsman.domain.messages import Delta, ResetDelta, TextDelta
from pointsman.domain.runs import Run
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.render import advance, story
from pointsman.entrypoints.cli.screen import Screen
from pointsman.entrypoints.cli.terminal import Terminal, one_line, printable
from tests.support import events as made
from tests.support.fake_clock import START

RUN = made.RUN
OK = ToolResult(status=ResultStatus.OK, content="fine")
FAILED = ToolResult(status=ResultStatus.FAILED, content="ERROR: it\nbroke")


def ended(call: str, result: ToolResult = OK) -> ev.AttemptFinished:
    return ev.AttemptFinished(at=START, call=call, attempt=1, result=result, ms=12.4)


def valid(call: str, **arguments: object) -> ev.CallValidated:
    return made.validated(call, "look", risk=Risk.READ, arguments=arguments)


def show(things: Iterable[ev.Event | Delta], *, live: bool = False, steps: bool = True) -> None:
    """Let a screen see a run that starts with a message."""
    screen = Screen(Terminal("en"), steps=steps, live=live)
    run: Run | None = None
    for thing in (made.received(), made.started(), made.asked(), *things):
        if isinstance(thing, ev.Event):
            run = advance(run, RUN, thing)
            screen.show(Recorded(position=run.position, event=thing), run)
        else:
            screen.show(thing, run)


CALL: list[ev.Event] = [
    made.answered("", ("look", "{}")),
    valid("1.0", city="成都"),
    made.cleared("1.0"),
]
TWO: list[ev.Event] = [
    made.answered("", ("look", "{}"), ("look", "{}")),
    *(event for call in ("1.0", "1.1") for event in (valid(call), made.cleared(call))),
]


@pytest.mark.parametrize(
    ("things", "out", "err"),
    [
        ([*CALL, ended("1.0"), made.replied("hi")], "hi\n", "→ look(city='成都') ✓ 12 ms\n"),
        ([*CALL, ended("1.0", FAILED)], "", "→ look(city='成都') ✗ failed: it broke\n"),
        (
            [*TWO, ended("1.1"), ended("1.0", FAILED)],
            "",
            "→ look()\n→ look() ✓ 12 ms\n← look ✗ failed: it broke\n",
        ),
        (
            [made.answered("", ("look", "{}")), made.rejected("1.0")],
            "",
            "→ look ✗ arguments do not fit: no\n",
        ),
        (
            [*CALL[:2], made.refused("1.0")],
            "",
            "→ look ✗ DENIED\n",
        ),
        (
            [ev.ModelFailed(at=START, turn=1, error="ModelTimeout", detail="late")],
            "",
            "✗ ModelTimeout: late\n",
        ),
    ],
)
def test_steps_are_one_line_each(
    capsys: pytest.CaptureFixture[str],
    things: list[ev.Event],
    out: str,
    err: str,
) -> None:
    show(things)
    assert capsys.readouterr() == (out, err)


@pytest.mark.parametrize(
    ("things", "out"),
    [
        ([TextDelta("Hel"), TextDelta("lo"), made.replied("Hello")], "Hello\n"),
        ([TextDelta("Hello\n"), made.replied("Hello")], "Hello\n"),
        ([TextDelta("I look."), *CALL, made.replied("Hello")], "I look.\nHello\n"),
        (
            [TextDelta("Hal"), ResetDelta(2), TextDelta("Hello"), made.replied("Hello")],
            "Hal\nHello\n",
        ),
        ([TextDelta("It is done"), made.replied("It failed")], "It is done\nIt failed\n"),
    ],
)
def test_a_reply_is_written_as_it_comes_and_only_once(
    capsys: pytest.CaptureFixture[str], things: list[ev.Event | Delta], out: str
) -> None:
    show(things, live=True)
    assert capsys.readouterr().out == out


def test_without_a_reader_the_reply_is_written_whole(capsys: pytest.CaptureFixture[str]) -> None:
    show([TextDelta("Hal"), ResetDelta(2), made.replied("Hello")])
    assert capsys.readouterr() == ("Hello\n", "")


def test_without_steps_only_the_reply_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    show([*CALL, ended("1.0"), made.replied("hi")], steps=False)
    assert capsys.readouterr() == ("hi\n", "")


def test_a_reply_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show([made.replied("a\x1b[2Jb\x9b1mc\rd\te\nf")])
    assert capsys.readouterr().out == "a[2Jb1mcd\te\nf\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\n  b\r\nc", "a b c"), ("x" * 300, "x" * 199 + "…"), ("\x1b]0;t\x07ok", "]0;tok")],
)
def test_a_line_stays_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert printable(shown) == shown


def test_a_story_tells_every_event_with_its_time() -> None:
    asked = made.pending("1.0")
    decision = ev.ApprovalDecided(
        at=START, call="1.0", approval=asked.approval, decision="approved", by="ann"
    )
    failed = ev.RunFailed(at=made.later(2.5), reason="model", detail="late", text="Sorry.")
    history: list[ev.Event] = [
        made.received(),
        made.started(0.25),
        made.asked(),
        *CALL[:2],
        asked,
        decision,
        made.cleared("1.0"),
        made.attempt("1.0"),
        ended("1.0"),
        failed,
    ]
    trace = [Recorded(position=at, event=event) for at, event in enumerate(history)]
    told = [line.text for line in story(RUN, trace, "en")]
    assert told[0] == "    0.000  ann      hi"
    assert told[1] == "    0.250           started, model scripted"
    for words in ("waits for user", "approved by ann", "✓ 12 ms", "fine", "failed: model (late)"):
        assert any(words in line for line in told)
    assert told[-1].endswith("Sorry.")
