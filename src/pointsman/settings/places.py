"""Where the journal is kept: a SQLite file, or a database of PostgreSQL named by a URL."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

DATABASE = "pointsman.db"
FOLDER = ".pointsman"
_AGENT_FILE = "agent.yaml"


class DatabaseUrl(Struct, frozen=True, repr_omit_defaults=True):
    """A PostgreSQL database. Shown as text it has no password; ``url`` has."""

    url: str

    def __str__(self) -> str:
        return masked(self.url)

    __repr__ = __str__


def kept_in(folder: Path) -> Path:
    """The SQLite file in a folder of data; an agent's folder has one for that."""
    inner = folder / FOLDER if (folder / _AGENT_FILE).exists() else folder
    return inner / DATABASE


def database(given: str, base: Path = Path()) -> Path | DatabaseUrl:
    """The database that a person named: a path, relative to ``base``, or a URL.

    Raises:
        ValueError: it is a URL that cannot be meant.
    """
    named = place(given)
    return DatabaseUrl(named) if "://" in named else base / named


def place(value: Any) -> Any:
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
        f"expected the path of a SQLite file or a postgresql:// URL, not {masked(value)}"
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


def masked(url: str) -> str:
    """A URL without its password, wherever it stands."""
    url = re.sub(r"(?<=://)([^:/@?]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)(password=)[^&]*", r"\1***", url)
