"""``pointsman users`` and ``tokens``: what can be typed."""

from functools import partial
from typing import Annotated

import typer

from pointsman.entrypoints.cli.options import AsJson, Data, choices_of, on_journal

users_app = typer.Typer(
    help="Say who may use the server, and what he may do.", no_args_is_help=True
)
tokens_app = typer.Typer(help="Make and revoke API tokens for programs.", no_args_is_help=True)

Login = Annotated[str, typer.Argument(metavar="LOGIN", help="Login of the user.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")]


@users_app.command("list")
def list_users(ctx: typer.Context, as_json: AsJson = False, data: Data = None) -> int:
    """List the users."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.list_users, as_json=as_json)


@users_app.command("add")
def add(
    ctx: typer.Context,
    login: Login,
    name: Annotated[str, typer.Option(help="Full name.")] = "",
    roles: Annotated[
        str, typer.Option(help="Roles with commas between: approver, operator, admin, finance …")
    ] = "",
    oidc: Annotated[
        bool, typer.Option("--oidc", help="Signs in by the identity provider; no password.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Add a user, and print the link by which he chooses his password."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(
        ctx,
        data,
        accounts.add,
        login,
        name=name,
        roles=_listed(roles),
        source="oidc" if oidc else "password",
        as_json=as_json,
    )


@users_app.command("roles")
def roles(
    ctx: typer.Context,
    login: Login,
    roles: Annotated[
        str, typer.Argument(metavar="ROLES", help="All roles he is to have, commas between.")
    ],
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Give a user exactly these roles; '' takes all."""
    import anyio

    from pointsman.entrypoints.cli import accounts

    settings, terminal = choices_of(ctx).journal(data)
    wanted = _listed(roles)

    return anyio.run(
        partial(accounts.set_roles, settings, terminal, login, wanted, as_json=as_json)
    )


@users_app.command("reset")
def reset(ctx: typer.Context, login: Login, as_json: AsJson = False, data: Data = None) -> int:
    """End a user's password and sessions, and print the link by which he chooses another."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.reset, login, as_json=as_json)


@users_app.command("disable")
def disable(ctx: typer.Context, login: Login, data: Data = None) -> int:
    """Let a user no longer sign in; his sessions end and his tokens rest."""
    return _enable(ctx, login, data, wanted=False)


@users_app.command("enable")
def enable(ctx: typer.Context, login: Login, data: Data = None) -> int:
    """Let a user sign in again."""
    return _enable(ctx, login, data, wanted=True)


@users_app.command("sessions-end")
def sessions_end(ctx: typer.Context, login: Login, data: Data = None) -> int:
    """End all sessions of a user."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.end_sessions, login)


@users_app.command("log")
def log(
    ctx: typer.Context,
    login: Annotated[str | None, typer.Option(help="Only about this user.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Show the security log: sign-ins, failures, changes of roles, tokens; newest first."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.log, login=login, limit=limit, as_json=as_json)


@tokens_app.command("create")
def create(
    ctx: typer.Context,
    login: Login,
    name: Annotated[str, typer.Option(help="What it is for.")],
    scopes: Annotated[
        str, typer.Option(help="What it may do, commas between: chat, approve, operate, admin.")
    ] = "chat",
    days: Annotated[int, typer.Option(min=1, max=366, help="How long it lasts.")] = 90,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """Make a token for a user. It is printed this once."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(
        ctx,
        data,
        accounts.make_token,
        login,
        name=name,
        scopes=_listed(scopes),
        days=days,
        as_json=as_json,
    )


@tokens_app.command("list")
def list_tokens(
    ctx: typer.Context,
    login: Annotated[str | None, typer.Option(help="Only of this user.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> int:
    """List the tokens, newest first, without what makes them tokens."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.list_tokens, login=login, as_json=as_json)


@tokens_app.command("revoke")
def revoke(
    ctx: typer.Context,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id, or how it starts.")],
    data: Data = None,
) -> int:
    """Revoke a token."""
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.revoke_token, token)


def _enable(ctx: typer.Context, login: str, data: Data, *, wanted: bool) -> int:
    from pointsman.entrypoints.cli import accounts

    return on_journal(ctx, data, accounts.enable, login, wanted=wanted)


def _listed(words: str) -> list[str]:
    return [one.strip() for one in words.split(",") if one.strip()]
