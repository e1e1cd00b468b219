"""An OpenID Connect provider: the code flow with PKCE, state and nonce, through Authlib.

Nothing that the provider says is believed before its ID token was checked: signed with a key of
this issuer by a public-key algorithm, meant for this client, for this very attempt, and in time.
Source: OpenID Connect Core 1.0, sections 3.1.2 and 3.1.3.7; Discovery 1.0, section 4.3.
"""

import logging
import ssl
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet, KeySetSerialization
from msgspec import Struct

from pointsman.errors import NotSignedIn
from pointsman.ports import Clock

log = logging.getLogger("pointsman.oidc")

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Of signatures that are believed: none with a shared secret."""
LEEWAY = 60
"""Seconds that the provider's clock may be off."""
FRESH = 600.0
"""Seconds for which its description is kept."""
TIMEOUT = 10.0


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are believed: reading them takes longer than a sign-in."""
    return httpx2.create_ssl_context()


class OidcClient(Struct, frozen=True, kw_only=True):
    """What the provider knows us as, and what we want to know of its users.

    Attributes:
        issuer: its URL, exactly as it names itself.
        secret: empty for a public client.
        claims: that its word of a user must have; looked up at its user endpoint otherwise.
    """

    issuer: str
    client_id: str
    secret: str = ""
    scopes: tuple[str, ...] = ("openid",)
    claims: tuple[str, ...] = ()


class Attempt(Struct, frozen=True, kw_only=True):
    """What the browser keeps while its user is at the provider's."""

    state: str
    nonce: str
    verifier: str


class Vouched(Struct, frozen=True, kw_only=True):
    """Somebody for whom the provider vouches, and what it says of him."""

    subject: str
    claims: dict[str, Any]

    def claim(self, path: str) -> Any:
        """A claim by its name, or by a dotted path to it."""
        if path in self.claims:
            return self.claims[path]
        found: Any = self.claims
        for step in path.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found


class OidcProvider:
    """One provider, as one client of it."""

    def __init__(self, client: OidcClient, clock: Clock) -> None:
        self._known, self._clock = client, clock
        self._metadata: dict[str, Any] = {}
        self._keys: KeySet | None = None
        self._looked = -FRESH

    async def begin(self, redirect: str) -> tuple[str, Attempt]:
        """Where to send the browser, and what it is to keep meanwhile.

        Raises:
            NotSignedIn: the provider cannot be reached, or is not what the settings say.
        """
        attempt = Attempt(
            state=generate_token(43), nonce=generate_token(43), verifier=generate_token(64)
        )
        async with self._client(redirect) as client:
            metadata = await self._described(client)
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=attempt.state,
                code_verifier=attempt.verifier,
                nonce=attempt.nonce,
            )
        return str(url), attempt

    async def end(self, answer: Mapping[str, str], attempt: Attempt, redirect: str) -> Vouched:
        """Who has come back.

        Args:
            answer: the query with which the browser came back.

        Raises:
            NotSignedIn: he did not sign in there, or what came back is not to be believed.
        """
        if answer.get("state") != attempt.state:
            raise NotSignedIn("oidc_state", "this sign-in was begun elsewhere; begin again")
        if "error" in answer or not answer.get("code"):
            raise NotSignedIn("oidc_refused", "the identity provider did not sign you in")
        try:
            async with self._client(redirect) as client:
                metadata = await self._described(client)
                if answer.get("iss", metadata["issuer"]) != metadata["issuer"]:
                    raise NotSignedIn("oidc_token", "another identity provider has answered")
                token = await client.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=answer["code"],
                    code_verifier=attempt.verifier,
                )
                claims = await self._checked(client, token, attempt)
                return await self._completed(client, token, claims)
        except httpx2.HTTPError as fault:
            raise _unreachable(fault) from None
        except (AuthlibBaseError, JoseError, KeyError, TypeError, ValueError) as fault:
            log.warning("an answer of %s is not believed: %s", self._known.issuer, fault)
            why = f"what the identity provider sent cannot be believed: {type(fault).__name__}"
            raise NotSignedIn("oidc_token", why) from None

    def _client(self, redirect: str) -> Any:
        return AsyncOAuth2Client(
            client_id=self._known.client_id,
            client_secret=self._known.secret or None,
            scope=" ".join(self._known.scopes),
            redirect_uri=redirect,
            code_challenge_method="S256",
            timeout=TIMEOUT,
            verify=_trusted(),
        )

    async def _described(self, client: Any) -> dict[str, Any]:
        """What the provider says of itself."""
        if self._clock.monotonic() - self._looked < FRESH:
            return self._metadata
        issuer = self._known.issuer
        url = issuer.rstrip("/") + "/.well-known/openid-configuration"
        try:
            metadata = await _json(client, url)
        except (httpx2.HTTPError, ValueError) as fault:
            raise _unreachable(fault) from None
        if metadata.get("issuer") != issuer:
            why = f"the identity provider calls itself {metadata.get('issuer')!r}, not {issuer!r}"
            raise NotSignedIn("oidc_settings", why)
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not _is_safe(metadata.get(name)):
                why = f"the identity provider has no {name} with https"
                raise NotSignedIn("oidc_settings", why)
        self._metadata, self._looked, self._keys = metadata, self._clock.monotonic(), None
        return metadata

    async def _checked(
        self, client: Any, token: Mapping[str, Any], attempt: Attempt
    ) -> dict[str, Any]:
        """The claims of the ID token, all of it checked."""
        fresh = self._keys is None
        keys = self._keys = self._keys or await self._fetched_keys(client)
        try:
            decoded = jwt.decode(token["id_token"], keys, algorithms=ALGORITHMS)
        except InvalidKeyIdError:
            if fresh:
                raise
            keys = self._keys = await self._fetched_keys(client)
            decoded = jwt.decode(token["id_token"], keys, algorithms=ALGORITHMS)
        wanted = {
            "iss": {"essential": True, "value": self._known.issuer},
            "aud": {"essential": True, "value": self._known.client_id},
            "sub": {"essential": True, "allow_blank": False},
        }
        known = {
            "nonce": attempt.nonce,
            "client_id": self._known.client_id,
            "access_token": token.get("access_token"),
        }
        claims = CodeIDToken(decoded.claims, decoded.header, wanted, known)
        claims.validate(now=int(self._clock.now().timestamp()), leeway=LEEWAY)
        return dict(claims)

    async def _fetched_keys(self, client: Any) -> KeySet:
        found = await _json(client, self._metadata["jwks_uri"])
        return KeySet.import_key_set(cast(KeySetSerialization, found))

    async def _completed(
        self, client: Any, token: Mapping[str, Any], claims: dict[str, Any]
    ) -> Vouched:
        """With what only the provider's user endpoint tells."""
        vouched = Vouched(subject=str(claims["sub"]), claims=claims)
        endpoint = self._metadata.get("userinfo_endpoint")
        if all(vouched.claim(one) is not None for one in self._known.claims) or not _is_safe(
            endpoint
        ):
            return vouched
        bearer = {"Authorization": f"Bearer {token['access_token']}"}
        more = await _json(client, str(endpoint), headers=bearer)
        if more.get("sub") != vouched.subject:
            raise ValueError("the user endpoint speaks of somebody else")
        return Vouched(subject=vouched.subject, claims={**more, **claims})


async def _json(client: Any, url: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    answer = await client.request("GET", url, withhold_token=True, headers=headers)
    answer.raise_for_status()
    found = answer.json()
    if not isinstance(found, dict):
        raise TypeError("expected a JSON object")
    return found


def _is_safe(url: object) -> bool:
    """Whether secrets may go there."""
    parts = urlsplit(str(url or ""))
    return bool(parts.hostname) and (parts.scheme == "https" or _is_near(parts))


def _is_near(parts: SplitResult) -> bool:
    """Whether it is a provider on this machine, as in tests."""
    try:
        near = parts.hostname == "localhost" or ip_address(parts.hostname or "").is_loopback
    except ValueError:
        near = False
    return parts.scheme == "http" and near


def _unreachable(fault: Exception) -> NotSignedIn:
    why = f"the identity provider does not answer as it should: {type(fault).__name__}"
    return NotSignedIn("oidc_unreachable", why)
