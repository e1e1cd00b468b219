"""What the API shows of a journal is masked as the audit's views are."""

from typing import Any

import pytest

from pointsman.domain.tools import Risk
from tests.entrypoints.web.native import get, say, stream_of
from tests.support.engine import service_of
from tests.support.journals import CARD
from tests.support.scripted_model import results
from tests.support.tools import fake_tool
from tests.support.web import serving

pytestmark = pytest.mark.anyio

KEY = "sk-proj-abcdEFGH1234567890wxyz"


def pays(request: Any) -> Any:
    found = results(request)
    return f"Paid with {CARD}." if found else [("pay", f'{{"card": "{CARD}", "for": "tea"}}')]


async def test_private_values_and_credentials_are_shown_by_no_event() -> None:
    properties = {"card": {"type": "string", "x-private": True}, "for": {"type": "string"}}
    tool = fake_tool("pay", f"ok {KEY}", risk=Risk.READ, properties=properties)
    service = await service_of(pays, tool)
    async with serving(service) as site:
        run = (await say(site, f"pay the tea with {CARD}, the key is {KEY}"))["run"]
        streamed = await stream_of(site, run)
        again = await stream_of(site, run, **{"Last-Event-ID": "1"})
        trace = await get(site, f"/api/runs/{run}/trace")
    for shown in (str(trace), str([one.data for one in streamed[5:]]), str(again)):
        assert CARD not in shown
        assert KEY not in shown
        assert "[masked:bank_card:4216]" in shown
    assert "tea" in str(trace)
    assert KEY not in str(streamed)
    assert CARD in str(await service.store.rows(run))
