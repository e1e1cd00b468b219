"""Arguments and options that several commands take."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Concatenate, ParamSpec

import typer

if TYPE_CHECKING:
    from pointsman.entrypoints.cli.choices import Choices
    from pointsman.entrypoints.cli.terminal import Terminal
    from pointsman.settings import Settings

P = ParamSpec("P")

Agent = Annotated[
    Path, typer.Argument(metavar="AGENT", help="Folder of the agent, or its agent.yaml.")
]
AgentHere = Annotated[
    Path | None,
    typer.Argument(
        metavar="AGENT",
        help="Folder of the agent, or its agent.yaml; the current folder by default.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the database, or an agent's folder. Also POINTSMAN_DATA; "
        "by default .pointsman in the agent's folder."
    ),
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, max=1000, help="Conversations at the same time.")
]
User = Annotated[str, typer.Option(envvar="POINTSMAN_USER", help="Who is asking.")]
Conversation = Annotated[str, typer.Option(help="Go on with this conversation.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or how it starts.")]
Approval = Annotated[
    str,
    typer.Argument(
        metavar="APPROVAL",
        help="Id of the approval or how it starts; that of its run when that waits for one only.",
    ),
]
By = Annotated[
    str, typer.Option("--by", envvar="POINTSMAN_USER", help="Who decides; needs the role.")
]
RunsAgent = Annotated[
    Path | None,
    typer.Option("--agent", help="Folder of the run's agent: the run goes on here."),
]


def choices_of(ctx: typer.Context) -> "Choices":
    """What the options before the command said."""
    chosen: Choices = ctx.obj
    return chosen


def on_journal(
    ctx: typer.Context,
    data: Path | None,
    command: "Callable[Concatenate[Settings, Terminal, P], Awaitable[int]]",
    *args: P.args,
    **kwargs: P.kwargs,
) -> int:
    """Run a command on the database that was named, else on the one that is here; its exit code.

    Raises:
        CallerError: there are several.
    """
    import anyio

    settings, terminal = choices_of(ctx).journal(data)

    return anyio.run(partial(command, settings, terminal, *args, **kwargs))
