"""What one drive of a run holds, for the loop and the stages that it calls."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from pointsman.domain.messages import Delta, Message
from pointsman.engine.agents import LiveAgent
from pointsman.engine.health import Health
from pointsman.engine.journal import Journal
from pointsman.ports import Bus, Store


class Driving(Struct, frozen=True, kw_only=True):
    """One drive of one run.

    Attributes:
        prefix: what stands before the run's own messages in every question to the model.
        now: the instant of the date line, in the agent's zone.
        tell: takes the deltas of a reply.
        health: how the tools fare, over all runs.
        store: for what runs agree on.
    """

    journal: Journal
    live: LiveAgent
    bus: Bus
    prefix: tuple[Message, ...]
    now: datetime
    tell: Callable[[Delta], None]
    health: Health
    store: Store
