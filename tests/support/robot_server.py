"""A stand-in of the group robots' HTTP APIs, as strict as they are: WeCom, DingTalk, Feishu, and a
plain webhook. It answers HTTP 200 to what it refuses, as the vendors do.

Source: the vendors' pages on group robots.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

KEY = "SECRET-key-0123456789"
LONGEST_REQUEST = 20_000
"""Bytes that DingTalk and Feishu take, the whole request counted."""
RATE = 20
"""Messages that WeCom takes of one robot in a minute."""


class RobotServer:
    """What the robots got, and how they answer."""

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.keys: list[str] = []
        """The idempotency keys, with those of refused messages."""
        self.url = ""
        self.answers: deque[web.Response] = deque()
        """Given before anything else."""
        self.arrived = asyncio.Event()
        self.hold: asyncio.Event | None = None
        """Answers wait for it, after the message was taken."""
        self._in_minute = 0

    def next_minute(self) -> None:
        """The robots take messages again."""
        self._in_minute = 0

    def address(self, path: str, key: str = KEY) -> str:
        names = {"wecom": "key", "dingtalk": "access_token"}
        if path == "feishu":
            return f"{self.url}/feishu/{key}"
        return f"{self.url}/{path}?{names.get(path, 'key')}={key}"

    async def wecom(self, request: web.Request) -> web.Response:
        if request.query.get("key") != KEY:
            return _said(errcode=93000, errmsg="invalid webhook url")
        body = await request.json()
        kind = body.get("msgtype")
        if kind not in ("markdown", "text") or set(body) != {"msgtype", kind}:
            return _said(errcode=40008, errmsg="invalid message type")
        content = body[kind].get("content")
        limit = 4096 if kind == "markdown" else 2048
        if not isinstance(content, str) or not 0 < len(content.encode()) <= limit:
            return _said(errcode=40058, errmsg="markdown.content exceed max length 4096")
        self._in_minute += 1
        if self._in_minute > RATE:
            return _said(errcode=45009, errmsg="api freq out of limit")
        return await self._take(request, body, _said(errcode=0, errmsg="ok"))

    async def dingtalk(self, request: web.Request) -> web.Response:
        if request.query.get("access_token") != KEY:
            return _said(errcode=300001, errmsg="token is not exist")
        body = await request.json()
        if body.get("msgtype") != "markdown" or not body["markdown"].get("title"):
            return _said(errcode=400101, errmsg="msgtype is null")
        if len(await request.read()) > LONGEST_REQUEST:
            return _said(errcode=460101, errmsg="message too long, exceed 20000 bytes")
        return await self._take(request, body, _said(errcode=0, errmsg="ok"))

    async def feishu(self, request: web.Request) -> web.Response:
        if request.match_info["key"] != KEY:
            return _said(code=19001, msg="param invalid: incoming webhook access token invalid")
        body = await request.json()
        if body.get("msg_type") != "text" or not body["content"].get("text"):
            return _said(code=19002, msg="params error, msg_type need")
        if len(await request.read()) > LONGEST_REQUEST:
            return _said(code=19002, msg="params error, exceed 20 KB")
        return await self._take(request, body, _said(StatusCode=0, StatusMessage="success"))

    async def webhook(self, request: web.Request) -> web.Response:
        body = await request.json()
        return await self._take(request, body, web.Response(status=204))

    async def _take(
        self, request: web.Request, body: dict[str, Any], answer: web.Response
    ) -> web.Response:
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        if self.answers:
            return self.answers.popleft()
        self.taken.append(body)
        self.arrived.set()
        if self.hold is not None:
            await self.hold.wait()
        return answer


def _said(**body: Any) -> web.Response:
    return web.json_response(body)


@asynccontextmanager
async def robot_server() -> AsyncIterator[RobotServer]:
    """The stand-in on a free port while the block runs."""
    robots = RobotServer()
    app = web.Application()
    app.router.add_post("/wecom", robots.wecom)
    app.router.add_post("/dingtalk", robots.dingtalk)
    app.router.add_post("/feishu/{key}", robots.feishu)
    app.router.add_post("/webhook", robots.webhook)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    robots.url = f"http://{host}:{port}"
    try:
        yield robots
    finally:
        if robots.hold is not None:
            robots.hold.set()
        await runner.cleanup()
