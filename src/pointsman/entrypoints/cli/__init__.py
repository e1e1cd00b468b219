"""The command ``pointsman``."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from pointsman.entrypoints.cli import border

    sys.exit(border.main())
