"""The directory as notifications ask it: who is meant, and how he is reached."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from pointsman import ports
from pointsman.domain.directory.entries import Directory, Person
from pointsman.domain.directory.recipients import Contact
from pointsman.ports import Found

if TYPE_CHECKING:
    from pointsman.domain.directory.whom import Recipients


class KnownPeople:
    """``ports.Directory`` of people and departments that are known."""

    def __init__(self, directory: Directory, others: ports.Directory | None = None) -> None:
        """Args:
        others: knows who is not in the directory.
        """
        self._directory, self._others = directory, others
        self._read: Recipients | None = None
        self._reading = anyio.Lock()

    def people(self) -> Sequence[Person]:
        known = dict(self._directory.people)
        for one in self._others.people() if self._others else ():
            if self._directory.person(one.login) is None:
                known[one.login] = one
        return [known[login] for login in sorted(known)]

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        recipients = self._read or await self._recipients()
        found = recipients.find(words, asking=asking)
        unclear = found.unclear
        if unclear is None:
            return Found(people=tuple(self._contacts(found.people)))
        if unclear.candidates and said.strip():
            told = recipients.find(said, asking=asking, within=unclear.candidates)
            if len(told.people) == 1:
                return Found(people=tuple(self._contacts((*unclear.besides, *told.people))))
        if self._others and unclear.why in ("nobody", "unread"):
            other = await self._others.find(words, asking=asking, said=said)
            if other.people:
                return other
        return Found(
            candidates=tuple(self._contacts(unclear.candidates)),
            departments=unclear.departments,
            besides=tuple(self._contacts(unclear.besides)),
            part=unclear.part,
            ambiguous=unclear.why in ("several", "or"),
        )

    async def _recipients(self) -> "Recipients":
        """Read in a thread, when somebody is first looked for: thousands take a second."""
        async with self._reading:
            if self._read is None:
                self._read = await to_thread.run_sync(_recipients_of, self._directory)
        return self._read

    def _contacts(self, logins: Iterable[str]) -> Iterable[Contact]:
        for login in logins:
            one = self._directory.people[login]
            yield Contact(
                login=login, name=one.name, about=one.about, addresses=dict(one.addresses)
            )


def _recipients_of(directory: Directory) -> "Recipients":
    from pointsman.domain.directory.whom import Recipients  # with every reading of every character

    return Recipients(directory)
