"""Agents as people edit them: a draft beside the folder, published whole, with a history.

What runs is always what lies in the folder; the history holds what was published here, and what was
there before somebody published for the first time.
"""

from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from pointsman.agentfile import folder as folders
from pointsman.agentfile.folder import Folder
from pointsman.errors import Conflict, NotFound
from pointsman.ports import Clock
from pointsman.ports.console import DraftRecord, VersionRecord, Workshop

FOUND = "found in the folder"
"""The note of a version that nobody published here."""


class Drafted(Struct, frozen=True, kw_only=True):
    """A draft, or what one starts from.

    Attributes:
        base: the digest of the folder that was edited; ``now`` that of the folder as it is.
        record: None when nothing is drafted.
    """

    files: dict[str, str]
    base: str
    now: str
    record: DraftRecord | None = None


class Editor:
    """The drafts and the versions of one agent."""

    def __init__(self, agent: str, home: Path, workshop: Workshop, clock: Clock) -> None:
        self._agent, self._home = agent, home
        self._workshop, self._clock = workshop, clock

    async def folder(self) -> Folder:
        """The agent's files as they are.

        Raises:
            CallerError: they cannot be read.
        """
        return await to_thread.run_sync(folders.read, self._home)

    async def draft(self) -> Drafted:
        """The draft, or the files to start from."""
        now, record = await self.folder(), await self._workshop.draft(self._agent)
        if record is None:
            return Drafted(files=now.files, base=now.digest, now=now.digest)
        return Drafted(files=record.files, base=record.base, now=now.digest, record=record)

    async def keep(self, files: Mapping[str, str], base: str, by: str) -> Drafted:
        """Keep a draft in the place of an earlier one; nothing runs differently.

        Args:
            base: the digest of the folder that was edited; empty for the folder as it is, or the
                draft's own base.

        Raises:
            CallerError: no files of an agent.
        """
        fine = folders.checked(files)
        now = await self.folder()
        if not base:
            earlier = await self._workshop.draft(self._agent)
            base = earlier.base if earlier else now.digest
        record = DraftRecord(agent=self._agent, files=fine, base=base, by=by, at=self._clock.now())
        await self._workshop.keep_draft(record)
        return Drafted(files=fine, base=base, now=now.digest, record=record)

    async def drop(self) -> None:
        """Throw the draft away."""
        await self._workshop.drop_draft(self._agent)

    async def publish(self, *, by: str, note: str) -> VersionRecord:
        """Put the draft in the place of the folder's files; the version that it is now.

        Raises:
            NotFound: nothing is drafted.
            Conflict: the folder has changed since the draft was begun.
            CallerError: a file cannot be written.
        """
        record = await self._workshop.draft(self._agent)
        if record is None:
            raise NotFound("draft of agent", self._agent)
        version = await self.put(record.files, base=record.base, by=by, note=note)
        await self._workshop.drop_draft(self._agent)
        return version

    async def put(
        self, files: Mapping[str, str], *, base: str, by: str, note: str
    ) -> VersionRecord:
        """Put these files in the place of the folder's, if that is as it was (``base``).

        Raises:
            Conflict: it is not.
            CallerError: no files of an agent, or one cannot be written.
        """
        fine = folders.checked(files)
        now = await self.folder()
        if now.digest != base:
            raise Conflict(
                "the folder has changed since the draft was begun: look at what is there now, and "
                "take it into the draft"
            )
        await self._remember(now.files, by="", note=FOUND)
        await to_thread.run_sync(folders.put, self._home, now.files, fine)
        return await self._remember(fine, by=by, note=note)

    async def restore(self, number: int, *, by: str) -> VersionRecord:
        """Put the files of an earlier version back, as a version of its own.

        Raises:
            NotFound: there is no such version.
            CallerError: a file cannot be written.
        """
        version = await self.version(number)
        base = (await self.folder()).digest
        return await self.put(version.files, base=base, by=by, note=f"restored {number}")

    async def versions(self) -> tuple[list[VersionRecord], str]:
        """The history, newest first, and the digest of the folder as it is."""
        return await self._workshop.versions(self._agent), (await self.folder()).digest

    async def version(self, number: int) -> VersionRecord:
        """One version, with its files.

        Raises:
            NotFound: there is none of this number.
        """
        found = await self._workshop.version(self._agent, number)
        if found is None:
            raise NotFound("version", str(number))
        return found

    async def _remember(self, files: Mapping[str, str], *, by: str, note: str) -> VersionRecord:
        """Keep the files as the newest version, unless they are that already."""
        digest = folders.digest(files)
        while True:
            known = await self._workshop.versions(self._agent)
            if known and known[0].digest == digest:
                return known[0]
            version = VersionRecord(
                agent=self._agent,
                version=known[0].version + 1 if known else 1,
                at=self._clock.now(),
                by=by,
                note=note,
                digest=digest,
                files=dict(files),
            )
            if await self._workshop.add_version(version):
                return version
