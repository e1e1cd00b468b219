"""The wire shapes of the directory's people."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pointsman.domain.directory.entries import Person
from pointsman.domain.directory.recipients import Contact


class PersonShape(BaseModel):
    """Somebody as the directory has him. ``addresses`` is by channel; his inbox goes without."""

    login: str
    name: str
    aliases: list[str]
    titles: list[str]
    roles: list[str]
    departments: list[str]
    manager: str
    description: str
    number: str
    addresses: dict[str, str]

    @classmethod
    def of(cls, one: Person) -> "PersonShape":
        return cls(
            login=one.login,
            name=one.name,
            aliases=list(one.aliases),
            titles=list(one.titles),
            roles=list(one.roles),
            departments=list(one.departments),
            manager=one.manager,
            description=one.description,
            number=one.number,
            addresses=dict(one.addresses),
        )


class PeopleList(BaseModel):
    """Of the directory, by login."""

    people: list[PersonShape]
    before: str | None


class Description(BaseModel):
    """How a message names its recipients: 财务部的部长, all of sales."""

    model_config = ConfigDict(extra="forbid")

    words: Annotated[
        str, StringConstraints(strip_whitespace=True), Field(min_length=1, max_length=500)
    ]


class ContactShape(BaseModel):
    """Somebody who is meant, or may be."""

    login: str
    name: str
    about: str

    @classmethod
    def of(cls, one: Contact) -> "ContactShape":
        return cls(login=one.login, name=one.name, about=one.about)


class Meant(BaseModel):
    """Whom a description means: ``people`` without doubt; else the ``candidates`` or the
    ``departments`` among which somebody is asked to choose; else nobody."""

    people: list[ContactShape]
    candidates: list[ContactShape]
    departments: list[str]
