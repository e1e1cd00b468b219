"""Channels as the settings set them up: every fault has a name, and no secret stands in it."""

from typing import Any

import pytest

from pointsman.domain.notices.channel_specs import channel_specs

EMAIL = {"host": "mail.test", "sender": "bot@a.test"}


def test_the_channels_of_the_office_agent_are_told_by_their_names() -> None:
    specs = channel_specs(
        {
            "email": {**EMAIL, "password_env": "SMTP_PASSWORD", "fallback": "system"},
            "weixingroup": {"rooms": {"产品群": "PRODUCT_GROUP"}, "rate": "10/min"},
            "sms": {"url_env": "SMS_URL", "fallback": "email"},
            "weixinuser": {"url_env": "WX_URL"},
            "oncall": {"kind": "feishu", "rooms": {"值班": "ON_CALL"}},
        }
    )
    kinds = {name: spec.kind for name, spec in specs.items()}
    assert kinds == {
        "email": "email",
        "weixingroup": "wecom",
        "sms": "apprise",
        "weixinuser": "apprise",
        "oncall": "feishu",
    }


@pytest.mark.parametrize(
    ("name", "said", "words"),
    [
        ("pager", {"url_env": "X"}, "needs a kind"),
        ("system", {"url_env": "X"}, "the inbox is there by itself"),
        ("Mail!", EMAIL, "no name for a channel"),
        ("email", {"sender": "bot@a.test"}, "host"),
        ("email", {"host": "m", "sender": "bot"}, "mail address"),
        ("email", {**EMAIL, "password": "hunter2"}, "unknown field `password`"),
        ("email", {**EMAIL, "fallback": "nowhere"}, "no channel 'nowhere'"),
        ("email", {**EMAIL, "fallback": "email"}, "fall back to itself"),
        ("email", {**EMAIL, "security": "maybe"}, "Invalid enum value"),
        ("email", {**EMAIL, "port": 0}, "port"),
        ("email", {**EMAIL, "rate": "often"}, "calls per time"),
        ("weixingroup", {"url_env": "X"}, "needs rooms"),
        ("weixingroup", {}, "url_env or rooms"),
        ("sms", {"url_env": "twilio://SID:TOKEN@from"}, "environment variable"),
        ("sms", "x", "Expected `object`"),
    ],
)
def test_what_cannot_be_meant_is_named(name: str, said: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as raised:
        channel_specs({name: said})
    assert "TOKEN" not in str(raised.value)
    assert "hunter2" not in str(raised.value)
