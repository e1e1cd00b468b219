"""The built console: its files, and its page for every address that is not the API's.

Files whose names hold a digest of what is in them may be kept by browsers for ever; the page is
asked for anew each time. Nothing outside of the folder can be named: what is not listed at the
first look is not there.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import anyio.to_thread
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parents[1] / "console" / "dist"
"""Where the build puts it."""
BUILD = "make console"

_PAGE = "/index.html"
_HASHED = "/assets/"
_FOREVER = "public, max-age=31536000, immutable"
APIS = ("/api", "/v1", "/mcp", "/healthz", "/readyz", "/metrics", "/.well-known")
_PACKED = {".br": "br", ".gz": "gzip"}
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_ABSENT = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pointsman</title>
<h1>The console is not built</h1>
<p>The API works. To build the console, run <code>{BUILD}</code> in the project's folder and load
this page again.</p>
<h1 lang="zh">控制台尚未构建</h1>
<p lang="zh">API 可以正常使用。如需控制台，请在项目目录中运行 <code>{BUILD}</code>，
然后刷新本页。</p>
</html>
"""


class _File(Struct, frozen=True, kw_only=True):
    """A file as it is sent: plain, and packed where the build has done that."""

    kind: str
    tag: str
    bodies: dict[str, Path]
    forever: bool


class ConsoleFiles:
    """Answers what is asked of the console, and leaves the rest to the application."""

    def __init__(self, app: ASGIApp, *, routes: Sequence[BaseRoute], folder: Path = FOLDER) -> None:
        """Args:
        routes: of the application.
        """
        self._app, self._routes, self._folder = app, routes, folder
        self._files: dict[str, _File] = {}
        self._built = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = None
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            answer = await self._answer(scope)
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        path = scope["path"]
        if path.startswith(APIS) or any(
            route.matches(scope)[0] is not Match.NONE for route in self._routes
        ):
            return None
        headers = Headers(scope=scope)
        await anyio.to_thread.run_sync(self._look)
        if file := self._files.get(path):
            return await _sent(file, headers)
        if path != "/" and "text/html" not in headers.get("accept", ""):
            return None
        if page := self._files.get(_PAGE):
            return await _sent(page, headers)
        return HTMLResponse(_ABSENT, 503, headers={"cache-control": "no-cache"})

    def _look(self) -> None:
        """List the files, when they were built since the last look."""
        try:
            built = (self._folder / _PAGE[1:]).stat().st_mtime
        except OSError:
            built = 0.0
        if built != self._built:
            self._files, self._built = dict(_listed(self._folder)) if built else {}, built


def _listed(folder: Path) -> Iterable[tuple[str, _File]]:
    for path in sorted(folder.rglob("*")):
        kind = _KINDS.get(path.suffix)
        if kind is None or not path.is_file() or path.is_symlink():
            continue
        name = "/" + path.relative_to(folder).as_posix()
        packed = {
            coding: other
            for suffix, coding in _PACKED.items()
            if (other := path.with_name(path.name + suffix)).is_file()
        }
        yield (
            name,
            _File(
                kind=kind,
                tag=f'"{hashlib.sha256(path.read_bytes()).hexdigest()[:32]}"',
                bodies={**packed, "": path},
                forever=name.startswith(_HASHED),
            ),
        )


async def _sent(file: _File, asked: Headers) -> Response:
    accepted = {
        part.partition(";")[0].strip()
        for part in asked.get("accept-encoding", "").lower().split(",")
        if "q=0" not in part.replace(" ", "").replace("q=0.", "q=1.")
    }
    coding = next(one for one in file.bodies if one in accepted or not one)
    headers = {
        "etag": file.tag,
        "cache-control": _FOREVER if file.forever else "no-cache",
        "vary": "accept-encoding",
    }
    if file.tag in asked.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if coding:
        headers["content-encoding"] = coding
    body = await anyio.Path(file.bodies[coding]).read_bytes()
    return Response(body, media_type=file.kind, headers=headers)
