"""What the console costs a browser: its first load, cold, and a fast answer.

Run by ``make bench-console``; prints the rows of ``console.md``.
"""

import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.console.conftest import CHROMIUM, FLAGS, compose, sign_in
from tests.console.mirror import mirror, word
from tests.console.served import Server, serving
from tests.console.test_streaming import WATCH_FRAMES

TOKENS = 3_000
COLD = 5
"""First loads, each in a browser of its own that knows nothing."""


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        mirror(Path(folder)) as agent,
        serving([agent], Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        admin = server.admin()
        server.invite(admin, "ben", "user")
        loads: list[tuple[float, float, int]] = []
        for _ in range(COLD):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            loads.append(first_load(browser, server))
            browser.close()
        loads.sort()
        ready, size, requests = loads[len(loads) // 2]
        print(
            f"| first load of the chat, compressed | {size / 1000:.0f} kB in {requests} requests |"
        )
        print(f"| until one can write, cold, median of {COLD} | {ready:.1f} s |")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for line in streaming(browser, server):
            print(line)
        browser.close()


def first_load(browser: Browser, server: Server) -> tuple[float, float, int]:
    """Seconds until one can write, bytes and requests; who has signed in comes to the chat."""
    context = browser.new_context()
    session = context.request.post(
        f"{server.url}/api/session",
        data={"login": "ben", "password": "a long way to Tipperary"},
        headers={"origin": server.url},
    )
    assert session.ok
    page = context.new_page()
    sizes = _sizes(page)
    start = time.perf_counter()
    page.goto(f"{server.url}/chat")
    page.locator(".talk-head strong").wait_for()
    ready = time.perf_counter() - start
    page.wait_for_load_state("networkidle")
    context.close()
    return ready, sum(sizes, 0.0), len(sizes)


def _sizes(page: Page) -> list[float]:
    """Grows with the bytes of each answer as they went over the wire."""
    sizes: list[float] = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    return sizes


def streaming(browser: Browser, server: Server) -> list[str]:
    """How an answer of 100 tokens a second reaches the eye."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(f"{server.url}/chat")
    sign_in(page, "ben")
    page.evaluate(WATCH_FRAMES)
    start = time.perf_counter()
    compose(page, f"STREAM {TOKENS}")
    page.get_by_text(word(TOKENS - 1).strip()).last.wait_for(timeout=120_000)
    seconds = time.perf_counter() - start
    stalls: list[int] = page.evaluate("window.stalls")
    memory = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    return [
        f"| {TOKENS:,} tokens at 100 a second, until the last is read | {seconds:.1f} s |",
        f"| frames that came more than 250 ms after the one before | {len(stalls)} |",
        f"| the page's memory then | {memory:.0f} MB |",
    ]


if __name__ == "__main__":
    main()
