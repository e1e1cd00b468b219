"""What an agent file says of HTTP operations: the shape of ``http:`` and ``openapi:``."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pointsman.adapters.tools.openapi import is_reserved
from pointsman.agentfile.overrides import CallTable, OverridesTable, RiskName, Seconds
from pointsman.agentfile.parts import ParameterTable, Switch, Table, Text

Plain = str | int | float | bool
ContextField = Literal["user", "agent", "conversation", "run", "input", "now"]
_URL = re.compile(r"(https?://|\$\{)", re.IGNORECASE)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")


def _name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value):
        raise ValueError("expected a name of letters, digits, '_' and '-'")
    return value


def _argument(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", value):
        raise ValueError("expected a name of letters, digits and '_'")
    return value


def _header(value: str) -> str:
    if not _HEADER.fullmatch(value):
        raise ValueError("expected the name of a header")
    return value


def _url(value: str) -> str:
    if not _URL.match(value):
        raise ValueError("must start with http:// or https://")
    return value


Name = Annotated[str, AfterValidator(_name)]
Argument = Annotated[str, AfterValidator(_argument)]
Header = Annotated[str, AfterValidator(_header)]
Private = Switch | list[Text]


class HttpParameterTable(ParameterTable):
    """A value that the model gives."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"] = "string"
    description: str = Field("", description="For the model.")
    place: Literal["path", "query", "header", "body"] | None = Field(
        None,
        alias="in",
        description="Where it goes: the path if the url names it, else the query or the body.",
    )
    wire: Text | None = Field(None, alias="as", description="Its name there, if it has another.")
    choices: list[Plain] = Field([], description="The only values there are.")
    default: Plain | None = Field(None, description="Taken when none is given.")
    optional: Switch = Field(False, description="Left out when none is given.")
    schema_: dict[str, Any] = Field(
        {}, alias="schema", description="Further keywords of its JSON Schema, such as items."
    )


class HttpTable(CallTable):
    """An HTTP request as a tool."""

    name: Name
    description: Text = Field(description="For the model: what it does, when to take it.")
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    url: (
        Annotated[Text, AfterValidator(_url)]
        | Annotated[str, Field(pattern=r"^\{[A-Za-z_][A-Za-z0-9_]*\}$")]
    ) = Field(
        description="With {name} for parameters in the path; {name} alone for any public URL."
    )
    parameters: dict[Argument, HttpParameterTable] = Field({}, description="By name.")
    context: dict[Argument, ContextField] = Field(
        {}, description="Parameter → what the engine fills in; the model does not see it."
    )
    headers: dict[Header, str] = Field({}, description="Always sent; ${NAME} is filled in.")
    query: dict[Text, str] = Field({}, description="Always asked with; ${NAME} is filled in.")
    body: dict[str, Any] | list[Any] | None = Field(
        None, description='The JSON body, with "{name}" for values; all of them when left out.'
    )
    encoding: Literal["json", "form"] = "json"
    key_header: Header | None = Field(
        None, description="Header for the call's idempotency key, such as Idempotency-Key."
    )
    allow_private: Private = Field(
        False, description="Whether its host may be in your own network; or the hosts that may."
    )
    trust: Literal["trusted", "untrusted"] = Field(
        "untrusted", description="Whether answers count as our own words."
    )

    @model_validator(mode="after")
    def _sends_what_it_may(self) -> Self:
        for name, one in self.parameters.items():
            sent = one.wire or name
            if one.place == "header":
                if is_reserved(sent) or sent.lower() in {h.lower() for h in self.headers}:
                    raise ValueError(f"the header {sent} cannot be a parameter")
                _header(sent)
        if self.url.startswith("{") and (self.headers or self.query or self.allow_private):
            raise ValueError(
                "a url that the model chooses goes without headers, query and allow_private"
            )
        return self


class OpenApiTable(Table):
    """The operations of an OpenAPI document as tools."""

    name: Name = Field(description="Stands before the names of its tools.")
    spec: Text = Field(description="A JSON or YAML file in the agent folder.")
    allow: list[Text] | None = Field(None, description="Only these operationIds.")
    deny: list[Text] = Field([], description="Not these operationIds.")
    server: Annotated[str, AfterValidator(_url)] | None = Field(
        None, description="Another address than the document's; ${NAME} is filled in."
    )
    headers: dict[Header, str] = Field({}, description="Always sent; ${NAME} is filled in.")
    query: dict[Text, str] = Field({}, description="Always asked with; ${NAME} is filled in.")
    key_header: Header | None = Field(None, description="Header for the call's idempotency key.")
    risk: RiskName | None = Field(None, description="Of all its tools, unless `tools` says else.")
    tools: dict[str, OverridesTable] = Field({}, description="What is said about single tools.")
    call_timeout: Seconds | None = Field(None, description="Seconds for one call.")
    joiner: str = Field(
        "__", pattern=r"^[A-Za-z0-9_-]{0,4}$", description="Joins its name and theirs."
    )
    context: dict[str, ContextField] = Field(
        {}, description="Parameter → what the engine fills in; the model does not see it."
    )
    allow_private: Private = Field(
        False, description="Whether its host may be in your own network; or the hosts that may."
    )
    trust: Literal["trusted", "untrusted"] = Field(
        "untrusted", description="Whether answers count as our own words."
    )
