"""``pointsman init``: a small agent folder to start from, with a comment at every key."""

import re
import shlex
from pathlib import Path

from pointsman import agentfile
from pointsman.domain.agent import Language
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.errors import CallerError

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def init(folder: Path, terminal: Terminal, *, language: Language) -> int:
    """Write the folder.

    Raises:
        CallerError: something of an agent is there already, or the folder cannot be written.
    """
    files = agentfile.template()
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise CallerError(
            f"{folder} holds {', '.join(there)} already; nothing was written: choose another folder"
        )
    files[agentfile.FILE_NAME] = _named(files[agentfile.FILE_NAME], folder, language)
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as fault:
        raise CallerError(f"cannot write {fault.filename}: {fault.strerror}") from None
    terminal.tell("init.done", folder=folder, files=", ".join(files))
    terminal.tell("init.next", folder=shlex.quote(str(folder)))
    return 0


def _named(text: str, folder: Path, language: Language) -> str:
    """The agent file with the folder's name, and in this language."""
    values = {
        "agent": _NOT_IN_NAMES.sub("-", folder.resolve().name).strip("-_") or "my-agent",
        "language": language,
        "timezone": "Asia/Shanghai" if language == "zh" else "UTC",
    }
    for key, value in values.items():
        text = re.sub(rf"^{key}: \S+ *(?=#)", f"{key}: {value}".ljust(33), text, flags=re.MULTILINE)
    return text
