"""A classifier whose scores a test writes down."""

from collections.abc import Callable, Sequence

from pointsman.domain.intents import Classification


class FakeClassifier:
    """Scores by a function of the text; keeps what it was asked."""

    name = "fake"

    def __init__(self, scores: Callable[[str], dict[str, float]]) -> None:
        self._scores = scores
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        self.asked.append((text, tuple(context)))
        return Classification(scores=self._scores(text), by="fake")
