"""``System_Notify``: a message to people and groups, by one or several channels (O6).

Before anybody confirms, names and descriptions become people, and their addresses: what is
confirmed, journaled and sent is the list of those. None or several that fit are a question. The
call waits a moment for the outcome and tells the real state of each recipient (N18, N19).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pointsman.domain.agent import Language
from pointsman.domain.directory import recipients
from pointsman.domain.directory.recipients import Way
from pointsman.domain.limiting import BreakerLimits, ToolLimits
from pointsman.domain.notices import delivery_texts, letters
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus
from pointsman.domain.schemas.coercion import BLANK
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.engine.notices.addressing import Wanting, ways_of
from pointsman.engine.notices.channels import SYSTEM
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.notices.post import PATIENCE, Notice
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import StoreError, ToolSourceError
from pointsman.ports import CallContext, Prepared, Unready

NAME = "System_Notify"
DIRECTORY = "recipients"
"""The context field that only this tool fills."""
_TYPES = ("sms", "system", "email", "weixingroup", "weixinuser")
_WORDS = {
    "sms": ["短信", "手机短信", "text message", "text"],
    "system": ["系统消息", "站内信", "站内消息", "消息", "通知", "message"],
    "email": ["邮件", "电子邮件", "邮箱", "mail", "e-mail"],
    "weixingroup": ["微信群", "企业微信群", "群里", "群", "WeChat group"],
    "weixinuser": ["个人微信", "微信", "WeChat"],
}
_DESCRIPTION = (
    "Send a notification, message, e-mail or text message to people or groups. People are named in "
    "toUser as the user named them, or described in userDesc in the user's own words; nobody is "
    "guessed. The result says for each recipient whether it was sent."
)


def about(channels: Iterable[str] = ()) -> dict[str, Any]:
    """What the tool says of itself, as ``schemas.tool_spec`` takes it.

    Args:
        channels: further channels that are set up here.
    """
    names = tuple(dict.fromkeys((*_TYPES, *channels)))
    return {
        "description": _DESCRIPTION,
        "title": "Send a notification",
        "titles": _both("发送通知", "Send a notification"),
        "parameters": {
            "type": "object",
            "properties": _parameters(names),
            "required": ["message"],
        },
        "risk": Risk.WRITE,
        "timeout": 30.0,
        "idempotent": True,
        "context": {
            "agentID": "agent",
            "userLoginName": "user",
            "userInput": "input",
            "recipients": DIRECTORY,
        },
        # A channel that is ill has a breaker of its own; the tool is well.
        "limits": ToolLimits(breaker=BreakerLimits(failures=0)),
    }


def _parameters(channels: Sequence[str]) -> dict[str, Any]:
    titles = {name: _WORDS.get(name, [name]) for name in channels}
    given = ["user", "tool", "default"]
    return {
        "message": {
            "type": "string",
            "description": "The message.",
            "x-title": _both("内容", "text"),
        },
        "toUser": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Names of the recipients, as the user wrote them.",
            "x-title": _both("接收人", "recipients"),
            "x-source": given,
            BLANK: "absent",
        },
        "userDesc": {
            "type": "string",
            "description": "Recipients whom the user did not name but describe, such as: the head "
            "of finance, 系统管理员, all of sales.",
            "x-title": _both("接收人", "recipients"),
            "x-source": given,
        },
        "msgType": {
            "type": "array",
            "items": {
                "type": "string",
                "enum": list(channels),
                "x-titles": titles,
                "default": SYSTEM,
            },
            "description": "Channels. Leave it out when the user names none: system is the inbox.",
            "x-title": _both("发送方式", "channel"),
            "x-source": given,
            BLANK: "absent",
        },
        "toName": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Names of WeChat groups, for weixingroup, or of people, for weixinuser.",
            "x-title": _both("群名", "group"),
            "x-source": given,
            BLANK: "absent",
        },
    }


def _both(zh: str, en: str) -> dict[str, str]:
    return {"zh": zh, "en": en}


class SystemNotify:
    """``ports.PreparedTool``."""

    def __init__(
        self, spec: ToolSpec, surroundings: Surroundings, *, patience: float = PATIENCE
    ) -> None:
        """Args:
        patience: seconds that a call waits for the outcome.
        """
        self.spec = spec
        self._surroundings, self._patience = surroundings, patience

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        """Whom the message goes to, by name, channel and address; or the question."""
        try:
            ways = await ways_of(
                arguments,
                self._surroundings.mailroom,
                asking=context.user,
                language=_language(context.language),
            )
        except Wanting as wanting:
            return Unready(
                content=f"NOT RUN: {wanting} The user is asked; do not guess.",
                missing=(wanting.missing,),
                question=str(wanting),
            )
        notes = tuple(f"recipient: {one.name} by {one.channel}" for one in ways[:20])
        return Prepared(values={DIRECTORY: msgspec.to_builtins(ways)}, notes=notes)

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        return recipients.told(_ways(arguments), arguments["message"], "", _language(language))

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Hand the message in, and wait a moment for what becomes of it."""
        try:
            post = self._surroundings.mailroom.post
            taken = await post.send(
                _notice(
                    _ways(arguments),
                    arguments["message"],
                    key=context.key,
                    sender=context.user,
                    language=_language(context.language),
                    run=context.run,
                    agent=context.agent,
                )
            )
            stand = await post.settled([one.id for one in taken], self._patience)
        except ToolSourceError as fault:
            return ToolResult(status=ResultStatus.FAILED, content=f"ERROR: {fault}")
        except StoreError as fault:
            content = f"ERROR: the message could not be taken in: {fault}"
            return ToolResult(status=ResultStatus.FAILED, content=content, retryable=True)
        return result(stand)


def result(deliveries: Sequence[Delivery]) -> ToolResult:
    """The real state of every delivery as the result of a call."""
    lines = delivery_texts.for_model(deliveries)
    statuses = {one.status for one in deliveries}
    if statuses == {DeliveryStatus.SENT}:
        status, head = ResultStatus.OK, "SENT:"
    elif all(one.ended for one in statuses):
        status, head = ResultStatus.ERROR, "ERROR: not everybody got it:"
    else:
        status = ResultStatus.UNCERTAIN
        head = (
            "UNCERTAIN: it was taken in, and not all of it is sent yet. It goes on being tried by "
            "itself: do not send it again, and do not say that it was sent:"
        )
    data = [
        {
            "delivery": one.id,
            "name": one.name,
            "channel": one.channel,
            "status": one.status.value,
            "maybe_duplicated": one.maybe_duplicated,
        }
        for one in deliveries
    ]
    return ToolResult(status=status, content=f"{head}\n{lines}", data={"deliveries": data})


async def hand_in(
    arguments: Mapping[str, Any], mailroom: Mailroom, *, key: str, sender: str, language: Language
) -> list[Delivery]:
    """Send what a person wrote, without an agent: one row a recipient and channel.

    Args:
        arguments: as those of the tool.
        key: handing in the same key twice sends once.

    Raises:
        Wanting: it is not clear whom or by which channel.
        CallerError: too many recipients.
    """
    ways = await ways_of(arguments, mailroom, asking=sender, language=language)
    notice = _notice(ways, arguments["message"], key=key, sender=sender, language=language)
    return await mailroom.post.send(notice)


def _notice(
    ways: Sequence[Way],
    message: str,
    *,
    key: str,
    sender: str,
    language: Language,
    run: str = "",
    agent: str = "",
) -> Notice:
    return Notice(
        key=key,
        recipients=tuple(ways),
        subject=letters.subject_of(message, language),
        body=message,
        sender=sender,
        run=run,
        agent=agent,
        language=language,
    )


def _ways(arguments: Mapping[str, Any]) -> list[Way]:
    return msgspec.convert(arguments.get("recipients", []), list[Way])


def _language(language: str) -> Language:
    return "en" if language == "en" else "zh"
