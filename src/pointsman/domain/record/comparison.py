"""What a run decided, and where two journals of the same message decided differently.

Compared are decisions (the route, each call's validation and gate, the checks of the reply, the
end), not wording, instants or ids; calls are paired by which reply proposed them, so that a crash
in between makes no difference.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.calls import CallEvent
from pointsman.domain.masking import masked_events
from pointsman.domain.record.story import call_line
from pointsman.domain.runs import fold

About = Literal["route", "validation", "gate", "reply", "end"]


class Difference(Struct, frozen=True, kw_only=True):
    """A decision that came out differently.

    Attributes:
        call: ``<reply>.<index>``, or empty for what is the run's.
        recorded, now: the two decisions in words, with the rule that made them; empty when it did
            not come to that.
    """

    call: str
    about: About
    recorded: str
    now: str


class _Decision(Struct, frozen=True):
    """What was decided, in a form that can be compared, and in words."""

    what: str
    words: str


_Decisions = dict[tuple[str, About], _Decision]


def keys_by_reply(events: Sequence[ev.Event]) -> dict[str, str]:
    """The key of each call → its key when turns are counted by the replies that came (from 1)."""
    turns = [e.turn for e in events if isinstance(e, ev.ModelAnswered | ev.ModelFailed)]
    number = {turn: place for place, turn in enumerate(dict.fromkeys(turns), start=1)}
    keys = {event.call for event in events if isinstance(event, CallEvent)}
    return {key: _renumbered(key, number) for key in keys}


def _renumbered(key: str, number: dict[int, int]) -> str:
    turn, _, index = key.partition(".")
    return f"{number.get(int(turn), 0)}.{index}"


def is_whole(events: Sequence[ev.Event]) -> bool:
    """Whether the run came to an end by itself; a person's cancel or reply, a wait or a crash cut
    it off."""
    return any(
        isinstance(event, ev.RunFailed) or (isinstance(event, ev.ReplyGiven) and not event.by)
        for event in events
    )


def differences(
    run_id: str, recorded: Sequence[ev.Event], now: Sequence[ev.Event]
) -> list[Difference]:
    """The decisions that differ, in the order in which they were made.

    What only one of them came to is a difference when the other had its chance: when it was not cut
    off before. A call whose tool was gone when it came to that is none.
    """
    was, is_ = _decisions(run_id, recorded), _decisions(run_id, now)
    gone = _gone(recorded)
    found = []
    for place in dict.fromkeys((*was, *is_)):
        if place[0] in gone:
            continue
        then, today = was.get(place), is_.get(place)
        if then is None and not is_whole(recorded):
            continue
        if today is None and not is_whole(now):
            continue
        if (then and then.what) != (today and today.what):
            call, about = place
            words = [one.words if one else "" for one in (then, today)]
            found.append(Difference(call=call, about=about, recorded=words[0], now=words[1]))
    return found


def _gone(events: Sequence[ev.Event]) -> set[str]:
    """The calls, by reply, whose tool was out of reach before the gate could let them pass: that
    was no decision of the agent."""
    keys = keys_by_reply(events)
    cleared = {event.call for event in events if isinstance(event, ev.CallCleared)}
    return {
        keys[event.call]
        for event in events
        if isinstance(event, ev.CallRejected)
        and event.kind == "unavailable"
        and event.call not in cleared
    }


def _closed_by_person(events: Sequence[ev.Event]) -> set[str]:
    """The calls that a person's next message or own reply closed: that they were refused then was
    not the gate's decision."""
    return {
        event.call
        for event in events
        if isinstance(event, ev.ApprovalDecided) and event.decision in ("superseded", "taken_over")
    }


def _decisions(run_id: str, events: Sequence[ev.Event]) -> _Decisions:
    keys = keys_by_reply(events)
    made: _Decisions = {}
    closed = _closed_by_person(events)
    for event, shown in zip(events, masked_events(events), strict=True):
        place = _place(event, keys)
        if place is None or (isinstance(event, ev.CallRefused) and event.call in closed):
            continue
        what, words = _what(event), _words(shown)
        before = made.get(place)
        if before is not None:
            what, words = f"{before.what} → {what}", f"{before.words} → {words}"
        made[place] = _Decision(what, words)
    run = fold(run_id, events)
    if run.waiting and not run.status.ended:
        made["", "end"] = _Decision("waits", "waits for a person")
    return made


def _place(event: ev.Event, keys: dict[str, str]) -> tuple[str, About] | None:
    match event:
        case ev.RouteChosen():
            return "", "route"
        case ev.CallValidated() | ev.CallRejected():
            return keys[event.call], "validation"
        case ev.CallCleared() | ev.ApprovalAsked() | ev.CallRefused():
            return keys[event.call], "gate"
        case ev.ReplyChecked():
            return "", "reply"
        case ev.ReplyGiven(by="") | ev.RunFailed():
            return "", "end"
        case _:
            return None


def _what(event: ev.Event) -> str:
    match event:
        case ev.CallValidated():
            return f"valid {event.tool} {event.risk} {_canonical(event.arguments)!r}"
        case ev.CallRejected():
            return f"rejected {event.kind} {event.missing}"
        case ev.CallCleared():
            return "allow"
        case ev.ApprovalAsked():
            return f"hold {event.by}"
        case ev.CallRefused():
            return "refuse"
        case ev.RouteChosen():
            return f"{event.kind} {event.intents} {sorted(event.tools)} {event.candidates}"
        case ev.RunFailed():
            return f"failed {event.reason}"
        case _:
            return _words(event)


_canonical = msgspec.json.Encoder(order="deterministic").encode


def _words(event: ev.Event) -> str:
    match event:
        case ev.CallValidated():
            return f"valid: {call_line(event.tool, event.arguments)}, {event.risk}"
        case ev.CallRejected():
            return f"rejected, {event.kind}: {', '.join(event.missing) or event.content}"
        case ev.CallCleared():
            return f"allowed ({event.rule})"
        case ev.ApprovalAsked():
            return f"held for {event.by} ({event.rule})"
        case ev.CallRefused():
            return f"refused ({event.rule})"
        case ev.RouteChosen():
            named = ", ".join((*event.intents, *event.candidates)) or "-"
            return f"{event.kind}: {named}; tools: {', '.join(event.tools) or '-'} ({event.why})"
        case ev.ReplyChecked():
            return f"{event.action}: {'; '.join(event.faults)}"
        case ev.ReplyGiven():
            return f"{event.kind}: {event.text}"
        case ev.RunFailed():
            return f"failed: {event.reason} ({event.detail})"
        case _:
            return ""
