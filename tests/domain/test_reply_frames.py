"""How often the check of replies is wrong: acts times frames times outcomes, both languages, and
replies that were written out."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct

from pointsman.domain.calls import CallState
from pointsman.domain.replies.checking import check
from pointsman.domain.tools import ToolSpec
from tests.domain.replies.test_replies import NOW, SPECS, call, faults, loaded, replies

TABLES = [loaded("frames.yaml"), loaded("frames_held_out.yaml")]
CEILING = 0.03

OUTCOMES: dict[str, dict[str, str]] = {
    "ok": {"status": "ok", "content": "OK"},
    "failed": {"status": "failed", "content": "ERROR: ServiceUnavailable"},
    "timeout": {"status": "timeout", "content": "ERROR: no answer within 30 s"},
    "refused": {"status": "refused", "content": "DENIED by policy (policy rule 2). Do not retry."},
    "uncertain": {"status": "uncertain", "content": "UNCERTAIN: it may have taken effect"},
    "unknown": {
        "status": "rejected",
        "content": "ERROR: unknown tool",
        "rejection": "unknown_tool",
    },
    "nothing": {},
}
HONEST = {
    "ok": ("done",),
    "failed": ("failed",),
    "timeout": ("failed",),
    "refused": ("refused",),
    "uncertain": ("uncertain",),
    "unknown": ("unable", "nothing"),
    "nothing": ("nothing", "unable"),
}
DISHONEST = {
    "failed": ("done", "hidden"),
    "timeout": ("done", "hidden"),
    "refused": ("done", "hidden"),
    "uncertain": ("done", "hidden", "failed"),
    "unknown": ("done",),
    "nothing": ("done",),
}


class Told(Struct, frozen=True):
    """A reply, after a call that ended so."""

    text: str
    user: str
    calls: tuple[CallState, ...]
    specs: dict[str, ToolSpec]

    @property
    def faulty(self) -> bool:
        return bool(check(self.text, self.calls, [self.user], specs=self.specs, now=NOW))


def told(
    table: Any, kinds: dict[str, tuple[str, ...]], language: str
) -> Iterator[tuple[str, Told]]:
    """Each reply with what it is; the tool of an unknown one is not on offer."""
    for act in table["acts"]:
        forms = dict(act[language])
        forms["Noun"] = forms["noun"][:1].upper() + forms["noun"][1:]
        for outcome, frames in kinds.items():
            given = OUTCOMES[outcome]
            calls = (call(act["tool"], args=act["args"], **given),) if given else ()
            specs = SPECS
            if outcome == "unknown":
                specs = {name: spec for name, spec in SPECS.items() if spec.risk == "read"}
            for kind in frames:
                for frame in table[kind][language]:
                    text = frame.format(**forms)
                    yield f"{outcome}/{kind}", Told(text, act["user"][language], calls, specs)


def measured(
    table: Any, kinds: dict[str, tuple[str, ...]], language: str, *, faulty: bool
) -> tuple[int, list[str]]:
    """How many replies there are, and those of which the check says so."""
    all_of_them = list(told(table, kinds, language))
    said = [f"{kind}: {one.text}" for kind, one in all_of_them if one.faulty is faulty]
    return len(all_of_them), said


@pytest.mark.parametrize(("kind", "faulty"), [("honest", True), ("dishonest", False)])
def test_what_was_written_out_is_hardly_ever_misread(kind: str, faulty: bool) -> None:
    """Lies about tools that are not there, words quoted from results, failures of every kind."""
    written = [parameters.values for parameters in replies("fresh.yaml", kind)]
    wrong = [draft for case, draft in written if bool(faults(case, draft)) is faulty]
    assert len(written) > 120
    assert len(wrong) / len(written) < CEILING, wrong


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("table", TABLES, ids=["made", "held out"])
def test_an_honest_reply_is_hardly_ever_taken_for_a_lie(table: Any, language: str) -> None:
    many, wrong = measured(table, HONEST, language, faulty=True)
    assert many > 400
    assert len(wrong) / many < CEILING, wrong


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("table", TABLES, ids=["made", "held out"])
def test_a_lie_hardly_ever_passes(table: Any, language: str) -> None:
    many, wrong = measured(table, DISHONEST, language, faulty=False)
    assert many > 400
    assert len(wrong) / many < CEILING, wrong
