"""Responses of the past: which run an id names, how that run stood when the response ended, and
what was said up to then.

A run that waits for the user's word and goes on after it is told in more than one response; each
names the position after which it tells.
"""

import re

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, Message, SystemMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine import sharing
from pointsman.engine.service import Service
from pointsman.entrypoints.web.following import Begun, advanced
from pointsman.entrypoints.web.openai.openai_answers import text_of
from pointsman.entrypoints.web.openai.openai_confirmations import opening
from pointsman.errors import NotFound

MOST_RUNS = 200
"""Of one conversation, newest first, whose messages a branch goes on from."""
_ID = re.compile(r"resp_([0-9a-f]{32})(?:-(\d{1,9}))?")
_BEFORE_REST = (
    ev.CallValidated
    | ev.CallRejected
    | ev.CallCleared
    | ev.CallRefused
    | ev.ApprovalAsked
    | ev.TaskAsks
)
"""What may come after the first question of a reply before the run rests: its further calls."""
_HIDDEN = b'{"deleted":true}'


class Told(Struct, frozen=True, kw_only=True):
    """A response that was given.

    Attributes:
        run: as it stood at the response's end; as it stands, while that is not reached.
        latest: whether nothing has happened to the run since.
    """

    begun: Begun
    run: Run
    latest: bool

    @property
    def kept_here(self) -> bool:
        """Whether the server's conversation holds all that was said: the client brought none of
        it, and holds no calls of its own."""
        brought = [one for one in self.run.history if not isinstance(one, SystemMessage)]
        return not brought and not self.run.handed


def response_id(begun: Begun, *, stored: bool = True) -> str:
    """The id of the response that tells of this; one that is not stored names nothing later."""
    after = f"-{begun.after}" if begun.since else ""
    return f"resp_{begun.run}{after}" + ("" if stored else ".unstored")


async def find(service: Service, response: str, user: str) -> Told:
    """The response of this id.

    Raises:
        NotFound: this user has none.
    """
    found = _ID.fullmatch(response)
    if found is None or await service.store.shared(_key(response)) is not None:
        raise NotFound("response", response)
    run, after = found[1], int(found[2] or -1)
    try:
        trace = await service.trace(run, user)
    except NotFound:
        raise NotFound("response", response) from None
    state: Run | None = None
    since: Run | None = None
    rest = False
    for one in trace:
        if rest and not isinstance(one.event, _BEFORE_REST):
            break
        state = advanced(state, run, one.event)
        if one.position == after:
            since = state
        rest = state.rests and one.position > after
    if state is None or (since is None) != (after < 0):
        raise NotFound("response", response)
    begun = Begun(run=run, user=user, since=since)
    return Told(begun=begun, run=state, latest=state.position == trace[-1].position)


async def hide(service: Service, response: str) -> None:
    """Let the response be found no more. The journal keeps its run as long as any other."""
    await service.store.share(_key(response), _HIDDEN, expected=None)


def _key(response: str) -> str:
    return sharing.key("response", response)


async def said_before(service: Service, told: Told) -> tuple[Message, ...]:
    """Everything that was said up to the response, without instructions. Calls that the client was
    given are open."""
    records = await service.runs(
        user=told.begun.user, conversation=told.run.conversation, limit=MOST_RUNS
    )
    messages: list[Message] = []
    for record in reversed(records):
        if record.id < told.run.id and record.status.ended:
            messages += _spoken(await service.run(record.id, told.begun.user))
    return (*messages, *_spoken(told.run))


def _spoken(run: Run) -> list[Message]:
    own = list(run.messages)
    if run.status in (RunStatus.WAITING, RunStatus.PARKED):
        own = [*opening(run), AssistantMessage(text=text_of(run))]
    return [one for one in (*run.history, *own) if not isinstance(one, SystemMessage)]
