"""The directory's file: people and departments from YAML or CSV, or every fault with its place.

    departments:
      - name: 财务部
        aliases: [Finance]
        head: zhaomin
        departments: [{name: 核算组}]
    people:                       # or a file: people.csv
      - {login: zhaomin, name: 赵敏, title: 财务总监, department: 财务部, email: zhao@example.com}

A CSV file has one person a line, and in its first line the names of the columns, in Chinese or
English (``COLUMNS``); several values of one column are parted by ``;``. Its departments are paths,
such as 研发中心/前端组, and need not be declared.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema

from pointsman.agentfile.parts import Switch, Table, Text
from pointsman.agentfile.people_csv import rows
from pointsman.agentfile.text import Lines, Unreadable, decode, parse
from pointsman.domain.directory.entries import Department, Directory, Person
from pointsman.errors import AgentFileError
from pointsman.faults import Fault, Place, did_you_mean, dotted, faults_of

MOST_BYTES = 20_000_000
MOST_VALUES = 500_000
_EMAIL = r"^[^\s@,;<>]+@[^\s@,;<>]+$"
_PHONE = r"^\+?[0-9][0-9 ()-]{4,24}$"


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) and value else value


Texts = Annotated[
    list[Text],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class PersonTable(Table):
    """A person."""

    login: Annotated[str, Field(pattern=r"^\S+$")] = Field(description="Identifies him.")
    name: Text
    aliases: Texts = Field([], description="Nicknames, names in other scripts: his alone.")
    title: Texts = Field([], description="Job titles.")
    roles: Texts = Field([], description="What he is beside his job: system administrator.")
    department: Texts = Field([], description="Its name, or its path: 研发中心/前端组.")
    manager: str = Field("", description="Login of whom he reports to, if not the head.")
    description: str = Field("", description="What he does, in words.")
    number: str = Field("", description="Of the employee.")
    email: Annotated[str, Field(pattern=_EMAIL)] | None = None
    phone: Annotated[str, Field(pattern=_PHONE)] | None = Field(None, description="For sms.")
    weixin: Text | None = Field(None, description="For weixinuser.")
    addresses: dict[Text, Text] = Field({}, description="Channel → address, for any other.")
    active: Switch = Field(True, description="Who has left is never found.")


class DepartmentTable(Table):
    """A department and its parts."""

    name: Annotated[str, Field(pattern=r"^[^/\s][^/]*$")]
    aliases: Texts = Field([], description="Other names of it: Finance.")
    head: str = Field("", description="Login of who leads it.")
    addresses: dict[Text, Text] = Field({}, description="Channel → address of all of it.")
    departments: list["DepartmentTable"] = Field([], description="Its parts.")


class DirectoryTable(Table):
    """The whole file."""

    departments: list[DepartmentTable] = []
    people: list[PersonTable] = []


def load(path: Path) -> Directory:
    """The directory of a YAML or CSV file.

    Raises:
        AgentFileError: the first fault in the order of the file; ``others`` holds the rest.
    """
    if path.suffix.lower() == ".csv":
        people, lines = _people_of_csv(path)
        return _checked(path, lines, people, {}, declared=False)
    raw, lines, faults = _yaml(path)
    table, named = None, raw.get("people")
    beside = named if isinstance(named, str) and named.endswith(".csv") else ""
    try:
        table = DirectoryTable.model_validate(raw | {"people": []} if beside else raw)
    except ValidationError as error:
        faults += faults_of(error, DirectoryTable, raw)
    if table is not None and not beside and not table.people:
        faults.append(Fault(("people",), "there are no people", "list them, or name a CSV file"))
    if faults or table is None:
        raise _first(path, lines, faults)
    departments = dict(_paths(table.departments, ("departments",), ""))
    if beside:
        people, own = _people_of_csv(path.parent / beside)
        _raise_any(path, lines, _heads(departments, people))
        return _checked(path.parent / beside, own, people, departments, declared=bool(departments))
    people = [(("people", n), one) for n, one in enumerate(table.people)]
    wrong = _heads(departments, people)
    return _checked(path, lines, people, departments, declared=True, faults=wrong)


def _yaml(path: Path) -> tuple[Any, Lines, list[Fault]]:
    try:
        raw, lines, faults = parse(decode(path.read_bytes(), most=MOST_BYTES), most=MOST_VALUES)
    except Unreadable as fault:
        raise AgentFileError(
            fault.problem, file=str(path), line=fault.line, hint=fault.hint
        ) from None
    except OSError as error:
        why = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or "?"
        raise AgentFileError(why, file=str(path)) from None
    if not isinstance(raw, dict):
        raise _first(path, lines, [Fault((), "expected keys and values", "start with people:")])
    return raw, lines, faults


def _people_of_csv(path: Path) -> tuple[list[tuple[Place, PersonTable]], Lines]:
    try:
        written = path.read_bytes()
    except OSError as error:
        why = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or "?"
        raise AgentFileError(why, file=str(path)) from None
    try:
        found = rows(written)
    except Unreadable as fault:
        raise AgentFileError(
            fault.problem, file=str(path), line=fault.line, hint=fault.hint
        ) from None
    people: list[tuple[Place, PersonTable]] = []
    faults: list[Fault] = []
    places: dict[Place, int] = {(): 1}
    for line, row in found:
        place = ("line", line)
        places[place] = line
        try:
            people.append((place, PersonTable.model_validate(row)))
        except ValidationError as error:
            faults += [
                Fault((*place, *one.place), one.problem, one.hint)
                for one in faults_of(error, PersonTable, row)
            ]
    lines = Lines(places)
    if not people and not faults:
        faults.append(Fault((), "there are no people in the file"))
    _raise_any(path, lines, faults)
    return people, lines


def _paths(
    tables: Sequence[DepartmentTable], place: Place, above: str
) -> Iterator[tuple[str, tuple[Place, DepartmentTable]]]:
    for number, one in enumerate(tables):
        path = f"{above}/{one.name}" if above else one.name
        yield path, ((*place, number), one)
        yield from _paths(one.departments, (*place, number, "departments"), path)


def _checked(
    file: Path,
    lines: Lines,
    people: Sequence[tuple[Place, PersonTable]],
    departments: Mapping[str, tuple[Place, DepartmentTable]],
    *,
    declared: bool,
    faults: Iterable[Fault] = (),
) -> Directory:
    """The directory, when every name in it leads somewhere.

    Args:
        declared: only the departments that are given are known.
        faults: found before.
    """
    faults = list(faults)
    paths = list(departments) if declared else list(_paths_of(people))
    known = {one.login.casefold(): one for _, one in people}
    seen: dict[str, Place] = {}
    made: list[Person] = []
    for place, one in people:
        if (login := one.login.casefold()) in seen:
            told = f"the login {one.login!r} is also in line {lines.of(seen[login])}"
            faults.append(Fault((*place, "login"), told))
        seen.setdefault(login, place)
        if one.manager and one.manager.casefold() not in known:
            hint = did_you_mean(one.manager, [other.login for _, other in people])
            faults.append(Fault((*place, "manager"), f"nobody has the login {one.manager!r}", hint))
        homes = [_home(name, paths) for name in one.department]
        for name, home in zip(one.department, homes, strict=True):
            if isinstance(home, Fault):
                faults.append(Fault((*place, "department"), home.problem.format(name), home.hint))
        made.append(_person(one, [home for home in homes if isinstance(home, str)]))
    _raise_any(file, lines, faults)
    return Directory(
        made,
        [
            Department(
                path=path,
                aliases=tuple(departments[path][1].aliases) if path in departments else (),
                head=departments[path][1].head if path in departments else "",
                addresses=dict(departments[path][1].addresses) if path in departments else {},
            )
            for path in paths
        ],
    )


def _paths_of(people: Iterable[tuple[Place, PersonTable]]) -> dict[str, None]:
    """The departments that people name, and all above them."""
    found: dict[str, None] = {}
    for _, one in people:
        for path in one.department:
            steps = [step.strip() for step in path.split("/") if step.strip()]
            found |= {"/".join(steps[: n + 1]): None for n in range(len(steps))}
    return found


def _home(name: str, paths: Sequence[str]) -> str | Fault:
    """The department that a name or the end of a path means."""
    plain = "/".join(step.strip() for step in name.split("/") if step.strip())
    found = [path for path in paths if path == plain] or [
        path for path in paths if path.endswith("/" + plain)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        return Fault((), "several departments are called {!r}", f"write {' or '.join(found[:4])}")
    names = [path.rpartition("/")[2] for path in paths]
    return Fault((), "there is no department {!r}", did_you_mean(plain, names))


def _heads(
    departments: Mapping[str, tuple[Place, DepartmentTable]],
    people: Iterable[tuple[Place, PersonTable]],
) -> list[Fault]:
    """Heads whom nobody knows."""
    logins = {one.login.casefold(): one.login for _, one in people}
    return [
        Fault(
            (*place, "head"),
            f"nobody has the login {one.head!r}",
            did_you_mean(one.head, logins.values()),
        )
        for place, one in departments.values()
        if one.head and one.head.casefold() not in logins
    ]


def _person(one: PersonTable, homes: Sequence[str]) -> Person:
    given = {"email": one.email, "sms": one.phone, "weixinuser": one.weixin}
    return Person(
        login=one.login,
        name=one.name,
        aliases=tuple(one.aliases),
        titles=tuple(one.title),
        roles=tuple(one.roles),
        departments=tuple(homes),
        manager=one.manager,
        description=one.description,
        number=one.number,
        addresses={channel: at for channel, at in given.items() if at} | one.addresses,
        active=one.active,
    )


def _raise_any(file: Path, lines: Lines, faults: Sequence[Fault]) -> None:
    if faults:
        raise _first(file, lines, faults)


def _first(file: Path, lines: Lines, faults: Iterable[Fault]) -> AgentFileError:
    """One error for each fault, in the file's order, chained by ``others``."""
    errors = sorted(
        (
            AgentFileError(
                one.problem,
                file=str(file),
                line=lines.of(one.place),
                field=dotted(one.place[2:] if one.place[:1] == ("line",) else one.place),
                hint=one.hint,
            )
            for one in faults
        ),
        key=lambda error: error.line or 0,
    )
    first, *others = errors
    first.others = tuple(others)
    return first
