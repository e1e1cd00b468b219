"""What a crash left behind: attempts without an end, runs without a driver."""

from collections.abc import Collection

from pointsman.domain.events import AttemptFinished
from pointsman.domain.retry import uncertain
from pointsman.domain.runs import RunStatus
from pointsman.engine.journal import Journal
from pointsman.ports import Queue, Store


def settle_interrupted(journal: Journal) -> None:
    """Give every attempt that started and did not finish its meaning.

    One that may be repeated stays cleared and runs again. One that may not is uncertain: nobody
    knows whether it happened, so it never runs again by itself.
    """
    for call in journal.run.calls:
        if call.open and not call.repeatable:
            journal.record(
                AttemptFinished(
                    at=journal.clock.now(),
                    call=call.key,
                    attempt=call.attempts,
                    result=uncertain("the worker stopped before the call ended"),
                    ms=0.0,
                )
            )


async def requeue_unfinished(store: Store, queue: Queue, agents: Collection[str]) -> int:
    """Hand every run of these agents that should be running to the queue again, oldest first; how
    many. Runs of other agents are left to a process that serves them."""
    unfinished = await store.records(status=(RunStatus.QUEUED, RunStatus.RUNNING), limit=100_000)
    found = [record for record in unfinished if record.agent in agents]
    for record in reversed(found):
        await queue.put(record.id, record.conversation)
    return len(found)
