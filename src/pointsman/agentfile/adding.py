"""Adds an example of an intent to an agent file's text, and changes nothing else in it: comments,
order and style stay. What cannot be done so for certain is refused."""

import json
import re
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pointsman.agentfile.text import Unreadable, parse
from pointsman.errors import CallerError, NotFound

_PLAIN = re.compile(r"[^\W\d_](?:[\w ，。？！、；’'.?!-]*[\w。？！?!.])?")
"""Texts that YAML reads as they are, in a block list."""


def with_example(text: str, intent: str, example: str) -> str:
    """The text with one more example.

    Args:
        text: of an agent file that can be read.

    Raises:
        NotFound: there is no such intent.
        CallerError: the intent has the example already, or the file is written so that the place
            for it is not clear.
    """
    before = _read(text)
    intents = before.get("intents") if isinstance(before, dict) else None
    if not isinstance(intents, dict) or not isinstance(intents.get(intent), dict):
        raise NotFound("intent", intent)
    known = intents[intent].get("examples") or []
    if example in known:
        raise CallerError(f"the intent {intent!r} has this example already")
    node = _child(_child(yaml.compose(text, Loader=yaml.SafeLoader), "intents"), intent)
    for written in _spellings(example):
        try:
            after = _placed(text, node, written)
        except ValueError:
            break
        if _is_as_wanted(before, after, intent, [*known, example]):
            return after
    raise CallerError(
        f"the file is written so that the place is not clear: add it to intents.{intent}.examples "
        f"by hand: - {json.dumps(example, ensure_ascii=False)}"
    )


def _read(text: str) -> Any:
    try:
        return parse(text)[0]
    except Unreadable as fault:
        raise CallerError(f"the agent file cannot be read: {fault.problem}") from None


def _is_as_wanted(before: Any, after: str, intent: str, examples: list[str]) -> bool:
    """Whether the new text says the same but for this."""
    try:
        data, _, faults = parse(after)
    except Unreadable:
        return False
    wanted = {**before, "intents": {**before["intents"]}}
    wanted["intents"][intent] = {**before["intents"][intent], "examples": examples}
    return not faults and bool(data == wanted)


def _spellings(example: str) -> list[str]:
    quoted = json.dumps(example, ensure_ascii=False)
    return [example, quoted] if _PLAIN.fullmatch(example) else [quoted]


def _child(node: Node | None, key: str) -> Node:
    if isinstance(node, MappingNode):
        for name, value in node.value:
            if isinstance(name, ScalarNode) and name.value == key and isinstance(value, Node):
                return value
    raise NotFound("intent", key)


def _placed(text: str, node: Node, written: str) -> str:
    """The text with the example where it belongs.

    Raises:
        ValueError: that is not clear.
    """
    if not isinstance(node, MappingNode):
        raise ValueError
    try:
        examples = _child(node, "examples")
    except NotFound:
        return _with_key(text, node, written)
    if not isinstance(examples, SequenceNode):
        if isinstance(examples, ScalarNode) and not examples.value and not examples.style:
            return _inserted(text, examples.end_mark.index, f" [{json_of(written)}]")
        raise ValueError
    if examples.flow_style:
        return _in_brackets(text, examples, json_of(written))
    return _in_lines(text, examples, written)


def json_of(written: str) -> str:
    """A spelling that may stand in brackets."""
    return written if written.startswith('"') else json.dumps(written, ensure_ascii=False)


def _in_brackets(text: str, examples: SequenceNode, written: str) -> str:
    end = examples.end_mark.index - 1
    if not examples.value:
        return _inserted(text, end, written)
    last = examples.value[-1].end_mark.index
    return _inserted(text, last, f", {written}")


def _in_lines(text: str, examples: SequenceNode, written: str) -> str:
    last = examples.value[-1]
    indent = " " * examples.start_mark.column
    end = last.end_mark.index
    if last.end_mark.column:
        line_end = text.find("\n", end)
        end = len(text) if line_end < 0 else line_end + 1
    line = f"{indent}- {written}\n"
    return _inserted(text, end, line if text[:end].endswith("\n") else f"\n{line}")


def _with_key(text: str, node: MappingNode, written: str) -> str:
    if node.flow_style:
        joint = "" if node.value else " "
        at = node.value[-1][1].end_mark.index if node.value else node.end_mark.index - 1
        return _inserted(text, at, f"{joint or ', '}examples: [{json_of(written)}]")
    if not node.value:
        raise ValueError
    at = node.start_mark.index
    indent = " " * node.start_mark.column
    return _inserted(text, at, f"examples:\n{indent}  - {written}\n{indent}")


def _inserted(text: str, at: int, more: str) -> str:
    return text[:at] + more + text[at:]
