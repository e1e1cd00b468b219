"""Answering a run that waits for the user's word, over an API that knows no runs.

The client sends its whole history. If that ends with the question of a waiting run and the user's
answer, and what stands before is the very conversation of that run, a plain yes or no decides;
anything else withdraws the run and starts a new one (case P14). A yes to what is up to a role gets
the question again. With several calls waiting, their questions are asked one after the other, so
that a yes is never for more than what was read. Where nothing matches, a new run starts, which asks
again before it changes anything.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from pointsman.domain import sentences
from pointsman.domain.approvals import USER, Approval
from pointsman.domain.messages import AssistantMessage, Message, SystemMessage, UserMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Service, Submission
from pointsman.entrypoints.web.following import Begun
from pointsman.errors import Conflict, NotDecided

MOST_WAITING = 200
"""Of a user's waiting runs with one agent, how many are looked at, newest first."""


def pending(run: Run) -> Approval | None:
    """The decision that is asked for now; the others of the run and its tasks come after it."""
    waiting = run_tasks.waiting(run)
    return waiting[0].approval if waiting else None


async def begin(service: Service, submission: Submission) -> Begun:
    """Hand the request to the engine: as the answer to a waiting run, or as a new run.

    Raises:
        Conflict: somebody else decided just now.
    """
    run = await _waiting(service, submission)
    if run is None:
        return Begun(run=await service.submit(submission), user=submission.user)
    return await answer(service, run, submission)


async def answer(service: Service, run: Run, submission: Submission) -> Begun:
    """Hand the request to the engine as the answer to this waiting run; as a new run when it is
    none, which withdraws that one.

    Raises:
        Conflict: somebody else decided just now.
    """
    approval, last = pending(run), submission.messages[-1]
    if approval is None and isinstance(last, UserMessage):  # a task asks for words
        words = Submission(
            agent=run.agent, user=run.user, text=last.text, conversation=run.conversation
        )
        return Begun(run=await service.submit(words), user=run.user, since=run)
    assert approval is not None
    word = sentences.plain_answer(last.text) if isinstance(last, UserMessage) else None
    if word is None:
        with suppress(Conflict):
            await service.cancel(run.id, run.user, reason="superseded by a new message")
        return Begun(run=await service.submit(submission), user=submission.user)
    if approval.by == USER or not word:
        await _decide(service, run, approval, "approved" if word else "denied")
    return Begun(run=run.id, user=run.user, since=run)


async def _decide(
    service: Service, run: Run, approval: Approval, decision: Literal["approved", "denied"]
) -> None:
    """Decide; when it is too late for that, the run goes on and says so."""
    try:
        await service.decide(run.id, approval.id, decision, by=run.user)
    except NotDecided as fault:
        if fault.kind != "expired":
            raise


async def _waiting(service: Service, submission: Submission) -> Run | None:
    """The waiting run whose question the last message answers."""
    talk = _spoken((*submission.history, *submission.messages))
    if len(talk) < 3 or not _is_answer(talk):
        return None
    said = {message.text for message in talk if isinstance(message, UserMessage)}
    for record in await service.runs(
        user=submission.user,
        agent=submission.agent,
        status=(RunStatus.WAITING,),
        limit=MOST_WAITING,
    ):
        if record.input and record.input not in said:
            continue
        run = await service.run(record.id, submission.user)
        if _asked_in(run, talk):
            return run
    return None


def _is_answer(talk: Sequence[Message]) -> bool:
    question, answer = talk[-2:]
    return (
        isinstance(answer, UserMessage)
        and isinstance(question, AssistantMessage)
        and bool(question.text)
        and not question.calls
    )


def _asked_in(run: Run, talk: Sequence[Message]) -> bool:
    """Whether the talk is the run's conversation and goes on with nothing but its questions and
    their answers, the last of them about what is pending."""
    own = _spoken((*run.history, *opening(run)))
    rest = talk[len(own) :]
    approval = pending(run)
    wanted = approval.question if approval else run_tasks.words_wanted(run)
    if not wanted or list(talk[: len(own)]) != own or len(rest) < 2 or len(rest) % 2:
        return False
    questions = {
        call.approval.question for call in (*run.past, *run.calls) if call.approval is not None
    }
    # What its tasks asked before is in their own journals.
    return _asks(rest[-2], {wanted}) and all(
        (bool(run.graphs) or _asks(question, questions)) and isinstance(answer, UserMessage)
        for question, answer in zip(rest[::2], rest[1::2], strict=True)
    )


def _asks(message: Message, questions: set[str]) -> bool:
    """Whether the message is one of these questions, perhaps after what the model said with it."""
    if not isinstance(message, AssistantMessage):
        return False
    text = message.text.strip()
    return any(text == question or text.endswith(f"\n\n{question}") for question in questions)


def opening(run: Run) -> tuple[Message, ...]:
    """The messages that the run began with."""
    first = run.messages[0]
    results = len(first.calls) if isinstance(first, AssistantMessage) else 0
    return run.messages[: 1 + results]


def _spoken(messages: Sequence[Message]) -> list[Message]:
    """The messages without instructions, which clients change from one request to the next."""
    return [message for message in messages if not isinstance(message, SystemMessage)]
