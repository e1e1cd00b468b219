"""Any service that Apprise carries: text messages, personal WeChat (WxPusher, ServerChan …), and
some hundred and thirty others, each by a URL that is a secret.

``{to}`` in the URL stands for the recipient's address. Apprise says yes or no, and why only in its
log: what it says there of this message is read, and goes nowhere else (case N20).
"""

import logging
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal
from urllib.parse import quote

import anyio
import anyio.to_thread
import apprise
from msgspec.structs import replace

from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import SENT, Outcome, of_one
from pointsman.domain.notices.letters import LIMITS, is_email, is_phone
from pointsman.domain.notices.pings import without_pings
from pointsman.domain.secrets_shown import masked, without
from pointsman.ports import Letter

TO = "{to}"
AT_ONCE = 8
_STATUS = re.compile(r"(?:error|code|status)\s*[=:]\s*(\d{3})\b", re.IGNORECASE)
_UNREACHABLE = re.compile(r"connection error|socket|time(?:d)? ?out|exception", re.IGNORECASE)
_DENIED = frozenset({401, 403, 404, 410})


class AppriseNotifier:
    """``ports.Notifier`` on one URL, or one for each group."""

    keyed = False
    timeout = 60.0

    def __init__(
        self,
        urls: Mapping[str, str],
        *,
        takes: Literal["", "phone", "email"] = "",
        limit: int = LIMITS["apprise"],
        rate: Rate | None = None,
    ) -> None:
        """Args:
        urls: group → URL, a secret; under the empty name one with ``{to}`` for every address.
        takes: what an address must be.
        """
        self._urls, self._takes = dict(urls), takes
        self.limit, self.rate = limit, rate
        self._threads = anyio.CapacityLimiter(AT_ONCE)
        # Its own log shows URLs: what it says is heard here alone.
        logging.getLogger("apprise").setLevel(logging.CRITICAL)

    def refuses(self, address: str) -> str:
        if address in self._urls and address:
            return ""
        if "" not in self._urls or not address.strip():
            return f"there is no {address!r} here"
        if self._takes == "phone" and not is_phone(address):
            return "this is no telephone number"
        if self._takes == "email" and not is_email(address):
            return "this is no e-mail address"
        return ""

    async def send(self, letter: Letter) -> Outcome:
        template = self._urls.get(letter.address) or self._urls[""]
        url = template.replace(TO, quote(letter.address, safe="+@"))
        outcome = await anyio.to_thread.run_sync(
            partial(_notify, url, self._shown(letter)),
            limiter=self._threads,
            abandon_on_cancel=True,
        )
        return of_one(outcome, letter.address, self._urls)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _shown(self, letter: Letter) -> Letter:
        """The letter as a chat may show it; mail and text messages call nobody."""
        if self._takes:
            return letter
        text, subject = without_pings(letter.text), without_pings(letter.subject)
        return replace(letter, text=text, subject=subject)


class _Heard(logging.Logger):
    """A log of one message's way."""

    def __init__(self) -> None:
        super().__init__("pointsman.notifiers.apprise", logging.WARNING)
        self.propagate = False
        self.said: list[str] = []

    def handle(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def _notify(url: str, letter: Letter) -> Outcome:
    plugin: Any = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if plugin is None:
        return Outcome(verdict="failed", about="channel", detail="Apprise does not know this URL")
    heard = plugin.logger = _Heard()
    try:
        taken = plugin.notify(body=letter.text, title=letter.subject)
    except Exception as fault:  # noqa: BLE001 - the border to a hundred plug-ins
        return Outcome(verdict="unknown", about="channel", detail=type(fault).__name__)
    return SENT if taken else _refused("; ".join(heard.said), url)


def _refused(said: str, url: str) -> Outcome:
    """What its log says of a message that was not taken."""
    detail = without(" ".join(said.split()), (url,))
    found = _STATUS.search(said)
    if found is None:
        verdict: Literal["unknown", "retry"] = "unknown" if _UNREACHABLE.search(said) else "retry"
        return Outcome(verdict=verdict, about="channel", detail=masked(detail))
    status = int(found[1])
    if status == 429 or status >= 500 or status == 408:
        return Outcome(verdict="retry", about="channel", code=found[1], detail=detail)
    about: Literal["channel", "message"] = "channel" if status in _DENIED else "message"
    final: Literal["failed", "retry"] = "failed" if 400 <= status < 500 else "retry"
    return Outcome(verdict=final, about=about, code=found[1], detail=detail)
