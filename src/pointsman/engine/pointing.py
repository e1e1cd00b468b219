"""How an agent's classifier points a message, looked at from outside: what it would make of a text,
and where users corrected it."""

from msgspec import Struct

from pointsman.domain import routing
from pointsman.domain.agent import Language
from pointsman.domain.corrections import corrects
from pointsman.domain.intents import Classification
from pointsman.domain.routing import Route
from pointsman.engine.agents import LiveAgent
from pointsman.ports.figures import Figures, Turnabout

PAGE = 200
MOST_LOOKED_AT = 4_000
"""Pairs of runs that are looked at for one page."""


class Pointed(Struct, frozen=True, kw_only=True):
    """What would happen to a text: the scores, the way, and what the user would be asked."""

    said: Classification
    way: Route
    question: str = ""


async def pointed(live: LiveAgent, text: str, language: Language) -> Pointed:
    """What the agent's classifier makes of a text by itself, without a conversation before it."""
    if live.classifier is None:
        said = Classification(scores={}, by="", abstains=True)
        return Pointed(said=said, way=Route(kind="tools", why=routing.OPEN))
    said = await live.classifier.classify(text, context=[])
    way = routing.route(said, live.intents)
    question = ""
    if way.kind == "ask":
        question = routing.question(way.candidates, live.intents, language)
    return Pointed(said=said, way=way, question=question)


async def confusions(
    figures: Figures, agent: str, *, limit: int, before: str | None = None
) -> list[Turnabout]:
    """Runs whose intent the user's next message corrected, newest first: he picked from a question,
    or said it again and it was taken for something else.

    Args:
        before: the ``next`` of one to page on.
    """
    found: list[Turnabout] = []
    looked_at = 0
    while len(found) < limit and looked_at < MOST_LOOKED_AT:
        page = await figures.turnabouts(agent, limit=PAGE, before=before)
        found += [one for one in page if _is_confusion(one)]
        looked_at += len(page)
        if len(page) < PAGE:
            break
        before = page[-1].next
    return found[:limit]


def _is_confusion(one: Turnabout) -> bool:
    return one.picked or one.asked or corrects(one.text, one.correction)
