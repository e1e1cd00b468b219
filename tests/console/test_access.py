"""Everybody can use the pages: no axe violations in both themes and at both widths, and the
keyboard alone does."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import House, Open, compose, sign_in

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
PAGES = (
    "chat inbox approvals reminders runs tools intents evaluations usage agents users account"
).split()
KINDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def violations(page: Page) -> list[str]:
    """What axe finds, in a line each."""
    script = (
        f"async () => (await axe.run(document, {{runOnly: {KINDS}}})).violations.flatMap((one) =>"
        " one.nodes.map((node) => `${one.id} ${node.html.slice(0, 200)} ${node.failureSummary}`))"
    )
    found: list[str] = page.evaluate(script)
    return found


@pytest.fixture(scope="module")
def axe() -> str:
    return AXE.read_text("utf-8")


@pytest.mark.parametrize(
    ("theme", "size"),
    [("light", (1440, 900)), ("dark", (390, 844))],
    ids=["light-wide", "dark-phone"],
)
def test_axe_finds_nothing(
    theme: str, size: tuple[int, int], house: House, opened: Open, axe: str
) -> None:
    page = opened(f"{house.server.url}/chat", theme=theme, size=size)
    page.locator("input[autocomplete=username]").wait_for()
    found = {"sign-in": checked(page, axe)}
    sign_in(page, "anna")
    for name in PAGES:
        page.goto(f"{house.server.url}/{name}")
        page.locator("h1").wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        found[name] = checked(page, axe)
    page.goto(f"{house.server.url}/chat?agent=support")
    compose(page, "refund 30 yuan of order 600100200")
    expect(page.locator(".answer .tools").last).to_be_visible()
    page.wait_for_load_state("networkidle")
    found["a talk"] = checked(page, axe)
    lines = [f"{name}: {line}" for name, faults in found.items() for line in faults]
    assert not lines, "\n".join(lines)


def checked(page: Page, axe: str) -> list[str]:
    page.evaluate(axe)  # not as a script of the page, which its policy forbids
    return violations(page)


def test_the_keyboard_alone_will_do(house: House, opened: Open) -> None:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    expect(page.locator("input[autocomplete=username]")).to_be_focused()
    page.keyboard.type("ben")
    page.keyboard.press("Tab")
    page.keyboard.type("a long way to Tipperary")
    page.keyboard.press("Enter")
    expect(page.locator(".composer textarea")).to_be_focused()
    page.locator(".talk-head strong, .talk-head .ant-select").first.wait_for()
    page.keyboard.type('CALL {"text": "by keyboard"}')
    page.keyboard.press("Enter")
    expect(page.locator(".decision")).to_be_visible()
    page.keyboard.press("Alt+y")
    expect(page.locator(".answer .markdown").last).to_contain_text("kept: by keyboard")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Jump to")).to_be_focused()
    page.keyboard.type("inbox")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Inbox")
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard shortcuts")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Jump to")).to_be_focused()
    page.keyboard.type("by keyboard")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
