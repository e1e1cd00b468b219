"""``pointsman audit``: runs of the record found, explained and written out."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO

import msgspec

from pointsman.domain.record.article_log import log_lines
from pointsman.domain.record.explanation import CallExplained
from pointsman.engine.record import audit
from pointsman.engine.record.audit import Found, Wanted
from pointsman.engine.service import Service
from pointsman.entrypoints.cli.render import SHOWN_ID, local
from pointsman.entrypoints.cli.runs import find, journal_of
from pointsman.entrypoints.cli.terminal import Terminal, one_line, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.explanations import headline
from pointsman.errors import CallerError, NotFound
from pointsman.settings import Settings

_VERDICT_STYLES = {"ran": "green", "failed": "red", "uncertain": "red", "not_run": "yellow"}


async def search(
    settings: Settings,
    terminal: Terminal,
    wanted: Wanted,
    *,
    limit: int,
    reveal: bool,
    as_json: bool,
) -> int:
    """Print the runs that match, newest first."""
    async with journal_of(settings) as service:
        if wanted.before is not None:
            before = (await find(service, wanted.before)).id
            wanted = msgspec.structs.replace(wanted, before=before)
        found: list[Found] = []
        async for one in audit.search(service.store, wanted, reveal=reveal):
            if len(found) == limit:
                found.append(one)
                break
            found.append(one)
    page = found[:limit]
    further = page[-1].run.id if len(found) > limit else None
    if as_json:
        print_json({"runs": [_found_shape(one) for one in page], "before": further})
    elif page:
        _print_found(page, terminal)
        if further is not None:
            terminal.mention("audit.further", run=further)
    else:
        terminal.mention("audit.none")
    return 0


def _print_found(page: list[Found], terminal: Terminal) -> None:
    heads = ["id", "created", "status", "user", "intent", "tools", "input"]
    rows = [
        [
            one.run.id[:SHOWN_ID],
            local(one.run.created),
            say(f"status.{one.run.status.value}", terminal.language),
            one.run.user,
            _intents(one),
            ", ".join(f"{tool} {status}".strip() for tool, status in _calls(one)) or "-",
            one_line(one.run.input, 80),
        ]
        for one in page
    ]
    terminal.table(heads, rows)


def _intents(found: Found) -> str:
    route = found.run.route
    return ", ".join((*route.intents, *route.candidates)) if route else "-"


def _calls(found: Found) -> list[tuple[str, str]]:
    """Each call's tool and how it ended."""
    return [
        (call.tool or call.raw.name, call.result.status.value if call.result else "")
        for call in (*found.run.past, *found.run.calls)
    ]


def _found_shape(found: Found) -> dict[str, Any]:
    run = found.run
    return {
        "run": run.id,
        "conversation": run.conversation,
        "agent": run.agent,
        "user": run.user,
        "created": run.created.isoformat(),
        "status": run.status.value,
        "kind": run.kind,
        "intents": list(run.route.intents) if run.route else [],
        "calls": [{"tool": tool, "status": status} for tool, status in _calls(found)],
        "input": run.input,
        "reply": run.reply,
    }


async def explain(
    settings: Settings,
    terminal: Terminal,
    prefix: str,
    call: str | None,
    *,
    reveal: bool,
    as_json: bool,
) -> int:
    """Say why each call of a run ran or did not."""
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        explained = await audit.explained(
            service.store, record.id, terminal.language, reveal=reveal
        )
    calls = [one for one in explained.calls if call in (None, one.call)]
    if call is not None and not calls:
        raise NotFound("call", call)
    if as_json:
        shape: dict[str, Any] = msgspec.to_builtins(explained)
        print_json({"run": record.id, **shape, "calls": msgspec.to_builtins(calls)})
        return 0
    for sentence in explained.opening:
        terminal.answer(sentence)
    for one in calls:
        _print_call(one, terminal)
    if call is None:
        terminal.answer("")
        for sentence in explained.ending:
            terminal.answer(sentence)
    return 0


def _print_call(one: CallExplained, terminal: Terminal) -> None:
    terminal.answer("")
    line = headline(one, terminal.language)
    terminal.answer(line, _VERDICT_STYLES.get(one.verdict, ""))
    for sentence in one.sentences:
        terminal.answer(f"  - {sentence}")


async def export(
    settings: Settings,
    terminal: Terminal,
    prefix: str | None,
    wanted: Wanted,
    *,
    form: Literal["log", "events"],
    output: Path | None,
    reveal: bool,
) -> int:
    """Write JSON lines: the article's log, or every event."""
    count = 0
    async with journal_of(settings) as service:
        with written(output) as file:
            async for found in _exported(service, prefix, wanted, reveal=reveal):
                lines = (
                    log_lines(found.run.id, found.events)
                    if form == "log"
                    else audit.event_lines(found)
                )
                for line in lines:
                    file.write(msgspec.json.encode(line).decode() + "\n")
                    count += 1
    terminal.mention("audit.exported", count=count)
    return 0


async def _exported(
    service: Service, prefix: str | None, wanted: Wanted, *, reveal: bool
) -> AsyncIterator[Found]:
    if prefix is None:
        async for found in audit.search(service.store, wanted, reveal=reveal):
            yield found
    else:
        record = await find(service, prefix)
        yield await audit.open_run(service.store, record.id, reveal=reveal)


@contextmanager
def written(output: Path | None) -> Iterator[TextIO]:
    """The file to write, or stdout."""
    if output is None:
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8") as file:
            yield file
    except OSError as fault:
        raise CallerError(f"{output} cannot be written: {fault.strerror}") from None
