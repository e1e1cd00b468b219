"""What is committed, told to whoever counts it, traces it or shows that something has changed.

Above: ``service``, which puts this bus in the place of the one that it was given. An observer hears
of the events that this process has made durable, in the order of each run, and of no others.
"""

from collections.abc import Sequence
from typing import Protocol

from pointsman.domain.events import Event
from pointsman.domain.runs import Run
from pointsman.ports import Bus, Committed, News, Signal


class Observer(Protocol):
    """Something that follows all runs of this process."""

    def committed(self, run: Run, events: Sequence[Event]) -> None:
        """These events are durable, and the run stands like this after them. Is quick: whoever
        drives the run waits for it."""
        ...


class ObservedBus:
    """The bus, with observers beside it. Whoever watches on the bus hears of the commit first."""

    def __init__(self, bus: Bus) -> None:
        self._publish = bus.publish
        self.watch, self.watched = bus.watch, bus.watched
        self._observers: list[Observer] = []

    def add(self, observer: Observer) -> None:
        """Tell it too, from now on."""
        self._observers.append(observer)

    def remove(self, observer: Observer) -> None:
        """Tell it no more."""
        self._observers.remove(observer)

    def publish(self, run: str, news: News) -> None:
        if isinstance(news, Committed):
            self._publish(run, Signal(news.position, news.ended))
            for observer in self._observers:
                observer.committed(news.run, news.events)
        else:
            self._publish(run, news)
