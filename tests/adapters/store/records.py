"""Runs and rows for tests of stores."""

from datetime import UTC, datetime

from pointsman.domain.runs import RunStatus
from pointsman.ports import Append, Row, RunRecord, Store

NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)


def record(
    run: str, *, user: str = "ann", conversation: str = "c1", position: int = 0, epoch: int = 0
) -> RunRecord:
    """A queued run."""
    return RunRecord(
        id=run,
        conversation=conversation,
        user=user,
        agent="travel",
        status=RunStatus.QUEUED,
        input="你好",
        created=NOON,
        updated=NOON,
        position=position,
        epoch=epoch,
    )


def row(position: int) -> Row:
    """A row with a body and a hash of its own."""
    return Row(position=position, body=b'{"n":%d}' % position, hash=bytes([position % 256]) * 32)


async def start(store: Store, run: RunRecord) -> None:
    """Store a new run with its first row."""
    await store.append(Append(expected=-1, rows=(row(0),), run=run))
