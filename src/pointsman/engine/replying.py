"""A draft of the reply → the reply, if it holds against what the run really did (R9).

A draft that does not hold goes back to the model once, with the facts; a second one is replaced by
the engine's own plain sentence, and so is the first where rules wrote it. Text is shown as it is
written only as far as it holds.
"""

import re
from collections.abc import Mapping

from pointsman.domain.events import ReplyChecked
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    Message,
    ResetDelta,
    SystemMessage,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.replies import checking, reply_texts
from pointsman.domain.replies.reply_facts import Fault
from pointsman.domain.runs import Run
from pointsman.domain.tasks import task_acts
from pointsman.domain.tools import Risk, ToolSpec
from pointsman.engine import sourcing
from pointsman.engine.driving import Driving

_CHECKABLE = re.compile(
    r"\d|[已了完成功好毕]|\b(?:done|sent|made|paid|put|set|told|gone|took|taken|given|written|ok)\b"
    r"|[a-z]{2}ed\b|success",
    re.IGNORECASE,
)
_WORD = 12
"""Characters before a piece that are looked at with it."""
_ENDS = "。！？!?\n"
_CLAUSE_END = re.compile(r"[。！？!?\n，,；;、：:]\s*$|\.\s+$")
_LONGEST = 80
"""Characters that a clause may have and is still waited for."""
_LOOKED_BACK = 400
"""Characters of a sentence, at most, that are looked at again with its next clause."""
_OPEN_FIGURE = re.compile(r"[A-Za-z0-9.,:/%+@_-]*\d[A-Za-z0-9.,:/%+@_-]*$")
_NO_ANSWER = "it answers the note, and not the user"
_AT_THE_END = ("unmentioned", "not_open", "wrong_end")
"""Faults of a whole reply, which a single sentence of it cannot have."""


def checked(driving: Driving, draft: str) -> str | None:
    """The text that may leave, or None when the model is asked again; what did not hold is
    journaled."""
    journal = driving.journal
    faults, again = faults_of(driving, draft), bool(journal.run.checks)
    last = journal.run.messages[-1]
    by_rules = isinstance(last, AssistantMessage) and last.by_rules
    if not faults and not (again and by_rules):
        return draft
    asks = not again and not by_rules
    journal.record(
        ReplyChecked(
            at=journal.clock.now(),
            draft=draft,
            faults=tuple(_shown(fault) for fault in faults) or (_NO_ANSWER,),
            action="ask_again" if asks else "fall_back",
        )
    )
    if asks:
        return None
    run = journal.run
    return reply_texts.fallback(task_acts.told(run), run.language, specs=_specs(driving))


def correction(driving: Driving) -> UserMessage | None:
    """What the model is told after a draft that did not hold, until it has answered again."""
    run = driving.journal.run
    if not run.checks or isinstance(run.messages[-1], AssistantMessage):
        return None
    draft = run.checks[-1].draft
    faults, calls = faults_of(driving, draft), task_acts.told(run)
    return UserMessage(
        text=reply_texts.repair_prompt(faults, calls, run.language, specs=_specs(driving))
    )


def _specs(driving: Driving) -> Mapping[str, ToolSpec]:
    own, run = driving.live.registry.named, driving.journal.run
    return {**own, **task_acts.specs(run)} if run.graphs else own


def faults_of(driving: Driving, text: str) -> tuple[Fault, ...]:
    """What is wrong with a text as a reply of this run."""
    run, earlier = driving.journal.run, driving.prefix[1:]
    said = [one.text for one in sourcing.said_in(run, earlier)]
    given = [one.text for one in run.task.given] if run.task else []
    return checking.check(
        text,
        task_acts.done(run),
        said,
        specs=_specs(driving),
        instructions=run.system,
        known=[*given, *(text for one in earlier if (text := _known(one)))],
        now=driving.now,
    )


def _known(message: Message) -> str:
    match message:
        case ToolMessage():
            return message.content
        case AssistantMessage():
            return message.text
        case UserMessage() | SystemMessage():
            return ""


def _shown(fault: Fault) -> str:
    about = f" (call {fault.call})" if fault.call else ""
    return f"{fault.kind}: {fault.quote}{about}" if fault.quote else f"{fault.kind}{about}"


class Teller:
    """Tells a reply as it is written, as far as it holds; nothing of it before the end when a call
    failed or may have changed something.

    What is told is checked with the sentence that it stands in. A figure is told when it is
    complete, and what there is to check when its clause is: one look for each.
    """

    def __init__(self, driving: Driving) -> None:
        self._driving = driving
        self.begin()

    def begin(self) -> None:
        """Another answer of the model begins."""
        self._held = self._told = self._sentence = ""
        run = self._driving.journal.run
        self._stopped = not run.stream or _is_delicate(run)

    def __call__(self, delta: Delta) -> None:
        match delta:
            case TextDelta():
                self._held += delta.text
                if not self._stopped:
                    self._release(_OPEN_FIGURE.sub("", self._held))
            case ResetDelta():
                if self._told:
                    self._driving.tell(delta)
                self.begin()
            case _:
                self._driving.tell(delta)

    def _release(self, ready: str, *, whole: bool = False) -> None:
        if not ready:
            return
        sentence = self._sentence + ready
        if _says_something(sentence[-len(ready) - _WORD :]):
            if not (whole or len(ready) >= _LONGEST or _CLAUSE_END.search(ready)):
                return
            if any(one.kind not in _AT_THE_END for one in faults_of(self._driving, sentence)):
                self._stopped = True
                return
        self._driving.tell(TextDelta(ready))
        self._told += ready
        self._held = self._held[len(ready) :]
        self._sentence = sentence[max(map(sentence.rfind, _ENDS)) + 1 :][-_LOOKED_BACK:]

    def flush(self) -> None:
        """Tell the rest of a text that came with calls, if it holds."""
        if not self._stopped:
            self._release(self._held, whole=True)

    def finish(self, reply: str) -> None:
        """Tell what is left of the reply that leaves; what was told of another one is void."""
        if not reply.startswith(self._told):
            self._driving.tell(ResetDelta(2))
            self._told = ""
        if rest := reply[len(self._told) :]:
            self._driving.tell(TextDelta(rest))


def _says_something(piece: str) -> bool:
    """Whether a piece of a reply, with the end of what was told before it, says anything that could
    be checked: a figure, or the end of a deed."""
    return _CHECKABLE.search(piece) is not None


def _is_delicate(run: Run) -> bool:
    return any(
        call.result is None or not call.result.ok or call.risk is not Risk.READ
        for call in (*run.past, *run.calls)
    )
