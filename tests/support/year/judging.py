"""Whether each occurrence of a simulated span happened: none lost, none early, none twice."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from pointsman.adapters.store.sql import SqlStore
from pointsman.domain.notices.delivery import DeliveryStatus
from pointsman.domain.reminders.reminder import Occurrence, OccurrenceState, Reminder
from pointsman.domain.runs import RunStatus
from tests.support.year.plan import HOOK, Span, expected, reminders


class Verdict(Struct, kw_only=True):
    """What came of it; ``wrong`` is empty when all went well."""

    expected: int = 0
    states: Counter[str] = Counter()
    passed: int = 0
    delivered: Counter[str] = Counter()
    runs: int = 0
    repeats: int = 0
    wrong: list[str] = []


async def judged(store: SqlStore, span: Span, arrived: Mapping[str, list[datetime]]) -> Verdict:
    """Look at every reminder, every message and every run.

    Args:
        arrived: at the keyed stand-in: key → when each letter with it came.
    """
    verdict = Verdict(states=Counter(), delivered=Counter(), wrong=[])
    sent = await _deliveries(store)
    hooked = 0
    for reminder in reminders(span):
        wanted = expected(reminder, span)
        found = await store.reminders.occurrences(reminder.id, limit=100_000)
        verdict.expected += len(wanted)
        _judge(reminder, wanted, found, verdict)
        for one in found:
            if reminder.kind == "action":
                await _judge_run(store, one, verdict)
            else:
                _judge_letter(one, sent, verdict)
                hooked += bool(reminder.target.ways)
    verdict.repeats = sum(len(times) - 1 for times in arrived.values())
    if len(arrived) != hooked:
        verdict.wrong.append(f"{hooked} for the stand-in, {len(arrived)} keys came")
    for one in sent.values():
        times = arrived.get(one.id, []) if one.channel == HOOK else None
        if times is not None and len(times) != 1 and not times:
            verdict.wrong.append(f"{one.id} never came")
    await _judge_inboxes(store, sent, verdict)
    return verdict


def _judge(
    reminder: Reminder, wanted: set[datetime], found: list[Occurrence], verdict: Verdict
) -> None:
    dues = [one.due for one in found]
    passed = sum(one.passed for one in found)
    verdict.passed += passed
    verdict.states.update(one.state.value for one in found)
    name = f"reminder {int(reminder.id, 16) - 1} ({reminder.schedule.rule or 'once'})"
    if len(dues) != len(set(dues)):
        verdict.wrong.append(f"{name}: twice")
    if extra := set(dues) - wanted:
        verdict.wrong.append(f"{name}: {len(extra)} that were not due, such as {min(extra)}")
    missing = wanted - set(dues)
    if len(missing) > passed:
        verdict.wrong.append(f"{name}: {len(missing) - passed} lost, such as {min(missing)}")
    if early := [one for one in found if one.fired < one.due]:
        verdict.wrong.append(f"{name}: early, such as {early[0].due}")
    bad = [one for one in found if one.state in (OccurrenceState.MISSED, OccurrenceState.FAILED)]
    if bad:
        verdict.wrong.append(f"{name}: {bad[0].state.value} {bad[0].note}")


async def _deliveries(store: SqlStore) -> dict[str, Any]:
    found: dict[str, Any] = {}
    before: str | None = None
    while page := await store.outbox.deliveries(limit=5000, before=before):
        found.update((one.id, one) for one in page)
        before = page[-1].id
    return found


def _judge_letter(one: Occurrence, sent: Mapping[str, Any], verdict: Verdict) -> None:
    if len(one.deliveries) != 1 or one.deliveries[0] not in sent:
        verdict.wrong.append(f"{one.key}: no delivery of its own")
        return
    delivery = sent[one.deliveries[0]]
    if delivery.status is not DeliveryStatus.SENT or delivery.sent < one.due:
        verdict.wrong.append(f"{one.key}: {delivery.status.value} at {delivery.sent}")
    verdict.delivered[delivery.channel] += 1


async def _judge_run(store: SqlStore, one: Occurrence, verdict: Verdict) -> None:
    record = await store.record(one.run)
    verdict.runs += 1
    if record is None or record.status is not RunStatus.DONE or record.created < one.due:
        verdict.wrong.append(f"{one.key}: its run is {record.status if record else 'not there'}")


async def _judge_inboxes(store: SqlStore, sent: Mapping[str, Any], verdict: Verdict) -> None:
    """Each message to an inbox is in it once, and there are no others."""
    came: dict[str, int] = defaultdict(int)
    users = {one.address for one in sent.values() if one.channel == "system"}
    for user in sorted(users):
        for message in await store.inbox.messages(user, limit=100_000):
            came[message.id] += 1
    wanted = {one.id for one in sent.values() if one.channel == "system"}
    if wrong := [one for one in came if one not in wanted or came[one] != 1]:
        verdict.wrong.append(f"{len(wrong)} messages in inboxes that nobody sent, or twice")
    if missing := wanted - set(came):
        verdict.wrong.append(f"{len(missing)} messages are in no inbox")
