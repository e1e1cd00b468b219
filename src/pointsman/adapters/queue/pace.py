"""How fast workers notice things, and how much one does at once."""

from msgspec import Struct


class Pace(Struct, frozen=True, kw_only=True):
    """Times in seconds.

    Attributes:
        concurrency: conversations that a worker drives at the same time.
        heartbeat: between two signs of life of a worker.
        dead_after: without one, a worker is taken for dead and its runs go on elsewhere.
        poll: between two looks for runs that nobody told of.
        grace: what runs get to end by themselves when their worker is to stop. A worker that stops
            gives no sign of life, so this is shorter than ``dead_after``.
    """

    concurrency: int = 16
    heartbeat: float = 2.0
    dead_after: float = 6.0
    poll: float = 0.5
    grace: float = 3.0
