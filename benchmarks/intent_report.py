"""The page that ``benchmarks/intents.py`` writes."""

from collections.abc import Sequence
from math import isnan

from msgspec import Struct

FIRM = 0.8
"""Unknown messages that the second threshold refuses on validation."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The figures of one set. Shares in [0, 1], not-a-number where they do not apply; times in
    seconds of CPU.

    Attributes:
        message: of one message.
        accuracy: of known messages, without a threshold.
        known_accuracy, unknown_recall, unknown_precision: at ``threshold``.
        firm_known, firm_unknown: known messages right and unknown ones refused, at the threshold
            that refuses ``FIRM`` of the unknown on validation.
        auroc: of the best score, known against unknown.
        detected: the same of the sum of the scores, which is what the detector says.
        calibration: expected calibration error of the best score.
        default_known, default_unknown: taken right and refused, at the product's own ``accept``.
        second_intents: known messages that were given more than one intent.
    """

    name: str
    intents: int
    examples: int
    training: float
    message: float
    accuracy: float
    threshold: float
    known_accuracy: float
    unknown_recall: float
    unknown_precision: float
    firm_known: float
    firm_unknown: float
    auroc: float
    detected: float
    calibration: float
    default_known: float
    default_unknown: float
    second_intents: float


class Pairs(Struct, frozen=True, kw_only=True):
    """Messages of two wishes, made of two test messages: how many were given exactly, at least one
    and only wrong intents."""

    name: str
    messages: int
    both: float
    one: float
    wrong: float


_HEAD = """# Intents

`make bench-intents DATA=<folder>`, where the folder holds `clinc150`, `banking77`,
`few_shot_intent`, `massive_en` and `xsid` as their owners publish them (their licences keep them
out of this repository). The product's own `examples` classifier, as it stands, one message at a
time, one thread. Trained on train, threshold chosen on validation, tested once. An intent's title
is the words of its label, as an agent file would have it; no other text was added, and no setting
differs between the sets.

Every message goes the way of the product: whole and, if it has several sentences, one by one.
"""

_NOTES = """
Known right, unknown recall and precision: at the threshold with the most right answers on
validation, of which few are unknown; beside it, at the threshold that refuses 80 % of the unknown
on validation. AUROC: of the best score, and in brackets of the detector's own word (the sum of the
scores). ECE: expected calibration error of the best score, 15 bins, unknown messages counted as
wrong. The last columns are at the default `accept` of 0.6, with nothing tuned: known messages taken
with the right intent, unknown ones refused, and known messages that were given a second intent.
"""


def line(one: Outcome) -> str:
    """A row of the table of results."""
    return _row(
        one.name,
        f"{one.intents} / {one.examples}",
        _share(one.accuracy),
        "–"
        if isnan(one.auroc)
        else " / ".join(
            map(_share, (one.known_accuracy, one.unknown_recall, one.unknown_precision))
        ),
        "–" if isnan(one.auroc) else f"{_share(one.firm_known)} / {_share(one.firm_unknown)}",
        "–" if isnan(one.auroc) else f"{_share(one.auroc)} ({_share(one.detected)})",
        _share(one.calibration),
        f"{one.training:.1f} s",
        f"{one.message * 1000:.1f} ms",
        _share(one.default_known),
        _share(one.default_unknown),
        _share(one.second_intents),
    )


def page(outcomes: Sequence[Outcome], pairs: Sequence[Pairs], published: str) -> str:
    """The whole page."""
    head = _row(
        "",
        "intents / examples",
        "accuracy",
        "known right / unknown recall / precision",
        f"the same at {FIRM:.0%} recall on validation",
        "AUROC",
        "ECE",
        "training, CPU",
        "message, CPU",
        "known taken right",
        "unknown refused",
        "two given",
    )
    rule = "|---|" + "---|" * 11
    table = "\n".join([head, rule, *map(line, outcomes)])
    doubles = "\n".join(
        [
            _row("two wishes in one message", "messages", "both", "one of them", "a wrong one"),
            "|---|---|---|---|---|",
            *(
                _row(one.name, str(one.messages), *map(_share, (one.both, one.one, one.wrong)))
                for one in pairs
            ),
        ]
    )
    return "\n".join([_HEAD, table, _NOTES, doubles, "", published])


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _share(value: float) -> str:
    return "–" if isnan(value) else f"{value * 100:.1f}"
