"""Services that Apprise carries: the address goes into the URL as one, and the URL into no log."""

import logging
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from pointsman.adapters.notifiers.apprise import AppriseNotifier
from pointsman.ports import Letter
from tests.cases import params
from tests.support.robot_server import KEY, robot_server

pytestmark = pytest.mark.anyio

LETTER = Letter(key="k" * 32, address="U1", name="王芳", subject="日报", text="178 个知识库")


@pytest.mark.parametrize(
    ("status", "verdict", "about"),
    [
        (401, "failed", "channel"),
        (403, "failed", "channel"),
        (400, "failed", "message"),
        (429, "retry", "channel"),
        (503, "retry", "channel"),
    ],
)
async def test_a_status_is_read_from_what_apprise_logs(
    status: int, verdict: str, about: str
) -> None:
    async with robot_server() as robots:
        channel = AppriseNotifier({"": robots.address("webhook").replace("http", "json")})
        robots.answers.append(web.Response(status=status))
        outcome = await channel.send(LETTER)
    assert (outcome.verdict, outcome.about, outcome.code) == (verdict, about, str(status))


@pytest.mark.parametrize("case", params(9, only=("N20",)))
async def test_no_log_shows_the_url(case: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    assert "SECRET" in case["input"]["url"]
    with caplog.at_level(logging.DEBUG):
        async with robot_server() as robots:
            channel = AppriseNotifier({"": robots.address("webhook").replace("http", "json")})
            robots.answers.append(web.Response(status=401, text=case["input"]["error_body"]))
            outcome = await channel.send(LETTER)
        unknown = await AppriseNotifier({"": f"nonsense://{KEY}"}).send(LETTER)
    said = [one for one in caplog.records if one.name.startswith(("apprise", "pointsman"))]
    assert not any(KEY in one.getMessage() for one in said)
    assert KEY not in f"{outcome} {unknown}"
    assert (unknown.verdict, unknown.about) == ("failed", "channel")


async def test_an_address_cannot_change_the_url() -> None:
    async with robot_server() as robots:
        url = robots.address("webhook").replace("http", "json") + "&:to={to}"
        channel = AppriseNotifier({"": url})
        assert (await channel.send(replace(LETTER, address="a&:x=1/../b"))).ok
    (taken,) = robots.taken
    assert taken["to"] == "a&:x=1/../b"
    assert "x" not in taken


def test_a_text_message_wants_a_telephone_number() -> None:
    channel = AppriseNotifier({"": "json://127.0.0.1/{to}"}, takes="phone")
    assert channel.refuses("13800138000") == ""
    assert channel.refuses("13800138000\n")
    assert channel.refuses("王芳")


async def test_a_key_that_is_gone_is_the_fault_of_its_group_alone() -> None:
    async with robot_server() as robots:
        url = robots.address("webhook").replace("http", "json")
        channel = AppriseNotifier({"值班群": url, "产品群": url})
        robots.answers.append(web.Response(status=401))
        outcome = await channel.send(replace(LETTER, address="值班群"))
        assert (await channel.send(replace(LETTER, address="产品群"))).ok
    assert (outcome.verdict, outcome.about) == ("failed", "recipient")


def test_a_group_has_a_url_of_its_own() -> None:
    channel = AppriseNotifier({"值班群": "json://127.0.0.1/"})
    assert channel.refuses("值班群") == ""
    assert channel.refuses("别的群")
