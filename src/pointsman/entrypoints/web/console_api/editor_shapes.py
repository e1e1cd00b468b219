"""The wire shapes of the agents' editor. Times are in UTC, ISO 8601."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from pointsman.entrypoints.web.native.native_shapes import RunShape
from pointsman.faults import WORDS

MOST_FILES = 200
LONGEST_FILE = 400_000
"""Characters of one file."""


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DraftFile(_Taken):
    """A text file of an agent's folder: ``path`` is relative to it, with slashes."""

    path: str = Field(min_length=1, max_length=300)
    text: str = Field(max_length=LONGEST_FILE)


class DraftFiles(_Taken):
    """All text files of the agent as they are to be: one that is left out is removed when the draft
    is published. ``version`` is that of the folder that was edited, as ``files`` gave it."""

    files: list[DraftFile] = Field(min_length=1, max_length=MOST_FILES)
    version: str = Field("", max_length=64)


class DraftSaying(_Taken):
    """A message to the draft; ``conversation`` as an earlier answer gave it, while it is known."""

    text: str = Field(min_length=1, max_length=20_000, pattern=WORDS)
    conversation: str = Field("", max_length=64)


class Publishing(_Taken):
    """What was changed, for the history."""

    note: str = Field("", max_length=500)


class FileShape(BaseModel):
    """A text file of an agent's folder."""

    path: str
    text: str


class AgentFiles(BaseModel):
    """The text files of an agent's folder and a digest of them. ``left_out`` names files that the
    editor does not show: too large, not text, secret or hidden."""

    agent: str
    files: list[FileShape]
    version: str
    left_out: list[str]


class Draft(BaseModel):
    """The draft of an agent, or what it starts from. ``base`` is the version of the folder that was
    edited; ``stale`` when the folder has another one by now. ``by`` and ``at`` are null as long as
    nothing was drafted."""

    agent: str
    files: list[FileShape]
    base: str
    stale: bool
    by: str | None
    at: datetime | None


class FaultShape(BaseModel):
    """Something to mend: ``line`` from 1, null where it is not known; ``field`` a dotted path in
    the file; ``hint`` what to do."""

    file: str
    line: int | None
    field: str
    message: str
    hint: str


class Faults(BaseModel):
    """What keeps the draft from working, in the order of the files; empty when it is fine."""

    faults: list[FaultShape]


class DraftRun(RunShape):
    """What a draft did with a message, on a store of its own: nothing is kept, and tools that may
    change something were not run (``not_run`` names them)."""

    not_run: list[str]
    intents: list[str]
    said: list[str]


class Published(BaseModel):
    """``version`` is the number in the history; ``digest`` that of the folder."""

    version: int
    digest: str


class VersionShape(BaseModel):
    """A version of the history: ``note`` says what was changed; ``current`` when the folder is as
    it."""

    version: int
    at: datetime
    by: str
    note: str
    digest: str
    current: bool


class VersionList(BaseModel):
    """Newest first."""

    versions: list[VersionShape]


class VersionFiles(BaseModel):
    """The files of a version."""

    version: int
    at: datetime
    by: str
    note: str
    files: list[FileShape]
