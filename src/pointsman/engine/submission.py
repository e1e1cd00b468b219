"""A message on its way to an agent."""

from datetime import datetime

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.events import MessageReceived
from pointsman.domain.languages import answered_in
from pointsman.domain.messages import Message, ModelParams, ToolChoice, UserMessage
from pointsman.domain.tools import ToolSpec
from pointsman.engine.context import cleaned


class Submission(Struct, frozen=True, kw_only=True):
    """A message for an agent.

    Attributes:
        conversation: an existing one of this user, or empty for a fresh one.
        messages: instead of ``text``, for callers that keep the history themselves.
        history: messages before them, known to the caller and not to the store.
        language: of the engine's own sentences; that of the user's words when None.
        stream: tell the reply as it is written.
        run: id of the run that it makes; a fresh one when empty.
    """

    agent: str
    user: str
    text: str = ""
    conversation: str = ""
    messages: tuple[Message, ...] = ()
    history: tuple[Message, ...] = ()
    client_tools: tuple[ToolSpec, ...] = ()
    params: ModelParams | None = None
    tool_choice: ToolChoice | None = None
    language: Language | None = None
    stream: bool = False
    origin: str = "user"
    run: str = ""

    def received(
        self,
        past: tuple[Message, ...],
        *,
        language: Language,
        asked: bool,
        now: datetime,
        fresh: str,
    ) -> MessageReceived:
        """The event that a run of it begins with.

        Args:
            past: what the conversation holds.
            language: the agent's.
            asked: whether it was left with an open question.
            fresh: id of the conversation, if it is a new one.
        """
        messages = self.messages or (UserMessage(text=self.text),)
        said = (*past, *self.history, *messages)
        return MessageReceived(
            at=now,
            agent=self.agent,
            user=self.user,
            conversation=self.conversation or fresh,
            language=self.language or answered_in(said, language, asked=asked),
            messages=cleaned(messages),
            history=cleaned(self.history),
            client_tools=self.client_tools,
            params=self.params,
            tool_choice=self.tool_choice,
            stream=self.stream,
            origin=self.origin,
        )
