"""An OpenID Connect provider on loopback: discovery, the code flow with PKCE, RS256 ID tokens, keys
that can be changed, and every fault that a client must notice."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "pointsman", "secret-of-the-client"


@cache
def _key(name: str, of: str = "us") -> RSAKey:
    """A key by its name; it takes long to make one."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


class Provider:
    """What it says is what a test wants it to say.

    Attributes:
        user: the claims of who is signed in there; ``None`` for nobody.
        claims: put over those of the next ID tokens, such as another ``nonce``.
        only_userinfo: names of claims that only the user endpoint tells.
        public: the client has no secret.
        sign: how ID tokens are signed: ``right``, ``other key``, ``none``, ``shared``.
    """

    def __init__(self) -> None:
        self.user: dict[str, Any] | None = {"sub": "1", "preferred_username": "ann"}
        self.claims: dict[str, Any] = {}
        self.only_userinfo: set[str] = set()
        self.sign = "right"
        self.public = False
        self.issuer = ""
        self.calls_itself = ""
        self.another: dict[str, Any] | None = None
        self.key = _key("k1")
        self._codes: dict[str, dict[str, str]] = {}
        self._numbers = 0
        self.app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._described),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/jwks", self._keys),
                Route("/userinfo", self._userinfo),
            ]
        )

    def change_key(self) -> None:
        """Sign with another key from now on, under another name."""
        self.key = _key("k2")

    async def _described(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.calls_itself or self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        back = {"state": asked["state"]}
        if self.user is None:
            back["error"] = "access_denied"
        else:
            self._numbers += 1
            back["code"] = f"code-{self._numbers}"
            self._codes[back["code"]] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 302)

    async def _token(self, request: Request) -> Response:
        sent = {key: one[0] for key, one in parse_qs((await request.body()).decode()).items()}
        given = request.headers.get("authorization", "").removeprefix("Basic ")
        who = base64.b64decode(given).decode() or f"{sent.get('client_id')}:"
        expected = f"{CLIENT}:{'' if self.public else SECRET}"
        asked = self._codes.pop(sent.get("code", ""), None)
        challenge = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        proof = _based(challenge)
        right = (
            asked is not None
            and who == expected
            and asked["code_challenge"] == proof
            and asked["redirect_uri"] == sent.get("redirect_uri")
        )
        if asked is None or not right:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse(
            {
                "access_token": "access",
                "token_type": "Bearer",
                "expires_in": 60,
                "id_token": self._signed(asked["nonce"]),
            }
        )

    def _signed(self, nonce: str) -> str:
        now = int(time.time())
        told = {k: v for k, v in (self.user or {}).items() if k not in self.only_userinfo}
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": nonce,
            **told,
            **self.claims,
        }
        claims = {key: value for key, value in claims.items() if value is not None}
        match self.sign:
            case "none":
                return _parts({"alg": "none", "kid": self.key.kid}, claims) + "."
            case "shared":  # the public key, taken for a shared secret
                signed = _parts({"alg": "HS256", "kid": self.key.kid}, claims)
                public = self.key.as_pem(private=False)
                mac = hmac.new(public, signed.encode(), hashlib.sha256).digest()
                return f"{signed}.{_based(mac)}"
            case "other key":
                other = _key(str(self.key.kid), "another")
                return jwt.encode({"alg": "RS256", "kid": other.kid}, claims, other)
            case _:
                return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def _userinfo(self, request: Request) -> Response:
        if request.headers.get("authorization") != "Bearer access":
            return JSONResponse({"error": "invalid_token"}, 401)
        return JSONResponse(self.another or self.user or {})


def _parts(*values: dict[str, Any]) -> str:
    return ".".join(_based(json.dumps(value).encode()) for value in values)


def _based(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    """A provider that listens on a free port of loopback."""
    made = Provider()
    config = uvicorn.Config(made.app, port=0, log_config=None, lifespan="off")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]
    made.issuer = f"http://127.0.0.1:{port}"
    try:
        yield made
    finally:
        await server.shutdown()
