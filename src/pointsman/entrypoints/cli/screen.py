"""A run on a person's screen while it happens: the steps on stderr, the reply on stdout."""

from pointsman.domain import events as ev
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.domain.record.story import task_told
from pointsman.domain.runs import Run
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.render import call_line, outcome, rejection, styled
from pointsman.entrypoints.cli.terminal import Line, Terminal, one_line
from pointsman.ports import News, Progress, Signal


class Screen:
    """Shows what a run's follower sees.

    Args:
        steps: show calls and failures of the model.
        live: write the reply as it comes, else once, when it is whole.
        replies: write replies at all.
    """

    def __init__(
        self, terminal: Terminal, *, steps: bool, live: bool, replies: bool = True
    ) -> None:
        self._terminal, self._steps = terminal, steps
        self._live, self._replies = live and replies, replies
        self._written = ""
        """What of the reply stands on the last lines of stdout."""
        self._begun = ""
        """The call whose line on stderr is not ended yet."""

    def show(self, seen: Recorded | News, run: Run | None) -> None:
        """One more thing has happened; ``run`` is the state after it."""
        match seen:
            case TextDelta(text=text) if self._live:
                self._end_step()
                self._written += text
                self._terminal.answer(text, end="")
            case ResetDelta():
                if self._end_reply():
                    self._terminal.mention("screen.again")
            case Progress(call=call, fraction=fraction) if call == self._begun and fraction:
                if self._live:
                    self._terminal.note(f" {fraction:.0%}", end="")
            case Recorded(event=event) if run is not None:
                self._event(event, run)
            case Signal() | TextDelta() | ReasoningDelta() | Progress() | Recorded():
                pass

    def _event(self, event: ev.Event, run: Run) -> None:
        language = self._terminal.language
        match event:
            case ev.ReplyGiven(text=text):
                self._reply(text)
            case ev.RunFailed(text=text):
                self._reply(text, "red")
            case ev.RunCancelled(text=text):
                self._reply(text, "yellow")
            case ev.ModelAnswered() if event.message.calls:
                self._end_reply()
            case ev.ModelFailed():
                self._step(Line(f"✗ {event.error}: {one_line(event.detail)}", "red"))
            case ev.CallCleared():
                call = run.call(event.call)
                self._begin(event.call, "→ " + call_line(call.tool, call.arguments))
            case ev.CallRejected():
                name = event.tool or run.call(event.call).raw.name
                self._begin(event.call, "→ " + one_line(name, 100))
                self._end(event.call, name, rejection(event, language))
            case ev.CallRefused():
                self._step(
                    Line(f"→ {run.call(event.call).tool} ✗ {one_line(event.content)}", "red")
                )
            case ev.AttemptFinished():
                line = outcome(event.result, event.ms, language)
                self._end(event.call, run.call(event.call).tool, line)
            case _ if isinstance(event, ev.TaskEvent):
                for phrase in task_told(event, language):
                    self._step(styled(phrase))
            case _:
                pass

    def _begin(self, call: str, text: str) -> None:
        if self._steps:
            self._end_step()
            self._end_reply()
            self._terminal.note(text, end="")
            self._begun = call

    def _end(self, call: str, tool: str, line: Line) -> None:
        """End the line of a call, or write a new one when another has come between."""
        if self._steps and self._begun == call:
            self._begun = ""
            self._terminal.note(f" {line.text}", line.style)
        else:
            self._step(Line(f"← {tool} {line.text}", line.style))

    def _step(self, line: Line) -> None:
        if self._steps:
            self._end_step()
            self._end_reply()
            self._terminal.note(line.text, line.style)

    def _end_step(self) -> None:
        if self._begun:
            self._terminal.note("")
            self._begun = ""

    def _end_reply(self) -> bool:
        """End the lines of a text that was not the reply; whether there were any."""
        written, self._written = self._written, ""
        if written and not written.endswith("\n"):
            self._terminal.answer("")
        return bool(written)

    def _reply(self, text: str, style: str = "") -> None:
        self._end_step()
        if not self._replies:
            return
        same = self._written.strip() == text.strip()
        if not self._end_reply() or not same:
            self._terminal.answer(text, style)
