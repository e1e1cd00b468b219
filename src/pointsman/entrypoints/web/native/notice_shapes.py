"""The wire shapes of notifications and inboxes. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pointsman.domain.agent import Language
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus, Kind
from pointsman.engine.notices.addressing import MOST
from pointsman.entrypoints.notices import delivery_shape, message_shape
from pointsman.faults import WORDS
from pointsman.ports import InboxMessage

LONGEST = 20_000


class NewNotice(BaseModel):
    """A message to people and groups, as ``System_Notify`` takes it. ``key`` makes it one message
    however often it is posted."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=LONGEST, pattern=WORDS)
    to: list[str] = Field([], max_length=MOST, description="names or logins")
    description: str = Field("", description="such as: the head of finance")
    channels: list[str] = Field([], description="the inbox when there is none")
    groups: list[str] = []
    key: str = Field("", max_length=200)
    language: Language = "zh"

    def arguments(self) -> dict[str, Any]:
        """The same as the tool's arguments."""
        return {
            "message": self.message,
            "toUser": self.to,
            "userDesc": self.description,
            "msgType": self.channels,
            "toName": self.groups,
        }


class DeliveryShape(BaseModel):
    """A message to one recipient by one channel, and how it stands. ``text`` says so in words."""

    delivery: str
    channel: str
    recipient: str
    name: str
    address: str
    sender: str
    run: str
    agent: str
    kind: Kind
    subject: str
    status: DeliveryStatus
    maybe_duplicated: bool
    parts: int
    parts_sent: int
    attempts: int
    next_attempt: datetime | None
    code: str
    error: str
    fallback: str
    fallback_of: str
    created: datetime
    updated: datetime
    sent: datetime | None
    text: str

    @classmethod
    def of(cls, delivery: Delivery) -> "DeliveryShape":
        return cls.model_validate(delivery_shape(delivery))


class DeliveryList(BaseModel):
    """Deliveries, newest first; ``before`` is the next page's, or null."""

    deliveries: list[DeliveryShape]
    before: str | None


class MessageShape(BaseModel):
    """A message of the inbox. ``seq`` rises as messages arrive; ``id`` is its delivery's."""

    id: str
    seq: int
    kind: Kind
    subject: str
    text: str
    sender: str
    run: str
    agent: str
    at: datetime
    read: datetime | None

    @classmethod
    def of(cls, message: InboxMessage) -> "MessageShape":
        return cls.model_validate(message_shape(message))


class InboxPage(BaseModel):
    """Messages, newest first, and how many are unread in all; ``before`` is the next page's."""

    messages: list[MessageShape]
    unread: int
    before: int | None


class Mark(BaseModel):
    """What a message is to be marked as."""

    model_config = ConfigDict(extra="forbid")

    read: bool = True


class UnreadShape(BaseModel):
    """How many messages are unread."""

    unread: int
