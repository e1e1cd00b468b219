"""Agents edited over HTTP: drafted, checked, tried, published, and put back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.system import SystemClock
from pointsman.engine.agents import Agents
from pointsman.engine.renewal import Renewal
from pointsman.engine.service import Submission
from tests.entrypoints.web.console_api.test_runs_api import as_user
from tests.entrypoints.web.native import get, post
from tests.support.kiosks import kiosk, open_kiosk
from tests.support.web import Site

pytestmark = pytest.mark.anyio

AGENT = "/api/agents/kiosk"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return kiosk(tmp_path / "kiosk")


@pytest.fixture
async def site(home: Path, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_kiosk(home, tmp_path / "test.db") as site:
        yield site


async def put(site: Site, files: dict[str, str], status: int = 200, **more: str) -> Any:
    body = {"files": [{"path": path, "text": text} for path, text in files.items()], **more}
    async with site.http.put(f"{AGENT}/draft", json=body) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def files_of(site: Site, path: str = "/files") -> dict[str, str]:
    return {one["path"]: one["text"] for one in (await get(site, AGENT + path))["files"]}


async def drafted(site: Site, old: str, new: str, path: str = "agent.yaml") -> dict[str, str]:
    """A draft in which this text stands in the place of that."""
    files = await files_of(site)
    assert old in files[path]
    changed = {**files, path: files[path].replace(old, new)}
    await put(site, changed)
    return changed


async def faults(site: Site) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await post(site, f"{AGENT}/draft/check"))["faults"]
    return found


async def said(site: Site, text: str) -> str:
    run = await site.service.submit(Submission(agent="kiosk", user="eve", text=text))
    return (await site.service.wait(run, "eve")).reply


async def test_the_folder_is_shown_and_a_draft_changes_nothing_of_it(
    site: Site, home: Path
) -> None:
    shown = await get(site, f"{AGENT}/files")
    assert [one["path"] for one in shown["files"]] == [
        "agent.yaml",
        "tools.py",
        "evaluation/basic.yaml",
    ]
    empty = await get(site, f"{AGENT}/draft")
    assert (empty["by"], empty["stale"], empty["base"]) == (None, False, shown["version"])
    await drafted(site, "en: Hello", "en: Good day")
    kept = await get(site, f"{AGENT}/draft")
    assert (kept["by"], kept["stale"]) == ("local", False)
    assert "Good day" not in (home / "agent.yaml").read_text()
    assert await said(site, "hello") == "Hello"
    async with site.http.delete(f"{AGENT}/draft") as answer:
        assert answer.status == 204
    assert (await get(site, f"{AGENT}/draft"))["by"] is None


async def test_a_draft_that_is_fine_has_no_faults(site: Site) -> None:
    assert await faults(site) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "field", "word"),
    [
        ("agent.yaml", "agent: kiosk", "agent: [", "", "expected"),
        ("agent.yaml", "language: en", "langage: en", "langage", "unknown"),
        ("agent.yaml", "agent: kiosk", "agent: shop", "agent", "not 'kiosk'"),
        ("agent.yaml", "tools: [refund]", "tools: [refnd]", "intents.refunds.tools[0]", "refnd"),
        ("agent.yaml", "tools:count", "tools:cont", "tools", "cont"),
        ("tools.py", "counted = []", "counted = [", "", "never closed"),
        ("tools.py", "counted = []", "counted = nothing", "tools", "nothing"),
        ("evaluation/basic.yaml", "say: hello", "sai: hello", "cases[1].sai", "unknown"),
    ],
)
async def test_faults_are_told_with_their_places(
    site: Site, path: str, old: str, new: str, field: str, word: str
) -> None:
    await drafted(site, old, new, path)
    found = (await faults(site))[0]
    assert (found["file"], found["field"]) == (path if field != "tools" else "agent.yaml", field)
    assert word in found["message"]
    assert "/tmp" not in str(found)
    refused = await post(site, f"{AGENT}/draft/publish", {"note": ""}, 400)
    assert refused["code"] == "faults"
    assert refused["errors"][0]["problem"] == found["message"]


async def test_a_draft_is_tried_and_nothing_of_it_is_kept(site: Site, home: Path) -> None:
    await drafted(site, 'return f"{item} costs 3', 'return f"{item} costs 4', "tools.py")
    tried = await post(site, f"{AGENT}/draft/try", {"text": "what is the price of tea?"})
    assert "costs 4" in tried["text"]
    assert tried["intents"] == ["prices"]
    assert tried["not_run"] == []
    assert any("price" in line for line in tried["said"])
    assert (await get(site, "/api/runs?scope=all"))["runs"] == []
    assert "costs 3" in await said(site, "what is the price of tea?")


async def test_a_try_runs_no_tool_that_may_change_something(site: Site, tmp_path: Path) -> None:
    files = await files_of(site)
    mark = tmp_path / "ran"
    ran = f'open("{mark}", "w").close()\n    return f"ordered'
    await put(
        site,
        {
            **files,
            "tools.py": files["tools.py"].replace('return f"ordered', ran),
            "agent.yaml": files["agent.yaml"].replace(
                "policy:", "policy:\n  - {tool: order, then: allow}"
            ),
        },
    )
    tried = await post(site, f"{AGENT}/draft/try", {"text": "order 2 cups of tea"})
    assert tried["not_run"] == ["order"]
    assert tried["calls"][0]["status"] == "refused"
    assert "ran" not in [one.name for one in mark.parent.glob("*")]


async def test_a_try_goes_on_in_its_conversation(site: Site) -> None:
    first = await post(site, f"{AGENT}/draft/try", {"text": "order tea"})
    assert "many" in first["text"]
    again = {"text": "2", "conversation": first["conversation"]}
    second = await post(site, f"{AGENT}/draft/try", again)
    assert second["calls"][0]["arguments"] == {"item": "tea", "many": 2}
    assert second["status"] == "waiting"
    await post(site, f"{AGENT}/draft/try", {"text": "x", "conversation": "0" * 32}, 404)


async def test_what_is_published_runs_at_once_here_and_elsewhere(site: Site, home: Path) -> None:
    await drafted(site, "en: Hello", "en: Good day")
    published = await post(site, f"{AGENT}/draft/publish", {"note": "kinder"})
    assert "Good day" in (home / "agent.yaml").read_text()
    assert await said(site, "hello") == "Good day"
    listed = (await get(site, f"{AGENT}/versions"))["versions"]
    assert [(one["version"], one["by"], one["note"], one["current"]) for one in listed] == [
        (2, "local", "kinder", True),
        (1, "", "found in the folder", False),
    ]
    assert published["version"] == 2
    assert (await get(site, f"{AGENT}/draft"))["by"] is None
    assert "Hello" in (await files_of(site, "/versions/1"))["agent.yaml"]


async def test_other_processes_take_up_what_was_published(site: Site) -> None:
    other = Agents(*site.service.agents)
    other.load = site.service.agents.load
    renewal = Renewal(other, site.service.store, SystemClock())
    await renewal.look()
    await drafted(site, "en: Hello", "en: Good day")
    await post(site, f"{AGENT}/draft/publish")
    before = other.get("kiosk")
    await renewal.look()
    assert other.get("kiosk") is not before
    assert other.get("kiosk").spec.offline["answers"][0]["say"]["en"] == "Good day"
    await renewal.look()
    await other.aclose()


async def test_a_version_is_put_back_as_one_of_its_own(site: Site) -> None:
    await drafted(site, "en: Hello", "en: Good day")
    await post(site, f"{AGENT}/draft/publish")
    assert (await post(site, f"{AGENT}/versions/1/restore"))["version"] == 3
    assert await said(site, "hello") == "Hello"
    await post(site, f"{AGENT}/versions/9/restore", status=404)
    await get(site, f"{AGENT}/versions/9", 404)


async def test_a_folder_that_changed_underneath_is_not_overwritten(site: Site, home: Path) -> None:
    await drafted(site, "en: Hello", "en: Good day")
    text = (home / "agent.yaml").read_text().replace("en: Hello", "en: Hi")
    (home / "agent.yaml").write_text(text)
    assert (await get(site, f"{AGENT}/draft"))["stale"] is True
    await post(site, f"{AGENT}/draft/publish", status=409)
    assert (home / "agent.yaml").read_text() == text


async def test_code_is_loaded_anew_when_it_is_published(site: Site) -> None:
    for cost in ("4", "5"):
        files = await files_of(site)
        old = files["tools.py"].partition(" costs ")[2][0]
        await drafted(site, f" costs {old}", f" costs {cost}", "tools.py")
        await post(site, f"{AGENT}/draft/publish")
        assert f"costs {cost}" in await said(site, "what is the price of tea?")


async def test_files_that_lead_out_of_the_folder_are_refused(site: Site) -> None:
    files = await files_of(site)
    for path in ("../x.md", "/x.md", ".env"):
        await put(site, {**files, path: "x"}, 400)
    await put(site, {"tools.py": "x"}, 400)
    await post(site, f"{AGENT}/draft/publish", status=404)


async def test_operators_read_and_admins_write(site: Site) -> None:
    files = await files_of(site)
    as_user(site, "oda", "operator")
    for path in ("/files", "/draft", "/versions"):
        await get(site, AGENT + path)
    await put(site, files, 403)
    for path in ("/draft/check", "/draft/try", "/draft/publish", "/versions/1/restore"):
        await post(site, AGENT + path, {}, 403)
    as_user(site, "eve", "approver")
    for path in ("/files", "/draft", "/versions", "/versions/1"):
        await get(site, AGENT + path, 403)
    as_user(site, "ada", "admin")
    await put(site, files)
    await get(site, "/api/agents/none/files", 404)
