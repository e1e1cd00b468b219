"""A recorded run under today's agent; the same for the command line and the console."""

from pointsman import bootstrap
from pointsman.domain.record.comparison import Difference
from pointsman.engine.record.replay import replay
from pointsman.engine.service import Service
from pointsman.errors import JournalCorrupt
from pointsman.ports import RunRecord


async def again(
    service: Service, record: RunRecord, *, reclassify: bool = False
) -> tuple[list[Difference], str]:
    """The decisions that come out differently today, and why the run could not be replayed. Nothing
    outside is called.

    Raises:
        NotFound: its agent is not here.
    """
    live = service.agents.get(record.agent)
    stored = await service.store.load(record.id)
    assert stored is not None
    store, bus = bootstrap.rehearsal()
    try:
        return await replay(stored, live, store, bus, reclassify=reclassify), ""
    except JournalCorrupt as fault:
        return [], str(fault)
