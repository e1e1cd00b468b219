"""The journal of one run while it is driven: records events, keeps the folded state, hands rows to
the store with the position that they expect.

Above: the loop and the stages, which record. Below: ``ports.Store``. ``push`` hands over without
waiting, so that a commit overlaps the next model call; ``commit`` waits until all of it is durable,
and stands before every side effect and every reply.
"""

import asyncio
from asyncio import Future
from collections.abc import Sequence

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.messages import Message
from pointsman.domain.pending import Pending, left_by
from pointsman.domain.results import blob_id
from pointsman.domain.runs import Run, begin, evolve, fold
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import ToolResult
from pointsman.errors import JournalCorrupt, NotFound
from pointsman.ports import Append, Bus, Clock, Committed, Due, Row, RunRecord, Store, StoredRun

SOON = 0.02
"""Seconds that rows which nobody waits for may gather, to share a commit."""


class Journal:
    """One run's journal, open for appending by one worker."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        clock: Clock,
        *,
        run: Run,
        record: RunRecord,
        head: bytes,
        past: tuple[Message, ...],
        pending: Pending | None,
    ) -> None:
        self.run = run
        self.clock = clock
        self.past = past
        """What the conversation held before the run."""
        self.pending = pending if run.reminder is None else None
        """The open question that the conversation was left with, and that the run may answer."""
        self._open_before = None if run.reminder is None else pending
        self._store, self._bus = store, bus
        self._record, self._head = record, head
        self._stored = run.position
        self._rests = run.rests
        self._recorded: list[ev.Event] = []
        self._blobs: list[tuple[str, str]] = []
        self._pending: list[Future[None]] = []
        self._unsynced = False
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def start(
        cls,
        store: Store,
        bus: Bus,
        clock: Clock,
        *,
        run: str,
        first: ev.MessageReceived,
        past: tuple[Message, ...],
        pending: Pending | None,
    ) -> "Journal":
        """The journal of a new run; nothing is stored before ``push``."""
        state = begin(run, first)
        record = RunRecord(
            id=run,
            conversation=first.conversation,
            user=first.user,
            agent=first.agent,
            status=state.status,
            input=state.input,
            created=first.at,
            updated=first.at,
            position=-1,
        )
        journal = cls(
            store,
            bus,
            clock,
            run=state,
            record=record,
            head=ev.GENESIS,
            past=past,
            pending=pending,
        )
        journal._stored = -1
        journal._recorded.append(first)
        return journal

    @classmethod
    async def open(cls, store: Store, bus: Bus, clock: Clock, run: str) -> "Journal":
        """The journal of a stored run, read and verified.

        Raises:
            NotFound: there is no such run.
            JournalCorrupt: the hash chain does not hold, or its end is missing.
        """
        return cls._of(run, await store.load(run), store, bus, clock)

    @classmethod
    async def claim(cls, store: Store, bus: Bus, clock: Clock, run: str) -> "Journal":
        """As ``open``, for whoever drives the run: earlier owners can append no more.

        Raises:
            NotFound, JournalCorrupt: as ``open``.
        """
        return cls._of(run, await store.claim(run), store, bus, clock)

    @classmethod
    def _of(
        cls, run: str, stored: StoredRun | None, store: Store, bus: Bus, clock: Clock
    ) -> "Journal":
        if stored is None:
            raise NotFound("run", run)
        head = verify(run, stored.rows)
        if len(stored.rows) != stored.record.position + 1:
            raise JournalCorrupt(f"run {run}: the journal does not end where the run does")
        state = fold(run, [ev.decode(row.body) for row in stored.rows])
        return cls(
            store,
            bus,
            clock,
            run=state,
            record=stored.record,
            head=head,
            past=stored.past,
            pending=stored.pending,
        )

    @property
    def cancel_requested(self) -> bool:
        """Whether a person had asked to stop the run when the journal was opened."""
        return self._record.cancel_requested

    @property
    def claims(self) -> int:
        """How often a worker has claimed the run."""
        return self._record.epoch

    def record(self, event: ev.Event) -> None:
        """The event happened. It is durable after the next ``commit``."""
        self.run = evolve(self.run, event)
        self._recorded.append(event)

    def keep(self, result: ToolResult, whole: str) -> ToolResult:
        """The result with its whole text kept in the store, under an id that the result carries."""
        blob = blob_id(whole)
        self._blobs.append((blob, whole))
        return replace(result, blob=blob)

    def _linked(self) -> tuple[Row, ...]:
        """What was recorded and not handed over, as rows; all at once, which is quicker."""
        rows, run = [], self.run.id
        first = self.run.position + 1 - len(self._recorded)
        for position, event in enumerate(self._recorded, first):
            body = ev.encode(event)
            self._head = ev.link(self._head, run, position, body)
            rows.append(Row(position=position, body=body, hash=self._head))
        self._recorded.clear()
        return tuple(rows)

    def soon(self) -> None:
        """Hand what was recorded to the store within moments, if nothing hands it over before."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SOON, self.push)

    def push(self, *, synced: bool = False, wake: bool = False, look: bool = False) -> None:
        """Hand what was recorded to the store without waiting for it.

        Args:
            synced: this and all before it must outlive a power cut, not only the process.
            wake: with these rows the run is due to be driven.
            look: it is to be looked at, though it rests: whoever does so just now may be thrown out
                by these rows.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._recorded and not (synced and self._unsynced):
            return
        self._unsynced = not synced
        signal = self._signal()
        handed = self._store.append(self._change(synced=synced, wake=wake, look=look))
        handed.add_done_callback(lambda done: self._tell(done, signal))
        self._pending.append(handed)

    def opening(self) -> tuple[Append, Committed]:
        """What a new run begins with, for whoever stores it together with something else, and what
        is to be told when it stands. Nothing more can be recorded here then."""
        signal = self._signal()
        return self._change(synced=True, wake=True, look=False), signal

    def _signal(self) -> Committed:
        run = self.run
        return Committed(run.position, run.status.ended, run=run, events=tuple(self._recorded))

    def _change(self, *, synced: bool, wake: bool, look: bool) -> Append:
        """What was recorded, as the store takes it."""
        run, expected = self.run, self._stored
        self._record = replace(
            self._record,
            status=run.status,
            updated=run.last,
            position=run.position,
            reply=run.reply,
            usage=run.usage,
        )
        change = Append(
            expected=expected,
            rows=self._linked(),
            run=self._record,
            transcript=run.messages if run.status.ended else None,
            pending=self._left_open() if run.status.ended else None,
            blobs=tuple(self._blobs),
            synced=synced,
            wake=wake,
            wakes=self._wakes(look=look),
            background=run_tasks.origin(run) != "user",
        )
        self._stored = run.position
        self._blobs.clear()
        return change

    def _left_open(self) -> Pending | None:
        """What the conversation waits for after the run. A reminder answers no question that was
        open before it."""
        return left_by(self.run) or self._open_before

    def _wakes(self, *, look: bool) -> tuple[Due, ...]:
        """The request that the run is a task of, when the run has come to rest or goes on; and
        itself, when it is to be looked at."""
        run, task = self.run, self.run.task
        moved, self._rests = run.rests is not self._rests, run.rests
        due = []
        if look:
            due.append(Due(run=run.id, conversation=run.conversation, agent=run.agent))
        if task is not None and moved:
            due.append(Due(run=task.run, conversation=task.conversation, agent=run.agent))
        return tuple(due)

    def _tell(self, done: Future[None], signal: Committed) -> None:
        if not done.cancelled() and done.exception() is None:
            self._bus.publish(self.run.id, signal)

    async def commit(self, *, wake: bool = False, look: bool = False) -> None:
        """Wait until everything recorded is durable, through a power cut; who watches is told.

        Args:
            wake: with what is recorded the run is due to be driven.
            look: it is to be looked at, see ``push``.

        Raises:
            PositionConflict: another worker has appended to this run; nothing of ours stands.
        """
        self.push(synced=True, wake=wake, look=look)
        if not self._pending:
            return
        pending = tuple(self._pending)
        await _settled(pending[-1])  # they settle in order
        self._pending = [one for one in self._pending if one not in pending]
        for handed in pending:
            handed.result()


async def _settled(future: Future[None]) -> None:
    """Wait for the future, without awaiting it: a cancelled waiter would cancel it, and nobody be
    told of it."""
    waiter = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda _: None if waiter.done() else waiter.set_result(None))
    await waiter


def verify(run: str, rows: Sequence[Row]) -> bytes:
    """The hash of the last row, after checking that every row follows from the one before.

    Raises:
        JournalCorrupt: which position does not hold.
    """
    head = ev.GENESIS
    for expected, row in enumerate(rows):
        head = ev.link(head, run, row.position, row.body)
        if row.position != expected or row.hash != head:
            raise JournalCorrupt(f"run {run}: the hash chain breaks at position {expected}")
    return head
