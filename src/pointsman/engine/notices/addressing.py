"""Names, descriptions and kinds of message → who gets it, by which channel and at which address.

Nobody is guessed: none or several that fit are a question (``Wanting``). Above: ``notify``. Below:
``ports.Directory`` and the channels.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.directory import recipients
from pointsman.domain.directory.recipients import Contact, Way
from pointsman.engine.notices.channels import SYSTEM, Channel
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.errors import CallerError
from pointsman.ports import Found

_EVERYBODY = re.compile(
    r"所有|全部|全体|全员|整个|每[个位]|各位|大家|们|\b(?:all|every(?:one|body)?|whole|entire)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:[、,，;；和与及]|\band\b)\s*")
MOST = 500
"""Recipients of one message."""


class Wanting(CallerError):
    """What must be known first; ``str`` is the question, ``missing`` the parameter that it asks
    for."""

    def __init__(self, missing: str, question: str) -> None:
        self.missing = missing
        super().__init__(question)


async def ways_of(
    arguments: Mapping[str, Any], mailroom: Mailroom, *, asking: str, language: Language
) -> list[Way]:
    """Whom a message goes to, by channel and address.

    Args:
        asking: login of who sends.

    Raises:
        Wanting: it is not clear whom or by which channel.
        CallerError: too many recipients.
    """
    ways = await _Search(arguments, mailroom, asking, language).ways()
    if len(ways) > MOST:
        raise CallerError(f"{len(ways)} recipients are too many; at most {MOST} at once")
    return ways


class _Search(Struct, frozen=True):
    """Finds the recipients of one message."""

    arguments: Mapping[str, Any]
    mailroom: Mailroom
    asking: str
    language: Language

    async def ways(self) -> list[Way]:
        if named := self._rooms_by_name():
            return named
        channels = [self._channel(name) for name in self._listed("msgType") or [SYSTEM]]
        names = self._listed("toName")
        rooms = [one for one in channels if one.groups]
        people_too = len(rooms) < len(channels)
        ways = [way for room in rooms for way in self._groups(room, names, others=people_too)]
        if people_too:
            taken = {way.name for way in ways}
            people = await self._people([name for name in names if name not in taken])
            own = [one for one in channels if not one.groups]
            ways += [self._way(person, one) for person in people for one in own]
        return list({(way.channel, way.address): way for way in ways}.values())

    def _rooms_by_name(self) -> list[Way]:
        """The groups of which each recipient has the very name, where no channel is said."""
        names = self._listed("toUser") or self._listed("userDesc")
        if self._listed("msgType") or self._listed("toName"):
            return []
        channels = self.mailroom.channels
        known = [one for name in channels.names if (one := channels.get(name))]
        groups = {group for one in known for group in one.groups}
        parted = [
            parts if {*parts} <= groups else [name]
            for name in names
            for parts in [[name] if name in groups else _AND.split(name)]
        ]
        names = [part for parts in parted for part in parts]
        rooms = [[one for one in known if name in one.groups] for name in names]
        if not all(len(one) == 1 for one in rooms):
            return []
        return [
            Way(channel=room.name, address=name, name=name)
            for name, (room,) in zip(names, rooms, strict=True)
        ]

    def _listed(self, name: str) -> list[str]:
        given = self.arguments.get(name) or []
        listed = [given] if isinstance(given, str) else given
        return list(dict.fromkeys(one.strip() for one in listed if one.strip()))

    def _channel(self, name: str) -> Channel:
        channels = self.mailroom.channels
        if (found := channels.get(name)) is None:
            question = recipients.ask_channel(name, "", channels.names, self.language)
            raise Wanting("msgType", question)
        return found

    def _groups(self, room: Channel, names: Sequence[str], *, others: bool) -> list[Way]:
        """The groups of a channel that are named.

        Args:
            others: a name may be a person's, for another channel.
        """
        found = [group for name in names if (group := _group(name, room.groups))]
        unknown = [name for name in names if not _group(name, room.groups)]
        if not found or (unknown and not others):
            words = unknown[0] if unknown and not others else ""
            raise Wanting("toName", recipients.ask_group(words, room.groups, self.language))
        return [Way(channel=room.name, address=one, name=one) for one in found]

    async def _people(self, further: Sequence[str]) -> list[Contact]:
        described = str(self.arguments.get("userDesc") or "").strip()
        people: list[Contact] = []
        spent = False
        for name in [*self._listed("toUser"), *further]:
            found = await self._find(name, described)
            people += found.people or await self._made_clear(name, found, described)
            spent = spent or len(found.people) != 1
        if described and not spent:
            more = await self._described(described, people)
            people += more
        if not people:
            raise Wanting("toUser", recipients.ask_whom("", self.language))
        return list({one.login: one for one in people}.values())

    async def _described(self, described: str, named: Sequence[Contact]) -> list[Contact]:
        """Whom the description means besides those who were named; nobody, when it says who these
        are: 财务部 says it of one, 财务部所有人 of more."""
        found = await self._find(described, "")
        more = len(found.people) > len(named) and _EVERYBODY.search(described)
        says_who = {one.login for one in named} & _logins(found.people) and not more
        if named and (not found.people or says_who):
            return list(found.besides)  # The others of a list; its unclear part is named.
        if found.people:
            return list(found.people)
        return await self._made_clear(described, found, "", described=True)

    async def _made_clear(
        self, words: str, found: Found, said: str, *, described: bool = False
    ) -> list[Contact]:
        """The candidate that what else was said tells from the others, or who takes the place of
        somebody unknown, with those of the same list; else it is asked."""
        if one := recipients.picked(found.candidates, said):
            return [*found.besides, one]
        # What is asked for goes into the other parameter, so that these words are kept too.
        other = "toUser" if described else "userDesc"
        unclear = found.part or words
        if found.candidates and not found.departments:
            raise Wanting(other, recipients.ask_which(unclear, found.candidates, self.language))
        for both in (f"{words}{said}", f"{said}{words}") if said else ():
            again = await self._find(both, "")
            if len(again.people) == 1:
                return list(again.people)
        if found.part and said and (instead := (await self._find(said, "")).people):
            return [*found.besides, *instead]
        if found.departments:
            question = recipients.ask_department(
                unclear, found.departments, found.candidates, self.language
            )
            raise Wanting(other, question)
        ask = recipients.ask_again if found.ambiguous else recipients.ask_whom
        question = ask(unclear, self.language)
        # An answer for a part leaves the rest of the list as it is.
        whole = "userDesc" if described else "toUser"
        raise Wanting(other if found.part else whole, question)

    async def _find(self, words: str, said: str) -> Found:
        return await self.mailroom.directory.find(words, asking=self.asking, said=said)

    def _way(self, person: Contact, channel: Channel) -> Way:
        address = person.login if channel.name == SYSTEM else person.addresses.get(channel.name, "")
        if not address or channel.notifier.refuses(address):
            others = [
                one
                for one in self.mailroom.channels.names
                if one == SYSTEM or person.addresses.get(one)
            ]
            question = recipients.ask_channel(channel.name, person.name, others, self.language)
            raise Wanting("msgType", question)
        fallback = person.addresses.get(channel.fallback, "")
        return Way(
            channel=channel.name,
            address=address,
            name=person.name,
            login=person.login,
            about=person.about,
            also={channel.fallback: fallback} if fallback else {},
        )


def _logins(people: Iterable[Contact]) -> set[str]:
    return {one.login for one in people}


def _group(name: str, groups: Sequence[str]) -> str:
    """The group that a name means without doubt; empty when none or several are like it."""
    if name in groups:
        return name
    alike = [one for one in groups if name.casefold() in one.casefold() or one in name]
    return alike[0] if len(alike) == 1 else ""
