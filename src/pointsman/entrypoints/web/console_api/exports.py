"""A conversation as a file: JSON for programs, Markdown for people."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.record.story import call_line
from pointsman.engine.record import audit
from pointsman.ports import Conversation, RunRecord, Store

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "agent": "智能体",
        "exported": "导出时间",
        "user": "用户",
        "reply": "答复",
        "calls": "工具调用",
    },
    "en": {
        "agent": "Agent",
        "exported": "Exported",
        "user": "User",
        "reply": "Reply",
        "calls": "Tool calls",
    },
}


class ExportedCall(Struct, frozen=True, kw_only=True):
    """A call; ``status`` is empty when it has not ended."""

    tool: str
    arguments: dict[str, Any] | str
    status: str
    result: str


class ExportedRun(Struct, frozen=True, kw_only=True):
    """A message and what came of it."""

    run: str
    at: datetime
    status: str
    input: str
    reply: str
    calls: tuple[ExportedCall, ...]


class Exported(Struct, frozen=True, kw_only=True):
    """A conversation, oldest run first, masked."""

    conversation: str
    agent: str
    user: str
    title: str
    exported: datetime
    runs: tuple[ExportedRun, ...]


async def exported(
    store: Store,
    held: Conversation,
    records: Sequence[RunRecord],
    *,
    title: str,
    at: datetime,
) -> Exported:
    """The conversation with these runs, which are given newest first."""
    return Exported(
        conversation=held.id,
        agent=held.agent,
        user=held.user,
        title=title,
        exported=at,
        runs=tuple([await _run(store, record) for record in reversed(records)]),
    )


async def _run(store: Store, record: RunRecord) -> ExportedRun:
    run = (await audit.open_run(store, record.id)).run
    return ExportedRun(
        run=run.id,
        at=run.created,
        status=run.status.value,
        input=run.input,
        reply=run.said,
        calls=tuple(
            ExportedCall(
                tool=call.tool or call.raw.name,
                arguments=call.arguments if call.tool else call.raw.arguments,
                status=call.result.status.value if call.result else "",
                result=call.result.content if call.result else "",
            )
            for call in (*run.past, *run.calls)
        ),
    )


def as_json(whole: Exported) -> bytes:
    """One JSON value, indented."""
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def as_markdown(whole: Exported, language: Language) -> str:
    """A page to read; what was said is quoted, so that it cannot be taken for the page's own."""
    return "\n".join(_lines(whole, _WORDS[language])) + "\n"


def _lines(whole: Exported, words: dict[str, str]) -> Iterator[str]:
    title = " ".join(whole.title.split()) or whole.conversation
    yield f"# {title}"
    yield ""
    yield f"{words['agent']}: {whole.agent}"
    yield f"{words['exported']}: {whole.exported.isoformat(timespec='seconds')}"
    for run in whole.runs:
        yield ""
        yield f"## {run.at.isoformat(timespec='seconds')} ({run.status})"
        yield ""
        yield f"**{words['user']}** ({whole.user})"
        yield ""
        yield from _quoted(run.input)
        if run.calls:
            yield ""
            yield f"**{words['calls']}**"
            yield ""
            for call in run.calls:
                given = call.arguments if isinstance(call.arguments, dict) else {}
                line = call_line(call.tool, given).replace("`", "'")
                yield f"- `{line}` {call.status}".rstrip()
        yield ""
        yield f"**{words['reply']}**"
        yield ""
        yield from _quoted(run.reply)


def _quoted(text: str) -> Iterator[str]:
    yield from (f"> {line}".rstrip() for line in text.splitlines() or [""])
