"""The border of the command line: every error becomes one clear line and an exit code."""

import errno
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import typer

from pointsman.domain.agent import Language
from pointsman.entrypoints.cli.app import app
from pointsman.entrypoints.cli.help_texts import translate
from pointsman.entrypoints.cli.texts import ambient_language, say
from pointsman.errors import AgentFileError, PointsmanError

WRONG_USE = 2
UNEXPECTED = 1
INTERRUPTED = 130
LONGEST = 600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream may be absent or replaced
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    language = _language(given)
    command = typer.main.get_command(app)
    if language == "zh":
        translate(command)
    try:
        code = command.main(given, prog_name="pointsman", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.TyperException as fault:
        return _wrong_use(fault)
    except (KeyboardInterrupt, typer.Abort):
        _print(say("error.interrupted", language))
        return INTERRUPTED
    except BaseException as fault:  # noqa: BLE001 - nothing may reach the user as a traceback
        return _failed(fault, language, debug=_debug(given))


def _language(arguments: Sequence[str]) -> Language:
    """The language of help and errors: asked for by the option, else the environment's."""
    for option, following in pairwise([*arguments, ""]):
        name, equals, value = option.partition("=")
        if name == "--language" and (wanted := value if equals else following) in ("zh", "en"):
            return "zh" if wanted == "zh" else "en"
    return ambient_language()


def _debug(arguments: Sequence[str]) -> bool:
    off = ("", "0", "f", "false", "n", "no", "off")
    return "--debug" in arguments or os.environ.get("POINTSMAN_DEBUG", "").lower() not in off


def _wrong_use(fault: typer.TyperException) -> int:
    """What typer says about the arguments."""
    show = getattr(fault, "show", None)
    if show is None:
        _print(str(fault))
    else:
        show()
    return fault.exit_code


def _failed(fault: BaseException, language: Language, *, debug: bool) -> int:
    """One line for each error of our tree; a short one for what nobody foresaw."""
    if isinstance(fault, SystemExit):
        return fault.code if isinstance(fault.code, int) else UNEXPECTED
    if debug:
        traceback.print_exception(fault)
    leaves = list(_leaves(fault))
    if any(isinstance(one, KeyboardInterrupt) for one in leaves):
        _print(say("error.interrupted", language))
        return INTERRUPTED
    ours = [one for one in leaves if isinstance(one, PointsmanError)]
    for one in ours:
        for shown in (one, *one.others) if isinstance(one, AgentFileError) else (one,):
            _print(say("error.error", language, problem=_short(shown)))
    if ours:
        return WRONG_USE
    if any(isinstance(one, OSError) and one.errno == errno.EPIPE for one in leaves):
        # Whoever read our output has gone; nothing can be said to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNEXPECTED
    problem = f"{type(leaves[0]).__name__}: {_short(leaves[0])}"
    _print(say("error.unexpected", language, problem=problem))
    return UNEXPECTED


def _short(fault: BaseException) -> str:
    """The error on one line; what a library added to it may be long."""
    text = " ".join(str(fault).split())
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _leaves(fault: BaseException) -> Iterator[BaseException]:
    """The errors of a group that task groups made, or the one error."""
    if isinstance(fault, BaseExceptionGroup):
        for one in fault.exceptions:
            yield from _leaves(one)
    else:
        yield fault


def _print(text: str) -> None:
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr)
