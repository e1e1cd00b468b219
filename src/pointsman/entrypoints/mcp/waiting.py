"""What a run waits for from its user, as questions that an MCP client can put to him, and what his
answers do.

Nothing that a client sends back is believed: which run it is about is looked up among the caller's
own, and an answer counts only for a question that waits there now, by the approval's id, which is
bound to the very arguments that were shown.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from mcp_types import ElicitResult
from msgspec import Struct

from pointsman.domain.approvals import USER
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Service, Submission
from pointsman.entrypoints.mcp.texts import say
from pointsman.entrypoints.web.following import Begun
from pointsman.errors import NotDecided, NotFound

WORDS = "words"
_STATE = re.compile(r"run:([0-9a-f]{32})")


class Question(Struct, frozen=True, kw_only=True):
    """Something that the user is asked.

    Attributes:
        key: the approval's id, or ``words``.
        schema: of the form that he fills in.
    """

    key: str
    message: str
    schema: dict[str, Any]


def questions(run: Run) -> list[Question]:
    """What the run waits for from its own user, or ended with."""
    asked = []
    if run.status is RunStatus.WAITING:
        for call in run_tasks.waiting(run):
            if call.approval is not None and call.approval.by == USER:
                message = call.approval.question
                asked.append(Question(key=call.approval.id, message=message, schema=_yes(run)))
        if words := run_tasks.words_wanted(run):
            asked.append(Question(key=WORDS, message=words, schema=_words(run)))
    elif run.kind == "question":
        asked.append(Question(key=WORDS, message=run.reply, schema=_words(run)))
    return asked


def _yes(run: Run) -> dict[str, Any]:
    approve = {"type": "boolean", "title": say("yes", run.language)}
    return {"type": "object", "properties": {"approve": approve}, "required": ["approve"]}


def _words(run: Run) -> dict[str, Any]:
    answer = {"type": "string", "title": say("reply", run.language), "minLength": 1}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


async def answered(service: Service, run: Run, answers: Mapping[str, ElicitResult]) -> Begun | None:
    """Do what the answers say; what to follow then, or None when they settled nothing."""
    moved = False
    for question in questions(run):
        answer = answers.get(question.key)
        if answer is None:
            continue
        if question.key == WORDS:
            words = (answer.content or {}).get("answer")
            if answer.action == "accept" and isinstance(words, str) and words.strip():
                return await _said(service, run, words)
        elif (verdict := _verdict(answer)) is not None:
            moved = True
            try:
                await service.decide(run.id, question.key, verdict, by=run.user)
            except NotDecided:  # it was settled meanwhile: the run tells how
                continue
    return Begun(run=run.id, user=run.user, since=run) if moved else None


def _verdict(answer: ElicitResult) -> Literal["approved", "denied"] | None:
    """The user's word; None when he gave none, so that it goes on waiting."""
    approve = (answer.content or {}).get("approve")
    match answer.action:
        case "accept" if isinstance(approve, bool):
            return "approved" if approve else "denied"
        case "decline":
            return "denied"
        case _:
            return None


async def _said(service: Service, run: Run, words: str) -> Begun:
    submission = Submission(
        agent=run.agent, user=run.user, text=words, conversation=run.conversation
    )
    next_run = await service.submit(submission)
    return Begun(run=next_run, user=run.user, since=run if next_run == run.id else None)


def state_of(run: Run) -> str:
    """What the client gives back with the answers."""
    return f"run:{run.id}"


async def meant(service: Service, state: str, *, agent: str, user: str) -> Run:
    """The run that a state names.

    Raises:
        NotFound: it names none of this user and agent.
    """
    found = _STATE.fullmatch(state)
    if found is None:
        raise NotFound("run", state[:64])
    run = await service.run(found[1], user)
    if run.agent != agent:
        raise NotFound("run", found[1])
    return run
