"""Results in a file, a line each, so that an evaluation that broke off goes on where it was.

A session starts with a line that says what was measured; only results that the same suite, agent
and model gave count again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.errors import CallerError
from pointsman.evaluation.metrics import CaseResult


class Session(Struct, frozen=True, kw_only=True, tag="session@1"):
    """What was measured.

    Attributes:
        suites: digest of each suite, by name.
        agent: digest of the agent folder's files.
    """

    suites: dict[str, str]
    agent: str
    model: str


class Line(Struct, frozen=True, kw_only=True, tag="result@1"):
    """One result."""

    result: CaseResult


_decode = msgspec.json.Decoder(Session | Line).decode
_encode = msgspec.json.Encoder().encode


class Results:
    """A file of results that this evaluation appends to."""

    def __init__(self, path: Path, session: Session) -> None:
        self.path = path
        self.finished = finished(path, session) if path.exists() else []
        """Of earlier sessions that measured the same."""
        self._file = _opened(path)
        self._write(session)

    def add(self, result: CaseResult) -> None:
        """Keep a result at once."""
        self._write(Line(result=result))

    def _write(self, line: Session | Line) -> None:
        self._file.write(_encode(line) + b"\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def _opened(path: Path) -> Any:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A line that was cut off when the last session was killed must not swallow the next one.
        cut = path.exists() and path.stat().st_size and path.read_bytes()[-1:] != b"\n"
        file = path.open("ab")
        file.write(b"\n" if cut else b"")
        return file
    except OSError as fault:
        raise CallerError(f"cannot write {path}: {fault.strerror}") from None


def finished(path: Path, session: Session) -> list[CaseResult]:
    """The results in the file of sessions that measured the same; the last of each case and
    repeat. What could not be carried through is left out: it is tried again."""
    same, kept = False, {}
    for line in _lines(path):
        if isinstance(line, Session):
            same = _same(line, session)
        elif same:
            result = line.result
            kept[result.suite, result.case, result.repeat] = result
    return [result for result in kept.values() if not result.error]


def _same(first: Session, second: Session) -> bool:
    return (first.agent, first.model) == (second.agent, second.model) and all(
        first.suites.get(name) == digest for name, digest in second.suites.items()
    )


def earlier(path: Path) -> list[CaseResult]:
    """The results of the last session that a file holds, or of a report that ``--json`` printed.

    Raises:
        CallerError: it holds no results.
    """
    try:
        written = path.read_bytes()
    except OSError as fault:
        raise CallerError(f"cannot read {path}: {fault.strerror}") from None
    try:
        report = msgspec.json.decode(written, type=dict[str, msgspec.Raw])
        return list(msgspec.json.decode(report["results"], type=tuple[CaseResult, ...]))
    except (msgspec.MsgspecError, KeyError):
        pass
    last: Session | None = None
    for line in _lines(path):
        last = line if isinstance(line, Session) else last
    if last is None:
        raise CallerError(f"{path} holds no results of an evaluation")
    return finished(path, last)


def _lines(path: Path) -> Iterator[Session | Line]:
    """The lines that can be read: one that was cut off is as good as none."""
    try:
        written: Sequence[bytes] = path.read_bytes().splitlines()
    except OSError as fault:
        raise CallerError(f"cannot read {path}: {fault.strerror}") from None
    readable = 0
    for line in written:
        try:
            yield _decode(line)
            readable += 1
        except msgspec.MsgspecError:
            continue
    if any(line.strip() for line in written) and not readable:
        raise CallerError(f"{path} holds no results of an evaluation")
