"""Requests as they go over the wire, for tests."""

import json
from typing import Any

from pointsman.adapters.models.encoding import RequestEncoder
from pointsman.adapters.models.presets import endpoint
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import ModelRequest


def encoder(use: str = "compatible", **switches: Any) -> RequestEncoder:
    spec = ModelSpec(use=use, name="m", base_url="http://127.0.0.1:1/v1", switches=switches)
    return RequestEncoder(endpoint(spec))


def sent(request: ModelRequest, use: str = "compatible", **switches: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encoder(use, **switches).encode(request))
    return body
