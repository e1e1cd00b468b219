"""A head: a small document that fixes what a journal held at an instant, to be kept elsewhere.

The hash chain of a run shows that nothing inside of it was changed. It cannot show that the run's
last events, or the whole run, were taken away, or that somebody recomputed every hash. A head can:
it covers each run's id, position and last hash. It is signed with a key that the database does not
hold, so that nobody who can write the database can write a head.

Runs may go on and new ones begin: runs that had not ended, or had only just begun, are listed one
by one; all others can change no more (but for decisions in vain, which come after the end) and are
covered by one digest for each day (UTC).
"""

import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.errors import CallerError

FORMAT = "pointsman-head@1"
RECENT = timedelta(hours=1)
"""A run that began this short a time before the head is listed: until then it may have been written
by a slower process, after the head was taken."""


class Mark(Struct, frozen=True, array_like=True):
    """How far a run has come: its last position, and that row's hash (hex)."""

    run: str
    position: int
    hash: str


class Day(Struct, frozen=True, array_like=True):
    """The runs of a day that are covered together: how many, with how many events."""

    day: str
    runs: int
    events: int
    digest: str


class Head(Struct, frozen=True, kw_only=True):
    """What a journal held.

    Attributes:
        runs, events: how many, in all.
        days: the ended runs by the day on which they began, oldest first.
        listed: the runs that may go on, or had just begun.
        signature: HMAC-SHA256 (hex) with the operator's key over everything else; empty without.
    """

    format: Literal["pointsman-head@1"] = "pointsman-head@1"
    at: datetime
    runs: int
    events: int
    days: tuple[Day, ...]
    listed: tuple[Mark, ...]
    signature: str = ""


class Seen(Struct, frozen=True, kw_only=True):
    """A run as it stands in the journal now.

    Attributes:
        mark: at its last row, or where a given head stood.
        end: at the row with which it ended, or None. A decision in vain may stand after it.
    """

    mark: Mark
    began: datetime
    end: Mark | None


class Covering:
    """Gathers runs, in the order of their ids, into the days and the list of a head."""

    def __init__(self, at: datetime, listed: Iterable[Mark] | None = None) -> None:
        """Args:
        at: when the head is, or was, taken.
        listed: the runs that a given head lists; None when a new head decides that itself.
        """
        self._at = at
        self._given = None if listed is None else {mark.run for mark in listed}
        self._days: dict[str, tuple[int, int, bytes]] = {}
        self.listed: list[Mark] = []

    def add(self, seen: Seen) -> None:
        """Take one run in. One that a given head cannot know is left out."""
        recent = seen.began > self._at - RECENT
        if self._given is None:
            by_name = recent or seen.end != seen.mark
        else:
            by_name = seen.mark.run in self._given
        if by_name:
            self.listed.append(seen.mark)
        elif not recent:
            self._count(seen.end or seen.mark, f"{seen.began:%Y-%m-%d}")

    def _count(self, mark: Mark, day: str) -> None:
        runs, events, digest = self._days.get(day, (0, 0, b""))
        link = sha256(digest + msgspec.json.encode(mark)).digest()
        self._days[day] = runs + 1, events + mark.position + 1, link

    @property
    def days(self) -> tuple[Day, ...]:
        """The days so far, oldest first."""
        return tuple(
            Day(day, runs, events, digest.hex())
            for day, (runs, events, digest) in sorted(self._days.items())
        )

    def head(self, key: bytes) -> Head:
        """The head of what was gathered; signed, unless the key is empty."""
        days, listed = self.days, tuple(self.listed)
        unsigned = Head(
            at=self._at,
            runs=sum(day.runs for day in days) + len(listed),
            events=sum(day.events for day in days) + sum(mark.position + 1 for mark in listed),
            days=days,
            listed=listed,
        )
        return replace(unsigned, signature=signature(unsigned, key) if key else "")


def signature(head: Head, key: bytes) -> str:
    """The signature that a head must bear under this key."""
    unsigned = msgspec.json.encode(replace(head, signature=""))
    return hmac.new(key, unsigned, sha256).hexdigest()


def is_signed_by(head: Head, key: bytes) -> bool:
    """Whether the head bears the key's signature."""
    return hmac.compare_digest(head.signature, signature(head, key))


def read(text: bytes) -> Head:
    """A head from its JSON text.

    Raises:
        CallerError: it is none, or of a format that this release does not know.
    """
    try:
        return msgspec.json.decode(text, type=Head)
    except msgspec.MsgspecError as fault:
        raise CallerError(f"this is no head of a journal: {fault}") from None


class Missing(Struct, frozen=True, kw_only=True):
    """Something that a head covers and the journal does not hold any more as it was.

    Attributes:
        run: the run, or empty when only the day is known.
        position: of the run's event at which the journal differs from the head, or None.
        day: the day of the ended runs that differ, or empty.
        runs, events: how many the head covers on that day; ``now_…`` how many there are.
    """

    run: str = ""
    position: int | None = None
    day: str = ""
    runs: int = 0
    events: int = 0
    now_runs: int = 0
    now_events: int = 0


def missing(head: Head, now: Covering) -> list[Missing]:
    """What the head covers and the journal lacks, given runs marked at the head's own positions."""
    found = {mark.run: mark for mark in now.listed}
    faults = [
        Missing(run=mark.run, position=min(mark.position, found[mark.run].position + 1))
        if mark.run in found
        else Missing(run=mark.run)
        for mark in head.listed
        if found.get(mark.run) != mark
    ]
    days = {day.day: day for day in now.days}
    covered = {day.day: day for day in head.days}
    for name in sorted({*days, *covered}):
        was, is_ = covered.get(name), days.get(name)
        if was != is_:
            faults.append(
                Missing(
                    day=name,
                    runs=was.runs if was else 0,
                    events=was.events if was else 0,
                    now_runs=is_.runs if is_ else 0,
                    now_events=is_.events if is_ else 0,
                )
            )
    return faults
