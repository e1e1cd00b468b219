"""The text of a policy condition and its tree: reading, and writing back.

    condition  = all {"or" all}
    all        = negated {"and" negated}
    negated    = "not" negated | test
    test       = operand [operator operand]
    operand    = name | number | text | list | "(" condition ")" | true | false | null
    operator   = == != < <= > >= in, not in, contains, startswith, endswith
    name       = word {"." word | "[" text | number "]"}
    list       = "[" [constant {"," constant}] "]"

``weekday`` is a number from 1 (Monday) to 7; a day's name beside it is read as its number.
``role`` reads as "one of the roles". What a condition means is said in ``conditions``.
"""

import re
from decimal import Decimal
from typing import Any, NoReturn

from msgspec import Struct

from pointsman.errors import CallerError


class ConditionFault(CallerError, ValueError):
    """A condition that cannot be read. It is a ValueError too, for schema validators.

    Attributes:
        column: 1-based, in characters of the condition.
        expected: what should have stood there.
    """

    def __init__(self, column: int, expected: str, found: str) -> None:
        self.column, self.expected, self.found = column, expected, found
        super().__init__(f"column {column}: expected {expected}, not {found}")


class Constant(Struct, frozen=True):
    """A text, number, true, false or null."""

    value: str | Decimal | bool | None


class Name(Struct, frozen=True):
    """A fact or an argument, and the way into it."""

    path: tuple[str | int, ...]


class Listed(Struct, frozen=True):
    """A list of constants."""

    items: tuple[Constant, ...]


class Compare(Struct, frozen=True):
    """Two operands and one of ``OPERATORS``."""

    operator: str
    left: "Node"
    right: "Node"


class Not(Struct, frozen=True):
    """The opposite."""

    of: "Node"


class Every(Struct, frozen=True):
    """All of at least two."""

    of: "tuple[Node, ...]"


class Some(Struct, frozen=True):
    """One of at least two."""

    of: "tuple[Node, ...]"


Node = Constant | Name | Listed | Compare | Not | Every | Some

OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "in", "not in", "contains", "startswith", "endswith")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_KEYWORDS = frozenset("and or not in contains startswith endswith true false null none".split())
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_LONGEST, _DEEPEST = 2000, 40
_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?[0-9]+(?:\.[0-9]+)?(?![\w.]))"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<mark>==|!=|<=|>=|[<>()\[\],.])"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<end>\Z))",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*")
_HINTS = {
    "=": "==",
    "&": "and",
    "|": "or",
    "!": "not",
    "“": 'a text in "straight quotes"',
    "”": 'a text in "straight quotes"',
    "＝": "==",
    "＞": ">",
    "＜": "<",
}
_VALUE = "a value (a name, number, text, list or parenthesis)"


class _Token(Struct, frozen=True):
    kind: str
    text: str
    column: int

    @property
    def keyword(self) -> str:
        """The keyword or mark that it is, else nothing."""
        if self.kind == "mark":
            return self.text
        low = self.text.lower()
        return low if self.kind == "word" and low in _KEYWORDS else ""


def parse(text: str) -> Node:
    """The tree of a condition.

    Raises:
        ConditionFault: it cannot be read; says where and what was expected.
    """
    if len(text) > _LONGEST:
        raise ConditionFault(_LONGEST, f"at most {_LONGEST} characters", f"{len(text)}")
    return _Reader(_tokens(text)).whole()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while not tokens or tokens[-1].kind != "end":
        found = _TOKEN.match(text, at)
        if found is None:
            rest = text[at:].lstrip()
            column = len(text) - len(rest) + 1
            raise ConditionFault(column, _HINTS.get(rest[0], _VALUE), repr(rest[:12]))
        kind = found.lastgroup or ""
        tokens.append(_Token(kind, found[kind], found.start(kind) + 1))
        at = found.end()
    return tokens


class _Reader:
    """Reads tokens from left to right, one at a time."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._at, self._depth = tokens, 0, 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *keywords: str) -> str:
        """The next keyword or mark if it is one of these, which is then behind us."""
        found = self._next.keyword
        if found not in keywords:
            return ""
        self._at += 1
        return found

    def _fail(self, expected: str, at: _Token | None = None) -> NoReturn:
        token = at or self._next
        found = repr(token.text) if token.kind != "end" else "the end"
        raise ConditionFault(token.column, expected, found)

    def whole(self) -> Node:
        node = self._any()
        if self._next.kind != "end":
            self._fail("an operator, and, or, or the end")
        return node

    def _any(self) -> Node:
        parts = [self._all()]
        while self._take("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _all(self) -> Node:
        parts = [self._negated()]
        while self._take("and"):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _negated(self) -> Node:
        if not self._take("not"):
            return self._test()
        self._deeper()
        node = Not(self._negated())
        self._depth -= 1
        return node

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(f"at most {_DEEPEST} levels")

    def _test(self) -> Node:
        start = self._next
        left = self._operand()
        operator_at = self._next
        operator = self._operator()
        if not operator:
            if isinstance(left, Listed) or (
                isinstance(left, Constant) and not isinstance(left.value, bool)
            ):
                self._fail(f"a comparison of {start.text} with something")
            return left
        right_at = self._next
        right = self._operand()
        if self._next.keyword in OPERATORS:
            self._fail("and between two comparisons (they cannot be chained)")
        return self._compared(operator, left, right, (start, operator_at, right_at))

    def _operator(self) -> str:
        if self._next.keyword == "not":
            if self._tokens[self._at + 1].keyword != "in":
                self._fail("an operator")
            self._at += 2
            return "not in"
        return self._take(*OPERATORS)

    def _operand(self) -> Node:
        token = self._next
        if token.kind in ("number", "text") or token.keyword in _CONSTANTS:
            return self._constant()
        if self._take("("):
            self._deeper()
            inside = self._any()
            self._depth -= 1
            if not self._take(")"):
                self._fail(")")
            return inside
        if self._take("["):
            return self._listed()
        if token.kind == "word" and not token.keyword:
            return self._name()
        self._fail(_VALUE)

    def _constant(self) -> Constant:
        token = self._next
        if token.keyword in _CONSTANTS:
            value: Any = _CONSTANTS[token.keyword]
        elif token.kind == "number":
            value = Decimal(token.text)
        elif token.kind == "text":
            value = re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL)
        else:
            self._fail("a number, text, true, false or null")
        self._at += 1
        return Constant(value)

    def _listed(self) -> Listed:
        items: list[Constant] = []
        while not self._take("]"):
            if items and not self._take(","):
                self._fail("a comma or ]")
            word = self._next
            if word.kind == "word" and word.text.lower()[:3] in WEEKDAYS and not word.keyword:
                items.append(Constant(word.text))
                self._at += 1
            else:
                items.append(self._constant())
        return Listed(tuple(items))

    def _name(self) -> Name:
        path: list[str | int] = [self._next.text]
        self._at += 1
        while mark := self._take(".", "["):
            step = self._next
            whole = step.kind == "number" and step.text.isdigit()
            if mark == "." and step.kind == "word":
                path.append(step.text)
            elif mark == "[" and (step.kind == "text" or whole):
                value = self._constant().value
                path.append(value if isinstance(value, str) else int(step.text))
                self._at -= 1
            else:
                self._fail("a name" if mark == "." else "a text or a whole number")
            self._at += 1
            if mark == "[" and not self._take("]"):
                self._fail("]")
        return Name(tuple(path))

    def _compared(
        self, operator: str, left: Node, right: Node, at: tuple[_Token, _Token, _Token]
    ) -> Node:
        if left == Name(("weekday",)):
            return Compare(operator, left, self._weekdays(right, at[2]))
        if right == Name(("weekday",)):
            return Compare(operator, self._weekdays(left, at[0]), right)
        if left == Name(("role",)):
            return self._of_roles(operator, right, at[1])
        if right == Name(("role",)):
            return self._of_roles({"in": "==", "not in": "!="}.get(operator, operator), left, at[1])
        return Compare(operator, left, right)

    def _weekdays(self, node: Node, at: _Token) -> Node:
        """Names of days as their numbers."""
        if isinstance(node, Listed):
            return Listed(tuple(self._weekday(item.value, at) for item in node.items))
        if isinstance(node, Name) and len(node.path) == 1:
            return self._weekday(node.path[0], at)
        return self._weekday(node.value, at) if isinstance(node, Constant) else node

    def _weekday(self, written: Any, at: _Token) -> Constant:
        if isinstance(written, Decimal) and written in range(1, 8):
            return Constant(written)
        if isinstance(written, str) and written.lower()[:3] in WEEKDAYS:
            return Constant(Decimal(WEEKDAYS.index(written.lower()[:3]) + 1))
        self._fail("weekdays (mon to sun, or 1 to 7)", at)

    def _of_roles(self, operator: str, right: Node, at: _Token) -> Node:
        roles = Name(("roles",))
        match operator:
            case "==":
                return Compare("contains", roles, right)
            case "!=":
                return Not(Compare("contains", roles, right))
            case "in" | "not in" if isinstance(right, Listed) and right.items:
                parts = tuple(Compare("contains", roles, item) for item in right.items)
                held: Node = parts[0] if len(parts) == 1 else Some(parts)
                return held if operator == "in" else Not(held)
        self._fail("== or != a role, or in a list of roles", at)


def render(node: Node) -> str:
    """A text that reads as this tree again."""
    match node:
        case Constant(value):
            return _written(value)
        case Name(path):
            return "".join(_step(step, first=not at) for at, step in enumerate(path))
        case Listed(items):
            return f"[{', '.join(map(render, items))}]"
        case Compare(operator, left, right):
            return f"{_operand(left)} {operator} {_operand(right)}"
        case Not(of):
            return f"not {_operand(of)}"
        case Every(of):
            return " and ".join(map(_part, of))
        case Some(of):
            return " or ".join(
                f"({render(one)})" if isinstance(one, Some) else render(one) for one in of
            )


def _operand(node: Node) -> str:
    simple = isinstance(node, Constant | Name | Listed)
    return render(node) if simple else f"({render(node)})"


def _part(node: Node) -> str:
    return f"({render(node)})" if isinstance(node, Every | Some) else render(node)


def _written(value: str | Decimal | bool | None) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Decimal):
        return format(value, "f")
    return "null" if value is None else str(value).lower()


def _step(step: str | int, *, first: bool) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if first:
        return step
    return f".{step}" if _WORD.fullmatch(step) else f"[{_written(step)}]"
