"""What a server grants to each client, and how it stops: the keys that begin with ``server_``."""

import ipaddress
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pointsman.domain.limiting import Rate, rate_of

ClientGone = Literal["detach", "cancel"]
LEAST = 16
"""Characters of a token."""


class Serving(Struct, frozen=True, kw_only=True):
    """How a server treats its clients. Sizes in bytes, times in seconds.

    Attributes:
        body_limit: of a request's body.
        header_limit: of a request's line and headers together.
        user_rate, address_rate: requests of one session or token, and of one address.
        body_timeout: until a body must have come.
        request_timeout: until an answer must have begun; ``answer_timeout`` where an agent's whole
            reply is waited for.
        stall_timeout: that a client may not read what is sent to it.
        connections: at the same time; more are answered 503.
        sockets: channels of one user at the same time.
        client_gone: what becomes of a run of the OpenAI-compatible API whose client has left
            before its end.
        grace: what runs and requests get to end by themselves when the server is to stop.
        metrics_token: with it, as bearer token, the figures of ``/metrics`` are read from
            elsewhere; empty for none.
        proxies: addresses of reverse proxies that are believed what they say of their client.
    """

    body_limit: int = 1_000_000
    header_limit: int = 32_768
    user_rate: Rate = Rate(calls=1200, seconds=60)
    address_rate: Rate = Rate(calls=6000, seconds=60)
    body_timeout: float = 30.0
    request_timeout: float = 60.0
    answer_timeout: float = 900.0
    stall_timeout: float = 20.0
    connections: int = 1000
    sockets: int = 100
    client_gone: ClientGone = "detach"
    grace: float = 5.0
    metrics_token: str = ""
    proxies: tuple[str, ...] = ()


def _rate(value: Any) -> Any:
    rate_of(value)
    return value


def _token(value: str) -> str:
    if len(value) < LEAST:
        raise ValueError(f"expected {LEAST} or more characters, not {len(value)}")
    return value


def _networks(value: list[str]) -> list[str]:
    for one in value:
        ipaddress.ip_network(one)
    return value


def _lowered(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


_Rate = Annotated[str, BeforeValidator(_rate)]


class ServingKeys(BaseModel):
    """The keys of the file; a rate is written ``600/min``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    server_body_limit: int = Field(1, ge=1_000, le=100_000_000)
    server_header_limit: int = Field(1, ge=4_096, le=1_000_000)
    server_user_rate: _Rate = ""
    server_address_rate: _Rate = ""
    server_body_timeout: float = Field(1, ge=1, le=3600)
    server_request_timeout: float = Field(1, ge=1, le=3600)
    server_answer_timeout: float = Field(1, ge=1, le=86_400)
    server_stall_timeout: float = Field(1, ge=1, le=3600)
    server_connections: int = Field(1, ge=1, le=100_000)
    server_sockets: int = Field(1, ge=1, le=10_000)
    server_client_gone: Annotated[ClientGone, BeforeValidator(_lowered)] = "detach"
    server_grace: float = Field(1, ge=0, le=3600)
    server_metrics_token: Annotated[str, AfterValidator(_token)] = ""
    server_proxies: Annotated[list[str], AfterValidator(_networks)] = []


_PREFIX = "server_"
SERVING = frozenset(ServingKeys.model_fields)


def serving_of(values: dict[str, Any]) -> Serving:
    """The server's part of the checked values."""
    given = {
        name: values[_PREFIX + name]
        for name in Serving.__struct_fields__
        if _PREFIX + name in values
    }
    for name in given.keys() & {"user_rate", "address_rate"}:
        given[name] = rate_of(given[name])
    if "proxies" in given:
        given["proxies"] = tuple(given["proxies"])
    return Serving(**given)
