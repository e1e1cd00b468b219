"""Intents: what users may want of an agent, what its classifier makes of a sentence, where it was
corrected, and one more example."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pointsman.agentfile import FILE_NAME, adding
from pointsman.domain.agent import Language
from pointsman.domain.examples import language_of
from pointsman.domain.intents import Intent
from pointsman.domain.text import one_line
from pointsman.engine.pointing import confusions, pointed
from pointsman.entrypoints.web.access import Admin, Engine, Operator
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.agents_api import faulty, renewed
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.intent_shapes import (
    Classified,
    Confusion,
    ConfusionList,
    ExampleAdded,
    IntentList,
    IntentShape,
    IntentTitle,
    ScoreShape,
    Sentence,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.errors import NotFound
from pointsman.evaluation import drafts

MOST = 200
"""On one page."""

router = APIRouter(prefix="/api/agents/{agent}", tags=["intents"])


@router.get("/intents", summary="The intents of an agent")
async def intents(agent: str, service: Engine, who: Operator) -> IntentList:
    """In the order of its file, with their thresholds."""
    live = service.agents.get(agent)
    return IntentList(
        intents=[_shape(one) for one in live.intents.values()],
        classifier=live.classifier.name if live.classifier else None,
    )


@router.post("/classify", openapi_extra=takes(Sentence), summary="Try a sentence")
async def classify(
    agent: str,
    who: Operator,
    sentence: Annotated[Sentence, Depends(body(Sentence))],
    service: Engine,
    language: Language | None = None,
) -> Classified:
    """What the classifier makes of a sentence by itself, and what would follow. Nothing is
    journaled; a classifier that asks a model asks it."""
    live = service.agents.get(agent)
    found = await pointed(live, sentence.text, language or language_of(sentence.text))
    way = found.way
    ranked = sorted(found.said.scores.items(), key=lambda item: (-item[1], item[0]))
    return Classified(
        scores=[
            ScoreShape(
                intent=name,
                title=_title(live.intents[name]),
                score=score,
                accept=live.intents[name].accept,
                ask=live.intents[name].ask,
            )
            for name, score in ranked
            if name in live.intents
        ],
        by=found.said.by,
        decision=way.kind,
        intents=list(way.intents),
        tools=list(way.tools),
        candidates=list(way.candidates),
        question=found.question,
        why=way.why,
    )


@router.get("/confusions", summary="Where users corrected the intent")
async def corrected(
    agent: str,
    service: Engine,
    behind: Behind,
    who: Operator,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: Annotated[str | None, Query(description="As the last answer gave it.")] = None,
) -> ConfusionList:
    """Runs in which the user picked an intent from a question, or said it again and was then
    understood differently; from the record, newest first."""
    service.agents.get(agent)
    await behind.reckoner.catch_up()
    found = await confusions(behind.kept.figures, agent, limit=limit + 1, before=before)
    page = found[:limit]
    return ConfusionList(
        confusions=[
            Confusion(
                run=one.run,
                at=one.at,
                text=one.text,
                taken=list(one.taken),
                meant=list(one.meant),
                kind="picked" if one.picked else "reworded",
                correction=one.correction,
                corrected=one.next,
                user=one.user,
            )
            for one in page
        ],
        before=page[-1].next if len(found) > limit else None,
    )


@router.post("/intents/{intent}/examples", openapi_extra=takes(Sentence), summary="Add an example")
async def add_example(
    agent: str,
    intent: str,
    who: Admin,
    sentence: Annotated[Sentence, Depends(body(Sentence))],
    service: Engine,
    behind: Behind,
) -> ExampleAdded:
    """Write a sentence into the agent's file as an example of an intent, and publish that: the rest
    of the file stays as it is, comments and order too. Refused when the file would have faults, or
    is written so that the place is not clear."""
    if intent not in service.agents.get(agent).intents:
        raise NotFound("intent", intent)
    editor, home = behind.editor(agent), behind.home(agent)
    folder = await editor.folder()
    text = " ".join(sentence.text.split())
    changed = adding.with_example(folder.files[FILE_NAME], intent, text)
    files: Mapping[str, str] = {**folder.files, FILE_NAME: changed}
    if faults := await drafts.check(agent, home, files):
        raise faulty(faults)
    note = one_line(f"example of {intent}: {text}", 200)
    version = await editor.put(files, base=folder.digest, by=who.login, note=note)
    await renewed(agent, version, "example", behind, who.login)
    shape = _shape(service.agents.get(agent).intents[intent])
    return ExampleAdded(intent=shape, version=version.digest)


def _shape(intent: Intent) -> IntentShape:
    return IntentShape(
        intent=intent.name,
        title=_title(intent),
        description=intent.description,
        examples=list(intent.examples),
        keywords=list(intent.keywords),
        tools=list(intent.tools),
        accept=intent.accept,
        ask=intent.ask,
    )


def _title(intent: Intent) -> IntentTitle:
    return IntentTitle(zh=intent.title.get("zh", ""), en=intent.title.get("en", ""))
