"""Public intent sets as they lie in a folder, with what each run trains and tests on."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

Labelled = list[tuple[str, str]]
"""(text, intent)."""


class IntentSet(Struct, frozen=True, kw_only=True):
    """One run: what is trained, tuned on and tested.

    Attributes:
        unknown: texts of no intent, for training.
        *_unknown: the same, for choosing the threshold and for the test.
    """

    name: str
    train: Labelled
    validation: Labelled
    test: Labelled
    unknown: tuple[str, ...] = ()
    validation_unknown: tuple[str, ...] = ()
    test_unknown: tuple[str, ...] = ()


def clinc(folder: Path) -> Iterator[IntentSet]:
    """The four splits."""
    for split in ("full", "small", "imbalanced", "oos_plus"):
        parts: dict[str, Labelled] = {
            key: [(text, intent) for text, intent in rows]
            for key, rows in json.loads(
                (folder / f"clinc150/data_{split}.json").read_text()
            ).items()
        }
        unknown = {key: tuple(text for text, _ in rows) for key, rows in parts.items()}
        yield IntentSet(
            name=f"CLINC150 {split}",
            train=parts["train"],
            validation=parts["val"],
            test=parts["test"],
            unknown=unknown["oos_train"],
            validation_unknown=unknown["oos_val"],
            test_unknown=unknown["oos_test"],
        )


def banking_unknown(folder: Path, *, told: bool) -> IntentSet:
    """BANKING77-OOS: 50 intents known, 27 of the same domain unknown."""
    here = folder / "few_shot_intent/BANKING77-OOS"
    texts = {
        part: tuple(text for text, _ in _few(here / "id-oos" / part))
        for part in ("train", "valid", "test")
    }
    return IntentSet(
        name="BANKING77-OOS" + (", unknown ones given" if told else ""),
        train=_few(here / "train"),
        validation=_few(here / "valid"),
        test=_few(here / "test"),
        unknown=texts["train"] if told else (),
        validation_unknown=texts["valid"],
        test_unknown=texts["test"],
    )


def few_shot(folder: Path) -> Iterator[IntentSet]:
    """BANKING77 and HWU64 with 5 and 10 examples an intent, and with all."""
    for name in ("BANKING77", "HWU64"):
        here = folder / "few_shot_intent" / name
        for part, shown in (("train_5", "5"), ("train_10", "10"), ("train", "all")):
            yield IntentSet(
                name=f"{name}, {shown}",
                train=_few(here / part),
                validation=_few(here / "valid"),
                test=_few(here / "test"),
            )


def banking(folder: Path) -> IntentSet:
    """BANKING77 as it was published: 10,003 for training, no validation."""
    rows = {
        part: [
            (row["text"], row["category"])
            for row in csv.DictReader((folder / f"banking77/{part}.csv").open(encoding="utf-8"))
        ]
        for part in ("train", "test")
    }
    return IntentSet(name="BANKING77", train=rows["train"], validation=[], test=rows["test"])


def massive(folder: Path) -> IntentSet:
    """MASSIVE, English."""
    rows = {
        part: [
            (row["text"], row["label_text"])
            for line in (folder / f"massive_en/{part}.jsonl").read_text().splitlines()
            for row in [json.loads(line)]
        ]
        for part in ("train", "validation", "test")
    }
    return IntentSet(
        name="MASSIVE en", train=rows["train"], validation=rows["validation"], test=rows["test"]
    )


XSID_PER_INTENT = 200
"""English examples of an intent that are used, of up to 14,000."""


def xsid(folder: Path, *, chinese: bool) -> IntentSet:
    """Chinese test; trained in English only, or with the 300 Chinese validation texts as well."""
    here = folder / "xsid"
    english = [*_conll(here / "en.valid.conll"), *_facebook(here / "fb_multilingual_en/train")]
    train = list(_at_most(english, XSID_PER_INTENT))
    return IntentSet(
        name="xSID zh, " + ("and 300 Chinese" if chinese else "English only"),
        train=[*train, *_conll(here / "zh.valid.conll")] if chinese else train,
        validation=_conll(here / "en.test.conll"),
        test=_conll(here / "zh.test.conll"),
    )


def _few(folder: Path) -> Labelled:
    texts = (folder / "seq.in").read_text(encoding="utf-8").splitlines()
    labels = (folder / "label").read_text(encoding="utf-8").splitlines()
    return list(zip(texts, labels, strict=True))


def _conll(path: Path) -> Labelled:
    texts: list[str] = []
    intents: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# text ="):
            texts.append(line.partition("=")[2].strip())
        elif line.startswith("# intent"):
            intents.append(line.partition("=")[2].strip())
    return list(zip(texts, intents, strict=True))


def _facebook(path: Path) -> Labelled:
    """``word:tag word:tag <=> intent`` a line; xSID counts sunrise and sunset as weather."""
    found: Labelled = []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        words, _, label = line.partition(" <=> ")
        intent = label.strip().replace("__", "/")
        if "/" in intent:
            text = " ".join(word.rpartition(":")[0] for word in words.split())
            found.append((text, "weather/find" if intent.startswith("weather/") else intent))
    return found


def _at_most(rows: Iterable[tuple[str, str]], most: int) -> Iterator[tuple[str, str]]:
    """The first different texts of each intent."""
    taken: dict[str, set[str]] = defaultdict(set)
    for text, intent in rows:
        if text not in taken[intent] and len(taken[intent]) < most:
            taken[intent].add(text)
            yield text, intent


def every(folder: Path) -> Sequence[IntentSet]:
    """All runs."""
    return [
        *clinc(folder),
        banking_unknown(folder, told=False),
        banking_unknown(folder, told=True),
        *few_shot(folder),
        banking(folder),
        massive(folder),
        xsid(folder, chinese=False),
        xsid(folder, chinese=True),
    ]
