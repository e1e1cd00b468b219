"""The command line: what can be typed. Each command imports its module when it is run, so that the
help is there at once."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pointsman.domain.agent import Language
from pointsman.entrypoints.cli.accounts_app import tokens_app, users_app
from pointsman.entrypoints.cli.approvals_app import approvals_app
from pointsman.entrypoints.cli.audit_app import audit_app
from pointsman.entrypoints.cli.db_app import db_app
from pointsman.entrypoints.cli.eval_app import eval_app
from pointsman.entrypoints.cli.notices_app import deliveries_app, inbox_app, notify
from pointsman.entrypoints.cli.options import (
    Agent,
    AgentHere,
    AsJson,
    Concurrency,
    Conversation,
    Data,
    User,
    choices_of,
)
from pointsman.entrypoints.cli.reminders_app import reminders_app
from pointsman.entrypoints.cli.runs_app import runs_app

app = typer.Typer(
    name="pointsman",
    help="Run language-model agents under control: the model understands, the engine decides.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
tools_app = typer.Typer(help="Look at an agent's tools and try one.", no_args_is_help=True)
app.add_typer(runs_app, name="runs")
app.add_typer(approvals_app, name="approvals")
app.add_typer(tools_app, name="tools")
app.command("notify")(notify)
app.add_typer(deliveries_app, name="deliveries")
app.add_typer(inbox_app, name="inbox")
app.add_typer(reminders_app, name="reminders")
app.add_typer(audit_app, name="audit")
app.add_typer(eval_app, name="eval")
app.add_typer(db_app, name="db")
app.add_typer(users_app, name="users")
app.add_typer(tokens_app, name="tokens")


def _version(wanted: bool) -> None:
    if wanted:
        from pointsman import __version__

        typer.echo(f"pointsman {__version__}")
        raise typer.Exit


@app.callback()
def choose(
    ctx: typer.Context,
    language: Annotated[
        Language | None, typer.Option(help="Language of what the command says.")
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="POINTSMAN_DEBUG", help="Show tracebacks and the log.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    from pointsman.entrypoints.cli.choices import Choices

    ctx.obj = Choices(language=language, debug=debug)


@app.command()
def init(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write.")],
    language: Annotated[Language | None, typer.Option(help="Language of the agent.")] = None,
) -> int:
    """Write a small agent folder with a comment at every key."""
    from pointsman.entrypoints.cli.init import init

    terminal = choices_of(ctx).terminal(agents=language)
    return init(folder, terminal, language=language or terminal.language)


@app.command()
def chat(
    ctx: typer.Context,
    agent: AgentHere = None,
    user: User = "local",
    conversation: Conversation = "",
    data: Data = None,
) -> int:
    """Talk to an agent in the terminal. Esc or Ctrl-C cancels a run, Ctrl-D leaves."""
    from pointsman.entrypoints.cli.chat import chat
    from pointsman.entrypoints.cli.choices import user_of

    folder, settings, terminal = choices_of(ctx).one(agent, data)
    return chat(folder, settings, terminal, user=user_of(user), conversation=conversation)


@app.command()
def ask(
    ctx: typer.Context,
    agent: Agent,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The message; - reads it from stdin.")
    ],
    user: User = "local",
    conversation: Conversation = "",
    as_json: AsJson = False,
    steps: Annotated[bool, typer.Option(help="Show the tool calls on stderr.")] = True,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds after which the run is cancelled.")
    ] = None,
    data: Data = None,
) -> int:
    """Send one message and print the reply.

    Exit code: 0 answered, 2 wrong use, 3 failed, 4 waits for a person, 130 cancelled.
    """
    from pointsman.entrypoints.cli.ask import ask, message_from
    from pointsman.entrypoints.cli.choices import user_of

    folder, settings, terminal = choices_of(ctx).one(agent, data)
    return ask(
        folder,
        message_from(text),
        settings,
        terminal,
        user=user_of(user),
        conversation=conversation,
        steps=steps,
        as_json=as_json,
        timeout=timeout,
    )


@app.command()
def serve(
    ctx: typer.Context,
    agents: Annotated[
        list[Path] | None,
        typer.Argument(metavar="AGENT", help="Agent folders; the current one by default."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on; without users only this machine's own."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = None,
    worker: Annotated[
        bool,
        typer.Option(
            help="Drive the runs in this process too; off on machines that only answer requests."
        ),
    ] = True,
    concurrency: Concurrency = None,
    data: Data = None,
) -> int:
    """Serve agents over HTTP: OpenAI's protocol, our own, and the console."""
    from pointsman.entrypoints.cli.event_loop import run_for_long
    from pointsman.entrypoints.cli.serve import serve

    folders, settings, terminal = choices_of(ctx).several(agents or [], data)
    settings = settings.with_concurrency(concurrency)
    host, port = host or settings.host, settings.port if port is None else port

    return run_for_long(
        partial(serve, folders, settings, terminal, host=host, port=port, worker=worker)
    )


@app.command()
def mcp(
    ctx: typer.Context,
    agents: Annotated[
        list[Path] | None,
        typer.Argument(metavar="AGENT", help="Agent folders; the current one by default."),
    ] = None,
    user: User = "local",
    data: Data = None,
) -> int:
    """Offer agents as tools of an MCP server on stdin and stdout, to a program that starts it."""
    import anyio

    from pointsman.entrypoints.cli.choices import user_of
    from pointsman.entrypoints.cli.mcp import mcp

    folders, settings, _ = choices_of(ctx).several(agents or [], data)

    return anyio.run(partial(mcp, folders, settings, user=user_of(user)))


@app.command()
def worker(
    ctx: typer.Context,
    agents: Annotated[
        list[Path] | None,
        typer.Argument(metavar="AGENT", help="Agent folders; the current one by default."),
    ] = None,
    concurrency: Concurrency = None,
    data: Data = None,
) -> int:
    """Drive runs that servers on other machines take in: for agents on a PostgreSQL database."""
    from pointsman.entrypoints.cli.event_loop import run_for_long
    from pointsman.entrypoints.cli.worker import worker

    folders, settings, terminal = choices_of(ctx).several(agents or [], data)

    return run_for_long(partial(worker, folders, settings.with_concurrency(concurrency), terminal))


@app.command()
def status(ctx: typer.Context, as_json: AsJson = False, data: Data = None) -> int:
    """Show how the runs, the queue and the workers stand.

    Exit code: 0 well, 1 runs wait and nobody works, or a run is parked.
    """
    import anyio

    from pointsman.entrypoints.cli.status import status

    settings, terminal = choices_of(ctx).journal(data)

    return anyio.run(partial(status, settings, terminal, as_json=as_json))


@app.command()
def doctor(
    ctx: typer.Context,
    agent: AgentHere = None,
    online: Annotated[bool, typer.Option("--online", help="Ask the model something.")] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Check everything that an agent needs, and say how to mend it. Exit code 1 when broken."""
    import anyio

    from pointsman.entrypoints.cli.doctor import doctor

    folder, settings, terminal = choices_of(ctx).doctor(agent, data)

    return anyio.run(partial(doctor, folder, settings, terminal, online=online, as_json=as_json))


@tools_app.command("list")
def list_tools(ctx: typer.Context, agent: AgentHere = None, as_json: AsJson = False) -> int:
    """List an agent's tools, what they may do, and how their servers are."""
    import anyio

    from pointsman.entrypoints.cli import tools

    folder, _, terminal = choices_of(ctx).one(agent, None)

    return anyio.run(partial(tools.list_tools, folder, terminal, as_json=as_json))


@tools_app.command("call")
def call_tool(
    ctx: typer.Context,
    agent: Agent,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the tool.")],
    args: Annotated[str, typer.Option(help="Arguments, as a JSON object.")] = "{}",
    yes: Annotated[bool, typer.Option("--yes", help="Confirm what asks for it.")] = False,
    user: User = "local",
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Make one call by hand; it passes the same checks as a model's and is journaled as a run.

    Exit code: 0 succeeded, 2 the call was at fault, 3 failed or refused, 130 cancelled.
    """
    from pointsman.entrypoints.cli import tools
    from pointsman.entrypoints.cli.choices import user_of

    folder, settings, terminal = choices_of(ctx).one(agent, data)
    return tools.call(
        folder, name, args, settings, terminal, user=user_of(user), yes=yes, as_json=as_json
    )
