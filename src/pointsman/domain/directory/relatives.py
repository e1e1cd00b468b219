"""Who somebody's manager, team and assistant are. Where a word may mean several, all are given."""

from pointsman.domain.directory.entries import Directory, is_within
from pointsman.domain.directory.job_titles import Job
from pointsman.domain.directory.office_words import (
    BRANCHES,
    GENERIC,
    LEADERS,
    PLAIN_HEAD,
    TEAMS,
    folded,
)


class Relatives:
    """The relations between people of a directory, by login."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def leaders(self, login: str, wanted: Job | None = None) -> list[str]:
        """Whom somebody's manager, director … may be: whom he reports to, and if he has not that
        title, also the next above who has."""
        direct = self._directory.manager(login)
        if not direct:
            return []
        above, seen = direct, {login}
        while wanted and above and above not in seen:
            if self.has(above, wanted):
                return list(dict.fromkeys((direct, above)))
            seen.add(above)
            above = self._directory.manager(above)
        return [direct]

    def has(self, login: str, wanted: Job) -> bool:
        """Whether somebody holds a leader's job; everybody who leads is a head."""
        return wanted.base == PLAIN_HEAD or any(
            held.base == wanted.base and held.lesser == wanted.lesser
            for held in self._directory.jobs[login]
        )

    def teams(self, login: str) -> list[frozenset[str]]:
        """The departments that somebody leads, or else the one he is in, and who reports to him."""
        directory = self._directory
        led = directory.led(login)
        if top := [one for one in led if not any(is_within(one, o) for o in led if o != one)]:
            return [frozenset().union(*map(directory.members, top))]
        own = directory.people[login].departments[:1]
        teams = [directory.members(path) for path in own]
        return [one for one in (*teams, directory.reports(login)) if one]

    def colleagues(self, login: str) -> frozenset[str]:
        """The others of his department."""
        own = self._directory.people[login].departments[:1]
        return frozenset().union(*map(self._directory.members, own)) - {login}

    def assistants(self, login: str) -> list[str]:
        """Assistants and secretaries who report to somebody."""
        return [
            one
            for one in sorted(self._directory.reports(login))
            if any(held.base in ("assistant", "secretary") for held in self._directory.jobs[one])
        ]

    def heads(self, kind: str, scope: str, wanted: Job) -> frozenset[str]:
        """Who leads the departments of a kind below another one; nobody, when it is not known of
        each.

        Args:
            kind: as it was said: 部门, departments, 组, teams …
            scope: a path, or empty for all.
        """
        leading = set()
        for path in self._directory.departments:
            if path == scope or (scope and not is_within(path, scope)) or not self._is(path, kind):
                continue
            if not self._directory.members(path):
                continue
            head = self._directory.head(path)
            if not head or not self.has(head, wanted):
                return frozenset()
            leading.add(head)
        return frozenset(leading)

    def _is(self, path: str, kind: str) -> bool:
        """Whether a department is of a kind: an office, a team, a branch, or anything between
        teams and branches."""
        one = self._directory.departments[path]
        said = _one_of(kind)
        if said not in (*TEAMS, *BRANCHES, *GENERIC):
            return any(folded(name).endswith(said) for name in (one.name, *one.aliases))
        own = next((which for which in (TEAMS, BRANCHES) if folded(one.name).endswith(which)), ())
        return own == next((which for which in (TEAMS, BRANCHES) if said.endswith(which)), ())


def is_leader(wanted: Job | None) -> bool:
    """Whether a title says that its holder leads people, and not in which field."""
    return wanted is not None and wanted.base in LEADERS and not wanted.field


def is_any_group(kind: str) -> bool:
    """Whether a word means departments or teams of any kind: everybody is in one."""
    return _one_of(kind) in (*TEAMS, *GENERIC)


def _one_of(kind: str) -> str:
    return kind.removesuffix("es") if kind.endswith("ches") else kind.removesuffix("s")
