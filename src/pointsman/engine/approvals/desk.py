"""What people may do to calls that wait for them: look, approve, deny, edit, take over.

Above: the entry points and ``service``. Below: ``decisions``, which sees to it that each is decided
once. A person is known by login; until there is a sign-in, the settings say who has which role.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import anyio

from pointsman.domain import approvals
from pointsman.domain.approvals import Choice, Person
from pointsman.domain.runs import Run
from pointsman.engine.agents import Agents
from pointsman.engine.approvals import asked, taking_over
from pointsman.engine.approvals.asked import Asked
from pointsman.engine.approvals.decisions import CLOCK, Decisions, deciding, lapsing
from pointsman.engine.approvals.editing import editing, prepared
from pointsman.errors import CallerError, NotFound, StoreError
from pointsman.ports import Bus, Clock, Queue, Store

log = logging.getLogger("pointsman.approvals")

SECONDS_BETWEEN_LOOKS = 60.0
"""How late it may be noticed that nobody decided in time."""

Verdict = Literal["approved", "denied"]
_CHOICES: dict[Verdict, Choice] = {"approved": "approve", "denied": "deny"}


class Desk:
    """Where people decide; one a process."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        clock: Clock,
        queue: Queue,
        agents: Agents,
        roles: Mapping[str, Sequence[str]],
    ) -> None:
        """Args:
        roles: role → the logins that have it.
        """
        self.roles = roles
        self._store, self._clock, self._agents = store, clock, agents
        self._decisions = Decisions(store, bus, clock, queue)

    def person(self, login: str) -> Person:
        """The person of this login, with his roles."""
        return approvals.person(login, self.roles)

    async def decide(
        self,
        run: str,
        approval: str,
        verdict: Verdict,
        *,
        by: str,
        reason: str = "",
        hand_on: bool = True,
    ) -> Run:
        """Approve or deny a call, once; the run goes on when nothing else is open.

        Args:
            by: login of the person.
            hand_on: queue the run then; else the caller drives it.

        Raises:
            NotFound: no such run or approval.
            Forbidden: it is not up to this person.
            NotDecided: it is settled already, expired, or the run has ended.
            CallerError: the verdict is neither.
        """
        if verdict not in _CHOICES:
            raise CallerError(f"verdict: expected one of {', '.join(_CHOICES)}, not {verdict!r}")
        person, choice = self.person(by), _CHOICES[verdict]
        return await self._decisions.make(
            run,
            approval,
            choice,
            deciding(choice, by=person, reason=reason),
            by=person,
            reason=reason,
            hand_on=hand_on,
        )

    async def edit(
        self, approval: str, arguments: Mapping[str, Any], *, by: str, reason: str = ""
    ) -> Run:
        """Approve a call with these arguments, all of them, instead of its own. When the policy
        wants somebody else for them, a new approval waits for that person.

        Raises:
            NotFound, Forbidden, NotDecided: as ``decide``.
            CallerError: the arguments do not fit the tool.
            Conflict: the policy denies them, or the tool has changed.
        """
        run = asked.run_of(approval)
        record = await self._store.record(run)
        if record is None:
            raise NotFound("approval", approval)
        live, person = self._agents.get(record.agent), self.person(by)
        await live.registry.settle()
        found = await asked.find(self._store, approval, self._clock.now(), by=None, reveal=True)
        ready = await prepared(arguments, found.call, found.run, live)
        act = editing(arguments, live, by=person, reason=reason, ready=ready)
        return await self._decisions.make(run, approval, "edit", act, by=person, reason=reason)

    async def take_over(
        self,
        approval: str,
        *,
        by: str,
        result: str = "",
        reply: str = "",
        reason: str = "",
    ) -> Run:
        """Go on by hand: give the result of the waiting call, with which the run goes on, or the
        reply, with which it ends.

        Raises:
            NotFound, Forbidden, NotDecided: as ``decide``.
            CallerError: give one of the two.
        """
        result, reply = result.strip(), reply.strip()
        if bool(result) == bool(reply):
            raise CallerError("give either the result of the call or the reply")
        person, run = self.person(by), asked.run_of(approval)
        if result:
            act = taking_over.with_result(result, by=person, reason=reason)
        else:
            act = taking_over.with_reply(reply, by=person, reason=reason)
        return await self._decisions.make(run, approval, "take_over", act, by=person, reason=reason)

    async def lapse(self) -> int:
        """Settle what nobody decided in time, so that no run waits for ever; how many. Only for
        the process that owns the database."""
        agents = {live.spec.name for live in self._agents}
        overdue = await asked.overdue(self._store, self._clock.now(), agents)
        for one in overdue:
            with suppress(CallerError):
                run = asked.run_of(one.id)
                await self._decisions.make(run, one.id, "deny", lapsing, by=CLOCK)
        return len(overdue)

    async def keep_time(self) -> None:
        """Do so now and then, until cancelled."""
        while True:
            try:
                await self.lapse()
            except StoreError as fault:
                log.warning("what has expired could not be settled: %s", fault)
            await anyio.sleep(SECONDS_BETWEEN_LOOKS)

    async def waiting(
        self, by: str | None, *, limit: int = asked.MOST, before: str | None = None
    ) -> list[Asked]:
        """What waits for a decision and concerns this person, newest run first; everything for an
        operator (None). Private values are masked for all but who asked.

        Args:
            limit: about so many; those of one run are never parted.
            before: only of older runs than this one.
        """
        person, now = None if by is None else self.person(by), self._clock.now()
        return await asked.waiting(self._store, now, by=person, limit=limit, before=before)

    async def find(self, approval: str, by: str | None, *, reveal: bool = False) -> Asked:
        """An approval, whatever became of it.

        Args:
            reveal: show private values to an operator.

        Raises:
            NotFound: there is none that concerns this person.
        """
        person, now = None if by is None else self.person(by), self._clock.now()
        return await asked.find(self._store, approval, now, by=person, reveal=reveal)
