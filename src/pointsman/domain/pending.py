"""What a conversation waits for after a question: the user's pick of an intent, or the missing
values of a call. The answer goes on where the question stopped (R6)."""

from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.runs import Run


class Pending(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An open question of a conversation's last run.

    Attributes:
        kind: ``choose`` one of the candidates, or ``fill`` the missing parameters of a call.
        text: the message that led to the question.
        tool, arguments, missing: of the call, in the names that the model sees.
        intents, tools: the route of the run that asked.
    """

    kind: Literal["choose", "fill"]
    question: str
    text: str
    candidates: tuple[str, ...] = ()
    tool: str = ""
    arguments: dict[str, Any] = {}
    missing: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


def left_by(run: Run) -> Pending | None:
    """What a run that ended with a question waits for."""
    if run.kind != "question":
        return None
    route = run.route
    if route is not None and route.candidates and route.kind == "ask":
        return Pending(
            kind="choose", question=run.reply, text=run.input, candidates=route.candidates
        )
    for call in run.calls:
        if call.missing:
            return Pending(
                kind="fill",
                question=run.reply,
                text=run.input,
                tool=call.tool or call.raw.name,
                arguments=call.arguments,
                missing=call.missing,
                intents=route.intents if route else (),
                tools=route.tools if route else (),
            )
    return None
