"""A channel's settings → the notifier that speaks to it, with its secrets from the environment."""

import logging
from collections.abc import Mapping

from pointsman.domain.limiting import rate_of
from pointsman.domain.notices.channel_specs import ChannelSpec
from pointsman.domain.notices.letters import LIMITS
from pointsman.errors import MissingExtra, SettingsError
from pointsman.ports import Clock, Notifier

_SHOW_ADDRESSES = ("aiohttp", "httpx", "httpcore", "urllib3", "requests", "aiosmtplib")
"""Libraries whose logs would show webhooks, and the keys in them (case N20)."""


def notifier(name: str, spec: ChannelSpec, environ: Mapping[str, str], clock: Clock) -> Notifier:
    """The notifier of a channel.

    Raises:
        SettingsError: a variable that it names is not set.
        MissingExtra: it needs Apprise.
    """
    for library in _SHOW_ADDRESSES:
        log = logging.getLogger(library)
        log.setLevel(max(log.level, logging.WARNING))

    def secret(variable: str) -> str:
        if value := environ.get(variable, "").strip():
            return value
        raise SettingsError(
            f"channel {name}: the environment variable {variable} is not set; export {variable}=…"
        )

    rate = rate_of(spec.rate) if spec.rate else None
    if spec.kind == "email":
        from pointsman.adapters.notifiers.email import EmailNotifier, MailServer

        server = MailServer(
            host=spec.host,
            port=spec.port,
            security=spec.security,
            user=spec.user,
            password=secret(spec.password_env) if spec.password_env else "",
            sender=spec.sender,
            title=spec.title,
        )
        return EmailNotifier(server, clock, limit=spec.limit or LIMITS["email"], rate=rate)
    given = {group: secret(variable) for group, variable in spec.rooms.items()}
    urls = given or {"": secret(spec.url_env)}
    if spec.kind == "apprise":
        try:
            from pointsman.adapters.notifiers.apprise import AppriseNotifier
        except ModuleNotFoundError as missing:
            raise MissingExtra(f"the channel {name!r}", "notify") from missing
        text = name == "sms"
        limit = spec.limit or LIMITS["sms" if text else "apprise"]
        return AppriseNotifier(urls, takes="phone" if text else "", limit=limit, rate=rate)
    from pointsman.adapters.notifiers.robots import KINDS, WECOM, WebhookNotifier

    assert spec.kind is not None
    if spec.kind.startswith("wecom"):
        urls = {group: url if "://" in url else WECOM + url for group, url in urls.items()}
    return WebhookNotifier(
        KINDS[spec.kind], urls, keyed=spec.idempotent, limit=spec.limit, rate=rate
    )
