"""The wire shapes of reminders. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pointsman.domain.agent import Language
from pointsman.domain.reminders.reminder import (
    Kind,
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
)
from pointsman.entrypoints.reminders import occurrence_shape, reminder_shape
from pointsman.faults import WORDS

LONGEST = 2000


class NewReminder(BaseModel):
    """A text that the user is reminded of, or an action that the agent does, when it is due.
    ``when`` is in words, a cron line, an RRULE or ISO 8601. An action is confirmed by posting it
    again with ``confirm``: the digest of the answer 409, or true for whatever it means now."""

    model_config = ConfigDict(extra="forbid")

    when: str = Field(min_length=1, max_length=LONGEST)
    text: str = Field("", max_length=LONGEST)
    action: str = Field("", max_length=LONGEST)
    agent: str = Field(min_length=1, max_length=255)
    conversation: str = Field("", max_length=64)
    timezone: str = Field("", max_length=64, description="the agent's when it is left out")
    language: Language = "zh"
    confirm: bool | str = False

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.text.strip()) == bool(self.action.strip()):
            raise ValueError("give either text or action")
        return self


class ChangedReminder(BaseModel):
    """What is changed; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    when: str | None = Field(None, min_length=1, max_length=LONGEST)
    text: str | None = Field(None, min_length=1, max_length=LONGEST, pattern=WORDS)
    action: str | None = Field(None, min_length=1, max_length=LONGEST, pattern=WORDS)
    language: Language = "zh"
    confirm: bool | str = False


class Later(BaseModel):
    """Until when a reminder is quiet: so many minutes from now, or an instant, or words for it."""

    model_config = ConfigDict(extra="forbid")

    minutes: int | None = Field(None, ge=1, le=525_600)
    until: str | None = Field(None, min_length=1, max_length=200)
    language: Language = "zh"

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.minutes is None) == (self.until is None):
            raise ValueError("give either minutes or until")
        return self


class Words(BaseModel):
    """Words for a time."""

    model_config = ConfigDict(extra="forbid")

    when: str = Field(min_length=1, max_length=LONGEST)
    timezone: str = Field("", max_length=64, description="the first agent's when it is left out")
    language: Language = "zh"


class ReadingShape(BaseModel):
    """One reading of words for a time: in words, as a rule, and when it is due next."""

    words: str
    rule: str
    start: datetime
    next: list[datetime]


class PreviewShape(BaseModel):
    """The readings of words; ``problem`` says why they cannot be taken as they are, or is empty."""

    readings: list[ReadingShape]
    problem: str


class CallShape(BaseModel):
    """A call that was confirmed with the reminder; ``open`` names what is written only when it is
    due."""

    tool: str
    arguments: dict[str, Any]
    open: list[str]


class PlaceShape(BaseModel):
    """Where a text goes."""

    channel: str
    name: str


class ReminderShape(BaseModel):
    """A reminder. ``words`` are the user's own for the time; ``when`` says what they mean."""

    reminder: str
    title: str
    kind: Kind
    text: str
    action: str
    agent: str
    conversation: str
    words: str
    when: str
    rule: str
    start: datetime
    timezone: str
    next: datetime | None
    snoozed: datetime | None
    state: ReminderState
    calls: list[CallShape]
    created: datetime
    target: list[PlaceShape]

    @classmethod
    def of(cls, reminder: Reminder, language: Language) -> "ReminderShape":
        return cls.model_validate(reminder_shape(reminder, language))


class OccurrenceShape(BaseModel):
    """What became of one occurrence. ``late`` is in seconds; ``passed`` counts earlier ones that it
    stands for."""

    due: datetime
    fired: datetime
    state: OccurrenceState
    late: int
    passed: int
    run: str | None
    delivery: str | None
    deliveries: list[str]
    note: str

    @classmethod
    def of(cls, occurrence: Occurrence) -> "OccurrenceShape":
        return cls.model_validate(occurrence_shape(occurrence))


class ReminderWhole(ReminderShape):
    """A reminder with what became of its occurrences, the latest first."""

    occurrences: list[OccurrenceShape]


class ReminderList(BaseModel):
    """Reminders, newest first; ``before`` is the next page's, or null."""

    reminders: list[ReminderShape]
    before: str | None


class ShownShape(BaseModel):
    """A call that an action will make, in words; ``waits`` when it needs another word then."""

    title: str
    told: str
    waits: bool


class ToConfirm(BaseModel):
    """What a confirmation of an action means; ``confirm`` is posted with it."""

    confirm: str
    told: str
    next: list[datetime]
    calls: list[ShownShape]


class ReminderProblem(BaseModel):
    """A problem document: the readings when there are several, or what must be confirmed."""

    title: str = "Conflict"
    status: Literal[409] = 409
    detail: str
    instance: str
    request_id: str
    code: Literal["unclear", "confirm"]
    readings: list[ReadingShape] = []
    to_confirm: ToConfirm | None = None
