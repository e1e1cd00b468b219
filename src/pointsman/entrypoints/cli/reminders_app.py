"""``pointsman reminders``: what can be typed."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pointsman.domain.reminders.reminder import ReminderState
from pointsman.entrypoints.cli.options import Agent, AsJson, Data, User, choices_of

reminders_app = typer.Typer(
    help="Make reminders and actions at a set time, and keep them.", no_args_is_help=True
)

ReminderId = Annotated[
    str, typer.Argument(metavar="REMINDER", help="Id of the reminder, or how it starts.")
]
When = Annotated[
    str,
    typer.Argument(
        metavar="WHEN", help="The time in words, a cron line, or ISO 8601: every weekday at 9."
    ),
]
Text = Annotated[str, typer.Option(help="What to be reminded of.")]
Action = Annotated[str, typer.Option(help="What the agent does then.")]
Yes = Annotated[
    bool, typer.Option("--yes", help="Confirm an action, with the calls that are shown without it.")
]


@reminders_app.command("list")
def list_reminders(
    ctx: typer.Context,
    user: Annotated[str | None, typer.Option(help="Only of this user.")] = None,
    state: Annotated[
        list[ReminderState] | None, typer.Option(help="Only these; active and paused by default.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List reminders, what is due first before the others."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(
        partial(
            reminders.list_reminders,
            settings,
            terminal,
            user=user,
            state=state or [],
            limit=limit,
            as_json=as_json,
        )
    )


@reminders_app.command("show")
def show(
    ctx: typer.Context, reminder: ReminderId, as_json: AsJson = False, data: Data = None
) -> int:
    """Show all that is known of a reminder, and what became of its last occurrences."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(partial(reminders.show, settings, terminal, reminder, as_json=as_json))


@reminders_app.command("add")
def add(
    ctx: typer.Context,
    agent: Agent,
    when: When,
    text: Text = "",
    action: Action = "",
    yes: Yes = False,
    user: User = "local",
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Make a reminder. What it does is shown first, and made with --yes.

    Exit code: 0 made, 2 wrong use, 4 the time or a confirmation is to be settled first.
    """
    import anyio

    from pointsman.entrypoints.cli import reminders
    from pointsman.entrypoints.cli.choices import user_of
    from pointsman.errors import CallerError

    if bool(text.strip()) == bool(action.strip()):
        raise CallerError("give either --text or --action")
    folder, settings, terminal = choices_of(ctx).one(agent, data)
    wanted = reminders.Wanted(
        user=user_of(user), when=when, text=text.strip(), action=action.strip(), yes=yes
    )
    return anyio.run(partial(reminders.add, folder, settings, terminal, wanted, as_json=as_json))


@reminders_app.command("change")
def change(
    ctx: typer.Context,
    reminder: ReminderId,
    when: Annotated[str, typer.Option(help="The new time.")] = "",
    text: Text = "",
    action: Action = "",
    yes: Yes = False,
    agent: Annotated[
        Path | None, typer.Option(help="Folder of the reminder's agent, for an action.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Change when a reminder is due, or what it says or does.

    Exit code: 0 changed, 2 wrong use, 4 the time or a confirmation is to be settled first.
    """
    import anyio

    from pointsman.entrypoints.cli import reminders

    chosen = choices_of(ctx)
    settings, terminal = chosen.one(agent, data)[1:] if agent else chosen.journal(data)
    wanted = reminders.Wanted(user="", when=when, text=text.strip(), action=action.strip(), yes=yes)
    return anyio.run(
        partial(
            reminders.change,
            settings,
            terminal,
            reminder,
            wanted,
            agent=agent,
            as_json=as_json,
        )
    )


@reminders_app.command("snooze")
def snooze(
    ctx: typer.Context,
    reminder: ReminderId,
    when: Annotated[
        str, typer.Argument(metavar="WHEN", help="For how long, or until when: 10 minutes.")
    ],
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Have a reminder come again later, once; its other times stay."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(partial(reminders.snooze, settings, terminal, reminder, when, as_json=as_json))


@reminders_app.command("pause")
def pause(
    ctx: typer.Context, reminder: ReminderId, as_json: AsJson = False, data: Data = None
) -> int:
    """Have nothing due until it is resumed."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(
        partial(reminders.move, settings, terminal, reminder, "pause", as_json=as_json)
    )


@reminders_app.command("resume")
def resume(
    ctx: typer.Context, reminder: ReminderId, as_json: AsJson = False, data: Data = None
) -> int:
    """Go on; what was due during the pause is passed over."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(
        partial(reminders.move, settings, terminal, reminder, "resume", as_json=as_json)
    )


@reminders_app.command("cancel")
def cancel(
    ctx: typer.Context, reminder: ReminderId, as_json: AsJson = False, data: Data = None
) -> int:
    """End a reminder for good."""
    import anyio

    from pointsman.entrypoints.cli import reminders

    settings, terminal = choices_of(ctx).journal(data)
    return anyio.run(
        partial(reminders.move, settings, terminal, reminder, "cancel", as_json=as_json)
    )
