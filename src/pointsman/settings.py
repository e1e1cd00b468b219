"""Settings of this machine: the environment first, then ``pointsman.toml``, then the defaults.

What belongs to an agent stands in its ``agent.yaml``; here is where things run and are kept.
Every fault names the variable, or the file, line and key, and what was expected.
"""

import logging
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct
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
from pointsman.errors import SettingsError
from pointsman.faults import Fault, did_you_mean, dotted, faults_of, looks_secret

FILE_NAME = "pointsman.toml"
PREFIX = "POINTSMAN_"

LogLevel = Literal["debug", "info", "warning", "error"]
Synchronous = Literal["full", "normal"]


class Settings(Struct, frozen=True, kw_only=True):
    """Where and how this process runs.

    Attributes:
        agents: the agent folders.
        database: the SQLite file of the journal.
        synchronous: ``full`` survives a power cut; ``normal`` may lose the last moment in one, and
            is faster.
        language: of what the command line says; None takes the terminal's.
        roles: role → the logins that have it.
    """

    agents: tuple[Path, ...] = ()
    database: Path = Path(".pointsman/pointsman.db")
    synchronous: Synchronous = "full"
    host: str = "127.0.0.1"
    port: int = 8765
    log_level: LogLevel = "warning"
    language: Language | None = None
    roles: Mapping[str, tuple[str, ...]] = {}

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
    values: dict[str, Any] = {"database": folder / ".pointsman" / "pointsman.db"}
    for table, base in ((from_file, path.parent), (from_environ, Path())):
        given = table.model_dump(exclude_unset=True)
        if "database" in given:
            given["database"] = base / given["database"]
        if "agents" in given:
            given["agents"] = tuple(base / agent for agent in given["agents"])
        if "roles" in given:
            given["roles"] = {role: tuple(logins) for role, logins in given["roles"].items()}
        values |= {_FIELDS.get(name, name): value for name, value in given.items()}
    values.setdefault("agents", (folder,))
    return Settings(**values)


def _lowered(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _path(value: Any) -> Any:
    """A path, also written as a SQLite URL."""
    if not isinstance(value, str) or "://" not in value:
        return value
    scheme = value.partition("://")[0]
    if scheme.partition("+")[0] == "sqlite":
        return value.partition(":///")[2]
    raise ValueError(f"expected the path of a SQLite file, not the {scheme} URL {_masked(value)}")


def _masked(url: str) -> str:
    """A URL without its password."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return "given"
    return url.replace(f":{password}@", ":***@") if password else url


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
    database: Annotated[str, Field(min_length=1), BeforeValidator(_path)] = ""
    sqlite_synchronous: Annotated[Synchronous, BeforeValidator(_lowered)] = "full"
    host: Annotated[str, Field(min_length=1), AfterValidator(_host)] = ""
    port: int = Field(0, ge=1, le=65535)
    log_level: Annotated[LogLevel, BeforeValidator(_lowered)] = "warning"
    language: Annotated[Language, BeforeValidator(_lowered)] = "en"
    roles: Annotated[dict[str, list[_Name]], AfterValidator(_roles)] = {}


_KEYS = tuple(_Table.model_fields)
_FIELDS = {"sqlite_synchronous": "synchronous"}


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
        elif key == "port" and written.isdecimal():
            values[key] = int(written)
        elif key == "roles":
            values[key] = _written_roles(written)
    for name in environ:
        key = name.removeprefix(PREFIX).lower()
        if name.startswith(PREFIX) and key not in _KEYS and not looks_secret(key):
            hint = did_you_mean(key, _KEYS)
            if hint.startswith("did you mean"):
                known = hint.split("'")[1].upper()
                raise SettingsError(f"{name}: unknown setting; did you mean {PREFIX}{known}?")
    return values


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
