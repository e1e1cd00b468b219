"""What is left of a run that was removed because it was old: enough that heads and the audit still
hold, and nothing that anybody said.

A tombstone is signed with the operator's key, which the database does not hold: else whoever can
write the database could take a run away and say that it was old.
"""

import hmac
from collections.abc import Collection
from datetime import datetime
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.record.heads import Mark, Seen


class Tombstone(Struct, frozen=True, kw_only=True):
    """A run that was removed as a whole.

    Attributes:
        began: when the run began, aware, in UTC.
        position, hash: of its last event; ``position`` + 1 events are gone.
        end, end_hash: of the event with which it ended.
        at, by: when it was removed, and by whom.
        signature: HMAC-SHA256 (hex) with the operator's key over everything else; empty without.
    """

    run: str
    began: datetime
    position: int
    hash: str
    end: int
    end_hash: str
    at: datetime
    by: str
    signature: str = ""

    @property
    def events(self) -> int:
        """How many events are gone."""
        return self.position + 1

    def seen(self, known: Mark | None) -> Seen:
        """The run as heads see it.

        Args:
            known: the mark of a head that lists the run. What the run was then cannot be looked up
                any more; that it had come no further than it came in the end can.
        """
        mark = Mark(self.run, self.position, self.hash)
        if known is not None and known.position < self.position:
            mark = known
        return Seen(mark=mark, began=self.began, end=Mark(self.run, self.end, self.end_hash))


def signed(tombstone: Tombstone, key: bytes) -> Tombstone:
    """The tombstone with the signature of this key; none for an empty key."""
    return replace(tombstone, signature=_signature(tombstone, key) if key else "")


def is_signed_by(tombstone: Tombstone, key: bytes) -> bool:
    """Whether the tombstone bears the key's signature."""
    return hmac.compare_digest(tombstone.signature, _signature(tombstone, key))


def _signature(tombstone: Tombstone, key: bytes) -> str:
    unsigned = msgspec.json.encode(replace(tombstone, signature=""))
    return hmac.new(key, b"pointsman-tombstone@1" + unsigned, sha256).hexdigest()


class Keep(Struct, frozen=True, kw_only=True):
    """What is never removed, however old; empty for nothing.

    Attributes:
        runs: ids; their whole conversations stay.
    """

    agents: Collection[str] = ()
    users: Collection[str] = ()
    runs: Collection[str] = ()

    def has(self, run: str, user: str, agent: str) -> bool:
        """Whether the run is to stay."""
        return run in self.runs or user in self.users or agent in self.agents
