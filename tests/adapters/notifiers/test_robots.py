"""Group robots: the fields that each vendor wants, its limits and its refusals."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from pointsman.adapters.notifiers.robots import KINDS, WebhookNotifier
from pointsman.domain.limiting import Rate
from pointsman.domain.notices.letters import split
from pointsman.ports import Letter
from tests.cases import params
from tests.support.robot_server import KEY, RATE, RobotServer, robot_server

pytestmark = pytest.mark.anyio

GROUP = "产品群"
LETTER = Letter(key="k" * 32, address=GROUP, name=GROUP, subject="日报", text="**178** 个知识库")


@pytest.fixture
async def robots() -> AsyncIterator[RobotServer]:
    async with robot_server() as running:
        yield running


def speaking(robots: RobotServer, kind: str = "wecom", path: str = "") -> WebhookNotifier:
    return WebhookNotifier(KINDS[kind], {GROUP: robots.address(path or kind.partition("_")[0])})


@pytest.mark.parametrize("case", params(9, only=("N14",)))
async def test_each_vendor_gets_its_own_fields(case: dict[str, Any], robots: RobotServer) -> None:
    assert case["input"]["channel"] == "wecom"
    for kind in ("wecom", "dingtalk", "feishu"):
        channel = speaking(robots, kind)
        assert (await channel.send(LETTER)).ok
        await channel.aclose()
    wecom, dingtalk, feishu = robots.taken
    assert list(wecom) == case["expected"]["payload_keys"]
    assert wecom["markdown"] == {"content": LETTER.text}
    assert list(dingtalk) == ["msgtype", "markdown"]
    assert list(feishu) == ["msg_type", "content"]


async def test_a_refusal_with_status_200_is_one(robots: RobotServer) -> None:
    channel = speaking(robots)
    long = await channel.send(replace(LETTER, text="通" * 2000))
    await channel.aclose()
    assert (long.verdict, long.code) == ("failed", "40058")
    assert robots.taken == []


async def test_parts_of_a_long_text_are_all_taken(robots: RobotServer) -> None:
    channel = speaking(robots, "wecom_text")
    parts = split("一二三四五六七八九十" * 180, channel.limit)
    for part in parts:
        assert (await channel.send(replace(LETTER, text=part))).ok
    await channel.aclose()
    assert len(robots.taken) == len(parts) > 1


async def test_the_rate_limit_is_one_that_passes(robots: RobotServer) -> None:
    channel = speaking(robots)
    outcomes = [await channel.send(replace(LETTER, key=str(n))) for n in range(RATE + 1)]
    robots.next_minute()
    later = await channel.send(LETTER)
    await channel.aclose()
    assert [one.verdict for one in outcomes] == ["sent"] * RATE + ["retry"]
    assert (outcomes[-1].code, outcomes[-1].after) == ("45009", 60.0)
    assert later.ok
    assert channel.rate == Rate(calls=RATE, seconds=60.0)


async def test_a_webhook_is_told_the_key_and_may_say_when_to_come_back(
    robots: RobotServer,
) -> None:
    channel = speaking(robots, "webhook")
    robots.answers.append(web.Response(status=429, headers={"Retry-After": "7"}))
    outcome = await channel.send(LETTER)
    assert (await channel.send(LETTER)).ok
    await channel.aclose()
    assert (outcome.verdict, outcome.after) == ("retry", 7.0)
    assert robots.keys == [LETTER.key] * 2


async def test_a_redirect_is_not_followed(robots: RobotServer) -> None:
    channel = speaking(robots, "webhook")
    robots.answers.append(web.Response(status=302, headers={"Location": "http://evil.test/"}))
    outcome = await channel.send(LETTER)
    await channel.aclose()
    assert outcome.verdict == "failed"


@pytest.mark.parametrize("case", params(9, only=("N20",)))
async def test_what_comes_back_shows_no_secret(case: dict[str, Any], robots: RobotServer) -> None:
    channel = speaking(robots, "webhook")
    reflected = f"{case['input']['error_body']} {robots.address('webhook')} {KEY}"
    robots.answers.append(web.Response(status=500, text=reflected))
    outcome = await channel.send(LETTER)
    await channel.aclose()
    assert outcome.verdict == "retry"
    assert "SECRET" not in outcome.detail
    assert KEY not in repr(outcome)


async def test_a_webhook_that_is_no_url_is_the_channels_fault() -> None:
    channel = WebhookNotifier(KINDS["wecom"], {GROUP: "SECRET"})
    outcome = await channel.send(LETTER)
    await channel.aclose()
    assert (outcome.verdict, outcome.about) == ("failed", "channel")
    assert "SECRET" not in outcome.detail
