"""``pointsman audit``: what can be typed."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from pointsman.entrypoints.cli.options import AsJson, Data, RunId, choices_of, on_journal

audit_app = typer.Typer(
    help="Look into the record: find, explain, check, export and replay runs.",
    no_args_is_help=True,
)

Reveal = Annotated[
    bool, typer.Option("--reveal", help="Show private values and credentials as they are stored.")
]
Instant = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        help="Only runs that began then or later, in this machine's time zone.",
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        help="Only runs that began before then.",
    ),
]
OnlyUser = Annotated[str | None, typer.Option("--user", help="Only of this user.")]
OnlyAgent = Annotated[str | None, typer.Option("--agent", help="Only of this agent (its name).")]
Intent = Annotated[str, typer.Option(help="Only runs that went by this intent.")]
Tool = Annotated[str, typer.Option(help="Only runs in which this tool was proposed.")]
Outcome = Annotated[
    str,
    typer.Option(
        help="A status of the run (done, failed …), the kind of its reply (answer, question), "
        "the status of a call (ok, refused, uncertain …), or why one was rejected (missing …)."
    ),
]
Text = Annotated[str, typer.Option(help="Only runs in which these words were said.")]


def _utc(local: datetime | None) -> datetime | None:
    return None if local is None else local.astimezone(UTC)


@audit_app.command("show")
def show(ctx: typer.Context, run: RunId, reveal: Reveal = False, data: Data = None) -> int:
    """Tell what happened in a run, step by step, and check its journal."""
    from pointsman.entrypoints.cli import runs

    return on_journal(ctx, data, runs.show, run, as_json=False, reveal=reveal)


@audit_app.command("search")
def search(
    ctx: typer.Context,
    user: OnlyUser = None,
    agent: OnlyAgent = None,
    intent: Intent = "",
    tool: Tool = "",
    outcome: Outcome = "",
    text: Text = "",
    since: Instant = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 20,
    before: Annotated[
        str | None, typer.Option(metavar="RUN", help="Only older than this run: the next page.")
    ] = None,
    reveal: Reveal = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Find runs, newest first."""
    import anyio

    from pointsman.engine.record.audit import Wanted
    from pointsman.entrypoints.cli import audit

    settings, terminal = choices_of(ctx).journal(data)
    wanted = Wanted(
        user=user,
        agent=agent,
        intent=intent,
        tool=tool,
        outcome=outcome,
        text=text,
        since=_utc(since),
        until=_utc(until),
        before=before,
    )
    return anyio.run(
        partial(
            audit.search, settings, terminal, wanted, limit=limit, reveal=reveal, as_json=as_json
        )
    )


@audit_app.command("explain")
def explain(
    ctx: typer.Context,
    run: RunId,
    call: Annotated[
        str | None, typer.Argument(metavar="CALL", help="Only this call, such as 1.0.")
    ] = None,
    reveal: Reveal = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Say in sentences why each call of a run ran or did not."""
    from pointsman.entrypoints.cli import audit

    return on_journal(ctx, data, audit.explain, run, call, reveal=reveal, as_json=as_json)


@audit_app.command("export")
def export(
    ctx: typer.Context,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Only this run; else all that match.")
    ] = None,
    form: Annotated[
        Literal["log", "events"],
        typer.Option("--format", help="One line for each call, or every event."),
    ] = "log",
    output: Annotated[
        Path | None, typer.Option(help="Write to this file instead of stdout.")
    ] = None,
    user: OnlyUser = None,
    agent: OnlyAgent = None,
    intent: Intent = "",
    tool: Tool = "",
    outcome: Outcome = "",
    text: Text = "",
    since: Instant = None,
    until: Until = None,
    reveal: Reveal = False,
    data: Data = None,
) -> int:
    """Write the record as JSON lines."""
    import anyio

    from pointsman.engine.record.audit import Wanted
    from pointsman.entrypoints.cli import audit

    settings, terminal = choices_of(ctx).journal(data)
    wanted = Wanted(
        user=user,
        agent=agent,
        intent=intent,
        tool=tool,
        outcome=outcome,
        text=text,
        since=_utc(since),
        until=_utc(until),
    )
    return anyio.run(
        partial(
            audit.export, settings, terminal, run, wanted, form=form, output=output, reveal=reveal
        )
    )


@audit_app.command("verify")
def verify(
    ctx: typer.Context,
    head: Annotated[
        Path | None,
        typer.Option(help="A head that was kept: the journal must still hold all it covers."),
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Check that nothing in the journal was changed, removed or inserted. Exit code 1 if so."""
    from pointsman.entrypoints.cli import integrity

    return on_journal(ctx, data, integrity.verify, head=head, as_json=as_json)


@audit_app.command("head")
def head(
    ctx: typer.Context,
    output: Annotated[
        Path | None, typer.Option(help="Write to this file instead of stdout.")
    ] = None,
    data: Data = None,
) -> int:
    """Write what the journal holds now, to keep elsewhere; signed with POINTSMAN_AUDIT_KEY."""
    from pointsman.entrypoints.cli import integrity

    return on_journal(ctx, data, integrity.head, output=output)


@audit_app.command("replay")
def replay(
    ctx: typer.Context,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Id of the run, or how it starts.")
    ] = None,
    all_runs: Annotated[
        bool, typer.Option("--all", help="Every run of the agent instead of one.")
    ] = False,
    agent: Annotated[
        Path | None,
        typer.Option("--agent", help="Folder of the agent; the current one by default."),
    ] = None,
    reclassify: Annotated[
        bool, typer.Option("--reclassify", help="Ask today's classifier again.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Run a run again with the recorded replies and results under today's agent and policy, and
    show the decisions that differ. Nothing is called. Exit code 1 when something differs."""
    import anyio

    from pointsman.entrypoints.cli import replaying

    folder, settings, terminal = choices_of(ctx).one(agent, data)

    return anyio.run(
        partial(
            replaying.replay,
            folder,
            settings,
            terminal,
            run,
            all_runs=all_runs,
            reclassify=reclassify,
            as_json=as_json,
        )
    )
