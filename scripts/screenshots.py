"""Takes docs/screenshots: every page of the console, in both themes and at both widths, with the
example agents and something in them to see. Run by ``make screenshots``."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.console.conftest import CHROMIUM, FLAGS, sign_in  # noqa: E402
from tests.console.served import Person, Server, examples, serving  # noqa: E402

FOLDER = ROOT / "docs/screenshots"
FIRST = "u001"
SIZES = {"wide": (1440, 900), "phone": (390, 844)}

PAGES = {
    "signin": "",
    "chat-empty": "/chat?agent=support",
    "chat": "",
    "chat-confirm": "",
    "chat-chart": "",
    "chat-tasks": "",
    "inbox": "/inbox",
    "approvals": "/approvals",
    "reminders": "/reminders",
    "reminders-calendar": "/reminders?view=month",
    "runs": "/runs",
    "run": "",
    "run-timeline": "?view=timeline",
    "run-graph": "?view=graph",
    "tools": "/tools",
    "intents": "/intents",
    "evaluations": "/evaluations",
    "usage": "/usage",
    "agents": "/agents",
    "agent-editor": "/agents/support",
    "users": "/users",
    "users-directory": "/users?tab=directory",
    "account": "/account",
}
"""Name of the picture → address; empty where `TALKS` or this file says how to come there."""

TALKS = {
    "chat": (
        "travel",
        {"zh": "我在成都，明天天气如何？", "en": "How is the weather in Chengdu tomorrow?"},
    ),
    "chat-confirm": (
        "support",
        {"zh": "请把订单600100200退款30元", "en": "Please refund 30 yuan of order 600100200"},
    ),
    "chat-chart": (
        "office",
        {"zh": "各部门有多少用户？", "en": "How many users does each department have?"},
    ),
    "chat-tasks": (
        "office",
        {
            "zh": "统计知识库数量和用户数量，把两个数字发给admin",
            "en": "Count the knowledge bases and the users and send both to admin",
        },
    ),
}


def main() -> None:
    """Take them all, or those whose names are given."""
    wanted = sys.argv[1:] or [*PAGES]
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(examples(Path(folder)), Path(folder)) as server,
    ):
        person = server.admin(FIRST)
        talks = _fill(server, person)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for theme, language in (("light", "zh"), ("dark", "en")):
                for size in SIZES:
                    _take(browser, server, wanted, talks[language], theme, language, size)
            browser.close()


def _fill(server: Server, person: Person) -> dict[str, dict[str, str]]:
    """Something to see: language → picture → its conversation."""
    for login, *roles in (("li", "approver"), ("wang", "operator"), ("zhao", "user")):
        server.invite(person, login, "user", *roles)
    for when in ("每个工作日 9:00", "每月最后一天 18:00", "明天下午3点"):
        reminder = {"when": when, "text": "核对本月的退款", "agent": "office", "language": "zh"}
        person.ask("POST", "/api/reminders", reminder)
    person.ask("POST", "/api/deliveries", {"message": "本月退款汇总已生成。", "to": [FIRST]})
    talks: dict[str, dict[str, str]] = {"zh": {}, "en": {}}
    for language, made in talks.items():
        for name, (agent, texts) in TALKS.items():
            message = {"agent": agent, "text": texts[language]}
            made[name] = person.ask("POST", "/api/messages", message)["conversation"]
    large = {"agent": "support", "text": "请把订单202604150088退款600元"}
    person.ask("POST", "/api/messages", large)
    return talks


def _take(
    browser: Browser,
    server: Server,
    wanted: list[str],
    talks: dict[str, str],
    theme: str,
    language: str,
    size: str,
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale="zh-CN" if language == "zh" else "en-GB",
        timezone_id="Asia/Shanghai",
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{server.url}/chat")
    page.locator("input[autocomplete=username]").wait_for()
    if "signin" in wanted:
        _shoot(page, "signin", theme, size)
    sign_in(page, FIRST)
    for name in wanted:
        if name == "signin":
            continue
        page.goto(server.url + _address(page, server, name, talks))
        page.locator("h1").first.wait_for(state="attached")
        _shoot(page, name, theme, size)
    context.close()


def _address(page: Page, server: Server, name: str, talks: dict[str, str]) -> str:
    if not name.startswith("run-") and name != "run":
        return PAGES[name] or f"/chat/{talks[name]}"
    talk = talks["chat-tasks" if name == "run-graph" else "chat"]
    found = page.request.get(f"{server.url}/api/conversations/{talk}").json()
    return f"/runs/{found['runs'][0]['run']}{PAGES[name]}"


def _shoot(page: Page, name: str, theme: str, size: str) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    page.screenshot(path=FOLDER / f"{name}-{theme}-{size}.png")


if __name__ == "__main__":
    main()
