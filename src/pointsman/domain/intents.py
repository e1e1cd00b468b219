"""What a user may want, and how sure a classifier is of it."""

from msgspec import Struct

from pointsman.domain.agent import Language

ACCEPT = 0.6
"""Score from which an intent that sets no threshold of its own is taken."""
ASK = 0.3
"""Score from which the user is asked which of the best intents is meant."""


class Intent(Struct, frozen=True, kw_only=True):
    """One thing that users want, apart from the tools that serve it (R2).

    Attributes:
        title: for people, by language.
        description: for people and for the ``llm`` classifier.
        examples: how users say it, in any language.
        keywords: words that point to it: ``rules`` looks for them after normal forms.
        patterns: regular expressions that point to it.
        tools: names that the intent may use; none for an intent that needs no tool.
        accept, ask: thresholds in [0, 1].
    """

    name: str
    title: dict[Language, str] = {}
    description: str = ""
    examples: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    accept: float = ACCEPT
    ask: float = ASK

    def titled(self, language: Language) -> str:
        """The title in a language, the other one, or the name."""
        return self.title.get(language) or next(iter(self.title.values()), self.name)


class Classification(Struct, frozen=True, kw_only=True):
    """What a classifier thinks of a message (R3).

    Attributes:
        scores: intent name → confidence in [0, 1]. They are independent: several may be high when a
            message wants several things, and all low when it wants none of them.
        by: which classifier said so, for the journal: ``rules``, ``examples``, ``llm``.
        abstains: it cannot tell; the next classifier of a cascade is asked.
    """

    scores: dict[str, float]
    by: str
    abstains: bool = False

    @property
    def best(self) -> tuple[str, float] | None:
        """The intent with the highest score, the first of equals."""
        if not self.scores:
            return None
        return max(self.scores.items(), key=lambda item: item[1])
