"""The chat keeps up with a fast model, through a reload, and stops when told."""

from playwright.sync_api import Page, expect

from tests.console.conftest import House, Open, compose, sign_in
from tests.console.mirror import number, word

TOKENS = 3_000
PER_SECOND = 100

WATCH_FRAMES = """() => {
  window.stalls = [];
  let last = performance.now();
  const tick = (now) => {
    if (now - last > 250) window.stalls.push(Math.round(now - last));
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}"""


def talk(house: House, opened: Open) -> Page:
    page = opened(f"{house.server.url}/chat?agent=mirror")
    sign_in(page, "ben")
    return page


def shown(page: Page) -> int:
    """The last token that can be read."""
    return number(page.locator(".answer .markdown").last.inner_text().split()[-1])


def test_three_thousand_tokens_come_fluently_and_a_reload_misses_none(
    house: House, opened: Open
) -> None:
    page = talk(house, opened)
    page.evaluate(WATCH_FRAMES)
    compose(page, f"STREAM {TOKENS}")
    expect(page.locator(".answer .markdown")).to_contain_text(word(TOKENS // 4).strip())
    # it keeps up: what is read is never far from what was sent
    first, before = shown(page), page.evaluate("performance.now()")
    page.wait_for_function(
        "(w) => document.querySelector('.answer .markdown').innerText.includes(w)",
        arg=word(first + 300).strip(),
    )
    seconds = (page.evaluate("performance.now()") - before) / 1000
    assert seconds < 2 * 300 / PER_SECOND
    stalls = page.evaluate("window.stalls")
    assert len(stalls) <= 5, stalls
    # it follows the end, and lets go when the reader scrolls up
    box = page.locator(".scroll")
    assert box.evaluate("(e) => e.scrollHeight - e.scrollTop - e.clientHeight") < 60
    box.hover()
    page.mouse.wheel(0, -600)
    jump = page.get_by_role("button", name="Jump to latest")
    expect(jump).to_be_visible()
    jump.click()
    expect(jump).to_be_hidden()
    # a reload in the middle goes on, with what came before it
    page.reload()
    answer = page.locator(".answer .markdown").last
    expect(answer).to_contain_text("aaa aab aac")
    assert shown(page) < TOKENS - 1
    expect(answer).to_contain_text(word(TOKENS - 1).strip(), timeout=60_000)
    expect(page.get_by_role("button", name="Copy reply")).to_be_visible()
    assert answer.inner_text().split() == [word(n).strip() for n in range(TOKENS)]


def test_escape_stops_the_run(house: House, opened: Open) -> None:
    page = talk(house, opened)
    compose(page, f"STREAM {TOKENS}")
    expect(page.locator(".answer .markdown")).to_contain_text(word(20).strip())
    page.keyboard.press("Escape")
    expect(page.locator(".answer .tag", has_text="Cancelled")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()


def test_keys_of_a_composition_never_send(house: House, opened: Open) -> None:
    page = talk(house, opened)
    box = page.locator(".composer textarea")
    box.focus()
    session = page.context.new_cdp_session(page)
    session.send(
        "Input.imeSetComposition", {"text": "nihao", "selectionStart": 5, "selectionEnd": 5}
    )
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    expect(box).to_have_value("nihao")
    assert page.locator(".exchange").count() == 0
    session.send("Input.insertText", {"text": "你好"})
    expect(box).to_have_value("你好")
    box.press("Shift+Enter")
    box.type("again")
    assert page.locator(".exchange").count() == 0
    box.press("Enter")
    expect(page.locator(".said .words")).to_have_text("你好\nagain")
    # the arrow brings the message back into an empty box
    expect(page.get_by_role("button", name="Copy reply")).to_be_visible()
    box.press("ArrowUp")
    expect(box).to_have_value("你好\nagain")
