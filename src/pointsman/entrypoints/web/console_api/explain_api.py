"""What a run was, for who answers for it: explained, carried through again, made a case."""

import re
from pathlib import Path
from typing import Annotated

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends

from pointsman.domain.agent import Language
from pointsman.engine.record import audit
from pointsman.entrypoints import explanations
from pointsman.entrypoints.replays import again
from pointsman.entrypoints.web.access import Engine, Operator
from pointsman.entrypoints.web.accounts.scopes import Reads
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.console_shapes import (
    CallExplanation,
    CaseMade,
    CaseWanted,
    DifferenceShape,
    Explanation,
    Replayed,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.problems import Refusal
from pointsman.evaluation import recording, suites

_SUITE = re.compile(r"[\w-]{1,80}(\.yaml|\.yml|\.jsonl)?")

router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run}/explain", summary="Why each call of a run ran or did not")
async def explain(
    run: str, service: Engine, user: Reads, language: Language | None = None
) -> Explanation:
    """In sentences, from the journal alone; with credentials and private values masked."""
    found = await service.run(run, user)
    said = language or found.language
    explained = await audit.explained(service.store, run, said)
    return Explanation(
        run=run,
        text="\n".join(explanations.lines(explained, said)),
        opening=list(explained.opening),
        calls=[
            CallExplanation(
                call=one.call,
                line=one.line,
                verdict=one.verdict,
                said=explanations.verdict(one, said),
                sentences=list(one.sentences),
            )
            for one in explained.calls
        ],
        ending=list(explained.ending),
    )


@router.post("/{run}/replay", summary="Carry a run through again under today's agent")
async def replay(run: str, service: Engine, who: Operator) -> Replayed:
    """The recorded replies of the model, results of tools and decisions of people, under the agent
    and the policy of today. Nothing outside is called; what comes out differently is told."""
    record = await service.record(run, None)
    live = service.agents.get(record.agent)
    await live.registry.settle()
    found, problem = await again(service, record)
    return Replayed(
        run=run,
        same=not found and not problem,
        differences=[DifferenceShape(**msgspec.structs.asdict(one)) for one in found],
        problem=problem or None,
    )


@router.post(
    "/{run}/case", openapi_extra=takes(CaseWanted), summary="Make an evaluation case of a run"
)
async def case(
    who: Operator,
    run: str,
    wanted: Annotated[CaseWanted, Depends(body(CaseWanted))],
    service: Engine,
) -> CaseMade:
    """A case that expects what happened, with what was said before in the conversation. With a
    `suite`, an admin adds it to that file of the agent's `evaluation` folder, whose other lines are
    not touched."""
    record = await service.record(run, None)
    made = await recording.recorded_case(service, record, name=wanted.id.strip())
    text = recording.as_text(made)
    if not wanted.suite:
        return CaseMade(case=made["id"], text=text, suite=None, cases=0)
    if not who.has("admin"):
        raise Refusal(403, "this needs the role admin", code="role", field="suite")
    if _SUITE.fullmatch(wanted.suite) is None:
        raise Refusal(400, "a suite is a name such as suite or suite.yaml", field="suite")
    home = service.agents.get(record.agent).home
    if not home:
        raise Refusal(409, f"the agent {record.agent} lies in no folder")
    file = Path(home) / suites.FOLDER / wanted.suite
    if not file.suffix:
        file = file.with_suffix(".yaml")
    suite = await to_thread.run_sync(recording.add, file, made)
    return CaseMade(case=made["id"], text=text, suite=file.name, cases=len(suite.cases))
