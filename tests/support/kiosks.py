"""The kiosk of ``evaluated`` with intents, in a folder, behind a real server with SQLite."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pointsman import agentfile, bootstrap
from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.service import Service
from pointsman.engine.surroundings import Surroundings
from tests.support import evaluated
from tests.support.web import Site, serving

INTENTS = """\
classifier: [rules]
# What customers want.
intents:
  prices:   # only asks
    title: {zh: 价格, en: Prices}
    keywords: [price, cost, 多少钱]
    tools: [price]
    examples:
      - what does tea cost?
      - 茶多少钱  # in Chinese
  orders:
    title: {zh: 下单, en: Orders}
    keywords: [order, buy]
    tools: [order]
    examples: [order 2 cups of tea, "买茶"]
  counts: {title: {zh: 次数, en: Counts}, keywords: [count], tools: [count]}
  refunds: {title: {zh: 退款, en: Refunds}, keywords: [refund], tools: [refund]}
"""
SUITE = """\
suite: basic
cases:
  - id: price
    say: what is the price of tea?
    expect: {intent: prices, tools: [price]}
  - id: wrong
    say: hello
    expect: {intent: prices}
"""


def kiosk(folder: Path) -> Path:
    """A kiosk's folder."""
    folder.mkdir(parents=True)
    (folder / "agent.yaml").write_text(evaluated.AGENT + INTENTS, "utf-8")
    (folder / "tools.py").write_text(evaluated.TOOLS, "utf-8")
    (folder / "evaluation").mkdir()
    (folder / "evaluation" / "basic.yaml").write_text(SUITE, "utf-8")
    return folder


def load(live: LiveAgent) -> LiveAgent:
    """As ``bootstrap`` loads an agent again."""
    return bootstrap._loaded_again(live, SystemClock(), Surroundings())


@asynccontextmanager
async def open_kiosk(folder: Path, database: Path) -> AsyncIterator[Site]:
    """The kiosk of a folder behind a server."""
    clock = SystemClock()
    live = bootstrap.folder_agent(agentfile.load(folder), clock)
    service = Service(
        agents=Agents(live),
        store=sqlite(database),
        queue=LocalQueue(pauses=()),
        bus=MemoryBus(),
        clock=clock,
    )
    service.agents.load = load
    await service.open()
    async with serving(service) as site:
        yield site
