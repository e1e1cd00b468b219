"""``pointsman approvals``: what can be typed."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pointsman.entrypoints.cli.options import (
    Approval,
    AsJson,
    By,
    Data,
    RunsAgent,
    choices_of,
    on_journal,
)

approvals_app = typer.Typer(
    help="Look at what waits for a person, and decide.", no_args_is_help=True
)

Reason = Annotated[str, typer.Option(help="Why; kept in the journal, and told the agent.")]


@approvals_app.command("list")
def list_approvals(
    ctx: typer.Context,
    by: Annotated[
        str | None, typer.Option("--by", help="Only what this person asked for or may decide.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List the calls that wait for a decision, newest first."""
    from pointsman.entrypoints.cli import approvals

    return on_journal(ctx, data, approvals.list_approvals, by=by, as_json=as_json)


@approvals_app.command("show")
def show(
    ctx: typer.Context,
    approval: Approval,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show private values as they are stored.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Show what is to be decided, why, and where the values come from."""
    from pointsman.entrypoints.cli import approvals

    return on_journal(ctx, data, approvals.show, approval, reveal=reveal, as_json=as_json)


@approvals_app.command("approve")
def approve(
    ctx: typer.Context,
    approval: Approval,
    by: By = "local",
    reason: Reason = "",
    agent: RunsAgent = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Let a waiting call run."""
    return _decide(ctx, approval, by, reason, agent, data, approved=True, as_json=as_json)


@approvals_app.command("deny")
def deny(
    ctx: typer.Context,
    approval: Approval,
    by: By = "local",
    reason: Reason = "",
    agent: RunsAgent = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Refuse a waiting call."""
    return _decide(ctx, approval, by, reason, agent, data, approved=False, as_json=as_json)


def _decide(
    ctx: typer.Context,
    approval: str,
    by: str,
    reason: str,
    agent: Path | None,
    data: Path | None,
    *,
    approved: bool,
    as_json: bool,
) -> int:
    import anyio

    from pointsman.entrypoints.cli import approvals
    from pointsman.entrypoints.cli.choices import user_of

    settings, terminal = choices_of(ctx).journal(data or agent)

    return anyio.run(
        partial(
            approvals.decide,
            settings,
            terminal,
            approval,
            approved=approved,
            by=user_of(by),
            reason=reason,
            folder=agent,
            as_json=as_json,
        )
    )


@approvals_app.command("edit")
def edit(
    ctx: typer.Context,
    approval: Approval,
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="All the arguments, as a JSON object.")
    ],
    agent: Annotated[
        Path, typer.Option("--agent", help="Folder of the run's agent, whose tool checks them.")
    ],
    by: By = "local",
    reason: Reason = "",
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Let a waiting call run with other arguments, and with exactly these."""
    import anyio

    from pointsman.entrypoints.cli import approvals
    from pointsman.entrypoints.cli.choices import user_of

    settings, terminal = choices_of(ctx).journal(data or agent)

    return anyio.run(
        partial(
            approvals.edit,
            settings,
            terminal,
            approval,
            arguments,
            by=user_of(by),
            reason=reason,
            folder=agent,
            as_json=as_json,
        )
    )


@approvals_app.command("take-over")
def take_over(
    ctx: typer.Context,
    approval: Approval,
    result: Annotated[
        str, typer.Option(help="What came of the call, done by hand: the run goes on with it.")
    ] = "",
    reply: Annotated[str, typer.Option(help="The answer to the user: the run ends with it.")] = "",
    by: By = "local",
    reason: Reason = "",
    agent: RunsAgent = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Go on by hand: the call does not run."""
    import anyio

    from pointsman.entrypoints.cli import approvals
    from pointsman.entrypoints.cli.choices import user_of

    settings, terminal = choices_of(ctx).journal(data or agent)

    return anyio.run(
        partial(
            approvals.take_over,
            settings,
            terminal,
            approval,
            result=result,
            reply=reply,
            by=user_of(by),
            reason=reason,
            folder=agent,
            as_json=as_json,
        )
    )
