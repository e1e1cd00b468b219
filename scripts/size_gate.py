"""Keeps files and functions small enough to read: fails when one is over the limit.

Usage: ``python scripts/size_gate.py FOLDER...``. A function counts from ``def`` to its last line.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 60


def offenders(file: Path) -> Iterator[str]:
    """One sentence for the file and each function in it that is too long."""
    source = file.read_text(encoding="utf-8")
    lines = len(source.splitlines())
    if lines > FILE_LINES:
        yield f"{file}: {lines} lines, at most {FILE_LINES}"
    for node in ast.walk(ast.parse(source, str(file))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{file}:{node.lineno}: {node.name}: {lines} lines, at most {FUNCTION_LINES}"


def main(folders: list[str]) -> int:
    """Print every offender; 1 when there is one, 2 when there was nothing to look at."""
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    if not files:
        print(f"no Python files in {folders}", file=sys.stderr)
        return 2
    found = [sentence for file in files for sentence in offenders(file)]
    print("\n".join(found) or f"size gate: {len(files)} files are within the limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
