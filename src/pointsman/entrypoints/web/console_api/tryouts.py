"""Conversations with drafts: in this process and in memory alone, for as long as somebody tries."""

from collections import OrderedDict

from msgspec import Struct

from pointsman.adapters.store.memory import MemoryStore
from pointsman.errors import NotFound
from pointsman.ports import Store

MOST = 50
"""Conversations that are known at once; the one that was used longest ago is forgotten."""


class _Talk(Struct, frozen=True):
    user: str
    agent: str
    store: Store


class Tryouts:
    """The stores of conversations with drafts."""

    def __init__(self) -> None:
        self._talks: OrderedDict[str, _Talk] = OrderedDict()

    def store(self, conversation: str, *, user: str, agent: str) -> Store:
        """The store of a conversation, or a fresh one for none.

        Raises:
            NotFound: it is another's, of another agent, or forgotten.
        """
        if not conversation:
            return MemoryStore()
        talk = self._talks.get(conversation)
        if talk is None or (talk.user, talk.agent) != (user, agent):
            raise NotFound("conversation", conversation)
        return talk.store

    def keep(self, conversation: str, store: Store, *, user: str, agent: str) -> None:
        """Know the conversation's store for a while."""
        self._talks[conversation] = _Talk(user, agent, store)
        self._talks.move_to_end(conversation)
        while len(self._talks) > MOST:
            self._talks.popitem(last=False)
