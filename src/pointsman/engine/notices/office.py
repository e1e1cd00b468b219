"""``ports.Directory`` over the people that ``domain.directory.entries`` knows and the words that
``domain.directory.whom`` reads."""

from collections.abc import Iterable

from pointsman.domain.directory.entries import Directory as People
from pointsman.domain.directory.recipients import Contact
from pointsman.domain.directory.whom import Recipients
from pointsman.ports import Found


class OfficeDirectory:
    """Whom words mean, among the people of an organisation."""

    def __init__(self, people: People) -> None:
        self._people, self._recipients = people, Recipients(people)

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        meant = self._recipients.find(words, asking=asking)
        if said and meant.unclear and (candidates := meant.unclear.candidates):
            told = self._recipients.find(said, asking=asking, within=candidates)
            meant = told if len(told.people) == 1 else meant
        if meant.unclear is None:
            return Found(people=self._contacts(meant.people))
        unclear = meant.unclear
        return Found(candidates=self._contacts(unclear.candidates), departments=unclear.departments)

    def _contacts(self, logins: Iterable[str]) -> tuple[Contact, ...]:
        found = filter(None, map(self._people.person, logins))
        return tuple(
            Contact(login=one.login, name=one.name, about=one.about, addresses=one.addresses)
            for one in found
        )
