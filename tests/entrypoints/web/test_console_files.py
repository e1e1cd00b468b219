"""The console's files: whole, kept as long as they hold, loaded from nowhere else."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.entrypoints.web import console_files
from pointsman.entrypoints.web.console_files import ConsoleFiles
from pointsman.settings import Settings
from pointsman.settings.serving import Serving
from tests.support.engine import service_of
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

PAGE = {"Accept": "text/html,*/*"}
BY_TLS = {"X-Forwarded-Proto": "https"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "dist"


def build(folder: Path, page: str = "<!doctype html>the console") -> None:
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page)
    (folder / "assets" / "main-abc123.js").write_text("console.log('hello')")
    (folder / "assets" / "main-abc123.js.gz").write_bytes(gzip.compress(b"console.log('hello')"))
    (folder / "logo.svg").write_text("<svg/>")
    (folder / "secret.py").write_text("no")


@pytest.fixture
async def site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    monkeypatch.setattr(ConsoleFiles.__init__, "__kwdefaults__", {"folder": folder})
    async with serving(await service_of(["hello"])) as site:
        yield site


@pytest.mark.parametrize("path", ["/", "/chat", "/runs/0123?tab=trace", "/a/b/c"])
async def test_every_address_that_is_not_the_apis_gives_the_page(
    site: Site, folder: Path, path: str
) -> None:
    build(folder)
    async with site.http.get(path, headers=PAGE) as answer:
        assert (answer.status, await answer.text()) == (200, "<!doctype html>the console")
        assert answer.headers["Cache-Control"] == "no-cache"
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy


@pytest.mark.parametrize("path", ["/api/nothing", "/v1/nothing", "/api", "/api/runs/nothing"])
async def test_the_apis_addresses_never_give_the_page(site: Site, folder: Path, path: str) -> None:
    build(folder)
    async with site.http.get(path, headers=PAGE) as answer:
        assert answer.status == 404
        assert answer.content_type.endswith("json")


async def test_a_wrong_method_is_told_beside_the_console(site: Site, folder: Path) -> None:
    build(folder)
    async with site.http.get("/api/messages", headers=PAGE) as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    async with site.http.put("/api/session") as answer:
        assert answer.headers.getall("Allow") == ["DELETE, GET, PATCH, POST"]
    async with site.http.post("/chat") as answer:
        assert answer.status == 404


async def test_a_program_that_asks_for_no_page_gets_a_problem(site: Site, folder: Path) -> None:
    build(folder)
    async with site.http.get("/chat", headers={"Accept": "application/json"}) as answer:
        assert (answer.status, answer.content_type) == (404, "application/problem+json")


async def test_a_file_with_a_digest_in_its_name_is_kept_for_ever(site: Site, folder: Path) -> None:
    build(folder)
    async with site.http.get("/assets/main-abc123.js") as answer:
        assert await answer.text() == "console.log('hello')"
        assert answer.content_type == "text/javascript"
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Vary"] == "accept-encoding"
    plain = {"Accept-Encoding": "br, gzip;q=0"}
    async with site.http.get("/assets/main-abc123.js", headers=plain) as answer:
        assert "Content-Encoding" not in answer.headers
        assert await answer.text() == "console.log('hello')"


async def test_a_page_that_has_not_changed_is_not_sent_again(site: Site, folder: Path) -> None:
    build(folder)
    async with site.http.get("/logo.svg") as answer:
        tag = answer.headers["ETag"]
    async with site.http.get("/logo.svg", headers={"If-None-Match": tag}) as answer:
        assert (answer.status, await answer.read()) == (304, b"")
    async with site.http.head("/logo.svg") as answer:
        assert (answer.status, await answer.read()) == (200, b"")


async def test_a_page_that_has_not_changed_keeps_its_policy(site: Site, folder: Path) -> None:
    build(folder)
    async with site.http.get("/chat", headers=PAGE) as answer:
        again = {**PAGE, "If-None-Match": answer.headers["ETag"]}
    async with site.http.get("/chat", headers=again) as answer:
        assert answer.status == 304
        assert "Content-Security-Policy" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/secret.py", "/../dist/index.html", "/%2e%2e/%2e%2e/etc/passwd", "/assets/", "/\0"]
)
async def test_nothing_else_of_the_folder_or_the_machine_is_there(
    site: Site, folder: Path, path: str
) -> None:
    build(folder)
    async with site.http.get(f"{site.url}{path}", headers={"Accept": "*/*"}) as answer:
        assert "root:" not in await answer.text()
        assert answer.status in (400, 404) or answer.url.path.endswith("index.html")


async def test_without_a_console_a_page_says_how_to_build_it(site: Site, folder: Path) -> None:
    async with site.http.get("/", headers=PAGE) as answer:
        page = await answer.text()
        assert answer.status == 503
    assert console_files.BUILD in page
    assert "The console is not built" in page
    assert "控制台尚未构建" in page
    build(folder)
    async with site.http.get("/", headers=PAGE) as answer:
        assert await answer.text() == "<!doctype html>the console"


async def test_every_answer_says_what_a_browser_may_do_with_it(site: Site) -> None:
    for path in ("/api/agents", "/api/nothing", "/healthz", "/"):
        async with site.http.get(path, headers=PAGE) as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    async with site.http.get("/api/agents", headers=BY_TLS) as answer:
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Strict-Transport-Security" not in answer.headers


async def test_a_proxy_that_is_named_is_believed_that_it_speaks_tls() -> None:
    named = Settings(serving=Serving(proxies=("127.0.0.1",)))
    async with (
        serving(await service_of(["hello"]), settings=named) as site,
        site.http.get("/healthz", headers=BY_TLS) as answer,
    ):
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
