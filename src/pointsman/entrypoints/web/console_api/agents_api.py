"""Agents as they are edited: the files of their folders, drafts, what is wrong with them, what they
would do, and the history of what was published.

Operators read, admins write. What is published runs at once, in this process and in the others.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from pointsman.agentfile.editor import Drafted
from pointsman.domain.agent import Language
from pointsman.engine.service import Submission
from pointsman.entrypoints.web.access import Admin, Operator
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.backstage import Backstage, Behind
from pointsman.entrypoints.web.console_api.editor_shapes import (
    AgentFiles,
    Draft,
    DraftFiles,
    DraftRun,
    DraftSaying,
    Faults,
    FaultShape,
    FileShape,
    Published,
    Publishing,
    VersionFiles,
    VersionList,
    VersionShape,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.native_shapes import RunShape
from pointsman.entrypoints.web.parameters import LARGEST
from pointsman.entrypoints.web.problems import Refusal
from pointsman.errors import PointsmanError
from pointsman.evaluation import drafts
from pointsman.evaluation.drafts import DraftFault
from pointsman.faults import Fault
from pointsman.ports.console import Act, VersionRecord

router = APIRouter(prefix="/api/agents/{agent}", tags=["agents"])

Version = Annotated[int, Path(ge=0, le=LARGEST)]


@router.get("/files", summary="The files of an agent's folder")
async def files(agent: str, behind: Behind, who: Operator) -> AgentFiles:
    """Its text files as they are now. Hidden files, links, large files, and files with keys or
    tokens are not shown."""
    found = await behind.editor(agent).folder()
    return AgentFiles(
        agent=agent,
        files=_shapes(found.files),
        version=found.digest,
        left_out=list(found.left_out),
    )


@router.get("/draft", summary="The draft of an agent")
async def draft(agent: str, behind: Behind, who: Operator) -> Draft:
    """The draft, or the folder's files to start from."""
    return _draft(agent, await behind.editor(agent).draft())


@router.put("/draft", openapi_extra=takes(DraftFiles), summary="Keep a draft")
async def keep(
    agent: str,
    who: Admin,
    given: Annotated[DraftFiles, Depends(body(DraftFiles))],
    behind: Behind,
) -> Draft:
    """Keep these files as the agent's one draft, in the place of an earlier one. Nothing runs
    differently until it is published; it may have faults."""
    paths = [one.path for one in given.files]
    if len(set(paths)) < len(paths):
        raise Refusal(400, "a path is given twice", field="files")
    kept = await behind.editor(agent).keep(
        {one.path: one.text for one in given.files}, given.version, who.login
    )
    return _draft(agent, kept)


@router.delete("/draft", status_code=204, summary="Throw the draft away")
async def drop(agent: str, behind: Behind, who: Admin) -> None:
    """The folder is not touched."""
    await behind.editor(agent).drop()


@router.post("/draft/check", summary="What is wrong with the draft")
async def check(agent: str, behind: Behind, who: Admin) -> Faults:
    """What `pointsman doctor` would say: faults of the files with their places, tools that cannot
    be started, names that lead nowhere. The draft's code is loaded for that, in a copy of the
    folder."""
    found = await behind.editor(agent).draft()
    return Faults(
        faults=[
            FaultShape(
                file=one.file,
                line=one.line,
                field=one.field,
                message=one.message,
                hint=one.hint,
            )
            for one in await drafts.check(agent, behind.home(agent), found.files)
        ]
    )


@router.post("/draft/try", openapi_extra=takes(DraftSaying), summary="Say something to the draft")
async def attempt(
    agent: str,
    who: Admin,
    saying: Annotated[DraftSaying, Depends(body(DraftSaying))],
    behind: Behind,
    language: Language = "en",
) -> DraftRun:
    """What the draft would do, in a copy of the folder and on a journal in memory: nothing is kept.
    Tools that only read are run; those that may change something are not, whatever the policy
    says. A conversation goes on with the `conversation` of the answer before, for a while."""
    found = await behind.editor(agent).draft()
    store = behind.tryouts.store(saying.conversation, user=who.login, agent=agent)
    said = Submission(
        agent=agent, user=who.login, text=saying.text, conversation=saying.conversation
    )
    try:
        tried = await drafts.attempt(
            behind.home(agent), found.files, said, store, language=language
        )
    except PointsmanError:
        await _refusefaulty(agent, behind)
        raise
    run = tried.run
    behind.tryouts.keep(run.conversation, store, user=who.login, agent=agent)
    return DraftRun(
        **RunShape.of(run).model_dump(),
        not_run=list(tried.not_run),
        intents=[*run.route.intents, *run.route.candidates] if run.route else [],
        said=list(tried.said),
    )


@router.post("/draft/publish", openapi_extra=takes(Publishing), summary="Publish the draft")
async def publish(
    agent: str,
    who: Admin,
    publishing: Annotated[Publishing, Depends(body(Publishing))],
    behind: Behind,
) -> Published:
    """Put the draft's files in the place of the folder's and load the agent again, here and in
    the other processes. 409 when the folder has changed since the draft was begun, 400 with the
    faults when the draft has any. A drive that has begun ends with the agent that it began with;
    runs that wait go on with the new one."""
    await _refusefaulty(agent, behind)
    version = await behind.editor(agent).publish(by=who.login, note=publishing.note.strip())
    await renewed(agent, version, "publish", behind, who.login)
    return Published(version=version.version, digest=version.digest)


@router.get("/versions", summary="What was published")
async def versions(agent: str, behind: Behind, who: Operator) -> VersionList:
    """The history of the agent, newest first."""
    found, now = await behind.editor(agent).versions()
    return VersionList(
        versions=[
            VersionShape(
                version=one.version,
                at=one.at,
                by=one.by,
                note=one.note,
                digest=one.digest,
                current=one.digest == now,
            )
            for one in found
        ]
    )


@router.get("/versions/{number}", summary="The files of a version")
async def version(agent: str, number: Version, behind: Behind, who: Operator) -> VersionFiles:
    """As they were published."""
    found = await behind.editor(agent).version(number)
    return VersionFiles(
        version=found.version,
        at=found.at,
        by=found.by,
        note=found.note,
        files=_shapes(found.files),
    )


@router.post("/versions/{number}/restore", summary="Go back to a version")
async def restore(agent: str, number: Version, behind: Behind, who: Admin) -> Published:
    """Publish the files of an earlier version again, as a version of its own. A draft stays, and no
    longer fits the folder."""
    editor = behind.editor(agent)
    earlier = await editor.version(number)
    if faults := await drafts.check(agent, behind.home(agent), earlier.files):
        raise faulty(faults)
    found = await editor.restore(number, by=who.login)
    await renewed(agent, found, "restore", behind, who.login)
    return Published(version=found.version, digest=found.digest)


async def _refusefaulty(agent: str, behind: Backstage) -> None:
    found = await behind.editor(agent).draft()
    if faults := await drafts.check(agent, behind.home(agent), found.files):
        raise faulty(faults)


def faulty(faults: list[DraftFault]) -> Refusal:
    """The refusal of files with faults; all of them are told."""
    first = faults[0]
    place = f"{first.file}:{first.line}" if first.line else first.file
    return Refusal(
        400,
        f"{place}: {first.message}",
        code="faults",
        faults=[
            Fault((one.file, *([one.field] if one.field else [])), one.message, one.hint)
            for one in faults
        ],
    )


async def renewed(agent: str, version: VersionRecord, act: str, behind: Backstage, by: str) -> None:
    """Let the agent run as it was published, and record who did that."""
    await behind.renewal.renew(agent)
    note = f"version {version.version}" + (f": {version.note}" if version.note else "")
    await behind.kept.acts.record(
        Act(at=behind.clock.now(), by=by, act=act, subject=agent, note=note)
    )


def _draft(agent: str, found: Drafted) -> Draft:
    record = found.record
    return Draft(
        agent=agent,
        files=_shapes(found.files),
        base=found.base,
        stale=found.base != found.now,
        by=record.by if record else None,
        at=record.at if record else None,
    )


def _shapes(found: dict[str, str]) -> list[FileShape]:
    return [FileShape(path=path, text=text) for path, text in found.items()]
