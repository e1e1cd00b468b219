"""Classifiers in a row: the cheap ones first, the next only when one is unsure."""

from collections.abc import Mapping, Sequence

from pointsman.domain.intents import Classification, Intent
from pointsman.ports import Classifier


class Cascade:
    """``ports.Classifier`` over others. The first that is sure decides, and is named in ``by``;
    when none is, the last that did not abstain does."""

    def __init__(self, classifiers: Sequence[Classifier], intents: Mapping[str, Intent]) -> None:
        self._classifiers, self._intents = tuple(classifiers), dict(intents)

    @property
    def name(self) -> str:
        return " > ".join(one.name for one in self._classifiers)

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        best = Classification(scores={}, by=self.name, abstains=True)
        for classifier in self._classifiers:
            said = await classifier.classify(text, context=context)
            if self._is_sure(said):
                return said
            if not said.abstains or best.abstains:
                best = said
        return best

    def _is_sure(self, said: Classification) -> bool:
        return not said.abstains and any(
            score >= self._intents[name].accept
            for name, score in said.scores.items()
            if name in self._intents
        )
