"""Merges the pieces of streamed tool calls: keeps the fragments and decides at the end.

Above: ``deltas``. A fragment is put into the slot of its call by index and id alone; what is inside
a slot (one call, a call sent twice, a growing call sent again and again, or several calls under
one index) is read when everything has come, because no single fragment can tell.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any

from msgspec import Struct

from pointsman.adapters.models.readings import Nesting, has_grown, object_in, read_arguments
from pointsman.adapters.models.wire import WireCall, whole_number


class Fragment(Struct, frozen=True, kw_only=True, gc=False):
    """What one delta says about one call; empty texts stand for null and absent."""

    id: str
    name: str
    arguments: Any


class MergedCall(Struct, frozen=True, kw_only=True):
    """A call as the model proposed it. ``id`` and ``arguments`` are empty where none came."""

    id: str
    name: str
    arguments: str


class _Pieces:
    """Fragments that belong together; their arguments are followed only when somebody asks."""

    def __init__(self, fragments: Iterable[Fragment] = ()) -> None:
        self.fragments = list(fragments)
        self.name = ""
        self._nesting = Nesting()
        self._followed = 0

    @property
    def nesting(self) -> Nesting:
        for fragment in self.fragments[self._followed :]:
            self._nesting.feed(fragment.arguments)
            self.name = self.name or fragment.name
        self._followed = len(self.fragments)
        return self._nesting


class _Slot(_Pieces):
    """The fragments that came for one index or id."""

    def __init__(self, index: int | None, call_id: str) -> None:
        super().__init__()
        self.index, self.id = index, call_id


class CallMerger:
    """Takes the call pieces of one reply in order. For one attempt; never reused."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}

    def add(self, calls: Sequence[WireCall | None]) -> None:
        """Take the pieces of one delta."""
        touched: list[_Slot] = []
        for call in calls:
            if call is None:
                continue
            fragment = _fragment(call)
            index = whole_number(call.index)
            slot = self._slot(index, fragment)
            if index is None and fragment.name and slot in touched:
                slot = self._open(index, fragment)
            touched.append(slot)
            self._put(slot, fragment)

    def add_whole(self, calls: Sequence[WireCall | None]) -> None:
        """Take the calls of a whole message: each is a call of its own, or one that the deltas
        before it told already."""
        known = list(self._slots)
        for position, call in enumerate(call for call in calls if call is not None):
            fragment = _fragment(call)
            slot = known[position] if position < len(known) else None
            if known and fragment.id and (slot is None or slot.id != fragment.id):
                slot = self._by_id.get(fragment.id, slot)
            self._put(slot or self._open(None, fragment), fragment)

    def resolve(self, registered: Container[str]) -> list[MergedCall]:
        """The calls in the order in which they were opened; a call without a name is none."""
        calls: list[MergedCall] = []
        for slot in _rejoined(self._slots):
            calls += _calls_of(slot, registered)
        return calls

    def _slot(self, index: int | None, fragment: Fragment) -> _Slot:
        """The slot that a fragment belongs to; a new one where it opens a call."""
        call_id, name = fragment.id, fragment.name
        same_id = self._by_id.get(call_id) if call_id else None
        last = self._slots[-1] if self._slots else None
        if index is None:
            if same_id:
                return same_id
            if last is None or (call_id and (name or last.nesting.closed)):
                return self._open(index, fragment)
            return last
        here = self._by_index.get(index)
        if here is None:
            if same_id and not name:
                return same_id
            if last and last.index is None and not call_id and not name:
                return last
            return self._open(index, fragment)
        if not call_id or not here.id or here.id == call_id:
            return here
        if same_id or not name:
            return same_id or here
        return self._open(index, fragment)

    def _open(self, index: int | None, fragment: Fragment) -> _Slot:
        slot = _Slot(index, fragment.id)
        self._slots.append(slot)
        if index is not None:
            self._by_index[index] = slot
        return slot

    def _put(self, slot: _Slot, fragment: Fragment) -> None:
        slot.fragments.append(fragment)
        if fragment.id and slot.id in ("", fragment.id):
            slot.id = fragment.id
            self._by_id[fragment.id] = slot


def _fragment(call: WireCall) -> Fragment:
    function = call.function
    name = (function and function.name) or call.name
    arguments = function.arguments if function else None
    return Fragment(
        id=call.id if isinstance(call.id, str) else "" if call.id is None else str(call.id),
        name=name if isinstance(name, str) else "",
        arguments=call.arguments if arguments is None else arguments,
    )


def _rejoined(slots: Iterable[_Slot]) -> list[_Slot]:
    """Slots with the pieces joined that got ids or indexes of their own and cannot stand alone."""
    joined: list[_Slot] = []
    for slot in slots:
        if joined and _continues(slot, joined[-1]):
            joined[-1].fragments += slot.fragments
        else:
            joined.append(slot)
    return joined


def _continues(slot: _Slot, before: _Slot) -> bool:
    """Whether a slot is nothing but a later piece of the one before it."""
    nesting, earlier = slot.nesting, before.nesting
    if nesting.blank or earlier.closed or not before.name:
        return False
    if not slot.name:
        return not slot.id
    same_key = slot.index == before.index or (slot.id and slot.id == before.id)
    if slot.name != before.name or not same_key or nesting.closed:
        return False
    return nesting.first != "{" or earlier.blank


def _calls_of(slot: _Slot, registered: Container[str]) -> list[MergedCall]:
    """The calls that a slot holds: one, or several where a new one begins under the same key."""
    parts: list[_Pieces] = []
    for fragment in slot.fragments:
        if not parts or (fragment.name and _begins_anew(fragment, parts[-1], registered)):
            parts.append(_Pieces())
        parts[-1].fragments.append(fragment)
    calls: list[MergedCall] = []
    for part in parts:
        pieces = part.fragments
        name = _name([piece.name for piece in pieces if piece.name], registered)
        if not name:
            continue
        call = MergedCall(
            id=next((piece.id for piece in pieces if piece.id), ""),
            name=name,
            arguments=read_arguments([piece.arguments for piece in pieces]),
        )
        if calls and call.name == calls[-1].name and (one := _one_of(calls[-1], call)):
            calls[-1] = one
        else:
            calls.append(call)
    return calls


def _begins_anew(fragment: Fragment, part: _Pieces, registered: Container[str]) -> bool:
    """Whether a name after these fragments opens a further call or is only said again."""
    nesting, name = part.nesting, fragment.name
    last = part.fragments[-1]
    if not part.name:
        return False
    if isinstance(last.arguments, dict) and isinstance(fragment.arguments, dict):
        same_id = fragment.id and fragment.id == part.fragments[0].id
        return not (same_id or has_grown(last.arguments, fragment.arguments))
    if nesting.closed:
        return True
    if not nesting.blank or name == last.name:
        return False
    before = "".join(piece.name for piece in part.fragments)
    return before in registered and name in registered and before + name not in registered


def _one_of(first: MergedCall, second: MergedCall) -> MergedCall | None:
    """The one call that the two are if the second only says the first again, or says more of it."""
    was, now = object_in(first.arguments or "{}"), object_in(second.arguments or "{}")
    call_id = first.id or second.id
    same_id = bool(first.id) and first.id == second.id
    if second.arguments == first.arguments or (now is not None and now in (was, {})):
        return MergedCall(id=call_id, name=first.name, arguments=first.arguments)
    if was is None or now is None:
        return None
    if was == {} or (same_id and has_grown(was, now)):
        return MergedCall(id=call_id, name=first.name, arguments=second.arguments)
    return None


def _name(pieces: Sequence[str], registered: Container[str]) -> str:
    """The name that the pieces spell: in pieces, said again, or growing."""
    if len(pieces) <= 1:
        return "".join(pieces).strip()
    joined = "".join(pieces)
    growing = all(map(str.startswith, pieces[1:], pieces[:-1]))
    said_once = "".join(dict.fromkeys(pieces))
    candidates = [joined, pieces[-1], pieces[0], said_once]
    for candidate in candidates:
        if candidate in registered:
            return candidate
    return (pieces[-1] if growing else joined).strip()
