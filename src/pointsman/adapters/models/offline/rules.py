"""The rule language of the offline model: the ``offline:`` section of an agent file.

    values:        how to read a value out of what the user wrote, by name
      city: {choices: {Berlin: [Berlin, 柏林]}, ask: {zh: 哪个城市？, en: Which city?}}
      day: {date: "%Y-%m-%d", default: today}
    calls:         which words point to a tool, and what goes into its parameters
      weather:
        tool: forecast
        when: [weather, 天气]
        arguments: {city: city, date: day}
        say: {zh: "{{ city }}：{{ text }}", en: "{{ city }}: {{ text }}"}
    conditions:    what "if it rains …, else …" means: the words, and the test on a call's result
      rain: {call: weather, yes: [it rains], no: [it is dry], test: {path: text, contains: [rain]}}
    answers:       fixed answers, such as {when: [who are you], say: I am the weather desk.}
    fallback: I can tell the weather.

A *word* is plain text, or a regular expression between slashes: ``/rain(s|ing)?/``. Case does not
matter and Latin words match whole words. ``{words: …, patterns: …}`` holds expressions without the
slashes too, such as the patterns of an intent. What is *said* is one template for both languages or
``{zh: …, en: …}`` (see ``template``). The whole language is data: it has no variables, no recursion
and no evaluation of text, so every message ends in a bounded number of steps.
"""

import re
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from msgspec import Struct
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pointsman.adapters.models.offline.template import Path, Template
from pointsman.adapters.models.offline.words import Words, joined
from pointsman.domain.agent import Language

Scalar = str | int | float | bool


class Spoken(Struct, frozen=True):
    """Something to say, in both languages."""

    zh: Template
    en: Template

    def in_language(self, language: Language) -> Template:
        return self.zh if language == "zh" else self.en


def _regex(source: Any) -> re.Pattern[str]:
    if not isinstance(source, str) or not source:
        raise ValueError("expected a regular expression as text")
    try:
        return re.compile(source, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{source!r} is no regular expression: {error}") from None


def word_source(word: str) -> str:
    """The regular expression of one word of the file."""
    if len(word) > 2 and word.startswith("/") and word.endswith("/"):
        return word[1:-1]
    source = r"\s+".join(map(re.escape, word.split()))
    before = r"(?<![A-Za-z0-9])" if word[:1].isascii() and word[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if word[-1:].isascii() and word[-1:].isalnum() else ""
    return before + source + after


def _words(raw: Any) -> Words:
    if isinstance(raw, dict):
        words, expressions = raw.get("words", []), raw.get("patterns", [])
        if not raw or raw.keys() - {"words", "patterns"} or not isinstance(expressions, list):
            raise ValueError("expected words, or lists of words and patterns")
    else:
        words, expressions = raw, []
    listed = [words] if isinstance(words, str) else words
    if not isinstance(listed, list) or not all(isinstance(w, str) and w.strip() for w in listed):
        raise ValueError("expected a word or a list of words; put numbers in quotes")
    sources = [word_source(word.strip()) for word in listed]
    patterns = tuple(map(_regex, [*sources, *expressions]))
    return Words(patterns, joined(patterns))


def _spoken(raw: Any) -> Spoken:
    if isinstance(raw, str):
        return Spoken(Template.parse(raw), Template.parse(raw))
    wanted = {"zh", "en"}
    if (
        not isinstance(raw, dict)
        or set(raw) != wanted
        or not all(isinstance(text, str) for text in raw.values())
    ):
        raise ValueError("expected a text, or a text under each of zh and en")
    return Spoken(Template.parse(raw["zh"]), Template.parse(raw["en"]))


def _path(raw: Any) -> Path:
    if not isinstance(raw, str):
        raise ValueError("expected a path such as data[0].name")
    return Path.parse(raw)


_TEXT_OR_LIST = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_TEXT_OR_BOTH = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"zh": {"type": "string"}, "en": {"type": "string"}},
            "required": ["zh", "en"],
            "additionalProperties": False,
        },
    ]
}
_WORDS = {
    "anyOf": [
        *_TEXT_OR_LIST["anyOf"],
        {
            "type": "object",
            "properties": {"words": _TEXT_OR_LIST, "patterns": _TEXT_OR_LIST["anyOf"][1]},
            "additionalProperties": False,
        },
    ]
}
WordList = Annotated[Words, PlainValidator(_words), WithJsonSchema(_WORDS)]
Says = Annotated[Spoken, PlainValidator(_spoken), WithJsonSchema(_TEXT_OR_BOTH)]
Regex = Annotated[re.Pattern[str], PlainValidator(_regex), WithJsonSchema({"type": "string"})]
JsonPath = Annotated[Path, PlainValidator(_path), WithJsonSchema({"type": "string"})]
Operand = Annotated[
    float | Annotated[str, Field(pattern=r"^\$[^\W\d]\w*$")],
    Field(description="A number, or $name of a group in the words that matched."),
]
_COMPARISONS = ("contains", "equals", "above", "below", "at_least", "at_most")


class Rule(BaseModel):
    """Part of the rules: unknown keys and loose types are faults."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True
    )


def _exactly_one(rule: BaseModel, names: tuple[str, ...]) -> None:
    given = [name for name in names if name in rule.model_fields_set]
    if len(given) != 1:
        written = [(type(rule).model_fields[name].alias or name) for name in names]
        raise ValueError(f"needs exactly one of {', '.join(written)}")


class Between(Rule):
    """A value that stands between words; punctuation and the message's ends close it too."""

    after: WordList = Field(description="Words right before the value.")
    before: WordList = Field(default_factory=Words, description="Words right after the value.")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words and what lies between as one expression."""
        after = "|".join(p.pattern for p in self.after.patterns)
        before = "".join(f"|{p.pattern}" for p in self.before.patterns)
        return re.compile(
            rf"(?:{after})\s*(?P<value>[^，。；！？,;!?\n]{{1,60}}?)\s*"
            rf"(?=[，。；！？,;!?\n]|\.(?:\s|$|[一-鿿])|${before})",
            re.IGNORECASE,
        )

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        try:
            _ = self.pattern
        except re.error as error:
            raise ValueError(f"these words do not make one expression: {error}") from None
        return self


class ValueRule(Rule):
    """How to read one value. Kinds are tried in the order choices, date, moment, between,
    patterns."""

    title: Says | None = Field(None, description="The value's name for people.")
    choices: dict[str, WordList] = Field({}, description="Value → the words that mean it.")
    date: str = Field("", description="A day in words, written with %Y, %m and %d.")
    moment: Literal["", "any", "ahead"] = Field(
        "",
        description="Words for a time (每天9点, a cron line); ahead: still to come.",
    )
    between: list[Between] = Field([], description="Places between words.")
    patterns: list[Regex] = Field(
        [], description="Regular expressions; group `value`, else group 1, else all of the match."
    )
    type: Literal["text", "integer", "number", "boolean"] = "text"
    strip: WordList = Field(default_factory=Words, description="Words cut off at its ends.")
    reject: WordList = Field(default_factory=Words, description="Words that are never this value.")
    rename: dict[str, WordList] = Field({}, description="Value → other names that mean it.")
    default: Scalar | None = Field(None, description="When nothing is found; for a date, a phrase.")
    ask: Says | None = Field(None, description="The question when nothing is found.")
    remember: bool = Field(False, description="May come from an earlier message.")
    whole: bool = Field(False, description="Text that goes on to the message's end, as it is.")

    @model_validator(mode="after")
    def _has_a_kind(self) -> Self:
        if not (self.choices or self.date or self.moment or self.between or self.patterns):
            raise ValueError("needs one of choices, date, moment, between, patterns")
        if self.date and "%d" not in self.date:
            raise ValueError("date needs a pattern such as %Y-%m-%d")
        return self

    @cached_property
    def choice_gate(self) -> re.Pattern[str] | None:
        """As ``Words.gate``, over all choices."""
        return joined([p for words in self.choices.values() for p in words.patterns])

    @property
    def free(self) -> bool:
        """Whether any text can be this value, so that a bare answer to its question is it."""
        return bool(self.between or self.patterns) and not self.date


class ArgumentRule(Rule):
    """What goes into one parameter."""

    source: str = Field("", alias="from", description="The name of a value.")
    several: bool = Field(False, description="All of that value, parted by commas.")
    fixed: Scalar | None = Field(None, description="Always this.")
    call: str = Field("", description="A call of this run whose result holds it; needs `path`.")
    path: JsonPath | None = Field(None, description="Where in that result.")
    text: Says | None = Field(None, description="A template over `values`, or in place of nothing.")
    said: Literal["", "clause", "message"] = Field(
        "", description="The user's own words: the clause that asks for the call, or all of them."
    )
    without: list[str] = Field([], description="Values whose words are left out of those.")
    strip: WordList = Field(default_factory=Words, description="Words cut off at their ends.")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(core_schema)]}

    @model_validator(mode="before")
    @classmethod
    def _named(cls, raw: Any) -> Any:
        return {"from": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if not (self.text and (self.source or self.said)):
            _exactly_one(self, ("source", "fixed", "call", "text", "said"))
        if bool(self.call) != bool(self.path):
            raise ValueError("call and path go together")
        if (self.without or self.strip.patterns) and not self.said:
            raise ValueError("without and strip go with said")
        return self


class CallRule(Rule):
    """Which words point to a tool, what goes into it, how its result is said."""

    tool: str = Field(description="The tool's name as the model sees it.", min_length=1)
    title: Says | None = Field(None, description="What this is, for people.")
    when: WordList = Field(default_factory=Words, description="Words that ask for this call.")
    unless: WordList = Field(default_factory=Words, description="Words near which it is not meant.")
    takes_up: WordList = Field(default_factory=Words, description="Words for what came before.")
    needs: list[str] = Field([], description="Values without which a message does not ask for it.")
    arguments: dict[str, ArgumentRule] = Field(
        {},
        description="Parameter → name of a value, or from / fixed / call and path / text / said.",
    )
    each: list[str] = Field([], description="Values of which several make several calls.")
    alone: bool = Field(
        False, description="It takes the whole message, alone; of several such the first counts."
    )
    amended_by: str = Field("", description="The call that changes what it made before.")
    task: Says | None = Field(
        None, description="What it is as a task of its own, over `values`; else the user's clause."
    )
    after: list[str] = Field([], description="Whose results it gets as a task; `*`: all before.")
    say: Says | None = Field(None, description="How a result is said; else as it came.")
    told: Says | None = Field(
        None, description="How a result that is plain text is said: over `text` and `values`."
    )


class TestRule(Rule):
    """A test on a result. Several values on the path: one that passes is enough."""

    path: JsonPath | None = None
    contains: list[str] | None = Field(None, description="Text with one of these in it.")
    equals: Scalar | None = None
    above: Operand | None = None
    below: Operand | None = None
    at_least: Operand | None = None
    at_most: Operand | None = None
    all_of: "list[TestRule] | None" = Field(None, alias="all")
    any_of: "list[TestRule] | None" = Field(None, alias="any")
    negated: "TestRule | None" = Field(None, alias="not")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        _exactly_one(self, (*_COMPARISONS, "all_of", "any_of", "negated"))
        if bool(self.path) != bool(self.model_fields_set & set(_COMPARISONS)):
            raise ValueError("a comparison needs a path; all, any and not have none")
        return self

    def groups(self) -> set[str]:
        """The groups that operands name, without their ``$``."""
        operands = (self.above, self.below, self.at_least, self.at_most)
        inner = [*(self.all_of or ()), *(self.any_of or ())]
        inner += [self.negated] if self.negated else []
        own = {operand[1:] for operand in operands if isinstance(operand, str)}
        return own.union(*(test.groups() for test in inner))


class Outcomes(Rule):
    """What is said when a condition turned out to hold, or not."""

    yes: Says
    no: Says


class ConditionRule(Rule):
    """A fork in the user's words, decided by a result."""

    title: Says | None = Field(None, description="What is decided, for people.")
    call: str = Field(description="The call whose result decides.")
    yes: WordList = Field(description="Words for: it holds.")
    no: WordList = Field(default_factory=Words, description="Words for: it does not hold.")
    test: TestRule
    say: Outcomes | None = None


class AnswerRule(Rule):
    """A fixed answer."""

    when: WordList
    say: Says


class SplitRule(Rule):
    """A message that asks for several calls is split into tasks by a tool. Not one with forks, or
    in which a call needs a value out of another's result."""

    tool: str = Field(description="The tool that splits, as the model sees it.", min_length=1)


class OfflineRules(Rule):
    """The rules of one agent."""

    values: dict[str, ValueRule] = Field({}, description="How to read values from words.")
    calls: dict[str, CallRule] = Field({}, description="Which words point to which tool.")
    conditions: dict[str, ConditionRule] = Field({}, description="Forks on results.")
    answers: list[AnswerRule] = Field([], description="Fixed answers, first match wins.")
    split: SplitRule | None = Field(None, description="How several things at once are done.")
    fallback: Says = Field(description="Said when nothing fits: what this agent can do.")
    glossary: dict[Language, dict[str, str]] = Field(
        {}, description="Words of results in the reader's language, for the filter `word`."
    )
