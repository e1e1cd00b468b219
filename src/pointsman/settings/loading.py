"""Reading the file and the environment, and making settings of both."""

import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pointsman.errors import SettingsError
from pointsman.faults import Fault, did_you_mean, dotted, looks_secret
from pointsman.settings.access import ACCESS, access_of
from pointsman.settings.places import DATABASE, FOLDER, database, kept_in
from pointsman.settings.serving import SERVING, serving_of
from pointsman.settings.table import KEYS, WORKER, Table, checked
from pointsman.settings.values import Settings, Workers

FILE_NAME = "pointsman.toml"
PREFIX = "POINTSMAN_"
ELSEWHERE = frozenset({"admin_login"})
"""Variables that are no settings, and are read where they are needed."""
_LISTS = ("alerts", "server_proxies", "allowed_hosts")
"""Written with commas between in the environment."""


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
    from_file = checked(written, lambda fault: _in_file(fault, path, text))
    from_environ = checked(_variables(environ), _in_environ)
    values: dict[str, Any] = {"database": folder / FOLDER / DATABASE}
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
    parts = {*WORKER, *SERVING, *ACCESS}
    return Settings(
        **{key: value for key, value in values.items() if key not in parts},
        workers=_workers(values),
        serving=serving_of(values),
        access=access_of(values),
    )


def _workers(values: dict[str, Any]) -> Workers:
    given = {name: values[key] for key, name in WORKER.items() if key in values}
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
    for key in KEYS:
        written = environ.get(PREFIX + key.upper(), "").strip()
        if not written:
            continue
        values[key] = written
        if key == "agents":
            values[key] = [part for part in written.split(os.pathsep) if part]
        elif Table.model_fields[key].annotation in (int, float):
            values[key] = _number(written)
        elif key == "roles":
            values[key] = _written_roles(written)
        elif key in _LISTS:
            values[key] = [one.strip() for one in written.split(",") if one.strip()]
    for name in environ:
        key = name.removeprefix(PREFIX).lower()
        if (
            name.startswith(PREFIX)
            and key not in KEYS
            and key not in ELSEWHERE
            and not looks_secret(key)
        ):
            hint = did_you_mean(key, KEYS)
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


def _in_environ(fault: Fault) -> str:
    return f"{PREFIX}{str(fault.place[0]).upper()}: {_sentence(fault)}"


def _in_file(fault: Fault, path: Path, text: str) -> str:
    key = re.compile(rf"\s*[\[\"']*{re.escape(str(fault.place[0]))}[\]\"']*\s*(=|$|\.)")
    lines = (number for number, line in enumerate(text.splitlines(), 1) if key.match(line))
    line = next(lines, None)
    return f"{path}{f':{line}' if line else ''}: {dotted(fault.place)}: {_sentence(fault)}"


def _sentence(fault: Fault) -> str:
    return f"{fault.problem} ({fault.hint})" if fault.hint else fault.problem
