"""How an MCP tool server is reached, what of it is offered, and what may be said of it in a log.

Needs no SDK, so that an agent file can be checked without the ``mcp`` extra.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from pointsman.domain.limiting import ToolLimits
from pointsman.domain.tools import Risk
from pointsman.errors import SettingsError, ToolSourceError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    r"(?i)(\bbearer\s+|(?:api[_-]?key|token|secret|password|authorization)[\"']?\s*[:=]\s*"
    r"[\"']?(?:bearer\s+)?)[^\s\"',;]{4,}|\bsk-[\w-]{8,}"
)


class McpToolSettings(Struct, frozen=True, kw_only=True):
    """What an agent file says about one tool of a server; None leaves it to the server.

    Attributes:
        parameters: name → keywords of its schema.
    """

    risk: Risk | None = None
    timeout: float | None = None
    idempotent: bool | None = None
    retries: int | None = None
    title: str = ""
    titles: Mapping[str, str] = {}
    parameters: Mapping[str, Mapping[str, Any]] = {}
    limits: ToolLimits = ToolLimits()


class McpSettings(Struct, frozen=True, kw_only=True):
    """One MCP server.

    In ``command``, ``url``, ``env`` and ``headers``, ``${NAME}`` stands for a variable of our own
    environment.

    Attributes:
        name: the source's name, in the journal and in policies; unique in an agent.
        command: program and arguments of a server that speaks over stdin and stdout.
        url: endpoint of a server that speaks streamable HTTP. Either this or ``command``.
        env: variables for the process, besides the few that every program needs (PATH, HOME …).
        headers: sent with every HTTP request.
        cwd: where the process starts; empty for our own directory.
        allow: original names of the tools to offer; None offers all.
        deny: original names of tools not to offer.
        risk: of every tool that ``tools`` says nothing else about.
        tools: original name → what is said about that tool.
        trusted: whether what the server says of its tools (read-only, idempotent, title) counts.
        startup_timeout: seconds from start to the tool list.
        call_timeout: seconds for one call, and for one page of the tool list.
        prefix: stands before the tools' names; None for ``name``, empty for none.
        joiner: stands between prefix and tool name.

    Raises:
        SettingsError: neither or both of ``command`` and ``url``, or a time that is not positive.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: dict[str, str] = {}
    headers: dict[str, str] = {}
    cwd: str = ""
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    risk: Risk | None = None
    tools: dict[str, McpToolSettings] = {}
    trusted: bool = False
    startup_timeout: float = 60.0
    call_timeout: float = 30.0
    prefix: str | None = None
    joiner: str = "__"

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise SettingsError(f"MCP server {self.name!r} needs either a command or a url")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise SettingsError(f"MCP server {self.name!r}: {self.url!r} is no http(s) address")
        if not (self.startup_timeout > 0 and self.call_timeout > 0):
            raise SettingsError(f"MCP server {self.name!r}: timeouts must be positive")

    @property
    def name_prefix(self) -> str:
        return self.name if self.prefix is None else self.prefix

    def offers(self, original: str) -> bool:
        """Whether a tool of this name is to be offered."""
        return original not in self.deny and (self.allow is None or original in self.allow)

    def longest_call(self) -> float:
        """Seconds that the most patient tool may take."""
        return max(self.call_timeout, *(tool.timeout or 0.0 for tool in self.tools.values()), 0.0)


class Secrets:
    """The values that a server was given in confidence, and how to keep them out of texts."""

    def __init__(self, settings: McpSettings, environ: Mapping[str, str]) -> None:
        self._environ = environ
        declared = {**settings.env, **settings.headers}
        used = " ".join((*declared.values(), *settings.command, settings.url))
        values = {environ.get(name, "") for name in _VARIABLE.findall(used)}
        values |= {value for name, value in declared.items() if _SECRET_NAME.search(name)}
        self.values = tuple(sorted((v for v in values if len(v) >= 4), key=len, reverse=True))
        """The longest first."""

    def filled(self, text: str) -> str:
        """The text with every ``${NAME}`` replaced.

        Raises:
            ToolSourceError: our environment has no such variable.
        """
        return _VARIABLE.sub(self._value, text)

    def _value(self, found: re.Match[str]) -> str:
        try:
            return self._environ[found[1]]
        except KeyError:
            raise ToolSourceError(f"the environment variable {found[1]} is not set") from None

    def mask(self, text: str) -> str:
        """The text without the secrets, and without what looks like one."""
        for value in self.values:
            text = text.replace(value, "***")
        return _SECRET_TEXT.sub(lambda found: f"{found[1] or ''}***", text)
