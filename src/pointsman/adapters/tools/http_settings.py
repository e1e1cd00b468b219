"""HTTP operations as tools: what an agent file or an OpenAPI document says of them.

Needs no HTTP library, so that files can be checked without one being opened.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.limiting import ToolLimits
from pointsman.domain.tools import Risk
from pointsman.errors import ToolSourceError

Where = Literal["path", "query", "header", "body", "whole"]
"""Where a value goes; ``whole`` is the body itself."""
Encoding = Literal["json", "form"]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REPEATABLE = _SAFE | {"PUT", "DELETE"}
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpParameter(Struct, frozen=True, kw_only=True):
    """Where a parameter's value goes.

    Attributes:
        wire: its name there; that of the parameter when empty.
        joined: a list is one value with commas; else the name is repeated.
    """

    name: str
    where: Where
    wire: str = ""
    joined: bool = False

    @property
    def key(self) -> str:
        return self.wire or self.name


class HttpOperation(Struct, frozen=True, kw_only=True):
    """One tool.

    Attributes:
        url: with ``{name}`` for each parameter in the path, and no query; ``{name}`` alone for a
            URL that the model chooses.
        schema: JSON Schema of the arguments.
        body: with ``"{name}"`` for the values; None puts the parameters of the body into an object.
        query: what is always asked with; ``headers`` likewise.
        key_header: sent with the call's idempotency key; empty for none.
        said: parameter → keywords over those of the schema.
    """

    name: str
    original: str
    method: str
    url: str
    description: str = ""
    title: str = ""
    titles: Mapping[str, str] = {}
    schema: Mapping[str, Any] = {}
    said: Mapping[str, Mapping[str, Any]] = {}
    parameters: tuple[HttpParameter, ...] = ()
    body: Any = None
    encoding: Encoding = "json"
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    key_header: str = ""
    risk: Risk | None = None
    timeout: float | None = None
    idempotent: bool | None = None
    retries: int | None = None
    limits: ToolLimits = ToolLimits()

    @property
    def effect(self) -> Risk:
        """What it may do: what is said, else what the method promises."""
        return self.risk or (Risk.READ if self.method in _SAFE else Risk.WRITE)

    @property
    def repeatable(self) -> bool:
        """Whether twice is the same as once: what is said, else what the method promises. Source:
        RFC 9110, 9.2.2."""
        return self.method in _REPEATABLE if self.idempotent is None else self.idempotent


class HttpSettings(Struct, frozen=True, kw_only=True):
    """The operations of one server. ``${NAME}`` stands for a variable of our own environment, in
    URLs, headers, queries and bodies.

    Attributes:
        name: the source's name; unique in an agent.
        private: hosts that may have addresses which are not public.
        trusted: whether answers count as our own words.
    """

    name: str
    operations: tuple[HttpOperation, ...]
    private: tuple[str, ...] = ()
    trusted: bool = False


class Filler:
    """Puts the environment's values in, and keeps them out of texts."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._used: set[str] = set()

    def filled(self, value: Any) -> Any:
        """A JSON value with every ``${NAME}`` in its texts replaced.

        Raises:
            ToolSourceError: there is no such variable.
        """
        if isinstance(value, str):
            return _VARIABLE.sub(self._value, value)
        if isinstance(value, Mapping):
            return {key: self.filled(one) for key, one in value.items()}
        return [self.filled(one) for one in value] if isinstance(value, list) else value

    def _value(self, found: re.Match[str]) -> str:
        value = self._environ.get(found[1])
        if not value:
            raise ToolSourceError(f"the environment variable {found[1]} is not set")
        self._used.add(value)
        return value

    def mask(self, text: str) -> str:
        """The text without the values that were put in. Addresses stay, and what has less than
        four characters, which would blot out half of it."""
        for value in sorted(self._used, key=len, reverse=True):
            if len(value) >= 4 and "://" not in value:
                text = text.replace(value, "***")
        return text
