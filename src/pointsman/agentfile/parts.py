"""The parts of the file's shape that its other parts are made of: tables, texts in both languages,
and what is said of a tool's parameter."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from pointsman.agentfile.limiting import switch
from pointsman.domain.values.natures import GIVEN, is_source

Text = Annotated[str, Field(min_length=1)]
Switch = Annotated[
    bool,
    BeforeValidator(switch),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": ["on", "off"]}]}),
]


class Table(BaseModel):
    """A part of the file. Types are strict: ``"10"`` is no number, an unknown key is a fault."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Bilingual(Table):
    """A text in both languages."""

    zh: Text
    en: Text


class Requests(Table):
    """Requests to begin with, by language."""

    zh: list[Text] = []
    en: list[Text] = []


def _bilingual(value: Any) -> Any:
    return {"zh": value, "en": value} if isinstance(value, str) and value else value


Title = Annotated[
    Bilingual,
    BeforeValidator(_bilingual),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "properties": {"zh": {"type": "string"}, "en": {"type": "string"}},
                },
            ]
        }
    ),
]


def _source(kind: str) -> str:
    if not is_source(kind):
        raise ValueError(f"expected one of {', '.join(GIVEN)} or tool:NAME, not {kind!r}")
    return kind


SourceKind = Annotated[str, AfterValidator(_source)]


class ParameterTable(Table):
    """What is said here about one parameter of a tool."""

    title: Title | None = Field(None, description="For people, in questions and confirmations.")
    sources: list[SourceKind] | None = Field(
        None, description="What may fill it: user, tool, tool:NAME, default, model."
    )
    private: Switch | None = Field(None, description="No view of the journal shows its values.")
