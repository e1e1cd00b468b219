"""How runs come onto the queue, and which is next: in SQL, on the tables of Procrastinate 3.10.

One job stands for a conversation: whoever gets it drives what waits there, the oldest first. So two
things must not happen: that two jobs wait for one conversation, and that a run comes to wait just
when a job that found nothing more is over. For the first there is a unique index. For the second,
who adds a run holds the conversation's row until it stands, and who looks for the next one waits
for that.

Of the journal's tables only ``conversations`` and ``runs`` are known here, and only so much of them
as is written in this file.
"""

from collections.abc import Sequence
from hashlib import sha256

from procrastinate.jobs import Job
from psycopg import AsyncConnection

from pointsman.domain.runs import RunStatus
from pointsman.ports import Append, Cursor

DRIVE = "drive"
"""The name of the task."""
INTERACTIVE, BACKGROUND = 10, 0
"""Priorities; the higher goes first."""

DUE = tuple(one.value for one in (RunStatus.QUEUED, RunStatus.RUNNING))
"""What the runs are that should be driven."""

_HOLD = "SELECT 1 FROM conversations WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"
# A conversation's jobs share a lock, so that one is driven at a time. Those of people and those of
# nobody may both wait: else a message would wait as long as the reminder that came before it.
_POST = f"""
INSERT INTO procrastinate.procrastinate_jobs
       (queue_name, task_name, priority, lock, queueing_lock, args)
SELECT queue, '{DRIVE}', priority, conversation, conversation || ':' || priority,
       jsonb_build_object('conversation', conversation, 'home', home)
  FROM unnest(%s::text[], %s::text[], %s::int[], %s::text[])
    AS due(queue, home, priority, conversation)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING
"""  # noqa: S608 - a constant of ours
# Another run that is to be looked at, whatever its status is. A job for it that waits already is
# only begun after this transaction: who begins it waits for the conversation's row too.
_POKE = f"""
INSERT INTO procrastinate.procrastinate_jobs
       (queue_name, task_name, priority, lock, queueing_lock, args)
SELECT queue, '{DRIVE}', {INTERACTIVE}, conversation, 'run:' || run,
       jsonb_build_object('conversation', conversation, 'home', home, 'run', run)
  FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[])
    AS due(queue, home, conversation, run)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING
"""  # noqa: S608 - a constant of ours
_AGENT = "SELECT agent FROM conversations WHERE id = %s FOR NO KEY UPDATE"

_SHARE = "SELECT 1 FROM conversations WHERE id = %s FOR SHARE"
_NEXT = """
SELECT id FROM runs
 WHERE conversation = %s AND status = ANY(%s) AND NOT id = ANY(%s)
   AND EXISTS (SELECT 1 FROM procrastinate.procrastinate_jobs AS job
                WHERE job.id = %s AND status = 'doing' AND worker_id = %s AND attempts = %s)
 ORDER BY id LIMIT 1
"""


def queue_of(agent: str) -> str:
    """The queue of an agent's runs. Its name is part of a channel's, which has 63 bytes at most."""
    short = len(agent.encode()) <= 32
    return f"agent-{agent if short else sha256(agent.encode()).hexdigest()[:32]}"


def enqueue(cursor: Cursor, due: Sequence[Append], *, own: str = "") -> None:
    """``ports.Enqueue``: put what these appends wake on the queue, in their transaction.

    Args:
        own: the queue of a process that drives what is submitted to it; else that of the agent,
            which is also where the run goes when the process is gone (``home``).
    """
    woken = [one for one in due if one.wake]
    poked = {poke.run: poke for one in due for poke in one.wakes}
    held = [one.run.conversation for one in woken]
    cursor.execute(_HOLD, ([*held, *(one.conversation for one in poked.values())],))
    if woken:
        homes = [queue_of(one.run.agent) for one in woken]
        priorities = [BACKGROUND if one.background else INTERACTIVE for one in woken]
        cursor.execute(_POST, ([own] * len(homes) if own else homes, homes, priorities, held))
    if poked:
        homes = [queue_of(one.agent) for one in poked.values()]
        conversations = [one.conversation for one in poked.values()]
        queues = [own] * len(homes) if own else homes
        cursor.execute(_POKE, (queues, homes, conversations, list(poked)))


async def post(connection: AsyncConnection, conversation: str, *, priority: int) -> None:
    """Put what waits in the conversation on the queue."""
    async with connection.transaction():
        found = await (await connection.execute(_AGENT, (conversation,))).fetchone()
        if found is not None:
            home = [queue_of(found[0])]
            await connection.execute(_POST, (home, home, [priority], [conversation]))


async def settled(connection: AsyncConnection, conversation: str) -> None:
    """Wait until whoever is adding to the conversation has done so."""
    await connection.execute(_SHARE, (conversation,))


async def next_due(
    connection: AsyncConnection, conversation: str, job: Job, passed: Sequence[str]
) -> str | None:
    """The oldest run of the conversation that should be driven; None when there is none, or when
    the job is no longer whose it was.

    Args:
        passed: runs that are left out.
    """
    async with connection.transaction():
        await connection.execute(_SHARE, (conversation,))
        wanted = (conversation, list(DUE), list(passed), job.id, job.worker_id, job.attempts)
        found = await (await connection.execute(_NEXT, wanted)).fetchone()
    return None if found is None else str(found[0])
