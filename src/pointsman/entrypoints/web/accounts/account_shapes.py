"""The wire shapes of accounts, sessions and tokens. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from pointsman.domain.accounts import Entry, Source
from pointsman.domain.agent import Language
from pointsman.engine.accounts.users import Shown, Standing
from pointsman.ports.accounts import ApiToken

Secret = Annotated[SecretStr, Field(max_length=1024)]
Name = Annotated[str, Field(max_length=200)]
Login = Annotated[str, Field(min_length=1, max_length=255)]
Roles = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=50)]


def _zone(value: str) -> str:
    if value and value not in available_timezones():
        raise ValueError("expected a time zone such as Asia/Shanghai")
    return value


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Credentials(_Taken):
    """Who signs in."""

    login: Login
    password: Secret


class SetUp(_Taken):
    """The first administrator; ``code`` is of the link that the server has printed."""

    code: str = Field(max_length=200)
    login: Login
    password: Secret
    name: Name = ""


class Acceptance(_Taken):
    """The password that somebody chooses by a link."""

    password: Secret


class PasswordChange(_Taken):
    """A password in the place of another."""

    old: Secret
    new: Secret


class SessionChange(_Taken):
    """What a user says of himself; what is not given stays."""

    language: Language | Literal[""] | None = None
    timezone: Annotated[str, AfterValidator(_zone)] | None = None
    name: Name | None = None
    password: PasswordChange | None = None


class OidcShape(BaseModel):
    """The identity provider by which one may sign in."""

    name: str


class SessionShape(BaseModel):
    """Who asks. ``csrf`` goes into the header ``X-CSRF-Token`` of each request that changes
    something."""

    signed_in: bool
    sign_in_required: bool
    set_up: Literal["needed", "done"]
    login: str | None
    name: str | None
    roles: list[str]
    language: Language | None
    timezone: str | None
    csrf: str | None
    oidc: OidcShape | None
    version: str


class NewUser(_Taken):
    """A user to be invited; with the source ``oidc`` the identity provider's user of this login
    gets the account when he comes."""

    login: Login
    name: Name = ""
    roles: Roles = []
    source: Source = "password"


class UserChange(_Taken):
    """What is given is changed."""

    name: Name | None = None
    roles: Roles | None = None
    state: Literal["active", "disabled"] | None = None


class UserShape(BaseModel):
    """A user. ``roles`` are those that were given here; ``effective`` has those of the settings
    and of the identity provider too."""

    login: str
    name: str
    roles: list[str]
    effective: list[str]
    state: Shown
    created: datetime
    last_seen: datetime | None
    source: Source

    @classmethod
    def of(cls, one: Standing) -> "UserShape":
        account = one.account
        return cls(
            login=account.login,
            name=account.name,
            roles=list(account.roles),
            effective=sorted(one.roles),
            state=one.state,
            created=account.created,
            last_seen=account.seen,
            source=account.source,
        )


class UserList(BaseModel):
    """All users, by login."""

    users: list[UserShape]


class Invited(BaseModel):
    """A new user; ``invitation`` is the path of a link that works once, for three days."""

    user: UserShape
    invitation: str | None


class LinkShape(BaseModel):
    """The path of a link that works once, for three days."""

    link: str


class Ended(BaseModel):
    """How many sessions were ended."""

    ended: int


class NewToken(_Taken):
    """A token for a program; it can do what its owner may and its scopes allow."""

    name: str = Field(min_length=1, max_length=100)
    scopes: list[Literal["chat", "approve", "operate", "admin"]] = Field(min_length=1)
    days: int = Field(90, ge=1, le=366)


class TokenShape(BaseModel):
    """A token, without what makes it one."""

    id: str
    name: str
    scopes: list[str]
    created: datetime
    expires: datetime
    last_used: datetime | None
    prefix: str

    @classmethod
    def of(cls, one: ApiToken) -> "TokenShape":
        return cls(**given(one))


class MadeToken(TokenShape):
    """A new token; ``token`` is shown this once."""

    token: str


class TokenList(BaseModel):
    """The tokens of a user, newest first."""

    tokens: list[TokenShape]


def given(one: ApiToken) -> dict[str, Any]:
    """The fields of a token that are shown."""
    return {
        "id": one.id,
        "name": one.name,
        "scopes": list(one.scopes),
        "created": one.created,
        "expires": one.expires,
        "last_used": one.used,
        "prefix": one.prefix,
    }


class EntryShape(BaseModel):
    """A line of the security log."""

    seq: int
    at: datetime
    event: str
    login: str
    by: str
    address: str
    about: dict[str, Any]

    @classmethod
    def of(cls, one: Entry) -> "EntryShape":
        return cls(**{name: getattr(one, name) for name in one.__struct_fields__})


class EntryList(BaseModel):
    """The security log, newest first, a page at a time."""

    entries: list[EntryShape]
    before: int | None
