"""Notifications: the channels of the settings, the outbox and the inboxes of the store."""

import logging
import os

from msgspec.structs import replace

from pointsman.adapters.notifiers.absent import AbsentNotifier
from pointsman.adapters.notifiers.choosing import notifier
from pointsman.adapters.notifiers.inbox import InboxNotifier
from pointsman.engine.accounts.roster import Roster
from pointsman.engine.notices.channels import SYSTEM, Channel, Channels
from pointsman.engine.notices.known_logins import KnownLogins
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.errors import MissingExtra, SettingsError
from pointsman.ports import Bus, Clock, Directory, KeepsNotices, Store
from pointsman.settings import Settings

log = logging.getLogger("pointsman.notices")

ADMIN = "admin"
"""The login that is known, and told of trouble, where nobody else is named."""


def mailroom_of(
    settings: Settings,
    store: Store,
    bus: Bus,
    clock: Clock,
    *,
    roster: Roster,
    all_carried: bool,
    directory: Directory | None = None,
) -> Mailroom:
    """The channels of the settings and the inbox, fed from the outbox in the store.

    Args:
        roster: who may sign in, and who minds the installation.
        all_carried: a channel whose secret is not known here is a fault; else it is left to
            another process.
        directory: who is who; as the settings say when None.

    Raises:
        SettingsError: a secret that a channel needs is not in the environment.
        MissingExtra: a channel needs Apprise.
        AgentFileError: a fault in the directory's file.
    """
    assert isinstance(store, KeepsNotices)
    made = [Channel(name=SYSTEM, notifier=InboxNotifier(store.inbox, bus, clock))]
    for name, spec in settings.channels.items():
        channel = Channel(
            name=name,
            notifier=AbsentNotifier(""),
            fallback=spec.fallback,
            groups=tuple(spec.rooms),
            carried=False,
        )
        try:
            speaking = notifier(name, spec, os.environ, clock)
            channel = replace(channel, notifier=speaking, carried=True)
        except (SettingsError, MissingExtra) as fault:
            if all_carried:
                raise
            log.info("not carried here: %s", fault)
        made.append(channel)
    channels = Channels(made, store, clock)
    return Mailroom(
        store.outbox,
        store.inbox,
        channels,
        directory or directory_of(settings, roster),
        clock,
        bus,
        alerts=lambda: settings.alerts or roster.get("admin") or (ADMIN,),
    )


def directory_of(settings: Settings, roster: Roster) -> Directory:
    """Who is who: the people of the directory, and those whose logins are known.

    Raises:
        AgentFileError: a fault in the directory's file.
    """
    known = KnownLogins(lambda: (*roster.logins, *settings.alerts, ADMIN))
    if settings.directory is None:
        return known
    from pointsman.agentfile.people import load
    from pointsman.engine.directory import KnownPeople

    return KnownPeople(load(settings.directory), known)
