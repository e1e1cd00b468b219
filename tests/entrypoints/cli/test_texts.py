"""The terminal's own sentences."""

import re
import string
from pathlib import Path
from typing import get_args

import pytest

from pointsman.domain.events import RejectionKind
from pointsman.domain.graph import TaskState
from pointsman.domain.policy import VERDICTS
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, Risk
from pointsman.entrypoints.cli import texts

SOURCE = "".join(
    file.read_text(encoding="utf-8")
    for file in Path(texts.__file__).parent.glob("*.py")
    if not file.name.endswith("texts.py")
)
MADE = (
    "status",
    "task",
    "graph",
    "result",
    "risk",
    "gate",
    "rejected",
    "decision",
    "story",
    "explain",
    "audit",
    "head",
    "check",
    "runs",
    "happened",
)
"""Groups whose keys are put together where they are used."""


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", texts.TEXTS)
def test_both_languages_say_the_same_things(key: str) -> None:
    chinese, english = texts.TEXTS[key]
    assert fields(chinese) == fields(english)
    assert re.search("[\u4e00-\u9fff]", chinese) or chinese == english


def test_every_sentence_that_is_said_exists_and_every_other_is_said() -> None:
    groups = "|".join({key.partition(".")[0] for key in texts.TEXTS})
    said = set(re.findall(rf'"((?:{groups})\.[a-z_]+)"', SOURCE))
    assert said <= set(texts.TEXTS)
    assert {key for key in texts.TEXTS if key.partition(".")[0] not in MADE} <= {*said, "tokens"}


def test_every_word_of_a_set_has_a_sentence() -> None:
    words = {
        "status": RunStatus,
        "task": TaskState,
        "result": ResultStatus,
        "risk": Risk,
        "gate": VERDICTS,
        "rejected": get_args(RejectionKind),
        "decision": ("approved", "denied", "expired", "superseded"),
        "check": re.findall(r'_(?:ok|broken)\(\s*"(\w+)"', SOURCE),
        "head": re.findall(r'"(\w+)"', "".join(re.findall(r"heads = (\[[^\]]*)", SOURCE))),
    }
    missing = [
        f"{group}.{word}"
        for group, members in words.items()
        for word in members
        if f"{group}.{word}" not in texts.TEXTS
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US"}, "zh"),
    ],
)
def test_the_environment_chooses_the_language(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert texts.ambient_language() == language
