"""Whether what is kept can be reached."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from pointsman.domain.notices.delivery import DeliveryStatus


@runtime_checkable
class SaysWhetherReady(Protocol):
    """A store on a database that may be gone, or belong to another release by now."""

    async def unready(self) -> str:
        """Why it cannot be used, for people; empty when it can.

        Raises:
            StoreError: the database failed.
        """
        ...


@runtime_checkable
class CountsDeliveries(Protocol):
    """An outbox that knows how much waits in it."""

    async def counts(self) -> Mapping[DeliveryStatus, int]:
        """How many deliveries wait, by what for.

        Raises:
            StoreError: the database failed.
        """
        ...
