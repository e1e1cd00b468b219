"""The settings as the rest of the program reads them."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.notices.channel_specs import ChannelSpec
from pointsman.settings.access import Access, is_loopback_name
from pointsman.settings.places import DatabaseUrl
from pointsman.settings.serving import Serving

LogLevel = Literal["debug", "info", "warning", "error"]
Synchronous = Literal["full", "normal"]


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
        directory: the people and departments, as YAML or CSV (``docs/directory.md``), besides
            the logins that are known.
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
    serving: Serving = Serving()
    access: Access = Access()

    @property
    def has_database(self) -> bool:
        """Whether there is something to open: a file that is there, or a server's database."""
        return isinstance(self.database, DatabaseUrl) or self.database.exists()

    @property
    def is_local(self) -> bool:
        """Whether only this machine's own programs reach the server."""
        public = bool(self.access.public_url or self.access.allowed_hosts)
        return is_loopback_name(self.host) and not public

    def with_concurrency(self, concurrency: int | None) -> "Settings":
        """The settings with so many conversations for each worker, if that is given."""
        if concurrency is None:
            return self
        return replace(self, workers=replace(self.workers, concurrency=concurrency))

    @property
    def logging_level(self) -> int:
        """The level as ``logging`` counts."""
        return logging.getLevelNamesMapping()[self.log_level.upper()]
