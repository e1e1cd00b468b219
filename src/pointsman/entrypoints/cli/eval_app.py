"""What can be typed after ``pointsman eval``; ``evaluate`` does it."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pointsman.entrypoints.cli.choices import Choices

eval_app = typer.Typer(
    help="Measure an agent on cases, and fail a build when it is not good enough.",
    no_args_is_help=True,
)

SuiteHere = Annotated[
    Path | None,
    typer.Argument(
        metavar="SUITE",
        help="A suite file, a folder of them, or an agent's folder; the current folder by default.",
    ),
]
SuiteAgent = Annotated[
    Path | None,
    typer.Option("--agent", help="Folder of the agent; by default the one that the suite lies in."),
]
Model = Annotated[
    str, typer.Option(help="Another model: preset or preset/name, such as deepseek/deepseek-chat.")
]
Tag = Annotated[list[str] | None, typer.Option(help="Only cases with this tag.")]
Jobs = Annotated[int, typer.Option(min=1, max=256, help="Cases at once.")]
Resume = Annotated[
    Path | None,
    typer.Option(
        help="Keep the results in this file, and skip what it holds of the same suite, "
        "agent and model."
    ),
]
Journal = Annotated[
    Path | None,
    typer.Option(help="Keep all runs in a database in this folder, for `pointsman audit --data`."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _choices(ctx: typer.Context) -> "Choices":
    chosen: Choices = ctx.obj
    return chosen


@eval_app.command("run")
def run_suites(
    ctx: typer.Context,
    suite: SuiteHere = None,
    agent: SuiteAgent = None,
    model: Model = "",
    case: Annotated[list[str] | None, typer.Option(help="Only this case.")] = None,
    tag: Tag = None,
    repeat: Annotated[
        int, typer.Option(min=1, max=1000, help="How often each case; gives pass^k.")
    ] = 1,
    jobs: Jobs = 4,
    resume: Resume = None,
    journal: Journal = None,
    compare: Annotated[
        Path | None,
        typer.Option(help="An earlier --resume file or --json report: which cases changed."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one HTML page.")] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=VALUE", help="A threshold over those of the suite."),
    ] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Fit the intents' thresholds too.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Carry cases through an agent and grade them.

    Exit code: 0 good enough, 1 below a threshold, 2 wrong use. A suite without thresholds wants all
    of its cases to pass.
    """
    import anyio

    from pointsman.entrypoints.cli import evaluate

    target, terminal = evaluate.target(_choices(ctx), suite, agent, model)
    wanted = evaluate.Wanted(
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        repeat=repeat,
        jobs=jobs,
        resume=resume,
        journal=_choices(ctx).journal(journal)[0] if journal else None,
        compare=compare,
        junit=junit,
        html=html,
        thresholds=evaluate.thresholds_of(threshold or []),
        calibrate=calibrate,
        as_json=as_json,
    )
    return anyio.run(partial(evaluate.run, target, wanted, terminal))


@eval_app.command("calibrate")
def calibrate_intents(
    ctx: typer.Context,
    suite: SuiteHere = None,
    agent: SuiteAgent = None,
    model: Model = "",
    tag: Tag = None,
    jobs: Jobs = 4,
    wrong: Annotated[
        float, typer.Option(min=0, help="What a wrong intent costs, where a question costs 1.")
    ] = 5.0,
    missed: Annotated[
        float, typer.Option(min=0, help="What a missed intent costs, where a question costs 1.")
    ] = 3.0,
    as_json: AsJson = False,
) -> int:
    """Fit the intents' accept and ask thresholds on half of the first messages, and measure them on
    the other half. Prints what to paste; writes nothing."""
    import anyio

    from pointsman.entrypoints.cli import evaluate

    target, terminal = evaluate.target(_choices(ctx), suite, agent, model)
    return anyio.run(
        partial(
            evaluate.calibrate,
            target,
            terminal,
            tags=tag or [],
            jobs=jobs,
            wrong=wrong,
            missed=missed,
            as_json=as_json,
        )
    )


@eval_app.command("add")
def add_case(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or how it starts.")],
    suite: Annotated[
        Path, typer.Option("--suite", help="The suite file to add it to; made when not there.")
    ],
    name: Annotated[
        str, typer.Option("--id", help="Id of the case; made from the run's by default.")
    ] = "",
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the database, or an agent's folder. Also POINTSMAN_DATA; "
            "by default .pointsman in the agent's folder."
        ),
    ] = None,
) -> int:
    """Make a case of a journaled run: it expects what happened."""
    import anyio

    from pointsman.entrypoints.cli import evaluate

    settings, terminal = _choices(ctx).journal(data)
    return anyio.run(partial(evaluate.add, settings, terminal, run, suite, name=name))


@eval_app.command("list")
def list_cases(
    ctx: typer.Context, suite: SuiteHere = None, tag: Tag = None, as_json: AsJson = False
) -> int:
    """List the cases of suites, after checking their files."""
    from pointsman.entrypoints.cli import evaluate

    terminal = _choices(ctx).terminal()
    return evaluate.list_cases(suite or Path(), terminal, tags=tag or [], as_json=as_json)
