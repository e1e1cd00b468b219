"""What a newcomer does on the first day, in both languages: one server, two people, two
browsers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import Open, compose, sign_in
from tests.console.served import PASSWORD, Person, Server, examples, serving

WORDS: dict[str, dict[str, Any]] = {
    "zh": {
        "weather": ("我在成都，明天天气如何？", "多云"),
        "refund": ("我要退款", "订单号", "600100200", "退款"),
        "small": ("请把订单600100200退款30元", "允许"),
        "large": ("请把订单202604150088退款600元", "批准"),
        "chart": ("各部门有多少用户？", "研发部"),
        "tasks": "统计知识库数量和用户数量，把两个数字发给admin",
        "remind": ("10秒后提醒我喝水", "喝水"),
        "denied": "已拒绝",
        "approved": "已批准",
        "graph": "任务图",
    },
    "en": {
        "weather": ("What is the weather in Chengdu tomorrow?", "partly cloudy"),
        "refund": ("I want a refund", "order number", "600100200", "Refund"),
        "small": ("Please refund 30 yuan of order 600100200", "Allow"),
        "large": ("Please refund 600 yuan of order 202604150088", "Approve"),
        "chart": ("How many users does each department have?", "研发部"),
        "tasks": "Count the knowledge bases and the users and send both to admin",
        "remind": ("Remind me in 10 seconds to drink water", "drink water"),
        "denied": "Denied",
        "approved": "Approved",
        "graph": "Task graph",
    },
}
FIRST = "u001"
"""The first administrator; sample orders belong to this login."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(examples(tmp_path), tmp_path, roles="finance=li") as started:
        yield started


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_first_day(language: str, server: Server, opened: Open) -> None:
    words = WORDS[language]
    page = opened(server.link, language=language)
    create_the_admin(page)
    li = invited(server, opened, language)

    ask(page, server, "travel", words["weather"][0])
    expect(page.locator(".answer .markdown")).to_contain_text(words["weather"][1])
    a_value_leads_to_the_words(page, words["weather"][0])

    ask(page, server, "support", words["refund"][0])
    form = page.locator(".missing")
    form.get_by_label(words["refund"][1]).fill(words["refund"][2])
    form.get_by_role("button").click()
    card = page.locator(".decision")
    expect(card).to_contain_text(words["refund"][2])
    page.keyboard.press("Alt+n")
    expect(page.locator(".decided")).to_contain_text(words["denied"])

    ask(page, server, "support", words["small"][0])
    page.get_by_role("button", name=words["small"][1]).click()
    expect(page.locator(".decided")).to_contain_text(words["approved"])
    expect(page.locator(".answer .markdown").last).to_contain_text("30")

    ask(page, server, "support", words["large"][0])
    expect(page.locator(".decision")).to_contain_text("finance")
    approve(li, words["large"][1])
    expect(page.locator(".decided")).to_contain_text("li")
    expect(page.locator(".answer .markdown").last).to_contain_text("600")

    ask(page, server, "office", words["chart"][0])
    expect(page.locator(".chart svg")).to_contain_text(words["chart"][1])

    page.goto(f"{server.url}/inbox")
    page.locator("h1").wait_for()
    chat = page.context.new_page()
    ask(chat, server, "office", words["remind"][0])
    expect(chat.locator(".answer .markdown").last).to_contain_text(words["remind"][1])
    expect(page.locator("#page")).to_contain_text(words["remind"][1], timeout=40_000)
    chat.close()

    ask(page, server, "office", words["tasks"])
    expect(page.locator(".tasks .graph")).to_be_visible()
    page.locator(".decision").get_by_role("button").first.click()
    expect(page.locator(".answer").last).to_have_attribute("aria-busy", "false")
    the_run_is_found_with_its_graph(page, server, words["tasks"], words["graph"])


def create_the_admin(page: Page) -> None:
    page.locator("input[autocomplete=username]").fill(FIRST)
    for field in page.locator("input[autocomplete=new-password]").all():
        field.fill(PASSWORD)
    page.locator("button[type=submit]").click()
    page.locator(".composer textarea").wait_for()


def invited(server: Server, opened: Open, language: str) -> Page:
    """Li, signed in in a browser of her own."""
    admin = Person(server.url)
    admin.ask("POST", "/api/session", {"login": FIRST, "password": PASSWORD})
    server.invite(admin, "li", "user", "approver")
    page = opened(f"{server.url}/approvals", language=language)
    sign_in(page, "li")
    return page


def approve(page: Page, word: str) -> None:
    """What has appeared in the list, without reloading; a critical call is asked about again."""
    page.locator("#page").get_by_text("202604150088").first.wait_for()
    page.locator(".approval-decide").get_by_role("button", name=word).first.click()
    page.locator(".ant-modal-confirm").get_by_role("button").last.click()


def ask(page: Page, server: Server, agent: str, text: str) -> None:
    """In a fresh conversation."""
    page.goto(f"{server.url}/chat?agent={agent}")
    compose(page, text)
    expect(page.locator(".said .words").last).to_have_text(text)


def a_value_leads_to_the_words(page: Page, text: str) -> None:
    """Pointing at a value in the trace marks where it was said."""
    page.locator(".trace .pointing").first.hover()
    marked = page.locator(".said mark").inner_text()
    assert marked
    assert marked in text


def the_run_is_found_with_its_graph(page: Page, server: Server, text: str, graph: str) -> None:
    run = page.locator(".trace-head .copy-id").get_attribute("title")
    page.goto(f"{server.url}/runs?q={text[:8]}")
    expect(page.locator("#page")).to_contain_text(text[:8])
    page.goto(f"{server.url}/runs/{run}?view=graph")
    expect(page.locator(".graph").first).to_be_visible()
