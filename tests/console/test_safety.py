"""What others wrote does nothing in a browser, and nothing of one user is left for the next."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, Request, Route, WebSocketRoute, expect

from tests.cases import CASES, params
from tests.console.conftest import House, Open, compose, sign_in

MARKDOWN: list[str] = [*CASES["X20"]["input"]["texts"], *CASES["X21"]["input"]["texts"]]
MORE = [
    '<a href="javascript:alert(1)">click</a>',
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "<https://ok.test/a?b=c> and [ok](https://ok.test 'title\" onmouseover=alert(1)')",
    "| <b>a</b> | ![t](https://evil.test/t.png) |\n|---|---|\n| <img src=x onerror=alert(1)> | x |",
    "# <svg/onload=alert(1)>\n> ![q](//evil.test/q.png)\n\n- <iframe src=//evil.test>",
    "<details open ontoggle=alert(1)>&lt;img src=x onerror=alert(1)&gt;",
]


class Watched:
    """What a page did that it must not: dialogs, and requests to other hosts."""

    def __init__(self, page: Page, url: str) -> None:
        self.done: list[str] = []
        self._own = (url, "data:", "blob:", "ws://127.0.0.1")
        page.on("dialog", self._opened)
        page.on("request", self._asked)

    def _opened(self, dialog: Dialog) -> None:
        self.done.append(dialog.message)
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(self._own):
            self.done.append(request.url)


def unsafe(page: Page) -> list[str]:
    """Elements that foreign text has made and that could do something."""
    script = """() => [...document.querySelectorAll('#page *')].filter((one) =>
        ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED'].includes(one.tagName)
        || (one.tagName === 'IMG' && new URL(one.src).origin !== location.origin)
        || [...one.attributes].some((a) => a.name.startsWith('on'))
        || (one.tagName === 'A' && !/^(https?|mailto):/.test(one.href))
    ).map((one) => one.outerHTML)"""
    found: list[str] = page.evaluate(script)
    return found


@pytest.mark.parametrize("case", params(10, only=("X20", "X21")))
def test_markdown_of_others_is_shown_and_does_nothing(
    case: dict[str, Any], house: House, opened: Open
) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    watched = Watched(page, house.server.url)
    sign_in(page, "ben")
    texts = [*case["input"]["texts"], *MORE]
    compose(page, "\n\n".join(texts))
    expect(page.locator(".answer .tools button").first).to_be_visible()
    expect(page.locator(".markdown").last).to_contain_text("onerror=alert(1)")
    assert unsafe(page) == []
    for link in page.locator(".markdown a").all():
        assert (link.get_attribute("rel") or "") == "noopener noreferrer"
    page.reload()
    expect(page.locator(".markdown").last).to_contain_text("onerror=alert(1)")
    assert unsafe(page) == []
    assert watched.done == []


def test_values_titles_and_results_of_others_do_nothing(house: House, opened: Open) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    watched = Watched(page, house.server.url)
    sign_in(page, "ben")
    evil = "\n".join(MARKDOWN + MORE)
    compose(page, "CALL " + json.dumps({"text": evil}, ensure_ascii=False))
    card = page.locator(".decision")
    expect(card).to_contain_text("<svg/onload=alert(1)>")
    assert unsafe(page) == []
    card.get_by_role("button", name="Allow").click()
    expect(page.locator(".trace .result")).to_contain_text("kept: <img src=x onerror=alert(1)>")
    for toggle in page.locator(".json-toggle").all():
        toggle.click()
    expect(page.locator(".trace .json").first).to_be_visible()
    assert unsafe(page) == []
    assert watched.done == []


@pytest.mark.parametrize("case", params(10, only=("X09",)))
def test_nothing_of_one_user_is_left_for_the_next(
    case: dict[str, Any], house: House, opened: Open
) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    sign_in(page, "ben")
    compose(page, "my secret plan")
    expect(page.locator(".markdown").last).to_contain_text("my secret plan")
    page.locator(".composer textarea").fill("a secret draft")
    assert "a secret draft" in page.evaluate("JSON.stringify({...localStorage})")
    page.get_by_role("button", name="User ben").click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.locator("input[autocomplete=username]").wait_for()
    assert "secret" not in page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.post_data or ""))
    sign_in(page, "li")
    assert "secret" not in page.content()
    page.goto(f"{house.server.url}/chat?agent=mirror")
    compose(page, "hello from li")
    expect(page.locator(".markdown").last).to_contain_text("hello from li")
    assert "secret" not in page.content()
    assert not [one for one in asked if "secret" in one]


def test_an_ended_session_comes_back_to_the_page_with_the_draft(house: House, opened: Open) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    sign_in(page, "ben")
    compose(page, "before the end")
    expect(page.locator(".markdown").last).to_contain_text("before the end")
    expect(page).to_have_url(re.compile("/chat/[0-9a-f]{32}"))
    there = page.url
    page.locator(".composer textarea").fill("half a thought")
    page.context.clear_cookies()
    page.keyboard.press("Enter")  # unless the page has found out by itself, and asks already
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    sign_in(page, "ben")
    expect(page.locator(".composer textarea")).to_have_value("half a thought")
    assert page.url == there
    expect(page.locator(".markdown").last).to_contain_text("before the end")


class Line:
    """The way from a page to its server, which can be cut."""

    def __init__(self, page: Page) -> None:
        self._context = page.context
        self._open: list[WebSocketRoute] = []
        self._cut = False
        page.route_web_socket("**/api/channel", self._connect)

    def cut(self) -> None:
        """The server is gone, as it looks from the page."""
        self._cut = True
        self._context.route("**/*", _abort)
        for one in self._open:
            one.close()

    def mend(self) -> None:
        """It is there again."""
        self._cut = False
        self._context.unroute("**/*", _abort)

    def _connect(self, route: WebSocketRoute) -> None:
        if self._cut:
            route.close()
            return
        route.connect_to_server()
        self._open.append(route)


def _abort(route: Route) -> None:
    route.abort()


def test_a_server_that_is_away_takes_nothing_of_the_page(house: House, opened: Open) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    line = Line(page)
    sign_in(page, "ben")
    page.locator(".talk-head .ant-select").wait_for()
    box = page.locator(".composer textarea")
    box.fill("half a thought")
    line.cut()
    banner = page.get_by_role("alert").filter(has_text="The connection to the server is lost")
    expect(banner).to_be_visible()
    box.press("Enter")
    lost = page.get_by_text("The server cannot be reached")
    expect(lost.first).to_be_visible()
    # a part of the console that cannot be loaded now
    page.evaluate("dispatchEvent(new Event('vite:preloadError'))")
    page.keyboard.press("Control+/")
    page.wait_for_timeout(500)
    expect(box).to_have_value("half a thought")
    line.mend()
    banner.get_by_role("button", name="Try again").click()
    expect(banner).to_be_hidden()
    expect(lost).to_have_count(0)
    expect(box).to_have_value("half a thought")
    box.press("Enter")
    expect(page.locator(".markdown").last).to_contain_text("half a thought")


def test_a_message_whose_answer_was_lost_is_sent_again_and_carried_once(
    house: House, opened: Open
) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    sign_in(page, "ben")
    page.locator(".talk-head .ant-select").wait_for()

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/messages", lose, times=1)
    compose(page, "once and no more")
    expect(page.get_by_text("The server cannot be reached").first).to_be_visible()
    page.locator(".composer textarea").press("Enter")
    expect(page.locator(".markdown").last).to_contain_text("once and no more")
    runs = house.people["ben"].ask("GET", "/api/runs")["runs"]
    assert len([one for one in runs if one["input"] == "once and no more"]) == 1
