"""What people and the model read of deliveries."""

from collections.abc import Sequence

from pointsman.domain.agent import Language
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus

CHANNELS: dict[str, dict[Language, str]] = {
    "system": {"zh": "系统消息", "en": "system message"},
    "email": {"zh": "邮件", "en": "e-mail"},
    "sms": {"zh": "短信", "en": "text message"},
    "weixingroup": {"zh": "微信群", "en": "WeChat group"},
    "weixinuser": {"zh": "个人微信", "en": "personal WeChat"},
}
"""Channels by the names that the office agent knows."""

STATES: dict[DeliveryStatus, dict[Language, str]] = {
    DeliveryStatus.PENDING: {"zh": "等待发送", "en": "waiting to be sent"},
    DeliveryStatus.SENDING: {"zh": "正在发送", "en": "being sent"},
    DeliveryStatus.SENT: {"zh": "已送达通道", "en": "sent"},
    DeliveryStatus.RETRY: {"zh": "未成功，将重试", "en": "not sent yet, will be tried again"},
    DeliveryStatus.FAILED: {"zh": "发送失败", "en": "failed for good"},
    DeliveryStatus.DEAD: {"zh": "多次失败，已放弃", "en": "given up after many tries"},
}
MAYBE: dict[Language, str] = {"zh": "可能重复", "en": "may have arrived twice"}
_ALERT: dict[Language, str] = {
    "zh": "给{name}的{channel}没有送达：{state}{why}。\n标题：{subject}\n编号：{id}{fallback}",
    "en": "The {channel} to {name} did not arrive: {state}{why}.\nSubject: {subject}\n"
    "Delivery: {id}{fallback}",
}
_ALERT_SUBJECT: dict[Language, str] = {
    "zh": "通知未送达（{channel}）",
    "en": "A notification did not arrive ({channel})",
}
_FALLBACK: dict[Language, str] = {
    "zh": "\n已改用{channel}发送一次。",
    "en": "\nIt is sent once by {channel} instead.",
}


def channel_title(name: str, language: Language) -> str:
    """What people call a channel."""
    return CHANNELS.get(name, {}).get(language) or name


def state(delivery: Delivery, language: Language) -> str:
    """How it stands, in a few words."""
    words = STATES[delivery.status][language]
    return f"{words} ({MAYBE[language]})" if delivery.maybe_duplicated else words


def alert_subject(failed: Delivery) -> str:
    language = failed.language
    return _ALERT_SUBJECT[language].format(channel=channel_title(failed.channel, language))


def alert(failed: Delivery) -> str:
    """What the sender and the operators read of a delivery that failed for good."""
    language = failed.language
    why = " ".join(part for part in (failed.code, failed.error) if part)
    shown = f"（{why}）" if language == "zh" else f" ({why})"
    again = failed.fallback if failed.fallback and not failed.fallback_of else ""
    return _ALERT[language].format(
        name=failed.name or failed.address,
        channel=channel_title(failed.channel, language),
        state=STATES[failed.status][language],
        why=shown if why else "",
        subject=failed.subject,
        id=failed.id,
        fallback=_FALLBACK[language].format(channel=channel_title(again, language))
        if again
        else "",
    )


_LINES: dict[DeliveryStatus, str] = {
    DeliveryStatus.PENDING: "NOT SENT YET: it waits to be sent",
    DeliveryStatus.SENDING: "NOT SENT YET: it is being sent",
    DeliveryStatus.SENT: "SENT",
    DeliveryStatus.RETRY: "NOT SENT YET: it failed and will be tried again by itself",
    DeliveryStatus.FAILED: "FAILED for good, not sent",
    DeliveryStatus.DEAD: "FAILED: given up after many tries",
}


def for_model(deliveries: Sequence[Delivery]) -> str:
    """The real state of each delivery, a line each; in English, which every model knows."""
    lines = []
    for one in sorted(deliveries, key=lambda one: one.id):
        why = " ".join(part for part in (one.code, one.error) if part)
        line = f"- {one.name or one.address} by {one.channel}: {_LINES[one.status]}"
        if why and one.status is not DeliveryStatus.SENT:
            line += f" ({why})"
        if one.status in (DeliveryStatus.FAILED, DeliveryStatus.DEAD) and one.fallback:
            line += f"; sent by {one.fallback} instead"
        if one.maybe_duplicated:
            line += "; it may arrive twice"
        lines.append(f"{line} [delivery {one.id}]")
    return "\n".join(lines)
