"""Trained models in files, named by the digest of what they were trained on."""

import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from pointsman.adapters.classifiers.background import SENTENCES
from pointsman.adapters.classifiers.embeddings import VERSION
from pointsman.adapters.classifiers.learned import LearnedModel
from pointsman.adapters.classifiers.learning import Lesson, learn

FORMAT = 1
"""Raise it when training or the arrays change: older files are then not looked at."""


def digest(lesson: Lesson) -> str:
    """Of everything that the trained model depends on, hex."""
    parts = [FORMAT, VERSION, SENTENCES, lesson.names, lesson.texts, lesson.labels, lesson.unknown]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def learned(lesson: Lesson, folder: Path | None) -> LearnedModel:
    """The model of the lesson: from its file, or trained and kept.

    A file that cannot be read is trained anew and replaced; a folder that cannot be written is no
    fault. Files are replaced in one step, so that several programs may share a folder.
    """
    if folder is None:
        return learn(lesson)
    path = folder / f"intents-{digest(lesson)[:32]}.npz"
    model = _read(path)
    if model is None or model.names != lesson.names:
        model = learn(lesson)
        _write(path, model)
    return model


def _read(path: Path) -> LearnedModel | None:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return LearnedModel.from_arrays(arrays)
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, np.linalg.LinAlgError):
        return None


def _write(path: Path, model: LearnedModel) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            arrays: dict[str, Any] = model.to_arrays()
            np.savez(file, **arrays)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
