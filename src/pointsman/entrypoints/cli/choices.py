"""What a command works on: which agent, which database, which language. Options win over the
environment, that over ``pointsman.toml``, that over what lies in the folder.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pointsman import agentfile, settings
from pointsman.domain.agent import Language
from pointsman.domain.text import clean
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.entrypoints.cli.texts import ambient_language
from pointsman.errors import AgentFileError, CallerError, SettingsError
from pointsman.settings import DatabaseUrl, Settings

DATA, DATABASE = "POINTSMAN_DATA", "POINTSMAN_DATABASE"
OURS = frozenset({"POINTSMAN_USER", "POINTSMAN_DEBUG", "POINTSMAN_AUDIT_KEY"})
"""Variables that the command line reads itself."""

_TALKATIVE = ("mcp", "httpx", "httpx2")
_DATABASE = "pointsman.db"
_FOLDER = ".pointsman"


class Choices(Struct, frozen=True, kw_only=True):
    """What the options before the command said."""

    language: Language | None = None
    debug: bool = False

    def one(self, agent: Path | None, data: Path | None) -> tuple[Path, Settings, Terminal]:
        """One agent, its settings and a terminal that speaks its language.

        Raises:
            AgentFileError, SettingsError: what to mend.
            CallerError: there is no agent here, or several are set.
        """
        agents, loaded, terminal = self.several([agent] if agent else [], data)
        if len(agents) > 1:
            raise CallerError(f"name one of the agents: {', '.join(map(str, agents))}")
        return agents[0], loaded, terminal

    def several(
        self, agents: Sequence[Path], data: Path | None
    ) -> tuple[Sequence[Path], Settings, Terminal]:
        """The same for any number of agents."""
        loaded = _settings(data, _folder(agents[0]) if len(agents) == 1 else Path())
        if not agents:
            agents = loaded.agents
            if agents == (Path(),) and not Path(agentfile.FILE_NAME).exists():
                raise CallerError(
                    f"there is no {agentfile.FILE_NAME} here: name an agent's folder, "
                    "or write one with `pointsman init my-agent`"
                )
        language = agentfile.language(agents[0])
        return agents, loaded, self.terminal(loaded, language)

    def journal(self, data: Path | None) -> tuple[Settings, Terminal]:
        """The database that was named, or of the agent here, or the only one below here.

        Raises:
            CallerError: there are several.
        """
        own = data if data is not None and (data / agentfile.FILE_NAME).exists() else Path()
        loaded = _settings(data, own)
        if data is None and DATA not in os.environ and not loaded.has_database:
            below = [
                path
                for depth in ("*", "*/*")
                for path in sorted(Path().glob(f"{depth}/{_FOLDER}/{_DATABASE}"))
            ]
            if len(below) > 1:
                folders = ", ".join(str(path.parent) for path in below)
                raise CallerError(f"name a database with --data; there are {folders}")
            if below:
                loaded = replace(_settings(None, below[0].parent.parent), database=below[0])
        return loaded, self.terminal(loaded)

    def doctor(self, agent: Path | None, data: Path | None) -> tuple[Path, Settings, Terminal]:
        """The same as ``one``, for whoever wants to report a broken agent file himself."""
        folder = agent or Path()
        loaded = _settings(data, _folder(folder))
        try:
            language = agentfile.language(folder)
        except AgentFileError:
            language = None
        return folder, loaded, self.terminal(loaded, language)

    def terminal(self, loaded: Settings | None = None, agents: Language | None = None) -> Terminal:
        """A terminal in the language that was asked for, else set, else the agent's, else the
        environment's; warnings go there too."""
        show_log(loaded.logging_level if loaded else logging.WARNING, traces=self.debug)
        wanted = self.language or (loaded.language if loaded else None) or agents
        return Terminal(wanted or ambient_language())


def user_of(name: str) -> str:
    """A login as it may be stored.

    Raises:
        SettingsError: it is blank or too long.
    """
    name = clean(name).strip()
    if not name or len(name) > 255:
        raise SettingsError("--user must be 1 to 255 characters")
    return name


def data_option(folder: Path, loaded: Settings) -> Path | None:
    """What ``--data`` must say to find this database again, if anything."""
    if isinstance(loaded.database, DatabaseUrl):
        return None
    if loaded.database in (_folder(folder) / _FOLDER / _DATABASE, Path(_FOLDER) / _DATABASE):
        return None
    return loaded.database.parent if loaded.database.name == _DATABASE else None


def show_log(level: int, *, traces: bool) -> None:
    """Let log messages go to stderr, with tracebacks only if wanted. What libraries say of each
    request is for who debugs."""
    if traces:
        level = logging.DEBUG
    logging.getLogger().setLevel(level)
    for name in _TALKATIVE:
        quiet = logging.NOTSET if level <= logging.DEBUG else max(level, logging.WARNING)
        logging.getLogger(name).setLevel(quiet)
    if logging.lastResort is not None:
        logging.lastResort.setLevel(level)
        logging.lastResort.setFormatter(None if traces else _WithoutTraces())


class _WithoutTraces(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname.lower()}: {record.getMessage()}"


def _folder(agent: Path) -> Path:
    return agent.parent if agent.is_file() else agent


def _settings(data: Path | None, folder: Path) -> Settings:
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    if data is not None:
        environment |= {DATA: str(data), DATABASE: ""}
    return settings.load(environment, folder=folder)
