"""Intents over HTTP: a sentence tried, corrections found, an example added."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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


async def talk(site: Site, *texts: str) -> list[str]:
    """The runs of a conversation of these messages."""
    runs, conversation = [], ""
    for text in texts:
        run = await site.service.submit(
            Submission(agent="kiosk", user="eve", text=text, conversation=conversation)
        )
        conversation = (await site.service.wait(run, "eve")).conversation
        runs.append(run)
    return runs


async def test_intents_are_listed_as_the_file_has_them(site: Site) -> None:
    found = await get(site, f"{AGENT}/intents")
    assert [one["intent"] for one in found["intents"]] == [
        "prices",
        "orders",
        "counts",
        "refunds",
    ]
    prices = found["intents"][0]
    assert prices["title"] == {"zh": "价格", "en": "Prices"}
    assert prices["examples"] == ["what does tea cost?", "茶多少钱"]
    assert prices["tools"] == ["price"]
    assert found["classifier"]


async def test_agents_tell_what_to_begin_with(site: Site) -> None:
    (agent,) = (await get(site, "/api/agents"))["agents"]
    assert agent["examples"] == {
        "zh": ["茶多少钱"],
        "en": ["what does tea cost?", "order 2 cups of tea"],
    }
    assert agent["editable"] is True


async def test_a_sentence_shows_its_scores_and_its_way(site: Site) -> None:
    found = await post(site, f"{AGENT}/classify", {"text": "what is the price of tea?"})
    assert (found["decision"], found["intents"], found["tools"]) == ("tools", ["prices"], ["price"])
    best = found["scores"][0]
    assert best["intent"] == "prices"
    assert best["score"] >= best["accept"] > best["ask"]
    assert found["by"]
    none = await post(site, f"{AGENT}/classify", {"text": "lovely weather"})
    assert none["decision"] == "answer"
    assert (await get(site, "/api/runs?scope=all"))["runs"] == []


async def test_corrections_are_found_in_the_record(site: Site) -> None:
    wrong, right = await talk(site, "what is the price of tea?", "no, I meant the count of the tea")
    await talk(site, "what is the price of tea?", "thank you, order 2 cups of milk")
    found = await get(site, f"{AGENT}/confusions")
    (one,) = found["confusions"]
    assert (one["run"], one["corrected"], one["kind"]) == (wrong, right, "reworded")
    assert (one["taken"], one["meant"]) == (["prices"], ["counts"])
    assert one["correction"] == "no, I meant the count of the tea"


async def test_an_example_is_added_and_counts_at_once(site: Site, home: Path) -> None:
    before = (home / "agent.yaml").read_text("utf-8")
    made = await post(site, f"{AGENT}/intents/prices/examples", {"text": " how much is  milk? "})
    assert made["intent"]["examples"][-1] == "how much is milk?"
    after = (home / "agent.yaml").read_text("utf-8")
    assert after.replace("      - how much is milk?\n", "") == before
    assert "how much is milk?" in site.service.agents.get("kiosk").intents["prices"].examples
    (newest, *_) = (await get(site, f"{AGENT}/versions"))["versions"]
    assert newest["note"] == "example of prices: how much is milk?"
    await post(site, f"{AGENT}/intents/prices/examples", {"text": "how much is milk?"}, 400)
    await post(site, f"{AGENT}/intents/none/examples", {"text": "x"}, 404)


async def test_intents_are_for_operators_and_examples_for_admins(site: Site) -> None:
    as_user(site, "oda", "operator")
    await get(site, f"{AGENT}/intents")
    await get(site, f"{AGENT}/confusions")
    await post(site, f"{AGENT}/intents/prices/examples", {"text": "x"}, 403)
    as_user(site, "eve")
    for path in ("/intents", "/confusions"):
        await get(site, AGENT + path, 403)
    await post(site, f"{AGENT}/classify", {"text": "x"}, 403)
