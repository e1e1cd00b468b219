"""A classifier that is made when it is first asked: training takes seconds, and the cheaper ones of
a cascade may never need it."""

from collections.abc import Callable, Sequence

import anyio
import anyio.to_thread

from pointsman.domain.intents import Classification
from pointsman.ports import Classifier


class Lazy:
    """``ports.Classifier`` around one that ``make`` gives, in a thread, once."""

    def __init__(self, name: str, make: Callable[[], Classifier]) -> None:
        self.name = name
        self._make = make
        self._made: Classifier | None = None
        self._making = anyio.Lock()

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        async with self._making:
            if self._made is None:
                self._made = await anyio.to_thread.run_sync(self._make)
        return await self._made.classify(text, context=context)
