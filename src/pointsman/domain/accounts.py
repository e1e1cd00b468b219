"""Accounts: who somebody is, what roles he has, which passwords, logins and tokens will do.

Pure: what is drawn by lot comes in as bytes, the time as an instant. Secrets are never stored: what
is kept of a session, a token or a link is its ``digest``. These secrets have 256 bits, so a plain
hash keeps them; passwords, which people choose, are hashed by ``ports.accounts.Passwords``.
"""

import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, get_args

from msgspec import Struct

from pointsman.domain.agent import Language

SystemRole = Literal["user", "approver", "operator", "admin"]
Scope = Literal["chat", "approve", "operate", "admin"]
State = Literal["active", "disabled", "invited"]
Source = Literal["password", "oidc"]

ROLES: tuple[SystemRole, ...] = get_args(SystemRole)
"""What the server itself knows; any other role means something to policies alone."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

LOCAL = "local"
"""The login of whoever uses a server that has no accounts yet, and of the command line."""
RESERVED = frozenset({LOCAL, "operator", "system", "clock"})
"""Logins that the program gives itself."""

SHORTEST, LONGEST = 10, 256
"""Characters of a password."""
_DISTINCT = 5
_COMMON = frozenset(
    "123456789012 1234567890123 111111111111 password1234 passwordpassword administrator1 "
    "qwertyuiop123 qwertyuiopasdf letmeinletmein welcome12345 changeme1234 iloveyou1234 "
    "woaini1314520 adminadmin123 pointsman1234 pointsmanpointsman".split()
)
_LOGIN = re.compile(r"[^\W_](?:[\w.@+-]{0,62}[^\W_])?")
_ROLE = re.compile(r"[^\W_](?:[\w .:-]{0,62}[^\W_])?")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PREFIX = "pm_"
_SECRET, _SUM = 43, 6
"""Digits of a secret of 256 bits, and of a sum of 32."""
_TOKEN = re.compile(rf"{_PREFIX}([0-9A-Za-z]{{{_SECRET}}})([0-9A-Za-z]{{{_SUM}}})")
SHOWN = 8
"""Characters of a token that may be shown later, to tell it from others."""


class Account(Struct, frozen=True, kw_only=True):
    """A user.

    Attributes:
        login: what everything of his belongs to; unique whatever its case and width.
        roles: what an administrator gave him.
        granted: what his identity provider gave him at his last sign-in.
        password: its hash; empty for who has none.
        issuer, subject: who vouches for him, and as whom; empty for a password account, and the
            subject also until he has come for the first time.
        language, timezone: what he chose; empty when he did not.
        version: rises with each change.
    """

    login: str
    created: datetime
    name: str = ""
    roles: tuple[str, ...] = ()
    granted: tuple[str, ...] = ()
    state: State = "active"
    source: Source = "password"
    password: str = ""
    issuer: str = ""
    subject: str = ""
    language: Language | Literal[""] = ""
    timezone: str = ""
    seen: datetime | None = None
    version: int = 1

    @property
    def folded(self) -> str:
        """The login as it is compared."""
        return folded(self.login)

    @property
    def own_roles(self) -> frozenset[str]:
        """His roles, without those that the settings give his login."""
        return completed([*self.roles, *self.granted])

    @property
    def is_admin(self) -> bool:
        return "admin" in self.own_roles


def completed(roles: Iterable[str]) -> frozenset[str]:
    """The roles with those that they include: everybody is a user, an admin may do all."""
    given = {*roles, "user"}
    return frozenset(given | set(ROLES) if "admin" in given else given)


def within(roles: frozenset[str], scopes: Iterable[str]) -> frozenset[str]:
    """The roles that are left to a token of these scopes."""
    kept: set[str] = set()
    for scope in scopes:
        match scope:
            case "chat":
                kept |= {"user"}
            case "approve":
                kept |= {"approver"} | (roles - set(ROLES))
            case "operate":
                kept |= {"operator"}
            case "admin":
                kept |= {"admin"}
    return roles & kept


def may_have(roles: frozenset[str], scope: str) -> bool:
    """Whether somebody with these roles may have a token of this scope."""
    needed = {"operate": "operator", "admin": "admin"}.get(scope, "user")
    return needed in roles


def folded(login: str) -> str:
    """A login as it is compared: without case, width and accents written apart."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", login).casefold()).strip()


def login_fault(login: str) -> str:
    """Why this can be no login; empty when it can."""
    if not _LOGIN.fullmatch(login) or unicodedata.normalize("NFKC", login) != login:
        return "expected 1 to 64 letters, digits and . _ @ + -, beginning and ending with a letter"
    return f"{login!r} is taken by the program itself" if folded(login) in RESERVED else ""


def role_fault(role: str) -> str:
    """Why this can be no role; empty when it can."""
    return "" if _ROLE.fullmatch(role) else f"{role!r} is no name for a role"


PasswordFault = Literal[
    "", "password_too_short", "password_too_long", "password_too_simple", "password_like_login"
]
PASSWORD_FAULTS: Mapping[str, str] = {
    "password_too_short": f"a password needs {SHORTEST} characters or more",
    "password_too_long": f"a password may have {LONGEST} characters",
    "password_too_simple": "this password is among the first that are guessed",
    "password_like_login": "a password must not contain the login",
}


def normal_password(password: str) -> str:
    """A password as it is hashed: the same whichever keyboard wrote it.

    Source: NIST SP 800-63B-4, section 3.1.1.2.
    """
    return unicodedata.normalize("NFKC", password)


def password_fault(password: str, login: str) -> PasswordFault:
    """Why this password will not do; empty when it will. Nothing is asked of its kinds of
    characters: length is what helps.

    Source: NIST SP 800-63B-4, section 3.1.1.2.
    """
    normal = normal_password(password)
    plain = normal.casefold()
    if len(normal) < SHORTEST:
        return "password_too_short"
    if len(normal) > LONGEST:
        return "password_too_long"
    if len(set(plain)) < _DISTINCT or plain in _COMMON:
        return "password_too_simple"
    if len(login) > 2 and folded(login) in plain:
        return "password_like_login"
    return ""


def digest(secret: str) -> str:
    """What is stored of a session, a token or a link, as hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def code(secret: bytes) -> str:
    """256 random bits as text of letters and digits, which a double click selects whole."""
    return _based(int.from_bytes(secret, "big"), _SECRET)


def api_token(secret: bytes) -> str:
    """An API token: ``pm_``, the secret, and a sum by which a mistyped one is told at once."""
    body = code(secret)
    return f"{_PREFIX}{body}{_sum(body)}"


def is_api_token(text: str) -> bool:
    """Whether this was once made by ``api_token``, whatever became of it."""
    found = _TOKEN.fullmatch(text)
    return found is not None and found[2] == _sum(found[1])


def csrf_of(session: str) -> str:
    """What a page of ours must send with each change: only who can read the session's cookie, or
    ask the server with it, can know it."""
    return digest(f"csrf:{session}")[:43]


def _sum(body: str) -> str:
    return _based(zlib.crc32(body.encode()), _SUM)


def _based(number: int, digits: int) -> str:
    text = ""
    for _ in range(digits):
        number, rest = divmod(number, len(_DIGITS))
        text = _DIGITS[rest] + text
    return text


Event = Literal[
    "signed_in", "sign_in_failed", "locked", "signed_out", "sessions_ended", "session_expired",
    "user_added", "user_changed", "roles_changed", "user_disabled", "user_enabled",
    "password_changed", "link_made", "link_used", "token_made", "token_revoked",
]  # fmt: skip


class Entry(Struct, frozen=True, kw_only=True):
    """A line of the security log.

    Attributes:
        login: whom it is about, as it was given.
        by: who did it: a login, or ``command line``; empty when nobody is known.
        address: where the request came from; empty at the command line.
        about: what else there is to know; never a secret.
        seq: rises with each line; 0 before it is stored.
    """

    at: datetime
    event: Event
    login: str
    by: str = ""
    address: str = ""
    about: dict[str, Any] = {}
    seq: int = 0


def roles_of(login: str, holders: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The roles that settings give a login; ``holders``: role → logins."""
    return frozenset(role for role, logins in holders.items() if login in logins)
