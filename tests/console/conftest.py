"""One browser, and one server with the example agents and a mirror, for all tests here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.console.mirror import mirror
from tests.console.served import PASSWORD, Person, Server, examples, serving

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 20_000
"""Milliseconds; machines are shared."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """They start a browser and servers."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed with the last test here: its event loop lets nobody else run one in this process."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@dataclass
class House:
    """A server with people.

    Attributes:
        people: login → that person, signed in over HTTP.
    """

    server: Server
    people: dict[str, Person]


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The examples and the mirror; anna is the administrator, ben a user, li an approver."""
    folder = tmp_path_factory.mktemp("house")
    with (
        mirror(folder) as agent,
        serving([*examples(folder), agent], folder, roles="finance=li") as server,
    ):
        anna = server.admin()
        people = {
            "anna": anna,
            "ben": server.invite(anna, "ben", "user"),
            "li": server.invite(anna, "li", "user", "approver"),
        }
        yield House(server, people)


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens pages, each in a browser of its own, that fail the test when a script fails."""
    contexts: list[Any] = []
    faults: list[str] = []

    def open_page(
        url: str,
        *,
        language: str = "en",
        theme: str = "light",
        size: tuple[int, int] = (1440, 900),
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale="zh-CN" if language == "zh" else "en-GB",
            timezone_id="Asia/Shanghai",
            color_scheme="dark" if theme == "dark" else "light",
            has_touch=size[0] < 500,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def sign_in(page: Page, login: str, password: str = PASSWORD) -> None:
    """Through the form, whatever its language."""
    page.locator("input[autocomplete=username]").fill(login)
    page.locator("input[autocomplete=current-password]").fill(password)
    page.keyboard.press("Enter")
    page.locator(".shell").wait_for()


def compose(page: Page, text: str) -> None:
    """Send a message, once the page knows to whom."""
    page.locator(".talk-head strong, .talk-head .ant-select").first.wait_for()
    box = page.locator(".composer textarea")
    box.fill(text)
    box.press("Enter")
