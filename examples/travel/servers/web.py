"""One GET of a JSON web API, with every way that it can fail turned into a ``TravelFault``.

Faults name the service and the kind of failure, never the URL: a key may be in it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from faults import TravelFault

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class WebApi:
    """A service and how long to wait for it; ``timeout`` in seconds, for the whole request."""

    zh: str
    en: str
    url: str
    timeout: float = 10.0

    async def get(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        """The JSON object that the service answers, also with a 4xx: it holds the reason.

        Raises:
            TravelFault: no connection, no answer in time, 5xx, too many requests, no JSON object.
        """
        limit = aiohttp.ClientTimeout(total=self.timeout)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit) as session,
                # Redirects would carry the key to another host.
                session.get(self.url + path, params=query, allow_redirects=False) as response,
            ):
                status, body = response.status, await response.read()
        except TimeoutError:
            raise self.fault(
                f"{self.timeout:g} 秒内没有回应", f"did not answer in {self.timeout:g} s"
            ) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise self.fault("连接不上", "cannot be reached") from None
        if status == 429:
            raise self.fault("请求太多，请稍后再试", "has had too many requests; try again later")
        if status >= 500:
            raise self.fault(f"暂时出错（HTTP {status}）", f"is failing (HTTP {status})")
        return self._object(status, body)

    def _object(self, status: int, body: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self.fault(
                f"返回的不是 JSON（HTTP {status}）", f"did not answer in JSON (HTTP {status})"
            )
        return answer

    def read(self, shape: type[Shape], answer: dict[str, Any]) -> Shape:
        """``answer`` in its expected shape.

        Raises:
            TravelFault: something is missing or of another type.
        """
        try:
            return shape.model_validate(answer)
        except ValidationError:
            raise self.incomplete() from None

    def incomplete(self) -> TravelFault:
        return self.fault("返回的数据不完整", "sent incomplete data")

    def fault(self, zh: str, en: str) -> TravelFault:
        return TravelFault(f"{self.zh}{zh}。", f"{self.en} {en}.")


def timeout() -> float:
    """Seconds to wait for a service: ``TRAVEL_TIMEOUT``, or 10."""
    return float(os.environ.get("TRAVEL_TIMEOUT") or 10)
