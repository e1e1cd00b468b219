"""The agent under fire: tools of each kind, and a model that always says that all went well."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

from tests.support.model_server import Answer, Call, Reply

NAME = "till"
WANTED = "Please look, pay and book {number}."
CLAIM = "Paid {number} and booked {number}."

_AGENT = """\
agent: till
language: en
model: {{use: compatible, name: m, base_url: "{model}", retries: 5}}
tools:
  - {{python: "tools:look", risk: read, timeout: 20}}
  - {{python: "tools:pay", risk: write, timeout: 20}}
  - {{python: "tools:book", risk: write, timeout: 20, check: "tools:was_booked"}}
  - {{python: "tools:mark", risk: write, idempotent: true, timeout: 20}}
policy:
  - {{risk: write, then: allow}}
limits: {{seconds: 900}}
"""
_TOOLS = '''\
import json
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from pointsman import CallContext, Happened, ToolError

URL = "{till}"


def asked(name, **body):
    request = Request(f"{{URL}}/{{name}}", json.dumps(body).encode())
    with build_opener(ProxyHandler({{}})).open(request, timeout=15) as answer:
        return json.load(answer)


def look(number: int) -> str:
    """Look at the price."""
    return f"the price is {{asked('look')['price']}}"


def pay(number: int, context: CallContext) -> str:
    """Pay an amount."""
    return f"paid {{asked('pay', number=number, key=context.key)['paid']}}"


def book(number: int, context: CallContext) -> str:
    """Book a number."""
    try:
        return f"booked {{asked('book', number=number, key=context.key)['booked']}}"
    except HTTPError as fault:
        raise ToolError(f"the till says {{fault.code}}") from None


def was_booked(arguments, context):
    """Whether the booking happened; it no longer will if not."""
    booked = asked("void", key=context.key)["booked"]
    return Happened.no() if booked is None else Happened.yes(f"booked {{booked}}")


def mark(number: int) -> str:
    """Mark a number; twice is the same as once."""
    asked("set")
    return "marked"
'''


def write(folder: Path, *, model: str, till: str) -> Path:
    """The agent's folder."""
    folder.mkdir()
    (folder / "agent.yaml").write_text(_AGENT.format(model=model), encoding="utf-8")
    (folder / "tools.py").write_text(_TOOLS.format(till=till), encoding="utf-8")
    return folder


class Model:
    """Calls all the tools, and then claims that all went well, whatever they said.

    Attributes:
        concluding: how many runs it thinks about just now whose tools have been called.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.concluding = 0

    async def _think(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.05, 0.4))

    async def _conclude(self) -> None:
        self.concluding += 1
        try:
            await self._think()
        finally:
            self.concluding -= 1

    def __call__(self, asked: dict[str, Any]) -> Answer:
        messages = asked["messages"]
        number = int(next(m for m in reversed(messages) if _is_wish(m))["content"].split()[-1][:-1])
        if not _is_wish(messages[-1]):
            return Reply(text=CLAIM.format(number=number), first_byte=self._conclude)
        calls = [
            Call(name=name, arguments={"number": number})
            for name in ("look", "pay", "book", "mark", "look")
        ]
        return Reply(calls=calls, first_byte=self._think)


def _is_wish(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and str(message["content"]).startswith("Please look")
