"""Where the server is reached, how long sign-ins last, and who else vouches for people."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

OIDC_SECRET = "POINTSMAN_OIDC_SECRET"  # noqa: S105 - the name of a variable


class Oidc(Struct, frozen=True, kw_only=True):
    """An OpenID Connect provider.

    Attributes:
        issuer: its URL, exactly as it names itself.
        secret_env: the variable that holds the client's secret; without one the client is public.
        name: what people know it by.
        login_claim, groups_claim: where in its word the login and the groups stand.
        roles: group → the roles that its members have here; somebody in none of them gets an
            account only with ``create``, or when an administrator has made it for him.
    """

    issuer: str
    client_id: str
    secret_env: str = OIDC_SECRET
    name: str = "OpenID Connect"
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    login_claim: str = "preferred_username"
    groups_claim: str = "groups"
    roles: Mapping[str, tuple[str, ...]] = {}
    create: bool = False


class Access(Struct, frozen=True, kw_only=True):
    """Who gets in from where.

    Attributes:
        public_url: how people reach the server, without a slash at the end; empty on this machine.
        allowed_hosts: other names by which it may be asked.
        session_idle, session_lifetime: seconds without a request, and in all.
    """

    public_url: str = ""
    allowed_hosts: tuple[str, ...] = ()
    session_idle: float = 8 * 3600.0
    session_lifetime: float = 7 * 24 * 3600.0
    oidc: Oidc | None = None


def is_loopback_name(host: str) -> bool:
    """Whether a host name or address is this machine's own interface."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _public(value: str) -> str:
    parts = urlsplit(value)
    plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("https", "http") or not parts.hostname or not plain:
        raise ValueError(f"expected such as https://agents.example.com, not {value!r}")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _issuer(value: str) -> str:
    parts = urlsplit(value)
    near = parts.scheme == "http" and is_loopback_name(parts.hostname or "")
    if not parts.hostname or not (parts.scheme == "https" or near):
        raise ValueError(f"expected an https:// URL, not {value!r}")
    return value


def _names(value: list[str]) -> list[str]:
    for one in value:
        if not one or (set(one) & set("/:*@ ") and not one.startswith("[")):
            raise ValueError(f"expected a host name without scheme and port, not {one!r}")
    return [one.lower() for one in value]


_Text = Annotated[str, Field(min_length=1)]


class OidcTable(BaseModel):
    """The keys of ``[oidc]``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    issuer: Annotated[str, AfterValidator(_issuer)]
    client_id: _Text
    secret_env: str = OIDC_SECRET
    name: _Text = "OpenID Connect"
    scopes: list[_Text] = ["openid", "profile", "email"]
    login_claim: _Text = "preferred_username"
    groups_claim: _Text = "groups"
    roles: dict[str, list[_Text]] = {}
    create: bool = False


class AccessKeys(BaseModel):
    """The keys of the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    public_url: Annotated[str, AfterValidator(_public)] = ""
    allowed_hosts: Annotated[list[str], AfterValidator(_names)] = []
    session_idle: float = Field(1, ge=60, le=30 * 86_400)
    session_lifetime: float = Field(1, ge=60, le=366 * 86_400)
    oidc: OidcTable | None = None


ACCESS = frozenset(AccessKeys.model_fields)


def access_of(values: dict[str, Any]) -> Access:
    """This part of the checked values."""
    given = {name: values[name] for name in ACCESS if name in values}
    if "allowed_hosts" in given:
        given["allowed_hosts"] = tuple(given["allowed_hosts"])
    if given.get("oidc"):
        oidc: dict[str, Any] = dict(given["oidc"])
        if "scopes" in oidc:
            oidc["scopes"] = tuple(oidc["scopes"])
        oidc["roles"] = {group: tuple(roles) for group, roles in oidc.get("roles", {}).items()}
        given["oidc"] = Oidc(**oidc)
    return Access(**given)
