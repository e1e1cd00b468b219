"""What the shape of ``agent.yaml`` cannot say. These checks look at the data as written, so that
their faults are reported together with those of the shape."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pointsman.domain.agent import Limits
from pointsman.errors import SettingsError
from pointsman.faults import Fault, Place, did_you_mean, looks_secret

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
PROMPT_FILE = re.compile(r"[^\s{}<>|*?\"]+\.(md|txt)")
"""Instructions of this form are the path of a file."""
_URL_SECRET = re.compile(r"[?&]([^=&#]+)=([^&#]+)")
_PARAMETER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")
_PASSWORD = re.compile(r"^[a-z+]+://[^/@:]*:([^/@]+)@")


def _leaves(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*place, index))
    else:
        yield place, value


def _outside(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Every text of the sections that speak to the outside."""
    for section in ("model", "tools"):
        for place, value in _leaves(raw.get(section), (section,)):
            if isinstance(value, str):
                yield place, value


def secrets(raw: Mapping[str, Any]) -> list[Fault]:
    """Secrets that stand in the file itself."""
    faults = []
    for place, value in _outside(raw):
        if "context" in place or _PARAMETER.fullmatch(value):  # what is filled in, and no value
            continue
        key = next((str(step) for step in reversed(place) if isinstance(step, str)), "")
        if looks_secret(key) and value and not VARIABLE.search(value):
            hint = "put it into an environment variable and "
            hint += "name it: key_env: NAME" if place[0] == "model" else "write ${NAME}"
            faults.append(Fault(place, "a secret stands in the file", hint))
        elif key in ("url", "server") and _holds_secret(value):
            hint = "put it into an environment variable and write ${NAME}"
            faults.append(Fault(place, "a secret stands in the address", hint))
    return faults


def _holds_secret(url: str) -> bool:
    found = [secret for name, secret in _URL_SECRET.findall(url) if looks_secret(name)]
    return any(
        not (VARIABLE.search(secret) or _PARAMETER.fullmatch(secret))
        for secret in (*found, *_PASSWORD.findall(url))
    )


def variables(raw: Mapping[str, Any]) -> list[Fault]:
    """``${NAME}`` where nothing fills it in, or written wrong."""
    faults = []
    for place, value in _outside(raw):
        if "${" not in value:
            continue
        if place != ("model", "base_url") and not _fillable(place[2:]):
            where = "model.base_url, and in addresses, headers, env and query of tools"
            faults.append(Fault(place, "${…} is not filled in here", f"it is in {where}"))
        elif "${" in VARIABLE.sub("", value):
            faults.append(Fault(place, "a variable is written ${NAME}"))
    return faults


def _fillable(place: Place) -> bool:
    """Whether a place inside of a tool's entry is filled in."""
    return place[:2] in _FILLED


_FILLED = (
    ("mcp", "env"),
    ("mcp", "headers"),
    ("mcp", "url"),
    ("sql", "url"),
    ("sql", "file"),
    *(("http", key) for key in ("url", "headers", "query", "body")),
    *(("openapi", key) for key in ("server", "headers", "query")),
)


def limits(raw: Mapping[str, Any]) -> list[Fault]:
    """Limits that ``Limits.checked`` refuses, each at its own line (case L10)."""
    faults = []
    given = raw.get("limits")
    for name, value in given.items() if isinstance(given, dict) else ():
        try:
            Limits.checked(**{name: value})
        except SettingsError as error:
            known = Limits.__struct_fields__
            hint = "" if name in known else did_you_mean(name, known)
            faults.append(Fault(("limits", name), str(error), hint))
    return faults


def prompt_file(raw: Mapping[str, Any], folder: Path) -> list[Fault]:
    """A file of instructions that is not there or cannot be read."""
    written = raw.get("instructions")
    if not isinstance(written, str) or not PROMPT_FILE.fullmatch(written):
        return []
    try:
        (folder / written).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return [Fault(("instructions",), f"{written} is not UTF-8 text", "save it as UTF-8")]
    except OSError as error:
        why = "there is no file" if isinstance(error, FileNotFoundError) else "cannot read"
        return [Fault(("instructions",), f"{why} {written} in {folder.name}")]
    return []
