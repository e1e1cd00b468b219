"""What a service's answer says, whatever its status."""

from typing import Any

import pytest

from pointsman.domain.notices.delivery import DeliveryStatus, Outcome
from pointsman.domain.notices.vendors import read_answer
from pointsman.domain.secrets_shown import masked, without
from tests.cases import params

STATUS = {"sent": DeliveryStatus.SENT, "failed": DeliveryStatus.FAILED}


@pytest.mark.parametrize("case", params(9, only=("N08",)))
def test_a_refusal_in_the_body_is_a_refusal(case: dict[str, Any]) -> None:
    outcomes = [read_answer("", 200, body) for body in case["input"]["bodies"]]
    assert [STATUS[one.verdict].value for one in outcomes] == case["expected"]["status"]


def test_a_plain_webhook_speaks_by_its_status_alone() -> None:
    assert read_answer("webhook", 200, '{"code": 500}').ok
    assert read_answer("webhook", 200, "not JSON {").ok


@pytest.mark.parametrize("case", params(9, only=("N09",)))
def test_every_2xx_is_a_yes(case: dict[str, Any]) -> None:
    outcome = read_answer("webhook", case["input"]["http_status"], "")
    assert STATUS[outcome.verdict].value == case["expected"]["status"]
    assert all(read_answer("webhook", status, "").ok for status in (200, 201, 202, 204))


@pytest.mark.parametrize(
    ("vendor", "body", "verdict", "about"),
    [
        ("wecom", '{"errcode":0,"errmsg":"ok"}', "sent", "message"),
        ("wecom", '{"errcode":45009,"errmsg":"api freq out of limit"}', "retry", "message"),
        ("wecom", '{"errcode":-1,"errmsg":"system busy"}', "retry", "message"),
        ("wecom", '{"errcode":93000,"errmsg":"invalid webhook url"}', "failed", "channel"),
        ("wecom", '{"errcode":40058,"errmsg":"invalid request"}', "failed", "message"),
        ("dingtalk", '{"errcode":130101,"errmsg":"send too fast"}', "retry", "message"),
        ("dingtalk", '{"errcode":300001,"errmsg":"token is not exist"}', "failed", "channel"),
        ("dingtalk", '{"errcode":310000,"errmsg":"keywords not in content"}', "failed", "message"),
        ("feishu", '{"code":0,"msg":"success"}', "sent", "message"),
        ("feishu", '{"code":11232,"msg":"frequency limited"}', "retry", "message"),
        ("feishu", '{"code":9499,"msg":"too many request"}', "retry", "message"),
        ("feishu", '{"StatusCode":0,"StatusMessage":"success"}', "sent", "message"),
        ("feishu", '{"code":19021,"msg":"sign match fail"}', "failed", "channel"),
    ],
)
def test_codes(vendor: Any, body: str, verdict: str, about: str) -> None:
    outcome = read_answer(vendor, 200, body)
    assert (outcome.verdict, outcome.about) == (verdict, about)


@pytest.mark.parametrize(
    ("status", "verdict", "about"),
    [
        (400, "failed", "message"),
        (401, "failed", "channel"),
        (403, "failed", "channel"),
        (404, "failed", "channel"),
        (408, "retry", "message"),
        (429, "retry", "message"),
        (500, "retry", "message"),
        (503, "retry", "message"),
        (302, "failed", "message"),
    ],
)
def test_statuses(status: int, verdict: str, about: str) -> None:
    outcome = read_answer("webhook", status, "no")
    assert (outcome.verdict, outcome.about, outcome.code) == (verdict, about, str(status))


@pytest.mark.parametrize(
    ("vendor", "status", "body", "verdict", "about", "code"),
    [
        ("feishu", 400, '{"code":9499,"msg":"too many request"}', "retry", "message", "9499"),
        ("feishu", 400, '{"code":99991400,"msg":"limited"}', "retry", "message", "99991400"),
        ("feishu", 400, '{"code":19001,"msg":"token invalid"}', "failed", "channel", "19001"),
        ("feishu", 400, '{"code":0}', "failed", "message", "400"),
        ("dingtalk", 403, '{"errcode":130101,"errmsg":"too fast"}', "retry", "message", "130101"),
        ("dingtalk", 404, "not found", "failed", "channel", "404"),
        ("wecom", 429, '{"errcode":40058}', "retry", "message", "429"),
        ("webhook", 400, '{"code":9499}', "failed", "message", "400"),
    ],
)
def test_a_vendors_code_says_more_than_the_status_with_it(
    vendor: Any, status: int, body: str, verdict: str, about: str, code: str
) -> None:
    outcome = read_answer(vendor, status, body)
    assert (outcome.verdict, outcome.about, outcome.code) == (verdict, about, code)


@pytest.mark.parametrize("vendor", ["wecom", "dingtalk", "feishu"])
def test_a_page_in_the_place_of_a_vendors_answer_is_no_yes(vendor: Any) -> None:
    outcome = read_answer(vendor, 200, "\n<!DOCTYPE html><title>Log in to the network</title>")
    assert (outcome.verdict, outcome.about) == ("retry", "channel")


def test_a_wait_that_is_asked_for_is_kept() -> None:
    assert read_answer("webhook", 429, "", retry_after=7.0).after == 7.0
    assert read_answer("wecom", 200, '{"errcode":45009}').after == 60.0


def test_odd_bodies_are_read_as_far_as_they_go() -> None:
    assert read_answer("wecom", 200, "").ok
    assert read_answer("wecom", 200, '{"errcode": "93000"}').about == "channel"
    assert read_answer("dingtalk", 200, '\ufeff{"errcode": 300001}').about == "channel"
    assert read_answer("wecom", 200, '{"errcode": true}').ok
    assert read_answer("wecom", 200, "[1]").ok
    assert read_answer("wecom", 200, "{" * 100_000).ok


@pytest.mark.parametrize("case", params(9, only=("N20",)))
def test_no_view_of_a_failure_shows_a_secret(case: dict[str, Any]) -> None:
    url, body = case["input"]["url"], case["input"]["error_body"]
    assert masked(url) == "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=***"
    outcome: Outcome = read_answer("wecom", 500, f"{body} for {url} {'x' * 5000}")
    assert "SECRET" not in outcome.detail
    assert len(outcome.detail) <= 200


@pytest.mark.parametrize(
    "text",
    [
        "POST https://oapi.dingtalk.com/robot/send?access_token=SECRET-1&x=2 failed",
        "https://open.feishu.cn/open-apis/bot/v2/hook/0f3SECRET-1abcdef0123456789",
        "smtp://bot:SECRET-1@mail.test",
        '{"Authorization": "Bearer SECRET-1"}',
        "Authorization: Basic SECRET-1==",
        "proxy-authorization=SECRET-1",
        '{"app_token":"SECRET-1"}',
        "password=SECRET-1",
    ],
)
def test_keys_are_masked_wherever_they_travel(text: str) -> None:
    assert "SECRET" not in masked(text)
    assert "***" in masked(text)


def test_a_known_secret_is_masked_in_any_place() -> None:
    assert without("it said: hunter2!", ("hunter2", "")) == "it said: ***!"


def test_plain_words_stay() -> None:
    said = "content exceed max length, author: li, see the key point"
    assert masked(said) == said
