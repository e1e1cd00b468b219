"""Settings of this machine: the environment first, then ``pointsman.toml``, then the defaults.

What belongs to an agent stands in its ``agent.yaml``; here is where things run and are kept.
Every fault names the variable, or the file, line and key, and what was expected.
"""

import logging
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from pointsman.domain.agent import Language
from pointsman.domain.approvals import USER
from pointsman.domain.channel_specs import ChannelSpec, channel_specs
from pointsman.errors import SettingsError
from pointsman.faults import Fault, did_you_mean, dotted, faults_of, looks_secret

FILE_NAME = "pointsman.toml"
PREFIX = "POINTSMAN_"
DATABASE = "pointsman.db"
_FOLDER = ".pointsman"
_AGENT_FILE = "agent.yaml"

LogLevel = Literal["debug", "info", "warning", "error"]
Synchronous = Literal["full", "normal"]


class DatabaseUrl(Struct, frozen=True, repr_omit_defaults=True):
    """A PostgreSQL database. Shown as text it has no password; ``url`` has."""

    url: str

    def __str__(self) -> str:
        return _masked(self.url)

    __repr__ = __str__


class Workers(Struct, frozen=True, kw_only=True):
    """How workers on a PostgreSQL database go about it. Times in seconds.

    Attributes:
        concurrency: conversations that one worker drives at the same time.
        heartbeat: between two signs of life.
        dead_after: without one, a worker is taken for dead and its runs go on elsewhere.
        poll: between two looks for runs that nobody told of.
        grace: what runs get to end by themselves when their worker is to stop; half of
            ``dead_after`` unless it is set.
    """

    concurrency: int = 16
    heartbeat: float = 2.0
    dead_after: float = 6.0
    poll: float = 0.5
    grace: float = 3.0


class Settings(Struct, frozen=True, kw_only=True):
    """Where and how this process runs.

    Attributes:
        agents: the agent folders.
        database: of the journal: a SQLite file, or a PostgreSQL database.
        synchronous: how often a commit waits for the disk; see ``docs/scale.md``.
        language: of what the command line says; None takes the terminal's.
        roles: role → the logins that have it.
        channels: how messages reach people, besides the inbox.
        alerts: logins that are told what could not be delivered; who has the role ``admin`` when
            there is none, or the login ``admin``.
        directory: the people and departments, as YAML or CSV (``docs/directory.md``); without one
            only logins are known.
    """

    agents: tuple[Path, ...] = ()
    database: Path | DatabaseUrl = Path(".pointsman/pointsman.db")
    synchronous: Synchronous = "full"
    host: str = "127.0.0.1"
    port: int = 8765
    log_level: LogLevel = "warning"
    language: Language | None = None
    roles: Mapping[str, tuple[str, ...]] = {}
    channels: Mapping[str, ChannelSpec] = {}
    alerts: tuple[str, ...] = ()
    directory: Path | None = None
    workers: Workers = Workers()

    @property
    def has_database(self) -> bool:
        """Whether there is something to open: a file that is there, or a server's database."""
        return isinstance(self.database, DatabaseUrl) or self.database.exists()

    def with_concurrency(self, concurrency: int | None) -> "Settings":
        """The settings with so many conversations for each worker, if that is given."""
        if concurrency is None:
            return self
        return replace(self, workers=replace(self.workers, concurrency=concurrency))

    @property
    def logging_level(self) -> int:
        """The level as ``logging`` counts."""
        return logging.getLevelNamesMapping()[self.log_level.upper()]


def load(
    environ: Mapping[str, str], *, file: Path | None = None, folder: Path | None = None
) -> Settings:
    """The settings.

    Args:
        file: a settings file that must exist; else ``pointsman.toml`` in ``folder`` is read if it
            is there.
        folder: the agent folder that the command is about, here by default. The database lies in
            its ``.pointsman`` unless a setting says else, and paths in the file are relative to
            the file.

    Raises:
        SettingsError: names every fault.
    """
    folder = folder or Path()
    path = file or folder / FILE_NAME
    written, text = _read(path, needed=file is not None)
    from_file = _checked(written, lambda fault: _in_file(fault, path, text))
    from_environ = _checked(_variables(environ), _in_environ)
    values: dict[str, Any] = {"database": folder / _FOLDER / DATABASE}
    for table, base in ((from_file, path.parent), (from_environ, Path())):
        given = table.model_dump(exclude_unset=True)
        if "data" in given and "database" in given:
            raise SettingsError("two places for the journal: give one of data and database")
        if "data" in given:
            given["database"] = kept_in(base / given.pop("data"))
        elif "database" in given:
            given["database"] = database(given["database"], base)
        if "agents" in given:
            given["agents"] = tuple(base / agent for agent in given["agents"])
        if "directory" in given:
            given["directory"] = base / given["directory"]
        if "alerts" in given:
            given["alerts"] = tuple(given["alerts"])
        if "roles" in given:
            given["roles"] = {role: tuple(logins) for role, logins in given["roles"].items()}
        values |= given
    values.setdefault("agents", (folder,))
    return Settings(
        **{k: v for k, v in values.items() if k not in _WORKER}, workers=_workers(values)
    )


def kept_in(folder: Path) -> Path:
    """The SQLite file in a folder of data; an agent's folder has one for that."""
    inner = folder / _FOLDER if (folder / _AGENT_FILE).exists() else folder
    return inner / DATABASE


def _workers(values: dict[str, Any]) -> Workers:
    given = {name: values[key] for key, name in _WORKER.items() if key in values}
    workers = Workers(**given)
    if "grace" not in given:
        workers = replace(workers, grace=workers.dead_after / 2)
    if workers.dead_after < 2 * workers.heartbeat:
        raise SettingsError(
            f"worker_dead_after ({workers.dead_after:g}) must be twice worker_heartbeat "
            f"({workers.heartbeat:g}) or more: a worker that is only late would be taken for dead"
        )
    if workers.grace >= workers.dead_after:
        raise SettingsError(
            f"worker_grace ({workers.grace:g}) must be less than worker_dead_after "
            f"({workers.dead_after:g}): a worker that stops gives no sign of life"
        )
    return workers


def _lowered(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def database(given: str, base: Path = Path()) -> Path | DatabaseUrl:
    """The database that a person named: a path, relative to ``base``, or a URL.

    Raises:
        ValueError: it is a URL that cannot be meant.
    """
    place = _place(given)
    return DatabaseUrl(place) if "://" in place else base / place


def _place(value: Any) -> Any:
    """A path, or a URL of PostgreSQL in its one form."""
    if not isinstance(value, str) or "://" not in value:
        return value
    scheme, _, rest = value.partition("://")
    match scheme.partition("+")[0]:
        case "sqlite" if rest.startswith("/"):
            return rest[1:]
        case "postgresql" | "postgres":
            return _checked_url(f"postgresql://{rest}")
    raise ValueError(
        f"expected the path of a SQLite file or a postgresql:// URL, not {_masked(value)}"
    )


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        if len(parts.path) > 1 and not parts.fragment:
            return url
    except ValueError:
        pass
    raise ValueError(
        "expected postgresql://user:password@host/database "
        "(in the password, write / as %2F, @ as %40, # as %23, % as %25)"
    )


def _masked(url: str) -> str:
    """A URL without its password, wherever it stands."""
    url = re.sub(r"(?<=://)([^:/@?]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)(password=)[^&]*", r"\1***", url)


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:-]+", value):
        raise ValueError(f"expected a host name or address, not {value!r}")
    return value


def _roles(value: dict[str, list[str]]) -> dict[str, list[str]]:
    for role in value:
        if role == USER or not role.strip():
            raise ValueError(f"{role!r} is no name for a role")
    return value


_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class _Table(BaseModel):
    """The keys of the file; the variables are the same with ``POINTSMAN_`` before them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    agents: list[Annotated[str, Field(min_length=1)]] = []
    data: Annotated[str, Field(min_length=1)] = ""
    database: Annotated[str, Field(min_length=1), BeforeValidator(_place)] = ""
    synchronous: Annotated[Synchronous, BeforeValidator(_lowered)] = "full"
    directory: Annotated[str, Field(min_length=1)] = ""
    host: Annotated[str, Field(min_length=1), AfterValidator(_host)] = ""
    port: int = Field(0, ge=1, le=65535)
    log_level: Annotated[LogLevel, BeforeValidator(_lowered)] = "warning"
    language: Annotated[Language, BeforeValidator(_lowered)] = "en"
    roles: Annotated[dict[str, list[_Name]], AfterValidator(_roles)] = {}
    channels: Annotated[dict[str, Any], AfterValidator(channel_specs)] = {}
    alerts: list[_Name] = []
    worker_concurrency: int = Field(1, ge=1, le=1000)
    worker_heartbeat: float = Field(1, ge=0.1, le=600)
    worker_dead_after: float = Field(1, ge=0.2, le=3600)
    worker_poll: float = Field(1, ge=0.05, le=60)
    worker_grace: float = Field(1, ge=0, le=3600)


_WORKER = {f"worker_{name}": name for name in Workers.__struct_fields__}
_KEYS = tuple(_Table.model_fields)


def _read(path: Path, *, needed: bool) -> tuple[dict[str, Any], str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text), text
    except FileNotFoundError:
        if needed:
            raise SettingsError(f"{path}: no such file") from None
        return {}, ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8 text (save it as UTF-8)") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: no valid TOML: {error}") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None


def _variables(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings that the environment gives. Blank means: not given."""
    values: dict[str, Any] = {}
    for key in _KEYS:
        written = environ.get(PREFIX + key.upper(), "").strip()
        if not written:
            continue
        values[key] = written
        if key == "agents":
            values[key] = [part for part in written.split(os.pathsep) if part]
        elif _Table.model_fields[key].annotation in (int, float):
            values[key] = _number(written)
        elif key == "roles":
            values[key] = _written_roles(written)
        elif key == "alerts":
            values[key] = [login for login in written.split(",") if login.strip()]
    for name in environ:
        key = name.removeprefix(PREFIX).lower()
        if name.startswith(PREFIX) and key not in _KEYS and not looks_secret(key):
            hint = did_you_mean(key, _KEYS)
            if hint.startswith("did you mean"):
                known = hint.split("'")[1].upper()
                raise SettingsError(f"{name}: unknown setting; did you mean {PREFIX}{known}?")
    return values


def _number(written: str) -> Any:
    """The number that is written; else the text, which is refused with its name."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(written)
    return written


def _written_roles(written: str) -> dict[str, list[str]]:
    """``finance=li,wang; approver=bo``."""
    roles: dict[str, list[str]] = {}
    for part in filter(str.strip, written.split(";")):
        role, equals, logins = part.partition("=")
        if not equals:
            raise SettingsError(f"{PREFIX}ROLES: expected role=login,login;…, not {part.strip()!r}")
        roles[role.strip()] = [one for one in logins.split(",") if one.strip()]
    return roles


def _checked(values: dict[str, Any], place: Callable[[Fault], str]) -> _Table:
    try:
        return _Table.model_validate(values)
    except ValidationError as error:
        faults = faults_of(error, _Table, values)
        raise SettingsError("; ".join(map(place, faults))) from None


def _in_environ(fault: Fault) -> str:
    return f"{PREFIX}{str(fault.place[0]).upper()}: {_sentence(fault)}"


def _in_file(fault: Fault, path: Path, text: str) -> str:
    key = re.compile(rf"\s*[\[\"']*{re.escape(str(fault.place[0]))}[\]\"']*\s*(=|$|\.)")
    lines = (number for number, line in enumerate(text.splitlines(), 1) if key.match(line))
    line = next(lines, None)
    return f"{path}{f':{line}' if line else ''}: {dotted(fault.place)}: {_sentence(fault)}"


def _sentence(fault: Fault) -> str:
    return f"{fault.problem} ({fault.hint})" if fault.hint else fault.problem
