"""The directory as notifications ask it: who is meant, and how he is reached."""

from collections.abc import Iterable

from pointsman.domain.directory import Directory
from pointsman.domain.recipients import Contact
from pointsman.domain.whom import Recipients
from pointsman.ports import Found


class KnownPeople:
    """``ports.Directory`` of people and departments that are known."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._recipients = Recipients(directory)

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        found = self._recipients.find(words, asking=asking)
        if found.unclear and found.unclear.candidates and said.strip():
            told = self._recipients.find(said, asking=asking, within=found.unclear.candidates)
            found = told if len(told.people) == 1 else found
        candidates = found.unclear.candidates if found.unclear else ()
        return Found(
            people=tuple(self._contacts(found.people)),
            candidates=tuple(self._contacts(candidates)),
            departments=found.unclear.departments if found.unclear else (),
        )

    def _contacts(self, logins: Iterable[str]) -> Iterable[Contact]:
        for login in logins:
            one = self._directory.people[login]
            yield Contact(
                login=login, name=one.name, about=one.about, addresses=dict(one.addresses)
            )
