"""``pointsman runs``: what can be typed."""

from pathlib import Path
from typing import Annotated

import typer

from pointsman.domain.runs import RunStatus
from pointsman.entrypoints.cli.options import AsJson, Data, RunId, on_journal

runs_app = typer.Typer(
    help="Look at runs and their journals, and cancel them.", no_args_is_help=True
)


@runs_app.command("list")
def list_runs(
    ctx: typer.Context,
    status: Annotated[list[RunStatus] | None, typer.Option(help="Only these.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only of this agent (its name).")] = None,
    user: Annotated[str | None, typer.Option(help="Only of this user.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only of this conversation.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 20,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List runs, newest first."""
    from pointsman.entrypoints.cli import runs

    return on_journal(
        ctx,
        data,
        runs.list_runs,
        status=status or [],
        agent=agent,
        user=user,
        conversation=conversation,
        limit=limit,
        as_json=as_json,
    )


@runs_app.command("show")
def show_run(ctx: typer.Context, run: RunId, as_json: AsJson = False, data: Data = None) -> int:
    """Tell what happened in a run, step by step, and check its journal."""
    from pointsman.entrypoints.cli import runs

    return on_journal(ctx, data, runs.show, run, as_json=as_json)


@runs_app.command("graph")
def show_graph(ctx: typer.Context, run: RunId, as_json: AsJson = False, data: Data = None) -> int:
    """Show the tasks that a request was split into, and how far each is."""
    from pointsman.entrypoints.cli import runs

    return on_journal(ctx, data, runs.graph, run, as_json=as_json)


@runs_app.command("chart")
def show_chart(
    ctx: typer.Context,
    run: RunId,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to: picture.svg, or picture.png with pointsman[charts]."),
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Draw the chart that a run's answer brought, as SVG or PNG."""
    from pointsman.entrypoints.cli import chart

    return on_journal(ctx, data, chart.show, run, out=out, as_json=as_json)


@runs_app.command("cancel")
def cancel_run(
    ctx: typer.Context,
    run: RunId,
    reason: Annotated[str, typer.Option(help="Why; kept in the journal.")] = "",
    data: Data = None,
) -> int:
    """Stop a run; it never starts again."""
    from pointsman.entrypoints.cli import runs

    return on_journal(ctx, data, runs.cancel, run, reason=reason)


@runs_app.command("resume")
def resume_run(
    ctx: typer.Context,
    run: RunId,
    by: Annotated[
        str, typer.Option("--by", envvar="POINTSMAN_USER", help="Who lets it go on.")
    ] = "operator",
    reason: Annotated[str, typer.Option(help="Why; kept in the journal.")] = "",
    data: Data = None,
) -> int:
    """Let a parked run go on."""
    from pointsman.entrypoints.cli import runs

    return on_journal(ctx, data, runs.resume, run, by=by, reason=reason)
