"""The shape of ``agent.yaml``: every key, its type, and what it is for.

The descriptions are the reference: ``json_schema`` gives them to editors. What the shape
cannot say (files that exist, secrets, names that refer to each other) is in ``checks``.
"""

import re
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    Field,
    WithJsonSchema,
    model_validator,
)

from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.adapters.models.presets import ALIASES, PRESETS, endpoint
from pointsman.agentfile.built_in import BUILT_IN
from pointsman.agentfile.databases import SqlTable
from pointsman.agentfile.http_shape import HttpTable, OpenApiTable
from pointsman.agentfile.overrides import OverridesTable, RiskName, Seconds
from pointsman.agentfile.parts import Requests, Switch, Table, Text, Title
from pointsman.domain import conditions
from pointsman.domain.agent import Language, Limits, ModelSpec
from pointsman.domain.policy import VERDICTS
from pointsman.errors import SettingsError
from pointsman.faults import did_you_mean


def _verdict(value: str) -> str:
    if value not in VERDICTS:
        raise ValueError(f"expected one of {', '.join(VERDICTS)}, not {value!r}")
    return value


def language_of(tag: str) -> Language:
    """The language of a tag such as zh-CN or en_US.

    Raises:
        ValueError: it is neither Chinese nor English.
    """
    match re.split(r"[-_]", tag.lower())[0]:
        case "zh" | "cn":
            return "zh"
        case "en":
            return "en"
        case _:
            raise ValueError(f"expected zh or en (or a tag such as zh-CN), not {tag!r}")


def _language(tag: str) -> str:
    language_of(tag)
    return tag


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        near = did_you_mean(name, sorted(available_timezones()))
        raise ValueError(
            f"there is no time zone {name!r}; {near or 'write it like Asia/Shanghai'}"
        ) from None
    return name


def _preset(use: str) -> str:
    known = ["offline", *PRESETS, *ALIASES]
    if use not in known:
        raise ValueError(f"there is no model preset {use!r}; {did_you_mean(use, known)}")
    return use


class _Formed:
    """A text of a form; a fault says the form in words and never repeats the text, which may be a
    secret in the wrong place."""

    def __init__(self, pattern: str, words: str) -> None:
        self._pattern, self._words = re.compile(pattern), words

    def __call__(self, value: str) -> str:
        if not self._pattern.fullmatch(value):
            raise ValueError(f"expected {self._words}")
        return value


Name = Annotated[
    str,
    AfterValidator(
        _Formed(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "a name of letters, digits, '.', '_' and '-'")
    ),
]


def _condition(value: str) -> str:
    if value:
        conditions.compile(value)
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as fault:
        raise ValueError(f"not a regular expression: {fault}") from None
    return value


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
ContextField = Literal["user", "agent", "conversation", "run", "input", "now"]


class TimeoutsTable(Table):
    """Seconds that the model may take."""

    connect: Seconds | None = None
    first_byte: Seconds | None = Field(None, description="From the request to the first byte.")
    idle: Seconds | None = Field(None, description="Between two pieces of a stream.")
    total: Seconds | None = None


class ModelTable(Table):
    """Which model answers."""

    use: Annotated[Text, AfterValidator(_preset)] = Field(
        description="A preset: ark, deepseek, openai, ollama …, compatible, offline."
    )
    name: str = Field("", description="The model's name at the provider.")
    base_url: str = Field(
        "", description="Another address than the preset's; ${NAME} is filled in."
    )
    key_env: Annotated[
        str, AfterValidator(_Formed(r"([A-Za-z_]\w*)?", "the name of an environment variable"))
    ] = Field(
        "",
        description="Environment variable that holds the key; never the key itself.",
    )
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    max_tokens: int | None = Field(None, gt=0, description="Longest answer, in tokens.")
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    stop: list[Text] | None = Field(None, description="Texts that end the answer.")
    seed: int | None = None
    thinking: Switch | None = Field(None, description="Switch thinking on or off; else as it is.")
    stream: Switch = Field(True, description="Show the answer as it is written.")
    extra: dict[str, Any] | None = Field(None, description="Further fields, sent as they are.")
    switches: dict[str, Any] | None = Field(None, description="Single switches of the preset.")
    text_calls: Switch = Field(False, description="Recognise calls that the model writes as text.")
    timeouts: TimeoutsTable | None = None
    retries: int | None = Field(None, ge=0, le=10, description="Further attempts.")
    fallback: Literal["", "offline"] = Field("", description="Answers when the model cannot.")

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if self.use == "offline":
            return self
        base_url = re.sub(r"\$\{[^}]*\}", "x", self.base_url)
        spec = ModelSpec(
            use=self.use,
            name=self.name,
            base_url=base_url if "://" in base_url or not base_url else "http://x",
            key_env=self.key_env,
            switches=self.switches or {},
        )
        try:
            endpoint(spec)
        except SettingsError as error:
            raise ValueError(str(error)) from None
        return self


class McpTable(Table):
    """A server of tools that speaks the Model Context Protocol."""

    name: Name = Field(description="Stands before the names of its tools.")
    command: list[Text] | None = Field(
        None, description="Program and arguments; `python` is the Python that runs Pointsman."
    )
    url: Text | None = Field(None, description="Address of an HTTP server; ${NAME} is filled in.")
    env: dict[str, str] = Field({}, description="Variables for the program; ${NAME} is filled in.")
    headers: dict[str, str] = Field({}, description="HTTP headers; ${NAME} is filled in.")
    cwd: str = Field("", description="Where the program starts; the agent folder by default.")
    allow: list[Text] | None = Field(None, description="Only these of its tools.")
    deny: list[Text] = Field([], description="Not these of its tools.")
    risk: RiskName | None = Field(None, description="Of all its tools, unless `tools` says else.")
    tools: dict[str, OverridesTable] = Field({}, description="What is said about single tools.")
    trust: Literal["trusted", "untrusted"] = Field(
        "untrusted", description="Whether what the server says about its tools counts."
    )
    startup_timeout: Seconds | None = Field(None, description="Seconds to start in.")
    call_timeout: Seconds | None = Field(None, description="Seconds for one call.")
    joiner: str = Field(
        "__", pattern=r"^[A-Za-z0-9_-]{0,4}$", description="Joins its name and theirs."
    )
    context: dict[str, ContextField] = Field(
        {}, description="Parameter → what the engine fills in; the model does not see it."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("needs either command or url")
        if self.url and not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("url must start with http:// or https://")
        return self


FunctionName = Annotated[
    str,
    AfterValidator(_Formed(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", "module:function")),
]


def _built_in(name: str) -> str:
    if name not in BUILT_IN:
        raise ValueError(f"there is no built-in tool {name!r}; {did_you_mean(name, BUILT_IN)}")
    return name


class ToolTable(OverridesTable):
    """One source of tools: a Python function or a built-in tool, with overrides beside it, an MCP
    server, a database, or an HTTP API."""

    python: (
        Annotated[
            str,
            AfterValidator(
                _Formed(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[^\W\d]\w*)?", "module:function or module")
            ),
        ]
        | None
    ) = Field(
        None,
        description="module:function in the folder or a package; module: all its @tool functions.",
    )
    check: FunctionName | None = Field(
        None, description="module:function that says whether a call that was cut off happened."
    )
    builtin: (
        Annotated[
            str,
            AfterValidator(_built_in),
            WithJsonSchema({"type": "string", "enum": list(BUILT_IN)}),
        ]
        | None
    ) = Field(None, description="A tool that Pointsman brings itself, by its name.")
    mcp: McpTable | None = None
    sql: SqlTable | None = None
    http: HttpTable | None = None
    openapi: OpenApiTable | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        kinds = ("python", "builtin", "mcp", "sql", "http", "openapi")
        if sum(getattr(self, kind) is not None for kind in kinds) != 1:
            raise ValueError(f"needs one of {', '.join(kinds[:-1])} and {kinds[-1]}")
        if self.check and not self.python:
            raise ValueError("check goes with python")
        for whole in kinds[2:]:
            beside = ", ".join(sorted(self.model_fields_set - {whole}))
            if beside and getattr(self, whole):
                told = f"{beside} beside {whole} has no place; write it inside of {whole}"
                raise ValueError(told)
        return self


class IntentTable(Table):
    """What a user may want, and the tools that serve it."""

    title: Title | None = None
    description: str = ""
    examples: list[Text] = Field([], description="How users say it, in any language.")
    keywords: list[Text] = Field([], description="Words that point to it, for the rules.")
    patterns: list[Pattern] = Field([], description="Regular expressions that point to it.")
    tools: list[Text] = Field([], description="The tools shown to the model; none is fine.")
    accept: float | None = Field(None, ge=0, le=1, description="Taken from this score on.")
    ask: float | None = Field(None, ge=0, le=1, description="Asked about from this score on.")


class PolicyTable(Table):
    """A rule over the defaults: read is allowed, write confirmed, critical approved."""

    tool: str = Field("", description="The tool's name as the model sees it; any when left out.")
    risk: RiskName | None = Field(None, description="Tools of this risk; any when left out.")
    when: Annotated[str, AfterValidator(_condition)] = Field(
        "", description="A condition on the arguments, such as amount > 500."
    )
    then: Annotated[
        str, AfterValidator(_verdict), WithJsonSchema({"type": "string", "enum": list(VERDICTS)})
    ]
    by: str = Field("", description="The role that approves.")
    own: Switch = Field(False, description="Who asked may approve too, if he has the role.")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if (self.by or self.own) and self.then != "approve":
            raise ValueError(f"{'by' if self.by else 'own'} goes with then: approve")
        if not (self.tool or self.risk or self.when):
            raise ValueError("needs a tool, a risk or a condition (when)")
        return self


LimitsTable = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "description": "What one run may use.",
            "properties": {
                name: {
                    "type": "number" if Limits.__annotations__[name] is float else "integer",
                    "exclusiveMinimum": 0,
                }
                for name in Limits.__struct_fields__
            },
            "additionalProperties": False,
        }
    ),
]


class AgentTable(Table):
    """An agent."""

    agent: Name = Field(description="Its name; OpenAI clients ask for it as a model.")
    title: Title | None = Field(None, description="Its name for people.")
    language: Annotated[str, AfterValidator(_language)] = Field(
        "en", description="zh or en: of questions, when the user's is not known."
    )
    timezone: Annotated[str, AfterValidator(_zone)] = Field(
        "UTC", description="IANA name, such as Asia/Shanghai."
    )
    examples: Requests | None = Field(
        None, description="Requests to begin with, by language; else some of the intents' examples."
    )
    instructions: str = Field(
        "", description="The system prompt, or a file such as prompts/system.md."
    )
    model: ModelTable | None = Field(None, description="Which model; the offline rules without it.")
    classifier: list[Literal["rules", "examples", "llm"]] = Field(
        [], description="What tells the intent, cheapest first."
    )
    intents: dict[str, IntentTable] = Field({}, description="What users want, by name.")
    tools: list[ToolTable] = Field([], description="Where its tools come from.")
    tool_choice: Literal["auto", "required"] = Field(
        "auto", description="Whether the first answer of a run must call a tool."
    )
    policy: list[PolicyTable] = Field([], description="Rules on calls; the first match decides.")
    limits: LimitsTable = Field({}, description="What one run may use.")
    offline: OfflineRules | None = Field(None, description="Rules of the offline model.")

    @model_validator(mode="after")
    def _somebody_answers(self) -> Self:
        wanted = self.model is None or "offline" in (self.model.use, self.model.fallback)
        if wanted and self.offline is None:
            raise ValueError(
                "needs a model:, or an offline: section with the offline model's rules"
            )
        return self
