"""A channel as the settings set it up: read from words, checked, without any secret in it.

    [channels.email]
    host = "smtp.example.com"
    sender = "bot@example.com"
    password_env = "SMTP_PASSWORD"

Secrets stand in the environment; here is only how they are called there.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.limiting import rate_of
from pointsman.domain.notices.letters import is_email

ChannelKind = Literal["email", "wecom", "wecom_text", "dingtalk", "feishu", "webhook", "apprise"]
SYSTEM = "system"
_BY_NAME: dict[str, ChannelKind] = {
    "email": "email",
    "weixingroup": "wecom",
    "weixinuser": "apprise",
    "sms": "apprise",
}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ChannelSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel.

    Attributes:
        kind: how it is spoken to; told by the name for the channels that the office agent knows.
        fallback: the channel that takes, once, what this one will not.
        url_env: variable that holds the address of the service; ``{to}`` in it is the recipient's.
        rooms: group → variable that holds its webhook.
        idempotent: the service takes a message with a known ``Idempotency-Key`` once.
        rate: such as ``20/min``, for each address; ``limit``: bytes of one message.
        host, port, security, user, password_env, sender, title: of a mail server; ``title`` is
            the name before the sender's address.
    """

    kind: ChannelKind | None = None
    fallback: str = ""
    url_env: str = ""
    rooms: dict[str, str] = {}
    idempotent: bool = False
    rate: str = ""
    limit: int = 0
    host: str = ""
    port: int = 587
    security: Literal["starttls", "ssl", "none"] = "starttls"
    user: str = ""
    password_env: str = ""
    sender: str = ""
    title: str = ""


def channel_specs(said: Mapping[str, Any]) -> dict[str, ChannelSpec]:
    """The channels of a settings file.

    Raises:
        ValueError: which channel cannot be meant, and why.
    """
    specs = {name: _spec(name, one) for name, one in said.items()}
    for name, spec in specs.items():
        if spec.fallback and spec.fallback not in (SYSTEM, *specs):
            raise ValueError(f"{name}: there is no channel {spec.fallback!r} to fall back to")
        if spec.fallback == name:
            raise ValueError(f"{name}: it cannot fall back to itself")
    return specs


def _spec(name: str, said: Any) -> ChannelSpec:
    if not _NAME.fullmatch(name) or name == SYSTEM:
        raise ValueError(f"{name!r} is no name for a channel (the inbox is there by itself)")
    try:
        spec = msgspec.convert(said, ChannelSpec)
    except msgspec.ValidationError as fault:
        raise ValueError(f"{name}: {fault}") from None
    kind = spec.kind or _BY_NAME.get(name)
    if kind is None:
        raise ValueError(f"{name}: needs a kind: {', '.join(get_args(ChannelKind))}")
    if problem := _problem(kind, spec):
        raise ValueError(f"{name}: {problem}")
    return replace(spec, kind=kind)


def _problem(kind: ChannelKind, spec: ChannelSpec) -> str:
    variables = (spec.url_env, spec.password_env, *spec.rooms.values())
    if wrong := next((one for one in variables if one and not _VARIABLE.fullmatch(one)), ""):
        # It may be a secret in the wrong place, so it is not repeated whole.
        return f"expected the name of an environment variable, not {wrong[:4]!r}…"
    if spec.rate:
        rate_of(spec.rate)
    if spec.limit < 0 or not 0 < spec.port < 65536:
        return "limit must be 0 or more, and port from 1 to 65535"
    if kind == "email":
        if not spec.host:
            return "needs the host of a mail server"
        return "" if is_email(spec.sender) else "needs a sender, which is a mail address"
    if bool(spec.url_env) == bool(spec.rooms):
        return "needs either url_env or rooms"
    if kind in ("wecom", "wecom_text", "dingtalk", "feishu") and not spec.rooms:
        return "needs rooms: name of the group = variable that holds its webhook"
    return ""
