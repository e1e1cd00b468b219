"""``pointsman eval``: suites carried through an agent, shown, compared and judged."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pointsman import bootstrap
from pointsman.agentfile import FILE_NAME
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.choices import Choices
from pointsman.entrypoints.cli.render import story
from pointsman.entrypoints.cli.runs import find, journal_of
from pointsman.entrypoints.cli.terminal import Terminal, one_line, print_json
from pointsman.errors import CallerError
from pointsman.evaluation import recording, report, suites
from pointsman.evaluation.calibration import Calibration, Costs, samples
from pointsman.evaluation.calibration import calibrate as fitted_to
from pointsman.evaluation.cases import Case, Suite
from pointsman.evaluation.junit import junit
from pointsman.evaluation.metrics import THRESHOLDS, CaseResult
from pointsman.evaluation.page import page
from pointsman.evaluation.results import Results, Session, earlier
from pointsman.evaluation.runner import Plan, Story
from pointsman.evaluation.runner import run as carried
from pointsman.evaluation.staging import Subject
from pointsman.faults import did_you_mean
from pointsman.ports import Store
from pointsman.settings import Settings

BELOW = 1
"""The exit code of an agent that is not good enough."""
ALL_PASS = {"passed": 1.0}
"""What is wanted of a suite for which nothing is said."""


class Target(Struct, frozen=True, kw_only=True):
    """What is evaluated on what."""

    subject: Subject
    suites: tuple[Suite, ...]


class Wanted(Struct, frozen=True, kw_only=True):
    """The options of ``eval run``; ``journal`` names the database that keeps the runs."""

    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    repeat: int = 1
    jobs: int = 4
    resume: Path | None = None
    journal: Settings | None = None
    compare: Path | None = None
    junit: Path | None = None
    html: Path | None = None
    thresholds: dict[str, float] = {}
    calibrate: bool = False
    as_json: bool = False


def target(
    choices: Choices, suite: Path | None, agent: Path | None, model: str
) -> tuple[Target, Terminal]:
    """The suites of a path and the agent that they are for.

    Raises:
        AgentFileError, SettingsError: what to mend.
        CallerError: there is no suite, or it is not clear for which agent it is.
    """
    place = suite or agent or Path()
    loaded = tuple(suites.load(file) for file in suites.find(place))
    names = [one.name for one in loaded]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CallerError(f"two suites are called {twice[0]!r}: name one with suite: in its file")
    folder, _, terminal = choices.one(agent or _agent_of(place), None)
    return Target(subject=Subject(path=folder, use=model), suites=loaded), terminal


def _agent_of(place: Path) -> Path:
    """The agent folder that a suite lies in, else the one here."""
    near = place.resolve()
    for folder in (near, near.parent, near.parent.parent):
        if (folder / FILE_NAME).is_file():
            return folder
    if Path(FILE_NAME).is_file():
        return Path()
    raise CallerError(f"{place} lies in no agent's folder: name the agent with --agent")


def thresholds_of(written: Sequence[str]) -> dict[str, float]:
    """Thresholds such as ``intent=0.95`` or ``intent=95%``.

    Raises:
        CallerError: no such metric, or no number.
    """
    found = {}
    for text in written:
        name, equals, value = text.partition("=")
        if name not in THRESHOLDS:
            hint = did_you_mean(name, THRESHOLDS)
            raise CallerError(f"--threshold {text}: there is no metric {name!r} ({hint})")
        try:
            found[name] = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
        except ValueError:
            wanted = "a number" if equals else "METRIC=VALUE"
            raise CallerError(f"--threshold {text}: expected {wanted}") from None
    return found


def chosen(
    given: Sequence[Suite], *, cases: Sequence[str] = (), tags: Sequence[str] = ()
) -> tuple[Suite, ...]:
    """The suites with only these cases and tags.

    Raises:
        CallerError: nothing is left, or a case is not there.
    """
    ids = [case.id for suite in given for case in suite.cases]
    for name in cases:
        if name not in ids:
            raise CallerError(f"there is no case {name!r} ({did_you_mean(name, ids)})")
    kept = []
    for suite in given:
        left = tuple(
            case
            for case in suite.cases
            if (not cases or case.id in cases) and (not tags or set(tags) & set(case.tags))
        )
        if left:
            kept.append(replace(suite, cases=left))
    if not kept:
        raise CallerError(f"no case has the tag {', '.join(tags)}")
    return tuple(kept)


async def run(on: Target, wanted: Wanted, terminal: Terminal) -> int:
    """Carry the suites through, show what came of it, and say whether it is good enough."""
    picked = chosen(on.suites, cases=wanted.cases, tags=wanted.tags)
    before = earlier(wanted.compare) if wanted.compare else None
    results = await _carried(on.subject, picked, wanted, terminal)
    found = report.report_of(
        picked,
        results,
        agent=on.subject.file().spec.name,
        model=on.subject.names,
        thresholds=wanted.thresholds,
        default=ALL_PASS,
        earlier=before,
    )
    if wanted.junit:
        _write(wanted.junit, junit(found))
    if wanted.html:
        _write(wanted.html, page(found, terminal.language))
    fitted = await _calibrated(on.subject, picked, results, Costs()) if wanted.calibrate else None
    if wanted.as_json:
        calibration = {"calibration": msgspec.to_builtins(fitted, str_keys=True)} if fitted else {}
        print_json({**report.as_json(found), **calibration})
        return 0 if found.good else BELOW
    for line in report.lines(found, terminal.language, earlier=str(wanted.compare or "")):
        terminal.answer(line.text, line.style)
    if fitted:
        terminal.answer("")
        _show_calibration(fitted, terminal)
    return 0 if found.good else BELOW


async def _carried(
    subject: Subject, picked: Sequence[Suite], wanted: Wanted, terminal: Terminal
) -> list[CaseResult]:
    """The results, those of an earlier session included."""
    session = Session(
        suites={suite.name: suite.digest for suite in picked},
        agent=subject.digest(),
        model=subject.names,
    )
    kept = Results(wanted.resume, session) if wanted.resume else None
    due = {
        (suite.name, case.id, repeat)
        for suite in picked
        for case in suite.cases
        for repeat in range(1, wanted.repeat + 1)
    }
    done = [
        result
        for result in (kept.finished if kept else ())
        if (result.suite, result.case, result.repeat) in due
    ]
    if done:
        terminal.mention("eval.resumed", count=len(done), place=wanted.resume)
    results = list(done)
    try:
        async with _journal(wanted.journal) as journal:
            with _progress(terminal, len(due) - len(done)) as show:

                def tell(result: CaseResult) -> None:
                    if kept:
                        kept.add(result)
                    show(result)

                for suite in picked:
                    plan = Plan(
                        suite=suite,
                        repeat=wanted.repeat,
                        jobs=wanted.jobs,
                        finished={(r.case, r.repeat) for r in done if r.suite == suite.name},
                        story=_story(terminal),
                        journal=journal,
                    )
                    results += await carried(plan, subject, tell)
    finally:
        if kept:
            kept.close()
    place = {(suite.name, case.id): n for suite in picked for n, case in enumerate(suite.cases)}
    return sorted(results, key=lambda one: (one.suite, place[one.suite, one.case], one.repeat))


@asynccontextmanager
async def _journal(settings: Settings | None) -> AsyncIterator[Store | None]:
    """The database that is to keep the runs, if any."""
    if settings is None:
        yield None
        return
    store = bootstrap.settings_store(settings)
    try:
        yield store
    finally:
        await store.aclose()


def _story(terminal: Terminal) -> Story:
    def told(run_id: str, trace: Sequence[Recorded]) -> list[str]:
        return [line.text for line in story(run_id, trace, terminal.language)]

    return told


@contextmanager
def _progress(terminal: Terminal, total: int) -> Iterator[Callable[[CaseResult], None]]:
    """Shows each result as it comes: a bar for a person, lines in a pipe; on stderr."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    done = 0
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=total)

        def show(result: CaseResult) -> None:
            nonlocal done
            done += 1
            mark = "✓" if result.passed else "✗"
            if console.is_terminal:
                bar.update(task, advance=1, description=f"{mark} {one_line(result.case, 40)}")
            else:
                again = f" #{result.repeat}" if result.repeat > 1 else ""
                terminal.note(f"{done}/{total} {mark} {result.case}{again} {result.ms:.0f} ms")

        yield show


async def calibrate(
    on: Target,
    terminal: Terminal,
    *,
    tags: Sequence[str],
    jobs: int,
    wrong: float,
    missed: float,
    as_json: bool,
) -> int:
    """Classify the first message of every case, and print the thresholds that fit."""
    picked = tuple(
        replace(suite, cases=tuple(map(first_message, suite.cases)))
        for suite in chosen(on.suites, tags=tags)
    )
    results = await _carried(on.subject, picked, Wanted(jobs=jobs), terminal)
    fitted = await _calibrated(on.subject, picked, results, Costs(wrong=wrong, missed=missed))
    if as_json:
        print_json(msgspec.to_builtins(fitted, str_keys=True))
    else:
        _show_calibration(fitted, terminal)
    return 0


def first_message(case: Case) -> Case:
    """The case as far as calibration needs it: nothing is confirmed, so nothing is changed."""
    first = case.turns[0]
    expect = replace(first.expect, confirm=None, approve=None)
    return replace(case, turns=(replace(first, expect=expect),))


async def _calibrated(
    subject: Subject, picked: Sequence[Suite], results: Sequence[CaseResult], costs: Costs
) -> Calibration:
    async with subject.opened() as live:
        intents = live.intents
    found, in_training = [], 0
    for suite in picked:
        own = [result for result in results if result.suite == suite.name]
        more, left_out = samples(suite.cases, own, intents)
        found += more
        in_training += left_out
    if not found:
        raise CallerError(
            "nothing to calibrate on: the agent needs intents, and the suite first messages with "
            "an expected intent that are no examples of the agent"
        )
    return fitted_to(found, intents, costs, seen_in_training=in_training)


def _show_calibration(fitted: Calibration, terminal: Terminal) -> None:
    for line in report.calibration_lines(fitted, terminal.language):
        terminal.answer(line.text, line.style)


async def add(settings: Settings, terminal: Terminal, prefix: str, file: Path, *, name: str) -> int:
    """Put a run, with those before it in its conversation, into a suite as a case."""
    async with journal_of(settings) as service:
        case = await recording.recorded_case(service, await find(service, prefix), name=name)
    suite = recording.add(file, case)
    terminal.tell("eval.added", case=case["id"], file=file, count=len(suite.cases))
    return 0


def list_cases(place: Path, terminal: Terminal, *, tags: Sequence[str], as_json: bool) -> int:
    """Print the cases of the suites at a place."""
    found = chosen([suites.load(file) for file in suites.find(place)], tags=tags)
    listed = [(suite, case) for suite in found for case in suite.cases]
    if as_json:
        print_json(
            [
                {
                    "suite": suite.name,
                    "file": suite.file,
                    "line": case.line,
                    "case": case.id,
                    "title": case.title,
                    "tags": list(case.tags),
                    "turns": [turn.say for turn in case.turns],
                }
                for suite, case in listed
            ]
        )
        return 0
    heads = ["suite", "case", "tags", "turns", "input"]
    rows = [
        [
            suite.name,
            case.id,
            ", ".join(case.tags),
            str(len(case.turns)),
            one_line(case.turns[0].say, 60),
        ]
        for suite, case in listed
    ]
    terminal.table(heads, rows)
    terminal.mention("eval.counted", count=len(listed), suites=len(found))
    return 0


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as fault:
        raise CallerError(f"cannot write {path}: {fault.strerror}") from None
    finally:
        if name:
            Path(name).unlink(missing_ok=True)
