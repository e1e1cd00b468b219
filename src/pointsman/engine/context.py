"""What of a conversation goes to the model: whole call groups, every call with its result, the
newest first, the current turn always. Pure functions over messages."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.text import clean, cut_middle
from pointsman.errors import CallerError

UNKNOWN_OUTCOME = (
    "UNCERTAIN: the call was interrupted and its outcome is unknown. Do not repeat it; say so."
)
_SHORTENED = "\n… {left_out} characters left out …\n"
_SHORTEST_RESULT = 200


class ContextTooLarge(CallerError):
    """The current turn alone does not fit the model, even with shortened results."""


def cleaned(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages from outside with text that can be stored and sent (case H08)."""
    return tuple(map(_cleaned, messages))


def _cleaned(message: Message) -> Message:
    """The very same message if there is nothing to clean."""
    if isinstance(message, ToolMessage):
        content = clean(message.content)
        return message if content is message.content else replace(message, content=content)
    text = clean(message.text)
    return message if text is message.text else replace(message, text=text)


def characters(message: Message) -> int:
    """The size of a message, in characters of what is sent."""
    if isinstance(message, ToolMessage):
        return len(message.content)
    size = len(message.text)
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            size += len(call.name) + len(call.arguments)
    return size


def fit(
    messages: tuple[Message, ...], budget: int, size: Callable[[Message], int] = characters
) -> tuple[Message, ...]:
    """The messages that go to the model; the very same tuple when all of them fit.

    Older messages go first, whole call groups at a time, and what is left starts with a user
    message. The turn of the last user message stays; if it alone is over the budget, its tool
    results are shortened, oldest first.

    Args:
        messages: system messages first; every call has its result (``mend``).
        budget: in units of ``size``, system messages not counted.

    Raises:
        ContextTooLarge: the current turn does not fit even so.

    Source: cases H01, H02, H03.
    """
    start = 0
    while start < len(messages) and isinstance(messages[start], SystemMessage):
        start += 1
    total = sum(map(size, messages[start:]))
    if total <= budget:
        return messages
    groups = _groups(messages[start:])
    current = _current_turn(groups)
    kept = sum(size(message) for group in groups[current:] for message in group)
    if kept > budget:
        turn = _shorten([m for group in groups[current:] for m in group], budget, size)
        return (*messages[:start], *turn)
    first = current
    for index in range(current - 1, -1, -1):
        kept += sum(map(size, groups[index]))
        if kept > budget:
            break
        if isinstance(groups[index][0], UserMessage):
            first = index
    return (*messages[:start], *(m for group in groups[first:] for m in group))


def _groups(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages, each reply with its results in one group."""
    groups: list[list[Message]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and groups:
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _current_turn(groups: list[list[Message]]) -> int:
    for index in range(len(groups) - 1, -1, -1):
        if isinstance(groups[index][0], UserMessage):
            return index
    return 0


def _shorten(
    turn: list[Message], budget: int, size: Callable[[Message], int]
) -> tuple[Message, ...]:
    """The turn with its tool results cut to a share of the budget, oldest first."""
    results = [index for index, message in enumerate(turn) if isinstance(message, ToolMessage)]
    fixed = sum(size(message) for message in turn if not isinstance(message, ToolMessage))
    total = sum(map(size, turn))
    share = max((budget - fixed) // max(len(results), 1), 0) - len(_SHORTENED)
    for index in results:
        if total <= budget:
            break
        message = turn[index]
        assert isinstance(message, ToolMessage)
        before = size(message)
        content = cut_middle(message.content, max(share, _SHORTEST_RESULT), _SHORTENED)
        turn[index] = replace(message, content=content)
        total -= before - size(turn[index])
    if total > budget:
        raise ContextTooLarge(
            f"this turn has {total} characters, the limit is {budget}: start a new conversation, "
            "ask for less, or raise limits.history_chars"
        )
    return tuple(turn)


def mend(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with a result for every call and no result without a call.

    A call is never removed: one without a result is told to have an unknown outcome. Results are
    paired by position inside their group, then by id; one that came late, after somebody's word or
    another group, belongs to the nearest group before it that has its id.

    Source: cases H04, H05, H18.
    """
    groups: list[tuple[Message, list[ToolMessage]]] = []
    for message in messages:
        if not isinstance(message, ToolMessage):
            groups.append((message, []))
        elif (home := _home(message, groups)) is not None:
            home.append(message)
    mended: list[Message] = []
    for message, results in groups:
        mended.append(message)
        if isinstance(message, AssistantMessage):
            mended.extend(_paired(message, results))
    return tuple(mended)


def _home(
    result: ToolMessage, groups: Sequence[tuple[Message, list[ToolMessage]]]
) -> list[ToolMessage] | None:
    """The results of the group that a result belongs to."""
    for message, results in reversed(groups if result.call_id else ()):
        ids = _ids(message)
        if result.call_id in ids:
            answered = sum(1 for one in results if one.call_id == result.call_id)
            return results if answered < ids.count(result.call_id) else None
    return groups[-1][1] if groups and _ids(groups[-1][0]) else None


def _ids(message: Message) -> list[str]:
    calls = message.calls if isinstance(message, AssistantMessage) else ()
    return [call.id for call in calls]


def _paired(message: AssistantMessage, results: list[ToolMessage]) -> list[Message]:
    paired: list[Message] = []
    for call in message.calls:
        match = next((result for result in results if result.call_id == call.id), None)
        if match is None:
            match = next((r for r in results if not r.call_id and r.name == call.name), None)
        if match is None:
            content = UNKNOWN_OUTCOME
            paired.append(ToolMessage(call_id=call.id, name=call.name, content=content))
        else:
            results.remove(match)
            paired.append(match)
    return paired
