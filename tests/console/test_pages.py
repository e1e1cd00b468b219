"""One story for each page but sign-in and chat, on a real server with things that happened."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import House, Open, sign_in
from tests.console.served import PASSWORD, Person
from tests.console.test_access import AXE, violations

WAITING_FOR = ("queued", "running", "split")


def said(person: Person, agent: str, text: str) -> dict[str, Any]:
    """The run of this message, once it rests."""
    run = person.ask("POST", "/api/messages", {"agent": agent, "text": text})["run"]
    for _ in range(400):
        found: dict[str, Any] = person.ask("GET", f"/api/runs/{run}")
        if found["status"] not in WAITING_FOR:
            return found
        person.ask("GET", f"/api/runs/{run}/trace")
    raise AssertionError("the run did not come to rest")


@pytest.fixture(scope="module")
def happened(house: House) -> House:
    """A house in which things have happened."""
    anna, ben = house.people["anna"], house.people["ben"]
    for person in (anna, ben):
        said(person, "support", "What is your refund policy?")
        said(person, "support", "Where is my order 987654321?")
    return house


@pytest.fixture
def console(happened: House, opened: Open) -> Iterator[Page]:
    """The console of the administrator; whatever page he ends on is free of axe violations, light
    and dark."""
    page = opened(f"{happened.server.url}/healthz")
    credentials = {"login": "anna", "password": PASSWORD}
    page.request.post(f"{happened.server.url}/api/session", data=credentials)
    yield page
    page.wait_for_load_state("networkidle")
    page.evaluate(AXE.read_text("utf-8"))
    assert violations(page) == []
    page.get_by_role("button", name="Dark", include_hidden=True).evaluate("(it) => it.click()")
    expect(page.locator("html[data-theme=dark]")).to_be_attached()
    assert violations(page) == []


def visit(page: Page, path: str) -> None:
    page.goto(re.sub(r"^(https?://[^/]+).*", r"\1", page.url) + path)
    page.locator("h1").wait_for()


def test_a_run_is_found_read_and_replayed(console: Page, happened: House) -> None:
    visit(console, "/runs")
    box = console.get_by_label("Text of input or reply")
    box.fill("987654321")
    box.press("Enter")
    expect(console).to_have_url(re.compile("q=987654321"))
    console.get_by_text("Where is my order 987654321?").first.click()
    expect(console.locator("h1")).to_have_text("Where is my order 987654321?")
    expect(console.locator(".trace .step")).not_to_have_count(0)
    for tab, mark in (("Timeline", ".gantt-bar"), ("Log", ".log summary"), ("JSON", ".json pre")):
        console.get_by_role("tab", name=tab).click()
        expect(console.locator(mark).first).to_be_visible()
    console.get_by_role("button", name="Explain").click()
    expect(console.locator(".ant-drawer-body")).to_contain_text("query_order")
    console.keyboard.press("Escape")
    console.get_by_role("button", name="Replay").click()
    expect(console.locator(".ant-drawer-body")).to_contain_text("Today's agent decides the same.")
    console.keyboard.press("Escape")
    visit(console, "/runs")
    console.get_by_role("slider").press("Enter")
    expect(console).to_have_url(re.compile("from=.*to="))


def test_the_tasks_of_a_run_are_a_graph(console: Page, happened: House) -> None:
    text = "Count the knowledge bases and the users and send both to admin"
    run = said(happened.people["anna"], "office", text)
    visit(console, f"/runs/{run['run']}?view=graph")
    tasks = console.locator(".graph-task")
    expect(tasks).not_to_have_count(0)
    console.get_by_role("button", name="Zoom in").click()
    console.get_by_role("button", name="Fit").click()
    tasks.first.click()
    expect(console.locator(".ant-drawer-body .tag").first).to_be_visible()
    console.keyboard.press("Escape")
    console.get_by_role("button", name="Cancel").click()
    console.get_by_label("Note for the journal").fill("seen enough")
    console.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(console.locator(".run-head")).to_contain_text("Cancelled")


def test_an_approval_is_edited_and_what_another_decided_is_said(
    happened: House, opened: Open
) -> None:
    url = f"{happened.server.url}/approvals"
    first, second = opened(url), opened(url)
    for page in (first, second):
        sign_in(page, "li")
        page.locator("h1").wait_for()
    said(happened.people["ben"], "support", "Please refund 600 yuan of order 202604150088")
    for page in (first, second):
        page.get_by_text("202604150088").first.wait_for()
    first.get_by_role("button", name="Edit", exact=True).click()
    first.get_by_label("amount").fill("550")
    expect(first.locator(".diff .added")).to_contain_text("550")
    first.get_by_role("button", name="Stop editing").click()
    first.keyboard.press("d")
    first.get_by_label("Reason").fill("not this month")
    first.get_by_role("button", name="Deny", exact=True).click()
    for page in (first, second):
        expect(page.get_by_text("Already decided by li")).to_be_visible()
        expect(page.get_by_role("button", name="Approve", exact=True)).to_be_hidden()


def test_several_are_denied_at_once_and_what_failed_among_them_is_told(
    happened: House, opened: Open
) -> None:
    ben, li = happened.people["ben"], happened.people["li"]
    for which in ("one", "two", "three"):
        said(ben, "mirror", "CALL " + json.dumps({"text": f"parcel {which}"}))
    page = opened(f"{happened.server.url}/approvals", size=(390, 844))
    sign_in(page, "li")
    rows = page.locator(".approval-row", has_text="parcel")
    rows.first.get_by_role("checkbox").check()
    page.get_by_role("button", name="Mark all 3").click()
    bulk = page.get_by_role("group", name="Decide together")
    bulk.get_by_role("button", name="Deny").click()
    waiting = li.ask("GET", "/api/approvals")["approvals"]
    [two] = [one["approval"] for one in waiting if "parcel two" in one["question"]]
    li.ask("POST", f"/api/approvals/{two}", {"decision": "approve"})
    expect(rows).to_have_count(2)
    page.get_by_label("Reason").fill("no room left")
    page.get_by_role("dialog").get_by_role("button", name="Deny").click()
    told = page.get_by_role("status").filter(has_text="2 denied")
    expect(told).to_contain_text("parcel two")
    expect(told).to_contain_text("already approved by li")
    expect(rows).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    denied = [one for one in ben.ask("GET", "/api/runs")["runs"] if "parcel one" in one["input"]]
    assert "no room left" in json.dumps(ben.ask("GET", f"/api/runs/{denied[0]['run']}/trace"))


def test_the_inbox_shows_what_arrives_by_itself(console: Page, happened: House) -> None:
    visit(console, "/inbox")
    notice = {"message": "The figures are ready.", "to": ["anna"], "language": "en"}
    happened.people["anna"].ask("POST", "/api/deliveries", notice)
    console.get_by_role("button", name=re.compile("The figures are ready")).click()
    shown = console.get_by_role("article")
    expect(shown.locator(".inbox-deliveries")).to_contain_text("Sent")
    shown.get_by_role("button", name="Mark as unread").click()
    console.get_by_text("Unread", exact=True).click()
    expect(console).to_have_url(re.compile("tab=unread"))
    expect(console.get_by_role("button", name=re.compile("The figures are ready"))).to_be_visible()
    console.get_by_role("button", name="Mark all as read").click()
    expect(console.get_by_text("Nothing of this kind")).to_be_visible()


def test_a_reminder_is_made_in_words_and_stands_in_the_calendar(console: Page) -> None:
    visit(console, "/reminders?new=1")
    console.get_by_label("When", exact=True).fill("every workday at 9 am")
    expect(console.locator(".reminder-preview")).to_contain_text("09:00")
    console.get_by_label("Text", exact=True).fill("stand-up")
    console.get_by_role("button", name="Create").click()
    drawer = console.locator(".ant-drawer-body")
    expect(drawer).to_contain_text("stand-up")
    expect(drawer).to_contain_text("Asia/Shanghai")
    drawer.get_by_role("button", name="Pause").click()
    expect(drawer.locator(".tag").first).to_have_text("Paused")
    drawer.get_by_role("button", name="Resume").click()
    expect(drawer.locator(".tag").first).to_have_text("Active")
    visit(console, "/reminders?view=month")
    expect(console.locator(".calendar-due").first).to_contain_text("09:00")
    console.locator(".calendar-due").first.click()
    drawer.get_by_role("button", name="Cancel it").click()
    console.locator(".ant-modal-confirm").get_by_role("button", name="Cancel it").click()
    expect(drawer.locator(".tag").first).to_have_text("Cancelled")


def test_a_tool_is_tried_and_switched_off(console: Page) -> None:
    visit(console, "/tools?agent=support&q=search_docs")
    console.get_by_role("button", name="Details and try").click()
    drawer = console.locator(".ant-drawer-body")
    drawer.get_by_role("tab", name="Try it").click()
    drawer.locator("textarea").first.fill("refund policy")
    drawer.get_by_role("button", name="Try it").click()
    expect(drawer.get_by_label("Result").first).to_contain_text("refund", ignore_case=True)
    console.keyboard.press("Escape")
    console.get_by_role("button", name="Switch off").first.click()
    console.get_by_label("Reason").fill("the index is being rebuilt")
    console.get_by_role("dialog").get_by_role("button", name="Switch off").click()
    card = console.locator(".tool-cards > li")
    expect(card).to_contain_text("Switched off")
    card.get_by_role("button", name="Switch on").click()
    console.get_by_role("dialog").get_by_role("button", name="Switch on").click()
    expect(card.get_by_role("button", name="Switch off")).to_be_visible()


def test_a_sentence_is_classified_and_becomes_an_example(console: Page) -> None:
    visit(console, "/intents?agent=support")
    box = console.get_by_label("A sentence")
    box.fill("I want my money back please")
    box.press("Enter")
    expect(console.locator(".intent-scores li").first).to_contain_text("Request a refund")
    expect(console.locator(".score-line").first).to_be_attached()
    console.get_by_role("button", name="Add as example: Request a refund").or_(
        console.get_by_role("button", name="Add as example: refund")
    ).first.click()
    console.locator(".ant-modal-confirm").get_by_role("button", name="Add as example").click()
    expect(console.locator(".intent-scores")).to_contain_text("Added")


def test_a_run_becomes_a_case_that_is_evaluated(console: Page, happened: House) -> None:
    run = said(happened.people["anna"], "support", "What is your refund policy?")
    visit(console, f"/runs/{run['run']}")
    console.get_by_role("button", name="Make a case").click()
    suite = console.get_by_label("Suite")
    suite.fill("mine")
    suite.press("Enter")
    console.get_by_role("button", name="Add", exact=True).click()
    expect(console.locator(".ant-drawer-body")).to_contain_text("Added to")
    visit(console, "/evaluations?agent=support")
    card = console.locator(".suites li", has_text="mine")
    card.get_by_role("button", name="Run").click()
    row = console.locator(".evaluation-pick").first
    expect(row).to_contain_text("of 1 pass")
    row.click()
    expect(console.get_by_role("heading", name="Metrics")).to_be_visible()


def test_usage_is_a_chart_a_table_and_a_way_to_the_runs(console: Page) -> None:
    visit(console, "/usage?range=1")
    expect(console.locator(".usage-totals")).to_contain_text("Tool calls")
    chart = console.get_by_role("figure", name="Runs", exact=True)
    chart.get_by_text("Table", exact=True).click()
    counted = chart.locator("tr:has(td.n:text-matches('^[1-9]'))")
    counted.last.locator(".link").click()
    expect(console).to_have_url(re.compile("/runs.*from="))
    expect(console.locator(".data-foot")).to_contain_text("shown")


def test_an_agent_is_drafted_mended_published_and_rolled_back(console: Page) -> None:
    visit(console, "/agents/support?tab=model")
    field = console.get_by_label("agent.yaml: model")
    before = field.input_value()
    field.fill("model: {use: nowhere}")
    expect(console.get_by_text("agent.yaml:").first).to_be_visible()
    expect(console.get_by_role("button", name="Publish")).to_be_disabled()
    field.fill(before + "  # as ever")
    expect(console.get_by_text("No faults")).to_be_visible()
    console.get_by_label("Say something to the draft").fill("What is your refund policy?")
    console.get_by_role("button", name="Send").click()
    expect(console.locator(".preview-turns .markdown").first).to_contain_text("refund")
    console.get_by_role("button", name="Publish").click()
    expect(console.get_by_role("dialog").locator(".diff .added")).to_contain_text("as ever")
    console.get_by_label("What was changed").fill("a remark")
    console.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(console.get_by_role("dialog")).to_be_hidden()
    console.get_by_role("button", name="History").click()
    versions = console.locator(".versions li")
    expect(versions.first).to_contain_text("a remark")
    known = versions.count()
    before_that = versions.nth(1)
    before_that.get_by_role("button", name="Look").click()
    before_that.get_by_role("button", name="Go back to this version").click()
    console.locator(".ant-modal-confirm").get_by_role("button", name="Go back").click()
    expect(versions).to_have_count(known + 1)
    visit(console, "/agents/support?tab=model")
    expect(console.get_by_label("agent.yaml: model")).to_have_value(before)


def test_the_directory_says_who_is_meant_and_what_is_known_of_a_user(console: Page) -> None:
    visit(console, "/users?tab=directory")
    expect(console.get_by_text("baiyu@example.com")).to_be_visible()
    console.get_by_label("Whom does a description mean?").fill("财务部的部长")
    console.get_by_role("button", name="Find").click()
    expect(console.get_by_text("“财务部的部长” means 1 person")).to_be_visible()
    console.get_by_label("Whom does a description mean?").fill("财务部的会计")
    console.get_by_role("button", name="Find").click()
    expect(console.get_by_text("may mean several")).to_be_visible()
    console.get_by_label("Name, login, title, address …").fill("suntao@")
    console.keyboard.press("Enter")
    expect(console.get_by_text("baiyu@example.com")).to_be_hidden()
    visit(console, "/users?user=ben")
    expect(console.get_by_role("heading", name="Directory entry")).to_be_visible()


def test_a_user_is_invited_and_secrets_are_shown_once(console: Page) -> None:
    visit(console, "/users?invite=1")
    console.get_by_label("Login", exact=True).fill("nina")
    console.get_by_role("button", name="Make the link").click()
    link = console.get_by_label("One-time link for nina")
    expect(link).to_have_value(re.compile("/invite/"))
    visit(console, "/users?user=anna")
    console.locator(".ant-select-selection-item-remove").first.click()
    console.get_by_role("button", name="Save").click()
    expect(console.locator(".ant-drawer-body .problem")).to_contain_text("administrator")
    visit(console, "/account")
    console.get_by_label("What it is for").fill("a script")
    console.get_by_role("button", name="Make a token").click()
    token = console.get_by_label("Token “a script”")
    expect(token).not_to_have_value("")
    visit(console, "/account")
    expect(console.locator(".tokens")).to_contain_text("a script")
    expect(token).to_be_hidden()
    console.get_by_role("button", name="Revoke the token a script").click()
    console.locator(".ant-modal-confirm").get_by_role("button", name="Revoke").click()
    expect(console.get_by_text("No tokens yet.")).to_be_visible()
