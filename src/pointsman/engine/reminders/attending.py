"""Tells the owner of a reminder when its run, which nobody watches, needs him: a call waits for a
decision, or the run has failed.

Above: ``reminders``. Below: ``post``. Hears of the runs that this process drives.
"""

import logging
from collections import deque
from collections.abc import Iterator, Sequence

import anyio
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.notices.delivery import Kind
from pointsman.domain.reminders import reminder_notices as notices
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.reminders.reminder import Reminder
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.engine.notices.post import Post
from pointsman.engine.reminders.planned_firing import inbox_of, notice_to
from pointsman.errors import StoreError
from pointsman.ports import Reminders

log = logging.getLogger("pointsman.reminders")

PAUSE = 5.0
"""Seconds before it is tried again to tell what could not be stored."""


class _Need(Struct, frozen=True, kw_only=True):
    """What the owner is to be told.

    Attributes:
        key: telling it twice tells it once.
        approval: the decision that is wanted; empty when the run has failed.
    """

    of: ReminderOf
    run: str
    key: str
    text: str
    approval: str = ""


class Attending:
    """An observer of the runs of this process."""

    def __init__(self, reminders: Reminders, post: Post) -> None:
        self._reminders, self._post = reminders, post
        self._needs: deque[_Need] = deque()
        self._news = anyio.Event()

    def committed(self, run: Run, events: Sequence[ev.Event]) -> None:
        reminder = run_tasks.reminder_of(run)
        if reminder is None:
            return
        self._needs.extend(_needs(run, reminder, events))
        if self._needs:
            self._news.set()

    async def serve(self) -> None:
        """Tell until cancelled."""
        while True:
            self._news = anyio.Event()  # what an earlier serving left is told first
            while self._needs:
                try:
                    await self._tell(self._needs[0])
                    self._needs.popleft()
                except StoreError as fault:
                    log.warning("the owner of a reminder is not told yet: %s", fault)
                    await anyio.sleep(PAUSE)
            await self._news.wait()

    async def _tell(self, need: _Need) -> None:
        reminder = await self._reminders.get(need.of.reminder)
        if reminder is None:
            return
        kind, subject, body = _words(reminder, need)
        notice = notice_to((inbox_of(reminder.user),), reminder, key=need.key, body=body)
        await self._post.send(replace(notice, subject=subject, kind=kind, run=need.run))


def _needs(run: Run, reminder: ReminderOf, events: Sequence[ev.Event]) -> Iterator[_Need]:
    for event in events:
        match event:
            case ev.ApprovalAsked():
                yield _Need(
                    of=reminder,
                    run=run.id,
                    key=f"{event.approval} waits",
                    text=event.question,
                    approval=event.approval,
                )
            case ev.RunFailed() | ev.RunParked() if run.task is None:
                yield _Need(of=reminder, run=run.id, key=f"{run.id} failed", text=event.text)


def _words(reminder: Reminder, need: _Need) -> tuple[Kind, str, str]:
    if need.approval:
        body = notices.waits(reminder, need.text, need.approval)
        return "approval", notices.waits_subject(reminder), body
    body = notices.failed(reminder, need.of.due, need.text)
    return "alert", notices.failed_subject(reminder), body
