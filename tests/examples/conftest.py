"""The travel agent's servers are scripts: their own folder is their import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/travel/servers"))
