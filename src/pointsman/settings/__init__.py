"""Settings of this machine: the environment first, then ``pointsman.toml``, then the defaults.

What belongs to an agent stands in its ``agent.yaml``; here is where things run and are kept.
Every fault names the variable, or the file, line and key, and what was expected.
"""

from pointsman.settings.access import Access, Oidc, is_loopback_name
from pointsman.settings.loading import FILE_NAME, PREFIX, load
from pointsman.settings.places import DATABASE, DatabaseUrl, database, kept_in
from pointsman.settings.serving import Serving
from pointsman.settings.values import LogLevel, Settings, Synchronous, Workers

__all__ = [
    "DATABASE",
    "FILE_NAME",
    "PREFIX",
    "Access",
    "DatabaseUrl",
    "LogLevel",
    "Oidc",
    "Serving",
    "Settings",
    "Synchronous",
    "Workers",
    "database",
    "is_loopback_name",
    "kept_in",
    "load",
]
