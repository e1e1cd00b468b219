"""The world outside: counts what the tools do to it, and knows what it was told not to do."""

import asyncio
from collections import Counter
from random import Random
from typing import Self

from aiohttp import web


class Till:
    """A service with side effects, over HTTP on loopback.

    Attributes:
        paid: key → how often it was paid. It takes every payment: telling two of one key apart is
            the engine's business.
        booked: key → the number that was booked. It takes a key once, and none that is void.
        void: keys that were asked after before they came.
        looks, settings: how often it was looked at, and something set.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.paid: Counter[str] = Counter()
        self.booked: dict[str, int] = {}
        self.void: set[str] = set()
        self.looks = self.settings = 0

    async def __aenter__(self) -> Self:
        application = web.Application()
        for name in ("look", "pay", "book", "void", "set"):
            application.router.add_post(f"/{name}", getattr(self, f"_{name}"))
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()

    async def _pause(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.0, 0.3))

    async def _look(self, request: web.Request) -> web.Response:
        await self._pause()
        self.looks += 1
        return web.json_response({"price": 7})

    async def _pay(self, request: web.Request) -> web.Response:
        """Whoever asks may be gone before it happens, or before it hears of it."""
        told = await request.json()
        await self._pause()
        self.paid[told["key"]] += 1
        await self._pause()
        return web.json_response({"paid": told["number"]})

    async def _book(self, request: web.Request) -> web.Response:
        told = await request.json()
        await self._pause()
        if told["key"] in self.void:
            return web.json_response({"void": True}, status=409)
        self.booked[told["key"]] = told["number"]
        await self._pause()
        return web.json_response({"booked": told["number"]})

    async def _void(self, request: web.Request) -> web.Response:
        """Whether the key was booked; one that was not no longer can be."""
        key = (await request.json())["key"]
        if key not in self.booked:
            self.void.add(key)
        return web.json_response({"booked": self.booked.get(key)})

    async def _set(self, request: web.Request) -> web.Response:
        await self._pause()
        self.settings += 1
        return web.json_response({"set": True})
