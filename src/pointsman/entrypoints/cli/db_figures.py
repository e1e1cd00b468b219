"""``pointsman db figures``: what is counted of ended runs, brought up to date or made again."""

from pointsman.adapters.system import SystemClock
from pointsman.engine.record.figures import Reckoner
from pointsman.entrypoints.cli.runs import journal_of
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.settings import Settings


async def figures(settings: Settings, terminal: Terminal, *, rebuild: bool) -> int:
    """Count what has ended, from the journals alone; with ``rebuild`` all of it."""
    async with journal_of(settings) as service:
        reckoner = Reckoner(service.store, SystemClock())
        if rebuild:
            await reckoner.rebuild()
        while not await reckoner.catch_up():
            pass
    terminal.tell("db.figures_rebuilt" if rebuild else "db.figures_current", "green")
    return 0
