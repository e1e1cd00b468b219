"""Every error that Pointsman raises, as one tree in three families.

    PointsmanError
    ├── CallerError                 the caller's fault: the message says what to change
    │   ├── AgentFileError          agent.yaml: file, line, field, what was expected
    │   ├── SettingsError           environment, pointsman.toml, or a limit given to Agent(...)
    │   ├── ToolDefinitionError     a function that cannot be a tool, two tools of one name
    │   ├── NotFound                no such run, conversation, agent or tool
    │   ├── Conflict                the thing is no longer in the state that the request expects
    │   │   └── NotDecided          a decision that had no effect: it came too late, or second
    │   ├── Forbidden               this person may not decide that
    │   ├── NotSignedIn             login and password do not fit, or a session or token is no good
    │   ├── TooManyAttempts         signing in failed too often: says how long to wait
    │   ├── Unfit                   a login, role or password that will not do
    │   └── MissingExtra            a part that was not installed: says what to install
    ├── ModelFacingError            said back to the model, which may do better
    │   ├── ArgumentsMalformed      not one JSON object, whatever repair is tried
    │   ├── ArgumentsInvalid        an object that does not fit the tool's schema
    │   ├── ArgumentsMissing        required values are absent or placeholders: the user is asked
    │   └── PlanInvalid             tasks that cannot be carried out: a circle, an unknown index …
    └── InfrastructureError         the world's fault
        ├── ModelError
        │   ├── ModelUnavailable    connect failure, 429, 5xx, a dropped stream: may be tried again
        │   ├── ModelTimeout        connect, first byte, idle or total
        │   ├── ModelProtocolError  the answer is not what the protocol allows
        │   ├── ModelRejected       4xx: the request itself was refused; trying again is no use
        │   └── EmptyReply          neither text nor a call
        ├── ToolSourceError         a tool server cannot be reached, started or understood
        └── StoreError
            ├── StoreUnavailable    the database is out of reach or busy: may be tried again
            ├── PositionConflict    somebody else has appended to this run
            └── JournalCorrupt      the hash chain does not hold, or the events make no sense
                └── EventUnknown    an event of a schema version that this release does not know

Library errors are translated where they enter (adapters); nothing above an adapter catches a
library's error.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any


class PointsmanError(Exception):
    """The root. ``str(error)`` is one sentence for a person; the attributes hold the data."""


class CallerError(PointsmanError):
    """The caller can mend this."""


class AgentFileError(CallerError):
    """A fault in an agent folder, with the place and a hint.

    Attributes:
        file: path as the user gave it.
        line: 1-based line, or None when the fault has no place.
        field: dotted path of the key, such as ``tools[0].mcp.command``.
        hint: what to do about it; may be empty.
        others: the further faults of the same file, in its order.
    """

    others: "tuple[AgentFileError, ...]" = ()

    def __init__(
        self,
        problem: str,
        *,
        file: str,
        line: int | None = None,
        field: str = "",
        hint: str = "",
    ) -> None:
        self.problem, self.file, self.line, self.field, self.hint = problem, file, line, field, hint
        place = f"{file}:{line}" if line else file
        named = f"{field}: " if field else ""
        super().__init__(f"{place}: {named}{problem}" + (f" ({hint})" if hint else ""))


class SettingsError(CallerError):
    """A setting or limit has a value that cannot be meant."""


class ToolDefinitionError(CallerError):
    """A tool as declared cannot be offered."""


class NotFound(CallerError):
    """There is no such thing, or it is not this user's: the two look alike on purpose."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"no {kind} {name!r}")


class Conflict(CallerError):
    """The thing is in another state than the request needs."""


class NotDecided(Conflict):
    """A decision that had no effect.

    Attributes:
        kind: why, in the words of ``domain.approvals.RefusalKind``.
    """

    def __init__(self, kind: str, why: str) -> None:
        self.kind = kind
        super().__init__(why)


class Forbidden(CallerError):
    """This person may not do it.

    Attributes:
        kind: why, in the words of ``domain.approvals.RefusalKind``.
    """

    def __init__(self, kind: str, why: str) -> None:
        self.kind = kind
        super().__init__(why)


class NotSignedIn(CallerError):
    """Nobody is known to ask. It says the same whether there is such a login or not.

    Attributes:
        kind: ``sign_in`` (nothing was shown), ``credentials``, ``session``, ``token``, ``link``, or
            what went wrong with an identity provider.
    """

    def __init__(self, kind: str, why: str) -> None:
        self.kind = kind
        super().__init__(why)


class TooManyAttempts(CallerError):
    """Signing in failed too often.

    Attributes:
        retry_after: whole seconds until the next attempt.
    """

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"too many attempts; try again in {retry_after} seconds")


class Unfit(CallerError):
    """Something that a person chose will not do.

    Attributes:
        kind: a word for why, such as ``password_too_short``.
        field: of the request.
    """

    def __init__(self, kind: str, why: str, *, field: str) -> None:
        self.kind, self.field = kind, field
        super().__init__(why)


class MissingExtra(CallerError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f"{what} needs an optional part: pip install 'pointsman[{extra}]'")


class ModelFacingError(PointsmanError):
    """Said back to the model as the result of its call."""


class ArgumentsMalformed(ModelFacingError):
    """The arguments are not one JSON object. ``str(error)`` names the first fault."""


class ArgumentsInvalid(ModelFacingError):
    """The arguments do not fit the schema.

    Attributes:
        problems: one sentence a fault: field, what was got, what was expected.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class ArgumentsMissing(ModelFacingError):
    """Required arguments are absent, blank or placeholders.

    Attributes:
        missing: parameter names, in the schema's order.
        arguments: the others, as far as they fit.
    """

    def __init__(self, missing: Sequence[str], arguments: Mapping[str, Any] | None = None) -> None:
        self.missing, self.arguments = tuple(missing), dict(arguments or {})
        super().__init__("missing: " + ", ".join(self.missing))


class PlanInvalid(ModelFacingError):
    """Tasks that cannot be carried out as they are written.

    Attributes:
        problems: one sentence a fault.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class InfrastructureError(PointsmanError):
    """Something outside did not work."""


class ModelError(InfrastructureError):
    """The model could not be asked or did not answer properly.

    Attributes:
        status: HTTP status when there was one.
        body: the start of what the server said, for the journal; never a secret.
    """

    retryable = False

    def __init__(self, message: str, *, status: int | None = None, body: Any = None) -> None:
        self.status, self.body = status, body
        super().__init__(message)


class ModelUnavailable(ModelError):
    """Try again later.

    Attributes:
        retry_after: seconds that the server asked us to wait, or None.
    """

    retryable = True

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: Any = None,
        retry_after: float | None = None,
    ) -> None:
        self.retry_after = retry_after
        super().__init__(message, status=status, body=body)


class ModelTimeout(ModelError):
    """No answer in time. ``phase`` is one of connect, first_byte, idle, total."""

    retryable = True

    def __init__(self, phase: str, seconds: float) -> None:
        self.phase, self.seconds = phase, seconds
        super().__init__(f"the model gave no answer in {seconds:g} s ({phase})")


class ModelProtocolError(ModelError):
    """The server answered, but not in the protocol; the attempt may be repeated."""

    retryable = True


class ModelRejected(ModelError):
    """The server refused the request: a wrong key, model name or parameter."""


class EmptyReply(ModelError):
    """The model returned neither text nor a call."""

    retryable = True


class ToolSourceError(InfrastructureError):
    """A source of tools failed as a whole."""


class StoreError(InfrastructureError):
    """The database failed."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, or is busy. It is not known whether what was handed over last
    stands: read it again before doing it again."""


class PositionConflict(StoreError):
    """An append named a position that is no longer the end of the run: another writer owns it."""


class JournalCorrupt(StoreError):
    """A journal cannot be trusted or read."""


class EventUnknown(JournalCorrupt):
    """The run was carried on by another release. ``tag`` is the event's name and version."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        super().__init__(
            f"the journal holds an event {tag!r}, which this release ({version('pointsman')}) does "
            "not know: a newer one wrote it; upgrade pointsman here, or leave the run to the newer"
        )
