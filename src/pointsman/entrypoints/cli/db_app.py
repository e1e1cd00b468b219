"""``pointsman db``: what can be typed."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pointsman.entrypoints.cli.options import AsJson, Data, choices_of, on_journal

db_app = typer.Typer(
    help="Look after the database: migrate, check, back up, copy, and remove what is old.",
    no_args_is_help=True,
)

Rehearsed = Annotated[
    bool, typer.Option("--dry-run", help="Only say what would be done; change nothing.")
]


@db_app.command("migrate")
def migrate(
    ctx: typer.Context, rehearsed: Rehearsed = False, as_json: AsJson = False, data: Data = None
) -> int:
    """Bring the database to the tables of this release. Every command that opens it does that too;
    this one is for before a new release starts."""
    from pointsman.entrypoints.cli import db

    return on_journal(ctx, data, db.migrate, rehearsed=rehearsed, as_json=as_json)


@db_app.command("check")
def check(ctx: typer.Context, as_json: AsJson = False, data: Data = None) -> int:
    """Check the tables, the database's own integrity and the whole journal, and say how to mend
    what is wrong. Exit code 1 when something is broken."""
    from pointsman.entrypoints.cli import db

    return on_journal(ctx, data, db.check, as_json=as_json)


@db_app.command("backup")
def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; a new one.")],
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Write all of the database, as it is at one moment, to a file. Servers go on meanwhile."""
    from pointsman.entrypoints.cli import db

    return on_journal(ctx, data, db.backup, file, as_json=as_json)


@db_app.command("copy")
def copy(
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A SQLite file, or a postgresql:// URL."),
    ],
    target: Annotated[
        str | None,
        typer.Argument(metavar="TARGET", help="The same; by default the database that is set."),
    ] = None,
    rehearsed: Rehearsed = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Copy everything into an empty database, and check there that nothing was lost or changed.
    All of it or nothing."""
    from pointsman.entrypoints.cli import db_copy

    return on_journal(ctx, data, db_copy.copy, source, target, rehearsed=rehearsed, as_json=as_json)


@db_app.command("prune")
def prune(
    ctx: typer.Context,
    older_than: Annotated[
        str,
        typer.Option(
            metavar="AGE", help="How long ago a conversation's last run ended: 90d, 26w or 2y."
        ),
    ],
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN", help="Keep the conversation of this run (id or its start)."),
    ] = None,
    keep_user: Annotated[
        list[str] | None, typer.Option(help="Keep the conversations of this user.")
    ] = None,
    keep_agent: Annotated[
        list[str] | None, typer.Option(help="Keep the conversations with this agent (its name).")
    ] = None,
    by: Annotated[
        str, typer.Option("--by", envvar="POINTSMAN_USER", help="Who removes them; is recorded.")
    ] = "operator",
    unsigned: Annotated[
        bool,
        typer.Option(
            "--unsigned", help="Go on without POINTSMAN_AUDIT_KEY, which signs what is left."
        ),
    ] = False,
    rehearsed: Rehearsed = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Remove conversations whose runs have all ended long ago. Of each run its id, its last hash
    and who removed it when are left, so that the audit still holds."""
    import anyio

    from pointsman.entrypoints.cli import db_prune
    from pointsman.entrypoints.cli.choices import user_of

    settings, terminal = choices_of(ctx).journal(data)

    return anyio.run(
        partial(
            db_prune.prune,
            settings,
            terminal,
            older_than=older_than,
            keep=keep or [],
            keep_users=keep_user or [],
            keep_agents=keep_agent or [],
            by=user_of(by),
            unsigned=unsigned,
            rehearsed=rehearsed,
            as_json=as_json,
        )
    )


@db_app.command("figures")
def figures(
    ctx: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make all of them again, from the journals alone.")
    ] = False,
    data: Data = None,
) -> int:
    """Count the runs that have ended since the last time, for the lists and charts of the console.
    A server does that by itself."""
    from pointsman.entrypoints.cli import db_figures

    return on_journal(ctx, data, db_figures.figures, rebuild=rebuild)
