"""``pointsman notify``, ``deliveries`` and ``inbox``: what can be typed."""

from functools import partial
from typing import Annotated

import typer

from pointsman.domain.notices.delivery import DeliveryStatus
from pointsman.entrypoints.cli.options import AsJson, Data, User, choices_of, on_journal

deliveries_app = typer.Typer(
    help="See what became of notifications, and try one again.", no_args_is_help=True
)
inbox_app = typer.Typer(help="Read a user's inbox.", no_args_is_help=True)

PATIENCE = 10.0
DeliveryId = Annotated[
    str, typer.Argument(metavar="DELIVERY", help="Id of the delivery, or how it starts.")
]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")]


def notify(
    ctx: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The message; - reads it from stdin.")
    ],
    to: Annotated[
        list[str] | None, typer.Option("--to", help="Name or login of a recipient.")
    ] = None,
    description: Annotated[
        str, typer.Option(help="Recipients as they are described: the head of finance.")
    ] = "",
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Channel; the inbox when there is none.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(help="Name of a group.")] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the outcome.")] = PATIENCE,
    user: User = "local",
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Send a message, and say how each delivery stands after a moment.

    Exit code: 0 all sent, 2 wrong use or unclear whom, 3 failed, 4 not all sent yet.
    """
    import anyio

    from pointsman.adapters.system import SystemClock
    from pointsman.entrypoints.cli import notices
    from pointsman.entrypoints.cli.ask import message_from
    from pointsman.entrypoints.cli.choices import user_of

    settings, terminal = choices_of(ctx).journal(data)
    arguments = {
        "message": message_from(text),
        "toUser": to or [],
        "userDesc": description,
        "msgType": by or [],
        "toName": group or [],
    }
    return anyio.run(
        partial(
            notices.send,
            settings,
            terminal,
            arguments,
            clock=SystemClock(),
            sender=user_of(user),
            wait=wait,
            as_json=as_json,
        )
    )


@deliveries_app.command("list")
def list_deliveries(
    ctx: typer.Context,
    status: Annotated[list[DeliveryStatus] | None, typer.Option(help="Only these.")] = None,
    channel: Annotated[str | None, typer.Option(help="Only by this channel.")] = None,
    sender: Annotated[str | None, typer.Option(help="Only of this sender.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List deliveries, newest first."""
    from pointsman.entrypoints.cli import notices

    return on_journal(
        ctx,
        data,
        notices.list_deliveries,
        status=status or [],
        channel=channel,
        sender=sender,
        limit=limit,
        as_json=as_json,
    )


@deliveries_app.command("show")
def show(
    ctx: typer.Context, delivery: DeliveryId, as_json: AsJson = False, data: Data = None
) -> int:
    """Show all that is known of a delivery."""
    from pointsman.entrypoints.cli import notices

    return on_journal(ctx, data, notices.show, delivery, as_json=as_json)


@deliveries_app.command("retry")
def retry(ctx: typer.Context, delivery: DeliveryId, data: Data = None) -> int:
    """Try a delivery again that was given up; the server, or the next one, sends it."""
    from pointsman.entrypoints.cli import notices

    return on_journal(ctx, data, notices.retry, delivery)


@inbox_app.command("list")
def inbox(
    ctx: typer.Context,
    user: User = "local",
    unread: Annotated[bool, typer.Option("--unread", help="Only what is unread.")] = False,
    limit: Limit = 20,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List the messages of a user, newest first."""
    from pointsman.entrypoints.cli import notices

    return on_journal(
        ctx, data, notices.inbox, user=user, unread=unread, limit=limit, as_json=as_json
    )


@inbox_app.command("read")
def read(
    ctx: typer.Context,
    messages: Annotated[
        list[str] | None,
        typer.Argument(metavar="MESSAGE", help="Ids of messages; all when there is none."),
    ] = None,
    user: User = "local",
    data: Data = None,
) -> int:
    """Mark messages as read."""
    from pointsman.entrypoints.cli import notices

    return on_journal(ctx, data, notices.read, user=user, messages=messages or [])


@inbox_app.command("watch")
def watch(
    ctx: typer.Context, user: User = "local", as_json: AsJson = False, data: Data = None
) -> int:
    """Print what arrives, until Ctrl-C."""
    from pointsman.entrypoints.cli import notices

    return on_journal(ctx, data, notices.watch, user=user, as_json=as_json)
