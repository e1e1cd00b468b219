"""What is shown of runs: lists, and a run's story in the terminal's colours."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.record import story as stories
from pointsman.domain.record.story import Phrase, Tone
from pointsman.domain.record.story import advance as advance
from pointsman.domain.record.story import call_line as call_line
from pointsman.domain.record.story import tokens as tokens
from pointsman.domain.text import one_line
from pointsman.domain.tools import ToolResult
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.terminal import Line, Terminal, padded
from pointsman.entrypoints.cli.texts import say
from pointsman.ports import RunRecord

SHOWN_ID = 18
"""Digits of a run's id in a list: the time, and 24 bits of chance."""
_LABEL = 9
_STYLES: dict[Tone, str] = {
    "plain": "",
    "quiet": "dim",
    "strong": "bold",
    "good": "green",
    "bad": "red",
    "notice": "yellow",
}


def styled(phrase: Phrase) -> Line:
    """The words in the terminal's colours."""
    return Line(phrase.text, _STYLES[phrase.tone])


def outcome(result: ToolResult, ms: float, language: Language) -> Line:
    """``✓ 120 ms``, or ``✗`` and why."""
    return styled(stories.outcome(result, ms, language))


def rejection(event: ev.CallRejected, language: Language) -> Line:
    """Why a proposed call did not run."""
    return styled(stories.rejection(event, language))


def print_runs(records: Sequence[RunRecord], terminal: Terminal) -> None:
    """A table of runs. Ids are cut to what is unique in practice; every command takes them."""
    heads = ["id", "created", "status", "agent", "user", "input"]
    rows = [
        [
            record.id[:SHOWN_ID],
            local(record.created),
            say(f"status.{record.status.value}", terminal.language),
            record.agent,
            record.user,
            one_line(record.input, 100),
        ]
        for record in records
    ]
    terminal.table(heads, rows)


def local(instant: datetime) -> str:
    """The instant in the machine's zone, to the second."""
    return instant.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def story(run_id: str, trace: Iterable[Recorded], language: Language) -> Iterator[Line]:
    """The journal as a story, a line or more for each event, with seconds since the first.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    for told in stories.story(run_id, (recorded.event for recorded in trace), language):
        passed = " " * 9 if told.passed is None else f"{told.passed:9.3f}"
        line = styled(told.phrase)
        yield Line(f"{passed}  {padded(told.label, _LABEL)}{line.text}", line.style)
