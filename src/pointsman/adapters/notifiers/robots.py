"""Webhooks: the group robots of WeCom, DingTalk and Feishu, and any service that takes JSON.

A robot is a group's: the address is the group's name, and the secret webhook stays here. Each
vendor wants the fields named its own way, and some answer a refusal with HTTP 200 (cases N08, N14).

Source: the vendors' pages on group robots.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

import aiohttp
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import Outcome, of_one
from pointsman.domain.notices.letters import LIMITS
from pointsman.domain.notices.pings import without_tags
from pointsman.domain.notices.vendors import Vendor, read_answer
from pointsman.domain.secrets_shown import without
from pointsman.ports import Letter

SECONDS = 15.0
LONGEST_ANSWER = 64 * 1024
LEAST_SECRET = 6
"""Characters of a piece of a webhook that is taken for a secret by itself."""
WECOM = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key="
"""What stands before a key that is given alone."""


class Kind(Struct, frozen=True):
    """How a service is spoken to.

    Attributes:
        payload: the JSON of one part.
        limit: bytes of the text.
        rate: of one robot.
    """

    vendor: Vendor
    payload: Callable[[Letter], dict[str, Any]]
    limit: int
    rate: Rate | None


def _plain(letter: Letter) -> dict[str, Any]:
    return {
        "id": letter.key,
        "to": letter.address,
        "name": letter.name,
        "subject": letter.subject,
        "text": letter.text,
        "part": letter.part,
        "parts": letter.parts,
        "kind": letter.kind,
        "language": letter.language,
        "sender": letter.sender,
    }


KINDS: Mapping[str, Kind] = {
    "wecom": Kind(
        "wecom",
        lambda letter: {"msgtype": "markdown", "markdown": {"content": letter.text}},
        LIMITS["wecom_markdown"],
        Rate(calls=20, seconds=60.0),
    ),
    "wecom_text": Kind(
        "wecom",
        lambda letter: {"msgtype": "text", "text": {"content": letter.text}},
        LIMITS["wecom_text"],
        Rate(calls=20, seconds=60.0),
    ),
    "dingtalk": Kind(
        "dingtalk",
        lambda letter: {
            "msgtype": "markdown",
            "markdown": {"title": letter.subject, "text": letter.text},
        },
        LIMITS["dingtalk_markdown"],
        Rate(calls=20, seconds=60.0),
    ),
    "feishu": Kind(
        "feishu",
        lambda letter: {"msg_type": "text", "content": {"text": letter.text}},
        LIMITS["feishu_text"],
        Rate(calls=100, seconds=60.0),
    ),
    "webhook": Kind("webhook", _plain, LIMITS["webhook"], None),
}


class WebhookNotifier:
    """``ports.Notifier`` that posts JSON."""

    timeout = 2 * SECONDS

    def __init__(
        self,
        kind: Kind,
        urls: Mapping[str, str],
        *,
        keyed: bool = False,
        limit: int = 0,
        rate: Rate | None = None,
    ) -> None:
        """Args:
        urls: group → webhook, a secret; under the empty name one that takes every address.
        keyed: the service takes a message with a known ``Idempotency-Key`` once.
        """
        self._kind, self._urls = kind, dict(urls)
        self.keyed = keyed
        self.limit = min(limit or kind.limit, kind.limit)
        self.rate = rate or kind.rate
        self._session: aiohttp.ClientSession | None = None

    def refuses(self, address: str) -> str:
        known = address in self._urls or ("" in self._urls and address)
        return "" if known else f"there is no group {address!r}"

    async def send(self, letter: Letter) -> Outcome:
        url = self._urls.get(letter.address) or self._urls[""]
        try:
            async with self._client().post(
                url,
                data=_body(self._kind.payload(self._shown(letter))),
                headers={"Idempotency-Key": letter.key, "Content-Type": "application/json"},
                allow_redirects=False,
            ) as answer:
                body = await answer.content.read(LONGEST_ANSWER)
                outcome = read_answer(
                    self._kind.vendor,
                    answer.status,
                    body.decode(errors="replace"),
                    retry_after=_seconds(answer.headers),
                )
        except aiohttp.InvalidURL:
            nowhere = Outcome(verdict="failed", about="channel", detail="the webhook is no URL")
            return of_one(nowhere, letter.address, self._urls)
        except aiohttp.ClientConnectorError as fault:
            return self._failed("retry", fault)
        except (TimeoutError, aiohttp.ClientError, OSError) as fault:
            return self._failed("unknown", fault)
        detail = without(outcome.detail, self._secrets(url))
        return of_one(replace(outcome, detail=detail), letter.address, self._urls)

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _shown(self, letter: Letter) -> Letter:
        """The letter as a chat may show it; a plain webhook gets it as it is."""
        if self._kind.vendor == "webhook":
            return letter
        text, subject = without_tags(letter.text), without_tags(letter.subject)
        return replace(letter, text=text, subject=subject)

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=SECONDS), trust_env=True
            )
        return self._session

    def _failed(self, verdict: Literal["retry", "unknown"], fault: Exception) -> Outcome:
        url = getattr(getattr(fault, "request_info", None), "real_url", "")
        secrets = tuple(part for one in self._urls.values() for part in self._secrets(one))
        detail = without(f"{type(fault).__name__}: {fault}", (str(url), *secrets))
        return Outcome(verdict=verdict, about="channel", detail=detail)

    def _secrets(self, url: str) -> tuple[str, ...]:
        """What of a webhook nobody may see: all after the host."""
        _, _, rest = url.partition("://")
        after_host = rest[len(urlsplit(url).netloc) :]
        path, _, query = after_host.partition("?")
        pieces = [*path.split("/"), *(value for _, value in parse_qsl(query))]
        pieces += [part.partition("=")[2] for part in query.split("&")]
        pieces += [unquote(piece) for piece in pieces]
        return (url, after_host, *(piece for piece in pieces if len(piece) >= LEAST_SECRET))


def _body(payload: Mapping[str, Any]) -> bytes:
    """The JSON in UTF-8: written as escapes, Chinese takes twice the bytes that vendors count."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _seconds(headers: Mapping[str, str]) -> float | None:
    """How long ``Retry-After`` asks to wait: seconds, or an instant by the server's own clock."""
    asked = headers.get("Retry-After", "")
    with suppress(ValueError, OverflowError):
        seconds = float(asked)
        return max(seconds, 0.0) if isfinite(seconds) else None
    with suppress(ValueError, TypeError, OverflowError):
        until = parsedate_to_datetime(asked)
        return max((until - parsedate_to_datetime(headers.get("Date", ""))).total_seconds(), 0.0)
    return None
