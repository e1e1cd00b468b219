"""Who is who: people, their departments as a tree, and who leads what.

``whom`` reads descriptions of people against this; ``agentfile.people`` reads it from files.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from pointsman.domain.directory.job_titles import Job, job
from pointsman.domain.directory.office_words import TIERS, folded


class Person(Struct, frozen=True, kw_only=True):
    """Somebody who can be told something.

    Attributes:
        login: identifies him, and is the address of his inbox.
        name: as people write it.
        aliases: other names that mean him and nobody else: nicknames, names in other scripts.
        titles: job titles.
        roles: what he is beside his job, such as system administrator.
        departments: paths of departments (``Department.path``), the main one first.
        manager: login of whom he reports to; empty for whoever leads his department.
        description: what he does, in words.
        number: of the employee.
        addresses: channel → address (``email``, ``sms``, ``weixinuser`` …).
        active: who has left is never found.
    """

    login: str
    name: str
    aliases: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    manager: str = ""
    description: str = ""
    number: str = ""
    addresses: Mapping[str, str] = {}
    active: bool = True

    @property
    def department(self) -> str:
        """The name of the main one."""
        return self.departments[0].rpartition("/")[2] if self.departments else ""

    @property
    def about(self) -> str:
        """Department and title: what tells him from namesakes."""
        return " ".join(part for part in (self.department, *self.titles[:1]) if part)

    def holds(self, words: str) -> bool:
        """Whether something that is known of him holds these words, whatever their case."""
        known = (
            self.login,
            self.name,
            self.description,
            self.number,
            *self.aliases,
            *self.titles,
            *self.roles,
            *self.departments,
            *self.addresses.values(),
        )
        wanted = words.casefold()
        return any(wanted in one.casefold() for one in known)


class Department(Struct, frozen=True, kw_only=True):
    """A part of the organisation.

    Attributes:
        path: the names from the top, joined by ``/``; identifies it.
        head: login of who leads it.
        addresses: channel → address of all of it, such as a group's robot.
    """

    path: str
    aliases: tuple[str, ...] = ()
    head: str = ""
    addresses: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class Directory:
    """People and departments, and the questions that can be asked of them.

    Args:
        people: logins are unique; departments are paths of ``departments``.
    """

    def __init__(self, people: Iterable[Person], departments: Iterable[Department] = ()) -> None:
        self.people: dict[str, Person] = {one.login: one for one in people if one.active}
        self.departments: dict[str, Department] = {one.path: one for one in departments}

    def person(self, login: str) -> Person | None:
        """The person of a login, whatever its case."""
        return self.people.get(login) or self._folded.get(login.casefold())

    @cached_property
    def _folded(self) -> dict[str, Person]:
        return {login.casefold(): one for login, one in self.people.items()}

    @cached_property
    def jobs(self) -> dict[str, tuple[Job, ...]]:
        """Login → titles and roles as they are compared."""
        return {
            login: tuple(job(title) for title in (*one.titles, *one.roles))
            for login, one in self.people.items()
        }

    @cached_property
    def titles(self) -> frozenset[str]:
        """Titles and roles that somebody holds, folded."""
        return frozenset(
            folded(title) for one in self.people.values() for title in (*one.titles, *one.roles)
        )

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        """Path → everybody below it."""
        found: dict[str, set[str]] = {path: set() for path in self.departments}
        for login, one in self.people.items():
            for path in one.departments:
                for above in lineage(path):
                    found.setdefault(above, set()).add(login)
        return {path: frozenset(logins) for path, logins in found.items()}

    def members(self, path: str = "") -> frozenset[str]:
        """Logins of all who belong to the department or a part of it; of all without a path."""
        return self._members.get(path, frozenset()) if path else frozenset(self.people)

    @cached_property
    def _direct(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for login, one in self.people.items():
            for path in one.departments:
                found.setdefault(path, set()).add(login)
        return {path: frozenset(logins) for path, logins in found.items()}

    def direct(self, path: str) -> frozenset[str]:
        """Logins of those who belong to the department itself."""
        return self._direct.get(path, frozenset())

    @cached_property
    def _heads(self) -> dict[str, str]:
        return {path: self._head(path) for path in self.departments}

    def head(self, path: str) -> str:
        """Login of who leads the department: as the directory says, else the one member of its
        highest rank of leaders; empty when that is nobody, or several."""
        return self._heads.get(path, "")

    def _head(self, path: str) -> str:
        named = self.departments[path].head
        if named and (known := self.person(named)):
            return known.login
        for tier in TIERS:
            leaders = [
                login
                for login in self.direct(path)
                if any(held.base in tier and not held.lesser for held in self.jobs[login])
            ]
            if leaders:
                return leaders[0] if len(leaders) == 1 else ""
        return ""

    @cached_property
    def _managers(self) -> dict[str, str]:
        return {login: self._manager(login) for login in self.people}

    def manager(self, login: str) -> str:
        """Login of whom somebody reports to; empty when nobody is known."""
        return self._managers[login]

    def _manager(self, login: str) -> str:
        one = self.people[login]
        if one.manager and (known := self.person(one.manager)):
            return known.login
        for path in one.departments[:1]:
            for above in reversed(lineage(path)):
                head = self.head(above)
                if head and head != login:
                    return head
        return ""

    @cached_property
    def _reports(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for login, manager in self._managers.items():
            found.setdefault(manager, set()).add(login)
        return {login: frozenset(people) for login, people in found.items()}

    def reports(self, login: str) -> frozenset[str]:
        """Logins of those who report to somebody directly."""
        return self._reports.get(login, frozenset())

    def led(self, login: str) -> tuple[str, ...]:
        """Paths of the departments that somebody leads."""
        return tuple(path for path, head in self._heads.items() if head == login)


def lineage(path: str) -> list[str]:
    """The path and all above it, the top first."""
    steps = path.split("/")
    return ["/".join(steps[: n + 1]) for n in range(len(steps))]


def is_within(path: str, above: str) -> bool:
    """Whether a department is another one or a part of it."""
    return path == above or path.startswith(above + "/")
