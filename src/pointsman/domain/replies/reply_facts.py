"""The calls of a run as a reply has to speak of them, and what may be wrong with a reply."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.calls import CallState
from pointsman.domain.replies.action_words import families_of, words_of
from pointsman.domain.tools import ResultStatus, Risk, ToolSpec

FaultKind = Literal[
    "claimed_success", "claimed_action", "unmentioned", "not_open", "wrong_end", "unsourced"
]


class Fault(Struct, frozen=True, kw_only=True):
    """One thing that a draft may not say, or has to.

    Attributes:
        kind: ``claimed_success`` for a call that did not succeed; ``claimed_action`` of what no
            call did; ``unmentioned`` for a failure that is left out; ``not_open`` for an uncertain
            call told as a plain failure; ``wrong_end`` for a refused call told as declined when it
            expired, or as still waiting; ``unsourced`` for a figure.
        quote: the words of the draft; empty for what it leaves out.
        call: key of the call that it is about, if any; ``tool`` is its name.
    """

    kind: FaultKind
    quote: str = ""
    call: str = ""
    tool: str = ""


class Act(Struct, frozen=True, kw_only=True):
    """A call as a reply has to speak of it.

    Attributes:
        title: for people; ``titles`` by language, where there are several.
        families: what it does, see ``action_words``.
        values: its arguments as words, in lower case; ``names`` has those of the title too.
        mended: a later call made good for it, so that it need not be mentioned.
    """

    call: CallState
    tool: str
    title: str
    titles: Mapping[str, str]
    families: frozenset[str]
    values: tuple[str, ...]
    status: ResultStatus
    mended: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Words by which a reply can speak of it."""
        titles = " ".join((self.title, *self.titles.values()))
        return (*_pieces(titles), *_pieces(words_of(self.tool)), *self.values)

    @property
    def ok(self) -> bool:
        return self.status is ResultStatus.OK

    @property
    def silent(self) -> bool:
        return is_silent(self.call)

    @property
    def owed(self) -> bool:
        """Whether it came to nothing, or may have, and the user should know."""
        return not (self.ok or self.mended or self.silent)

    def fault(self, kind: FaultKind, quote: str = "") -> Fault:
        return Fault(kind=kind, quote=quote, call=self.call.key, tool=self.tool)


def is_silent(call: CallState) -> bool:
    """A rejection that concerns only the model: the engine asks for what is missing itself."""
    return call.rejection in ("repeated", "unknown_tool", "missing")


def acts_of(calls: Sequence[CallState], specs: Mapping[str, ToolSpec]) -> tuple[Act, ...]:
    """The calls of a run as acts, oldest first. One without a result was not run."""
    found = [_act(call, specs.get(call.tool or call.raw.name)) for call in calls]
    return tuple(
        replace(act, mended=True)
        if not act.ok and any(_makes_good(later, act) for later in found[n + 1 :])
        else act
        for n, act in enumerate(found)
    )


def _act(call: CallState, spec: ToolSpec | None) -> Act:
    name = call.tool or call.raw.name
    title = (spec.title if spec else "") or name
    values = tuple(_values(call))
    return Act(
        call=call,
        tool=name,
        title=title,
        titles=spec.titles if spec else {},
        families=families_of(name, spec),
        values=values,
        status=call.result.status if call.result else ResultStatus.CANCELLED,
    )


def _pieces(text: str) -> list[str]:
    """Latin words of three letters and more, and pairs of Chinese characters."""
    common = ("the", "and", "for", "get")
    latin = [word for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in common]
    chinese = re.findall(r"[\u4e00-\u9fff]+", text)
    return latin + [run[n : n + 2] for run in chinese for n in range(len(run) - 1)]


def _values(call: CallState) -> list[str]:
    found = []
    for value in call.arguments.values():
        items = value if isinstance(value, list) else [value]
        found += [str(item).lower() for item in items if isinstance(item, str | int | float)]
    return [value for value in found if 2 <= len(value) <= 40]


def _makes_good(later: Act, act: Act) -> bool:
    """Whether a call of a later reply did what this one did not."""
    if not later.ok or act.status is ResultStatus.UNCERTAIN or later.tool != act.tool:
        return False
    if later.call.key.split(".")[0] == act.call.key.split(".")[0]:
        return False
    return (
        later.call.arguments == act.call.arguments
        or later.call.risk is Risk.READ
        or act.status is ResultStatus.REJECTED
    )
