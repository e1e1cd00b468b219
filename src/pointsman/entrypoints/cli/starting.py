"""What a process that runs for long needs at its start."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from pointsman.engine.service import Service
from pointsman.errors import SettingsError
from pointsman.settings import Settings


def start_log(settings: Settings) -> None:
    """Our own messages are shown from INFO on, those of libraries from the level that is set."""
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.logging_level,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        force=True,
    )
    logging.getLogger("pointsman").setLevel(min(logging.INFO, settings.logging_level))
    # A connection that was lost is ours to tell of, once; these tell of its end with a traceback.
    for noisy in ("sqlalchemy.pool", "psycopg.pool", "procrastinate"):
        logging.getLogger(noisy).setLevel(max(logging.CRITICAL, settings.logging_level))


def check_names(service: Service, folders: Sequence[Path]) -> None:
    """Raises:
    SettingsError: two folders hold an agent of one name.
    """
    names = [agent.spec.name for agent in service.agents]
    if len(names) < len(folders):
        raise SettingsError(f"two of the folders hold an agent of the same name ({names})")
