"""Who may reach the server that is to start, and how the first administrator gets in."""

import ipaddress
import logging
import os

from pointsman.engine.service import Service
from pointsman.entrypoints import links
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.errors import SettingsError
from pointsman.settings import Settings
from pointsman.wiring.accounts import LOGIN, PASSWORD, admin_of_environment

log = logging.getLogger("pointsman.serve")


def address_of(settings: Settings) -> str:
    """The address to listen on.

    Raises:
        SettingsError: it is none, or others can reach it and nobody has said under which name.
    """
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise SettingsError(
            f"cannot listen on {host}: expected an address of this machine, such as 127.0.0.1"
        ) from None
    if not (loopback or settings.access.public_url or settings.access.allowed_hosts):
        raise SettingsError(
            f"cannot listen on {host}: others can reach it, so say under which address: set "
            "public_url (POINTSMAN_PUBLIC_URL), such as https://agents.example.com; or use "
            "127.0.0.1, ::1 or localhost"
        )
    if settings.access.public_url.startswith("http:") and not settings.is_local:
        log.warning(
            "%s has no TLS: whoever is on the way reads passwords and sessions",
            settings.access.public_url,
        )
    return host


async def admit_first(service: Service, settings: Settings) -> str:
    """The code by which the first administrator can be made, when there is none; else empty.

    Raises:
        SettingsError: others can reach the server, and there is no administrator; or the
            environment names one who will not do.
    """
    accounts = service.accounts
    assert accounts is not None
    if await admin_of_environment(accounts, os.environ):
        log.info("made the administrator %s", os.environ[LOGIN].strip())
    if await accounts.has_admin():
        return ""
    if not settings.is_local:
        raise SettingsError(
            "others can reach this server, and it has no administrator yet: make one with "
            f"`pointsman users add LOGIN --roles admin`, or set {LOGIN} and {PASSWORD}"
        )
    return await accounts.set_up_code()


def tell(terminal: Terminal, url: str, code: str) -> None:
    """Say how to sign in."""
    if code:
        terminal.tell("serve.set_up", link=url + links.set_up(code))
    else:
        terminal.tell("serve.sign_in", url=url)
