"""From what a model wrote as a plan to tasks that can be carried out, or every reason why not.

Models write plans in many shapes: a list, an object around it, JSON text in JSON text, fenced; rows
with other names for the same three things; dependencies as text, numbers, lists, names. Read is
what has one reading. What would drop a task or guess an edge is refused, with a sentence that the
model can mend its plan by (group 8 of the cases).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.arguments import json_repair, json_text
from pointsman.domain.graph import Node, circle
from pointsman.domain.tasks import plan_words
from pointsman.domain.text import clean, one_line
from pointsman.errors import ArgumentsMalformed, PlanInvalid

NAME = "Global_Decomposition"
"""The tool whose calls are plans."""
MOST_TASKS = 20
_LAYERS = 2
_MOST_ROWS = 1000
_SHOWN = 60

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)
_SPAN = re.compile(r"[^\[{]*([\[{].*[\]}])", re.DOTALL)  # matched, so that it is tried once
_PARTS = re.compile(r"[,，、;；|&+\n]|\band\b|以及|和|与|及")
_BRACKETS = re.compile(r"^[\s\[(（【{<$]+|[\s\])）】}>]+$")
_QUOTES = "\"'“”‘’`「」"
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_WHOLE = re.compile(r"(\d+)\.0+")
_LABEL = re.compile(
    r"(?:sub-?task|task|step|node|number|no\.?|index|id|子任务|任务|步骤|节点|序号|编号|第"
    r"|[ts](?=[\s_-]*\d))[\s_.:：#＃-]*(?=[^\s])"
)
_COUNTER = re.compile(r"(?<=[\d一二三四五六七八九十])\s*(?:个?任务|个?步骤|步|个|项|号)$")


def read_call(arguments: str, *, most: int = MOST_TASKS) -> tuple[Node, ...]:
    """The tasks in the arguments of a call, as the model wrote them.

    Raises:
        PlanInvalid: as ``read``.
    """
    return _nodes(_rows(clean(arguments) or "[]", layers=_LAYERS + 1), most)


def read(plan: Any, *, most: int = MOST_TASKS) -> tuple[Node, ...]:
    """The tasks of a plan in any shape, in the order in which they were written; none when there is
    nothing in it.

    Args:
        plan: a JSON value.
        most: tasks that a plan may have.

    Raises:
        PlanInvalid: names every fault: a circle, unknown or doubled indexes, too many …
    """
    return _nodes(_rows(plan, layers=_LAYERS), most)


def as_arguments(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """The tasks in the article's words: index, desc, base."""
    return [
        {
            "index": int(node.id) if node.id.isascii() and node.id.isdecimal() else node.id,
            "desc": node.desc,
            "base": ",".join(node.base),
            **({"optional": True} if node.optional else {}),
        }
        for node in nodes
    ]


def _refuse(problem: str) -> PlanInvalid:
    return PlanInvalid([problem])


def _rows(value: Any, *, layers: int) -> list[Any]:
    """The rows inside of text and objects, at most so many layers of each."""
    texts = wrappers = 0
    while texts <= layers and wrappers <= layers:
        match value:
            case None:
                return []
            case str():
                texts, value = texts + 1, _decoded(value)
            case dict():
                inner = _wrapped(value)
                if inner is None:
                    return _keyed(value)
                wrappers, value = wrappers + 1, inner
            case [list() as only]:
                wrappers, value = wrappers + 1, only
            case list():
                return value
            case _:
                raise _refuse("the plan is no list of tasks")
    raise _refuse(f"the list of tasks is wrapped or encoded more than {_LAYERS} times")


def _decoded(text: str) -> Any:
    """The JSON value of a text, perhaps fenced or with words around it."""
    if _is_nothing(text):
        return None
    fenced = _FENCE.search(text)
    span = _SPAN.match(text)
    tries = [text, *([fenced[1]] if fenced else []), *([span[1]] if span else [])]
    for one in tries:
        try:
            return json_text.loads(one)[0]
        except (json_text.NotJson, ArgumentsMalformed):
            continue
    for one in reversed(tries):
        try:
            return json_repair.read_value(one.strip())[0]
        except ArgumentsMalformed:
            continue
    raise _refuse(f"the plan is no JSON list: {one_line(text, _SHOWN)}")


def _wrapped(value: Mapping[str, Any]) -> Any:
    """What an object holds as its list of tasks; None when it is no wrapper."""
    named = {_name(key): item for key, item in value.items()}
    found = [named[key] for key in plan_words.LISTS if key in named]
    lists = [item for item in found if isinstance(item, list) and _is_plan(item)]
    if lists:
        if _first(named, plan_words.EDGES):
            raise _refuse("what needs what stands beside the tasks: write it into each (base)")
        return lists[0]
    if _first(named, plan_words.DESCS) is not None or _first(named, plan_words.IDS) is not None:
        return None
    inner = next((item for item in found if isinstance(item, dict | list) or _is_json(item)), None)
    return [] if inner is None and found and all(map(_is_nothing, found)) else inner


def _is_plan(items: list[Any]) -> bool:
    return not items or any(isinstance(item, dict | str) for item in items)


def _is_json(item: Any) -> bool:
    return _is_nothing(item) or (isinstance(item, str) and _SPAN.match(item) is not None)


def _is_nothing(item: Any) -> bool:
    none = isinstance(item, str) and (
        not item.strip() or item.strip().casefold() in plan_words.NONE
    )
    return item is None or none


def _keyed(value: Mapping[str, Any]) -> list[Any]:
    """One row, or rows under their ids."""
    if value and all(isinstance(item, dict) for item in value.values()):
        return [{"index": key, **item} for key, item in value.items()]
    if value and all(_is_number(key) and isinstance(item, str) for key, item in value.items()):
        return [{"index": key, "desc": item} for key, item in value.items()]
    return [value] if value else []


def _name(key: Any) -> str:
    """A key as it is compared."""
    folded = unicodedata.normalize("NFKC", str(key)).casefold()
    return "".join(character for character in folded if character.isalnum())


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "", [])), None)


class _Row(Struct, frozen=True, kw_only=True):
    """A row as it is written: ``id`` is empty where it has none."""

    id: str
    desc: str
    name: str
    base: list[Any]
    optional: bool


def _nodes(rows: list[Any], most: int) -> tuple[Node, ...]:
    if len(rows) > _MOST_ROWS:
        raise _refuse(_too_many(len(rows), most))
    read_ = [_row(row, place) for place, row in enumerate(rows, start=1)]
    named = _numbered(read_)
    problems: list[str] = []
    known = _Known(named)
    nodes: dict[str, Node] = {}
    for row in named:
        base: dict[str, None] = {}
        for written in row.base:
            try:
                base |= dict.fromkeys(known.all(written))
            except PlanInvalid as fault:
                problems += (f"task {row.id}: {one}" for one in fault.problems)
        node = Node(id=row.id, desc=row.desc, base=tuple(base), optional=row.optional)
        if nodes.setdefault(node.id, node) != node:
            problems.append(f"two different tasks have the index {node.id}")
    if len(nodes) > most:
        problems.append(_too_many(len(nodes), most))
    if around := circle(tuple(nodes.values())):
        problems.append(f"tasks need one another in a circle: {' -> '.join(around)}")
    if problems:
        raise PlanInvalid(tuple(dict.fromkeys(problems)))
    return tuple(nodes.values())


def _too_many(count: int, most: int) -> str:
    return f"{count} tasks are too many, at most {most}: merge those that belong together"


def _row(row: Any, place: int) -> _Row:
    if isinstance(row, str):
        row = {"desc": row}
    while isinstance(row, dict) and len(row) == 1 and isinstance(next(iter(row.values())), dict):
        row = next(iter(row.values()))
    if not isinstance(row, dict):
        raise _refuse(f"task {place} is no object with index, desc and base")
    named = {_name(key): item for key, item in row.items()}
    if any(isinstance(named.get(name), list) and named[name] for name in plan_words.PARTS_OF_IT):
        raise _refuse(f"task {place} has tasks of its own: write all of them in one list")
    id_ = _id(_first(named, plan_words.IDS))
    loose = [named[name] for name in plan_words.NAMES if name in named]
    if not id_:
        id_ = next((_id(item) for item in loose if _is_number(item)), "")
    texts = [item.strip() for item in loose if isinstance(item, str) and _id(item) != id_]
    if any(_names_tasks(named.get(name)) for name in plan_words.FOLLOWERS):
        raise _refuse(
            f"task {id_ or place} says what comes after it: write into each (base) what it needs"
        )
    desc = _first(named, plan_words.DESCS)
    if not isinstance(desc, str) or not desc.strip():
        desc = texts[0] if texts else ""
    if not desc.strip():
        raise _refuse(f"task {id_ or place} does not say what is to be done (desc)")
    return _Row(
        id=id_,
        desc=desc.strip(),
        name=next((text for text in texts if text != desc.strip()), ""),
        base=[item for name, item in named.items() if plan_words.is_base(name)],
        optional=_first(named, plan_words.OPTIONAL) in (True, "true", "True", "是", 1),
    )


def _names_tasks(item: Any) -> bool:
    return bool(item) and _id(item).casefold() not in plan_words.NONE


def _is_number(item: Any) -> bool:
    return bool(_id(item)) and _plain(_id(item)).isdecimal()


def _numbered(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with an id each: its place where it has none."""
    taken = {row.id for row in rows}
    numbered = []
    for place, row in enumerate(rows, start=1):
        if not row.id and str(place) in taken:
            raise _refuse(f"the task at place {place} has no index, and another has that one")
        numbered.append(row if row.id else replace(row, id=str(place)))
    return numbered


def _id(value: Any) -> str:
    """An id as text; empty for what can be none."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if isinstance(value, float | str):
        return " ".join(unicodedata.normalize("NFKC", str(value)).split())
    return ""


def _plain(text: str) -> str:
    """An id without what may be written or not: ``#``, quotes, case, leading zeros, ``.0``."""
    text = text.strip().strip(_QUOTES).lstrip("#$").rstrip(".。:：").strip().casefold()
    whole = _WHOLE.fullmatch(text)
    return _ZEROS.sub("", whole[1] if whole else text)


def _bare(text: str) -> str:
    """An id without a word such as "step" before it, in digits, and with one kind of separator."""
    text = _COUNTER.sub("", _plain(text))
    label = _LABEL.match(text)
    text = _plain(text[label.end() :] if label else text)
    return plan_words.NUMERALS.get(text, re.sub(r"[\s_]+", "-", text))


class _Known:
    """The ids and names of a plan, to which dependencies are resolved."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._ids = list(dict.fromkeys(row.id for row in rows))
        self._named = [
            (row.id, text) for row in rows for text in (row.name, row.desc) if text.strip()
        ]

    def all(self, written: Any) -> Iterator[str]:
        """The ids that a dependency names, in any spelling.

        Raises:
            PlanInvalid: it names none of the plan, or could be two.
        """
        match written:
            case None:
                return
            case list():
                for item in written:
                    yield from self.all(item)
            case dict():
                named = {_name(key): item for key, item in written.items()}
                inner = _first(
                    named,
                    (*plan_words.IDS, *plan_words.NAMES, *plan_words.LISTS, *plan_words.BASES),
                )
                if written and inner is None:
                    raise _refuse(f"it needs {written}, which is no index")
                yield from self.all(inner)
            case bool():
                raise _refuse(f"it needs {written}, which is no index")
            case _:
                yield from self._in(_id(written))

    def _in(self, text: str) -> Iterator[str]:
        """The ids in a text: first taken whole, then as a list; never character by character."""
        if (whole := self._one(text)) is not None:
            yield whole
            return
        if text.casefold() in plan_words.NONE or not text:
            return
        if text.startswith(("{", "[{")) and ":" in text:  # else a set: {1, 2}
            yield from self.all(_decoded(text))
            return
        if text in ("{", "["):  # the rest is lost
            self._give_up(text)
        for part in _PARTS.split(_BRACKETS.sub("", text)):
            if part.strip():
                yield from self._words(part.split())

    def _words(self, words: list[str]) -> Iterator[str]:
        """The ids in words with spaces between: "1 2", "step 1 step 2"."""
        while words:
            for count in range(len(words), 0, -1):
                if (one := self._one(" ".join(words[:count]))) is not None:
                    yield one
                    words = words[count:]
                    break
            else:
                self._give_up(" ".join(words))

    def _one(self, text: str) -> str | None:
        """The one id that the text stands for: as it is, then less and less strictly, then by the
        name or the words of its task."""
        if text in self._ids:
            return text
        for form in (_plain, _bare):
            meant = form(text)
            found = [id_ for id_ in self._ids if meant and form(id_) == meant]
            if found:
                return found[0] if len(found) == 1 else None
        named = {id_ for id_, name in self._named if _plain(name) == _plain(text) != ""}
        return named.pop() if len(named) == 1 else None

    def _give_up(self, text: str) -> None:
        known = ", ".join(self._ids[:MOST_TASKS])
        raise _refuse(
            f"it needs {one_line(text, _SHOWN)!r}, which is none of the indexes {known}; "
            'write them one by one, as "1,2", or leave base empty'
        )
