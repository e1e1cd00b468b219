"""The text files of an agent's folder: read, checked, and put in the place of others.

Only what people write is seen: no hidden files, no links, nothing large, and no file in which a key
or a token stands. What is not seen is never written or removed either.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from pointsman.agentfile.loading import FILE_NAME
from pointsman.domain.masking import holds_key
from pointsman.errors import CallerError, Conflict

SUFFIXES = frozenset(".yaml .yml .md .txt .py .json .jsonl .toml .csv .sql .html .j2 .ini".split())
MOST_FILES = 200
LONGEST_FILE = 400_000
"""Bytes of one file."""
MOST_BYTES = 900_000
"""Of all files together."""
DEEPEST = 8
_PART = re.compile(r"[^\s/\\:*?\"<>|\x00-\x1f\x7f.][^/\\:*?\"<>|\x00-\x1f\x7f]{0,120}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


class Folder(Struct, frozen=True, kw_only=True):
    """What was read.

    Attributes:
        files: path with slashes → text.
        left_out: files that are not shown.
    """

    files: dict[str, str]
    left_out: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Changes when a file does (hex)."""
        return digest(self.files)


def digest(files: Mapping[str, str]) -> str:
    """Changes when a path or a text does (hex)."""
    hashed = hashlib.sha256()
    for path, text in sorted(files.items()):
        body = text.encode()
        hashed.update(f"{path}:{len(body)}:".encode() + body)
    return hashed.hexdigest()


def read(folder: Path) -> Folder:
    """The text files of a folder.

    Raises:
        CallerError: it cannot be read.
    """
    files: dict[str, str] = {}
    left_out: list[str] = []
    total = 0
    for path in _found(folder):
        name = path.relative_to(folder).as_posix()
        text = _text(path)
        total += len(text.encode()) if text is not None else 0
        if text is None or total > MOST_BYTES or len(files) == MOST_FILES:
            left_out.append(name)
        else:
            files[name] = text
    return Folder(files=files, left_out=tuple(left_out))


def _found(folder: Path) -> Iterator[Path]:
    """The files that may be shown, ``agent.yaml`` first."""
    first = folder / FILE_NAME
    if first.is_file() and not first.is_symlink():
        yield first
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith((".", "__"))
            and name != "node_modules"
            and not (Path(place) / name).is_symlink()
        )
        for name in sorted(names):
            path = Path(place) / name
            if path != first and not name.startswith(".") and path.suffix in SUFFIXES:
                yield path


def _text(path: Path) -> str | None:
    """The text of a file, or None when it is not to be shown."""
    try:
        if path.is_symlink() or path.stat().st_size > LONGEST_FILE:
            return None
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    except OSError as fault:
        raise CallerError(f"{path} cannot be read: {fault.strerror}") from None
    return None if "\x00" in text or holds_key(text) else text


def checked(files: Mapping[str, str]) -> dict[str, str]:
    """The files as they may be written: paths that stay inside of the folder, texts that are not
    too long.

    Raises:
        CallerError: names what is wrong and what is expected.
    """
    if FILE_NAME not in files:
        raise CallerError(f"the files of an agent need an {FILE_NAME}")
    if len(files) > MOST_FILES:
        raise CallerError(f"at most {MOST_FILES} files")
    small = {path.casefold(): path for path in files}
    if len(small) < len(files):
        raise CallerError("two paths differ in capital letters only")
    for path, text in files.items():
        _check_path(path)
        if len(text.encode()) > LONGEST_FILE:
            raise CallerError(f"{path}: longer than {LONGEST_FILE} bytes")
        if "\x00" in text:
            raise CallerError(f"{path}: not a text")
        if holds_key(text):
            raise CallerError(
                f"{path}: a key or a token stands in it; name an environment variable instead"
            )
    if sum(len(text.encode()) for text in files.values()) > MOST_BYTES:
        raise CallerError(f"all files together are longer than {MOST_BYTES} bytes")
    return dict(files)


def _check_path(path: str) -> None:
    parts = path.split("/")
    fine = all(_PART.fullmatch(part) and not _RESERVED.fullmatch(part) for part in parts)
    if not fine or len(parts) > DEEPEST or any(part.startswith("__") for part in parts[:-1]):
        raise CallerError(
            f"{path[:80]!r} is no path inside of the folder: write it like prompts/system.md"
        )
    if PurePosixPath(path).suffix not in SUFFIXES:
        raise CallerError(f"{path}: a file ends in one of {', '.join(sorted(SUFFIXES))}")


def put(folder: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Put files in the place of those that were read before. Each is replaced whole; when one
    cannot be, those that were are put back.

    Raises:
        Conflict: what lies there is not what was read, or a link or a hidden thing is in the way.
        CallerError: a file cannot be written.
    """
    if read(folder).files != before:
        raise Conflict("the folder has changed meanwhile")
    changed = [path for path in after if after[path] != before.get(path)]
    gone = [path for path in before if path not in after]
    for path in changed:
        _check_place(folder, path, is_new=path not in before)
    done: list[str] = []
    try:
        for path in changed:
            _write(folder / path, after[path])
            done.append(path)
        for path in gone:
            (folder / path).unlink()
            done.append(path)
    except OSError as fault:
        for path in done:
            if path in before:
                _write(folder / path, before[path])
            else:
                (folder / path).unlink(missing_ok=True)
        raise CallerError(f"cannot write into {folder}: {fault.strerror}") from None
    for path in (*changed, *gone):
        _drop_compiled(folder / path)


def _check_place(folder: Path, path: str, *, is_new: bool) -> None:
    target = folder / path
    if _link_below(folder, target):
        raise Conflict(f"{path}: a link is in the way")
    if is_new and target.exists():
        raise Conflict(f"{path}: there is a file that the editor does not show")


def _link_below(folder: Path, target: Path) -> bool:
    """Whether a part of the path below the folder is a link."""
    place = folder
    for part in target.relative_to(folder).parts:
        place = place / part
        if place.is_symlink():
            return True
    return False


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all; it keeps its rights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _drop_compiled(path: Path) -> None:
    """A module that is written twice in a second looks unchanged to the import system."""
    if path.suffix == ".py":
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink(missing_ok=True)
