"""Group robots: the fields that each vendor wants, its limits and its refusals."""

import json
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


@pytest.mark.parametrize("kind", ["wecom", "wecom_text", "dingtalk", "feishu"])
async def test_no_text_calls_people_in_a_group(kind: str, robots: RobotServer) -> None:
    channel = speaking(robots, kind)
    said = 'x <at user_id="all">所有人</at> <@zhangsan>'
    assert (await channel.send(replace(LETTER, text=said, subject=said))).ok
    await channel.aclose()
    shown = json.dumps(robots.taken[-1], ensure_ascii=False)
    assert "@所有人 @zhangsan" in shown
    assert "<" not in shown


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


@pytest.mark.parametrize("kind", ["dingtalk", "feishu"])
@pytest.mark.parametrize("line", ["通知内容", "| 门店 | 销售额 |\n", '"name": "value",\n'])
async def test_a_part_fits_with_all_that_is_sent_around_it(
    kind: str, line: str, robots: RobotServer
) -> None:
    channel = speaking(robots, kind)
    parts = split(line * 4000, channel.limit)
    outcomes = [await channel.send(replace(LETTER, subject="题" * 200, text=p)) for p in parts]
    await channel.aclose()
    assert len(parts) > 1
    assert all(one.ok for one in outcomes)


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


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ("Tue, 01 Dec 2026 08:02:00 GMT", 120.0),
        ("Tue, 01 Dec 2026 07:00:00 GMT", 0.0),
        ("-5", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
    ],
)
async def test_a_service_may_name_the_instant_to_come_back(
    asked: str, after: float | None, robots: RobotServer
) -> None:
    channel = speaking(robots, "webhook")
    headers = {"Retry-After": asked, "Date": "Tue, 01 Dec 2026 08:00:00 GMT"}
    robots.answers.append(web.Response(status=503, headers=headers))
    outcome = await channel.send(LETTER)
    await channel.aclose()
    assert (outcome.verdict, outcome.after) == ("retry", after)


@pytest.mark.parametrize("broken", ["{url}/wecom?key=gone", "nonsense"])
async def test_a_robot_that_is_gone_leaves_those_of_other_groups_be(
    broken: str, robots: RobotServer
) -> None:
    gone = broken.format(url=robots.url)
    alone = WebhookNotifier(KINDS["wecom"], {GROUP: gone})
    several = WebhookNotifier(KINDS["wecom"], {GROUP: gone, "值班群": robots.address("wecom")})
    only, one = await alone.send(LETTER), await several.send(LETTER)
    other = await several.send(replace(LETTER, address="值班群"))
    await alone.aclose()
    await several.aclose()
    assert (only.verdict, only.about) == ("failed", "channel")
    assert (one.verdict, one.about) == ("failed", "recipient")
    assert other.ok


async def test_a_key_in_the_path_is_not_shown_without_its_host(robots: RobotServer) -> None:
    channel = WebhookNotifier(KINDS["webhook"], {GROUP: f"{robots.url}/hook/{KEY}?v=1"})
    outcome = await channel.send(LETTER)
    robots.answers.append(web.Response(status=401, text=f"no robot /hook/{KEY}, code 21"))
    speaks = WebhookNotifier(KINDS["webhook"], {GROUP: f"{robots.address('webhook')}&v=1"})
    other = await speaks.send(LETTER)
    await channel.aclose()
    await speaks.aclose()
    assert (outcome.verdict, outcome.about) == ("failed", "channel")
    assert KEY not in outcome.detail + other.detail
    assert "code 21" in other.detail


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
