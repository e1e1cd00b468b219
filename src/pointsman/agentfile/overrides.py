"""What an agent file says of a single tool, of whatever kind: its shape, and what it becomes."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from pointsman.agentfile.limiting import Breaker, RateText
from pointsman.agentfile.parts import Bilingual, ParameterTable, Switch, Table, Title
from pointsman.domain.agent import Language
from pointsman.domain.limiting import BreakerLimits, Rate, rate_of
from pointsman.domain.masking import MARK
from pointsman.domain.tools import Risk

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
RiskName = Literal["read", "write", "critical"]


class CallTable(Table):
    """What is said here about the calls of a tool."""

    risk: RiskName | None = Field(None, description="read, write or critical.")
    timeout: Seconds | None = Field(None, description="Seconds for one attempt.")
    idempotent: Switch | None = Field(None, description="Twice is the same as once.")
    retries: int | None = Field(None, ge=0, le=10, description="Further attempts, if repeatable.")
    title: Title | None = Field(None, description="For people, in questions and confirmations.")
    at_once: int | None = Field(None, ge=0, description="Calls at the same time; 0: any number.")
    rate: RateText | None = Field(None, description="Calls of one user, such as 10/min.")
    breaker: Breaker | None = Field(
        None, description="When it is left alone after failures: off, or the numbers."
    )


class OverridesTable(CallTable):
    """What is said here about a tool, over what the tool says about itself."""

    parameters: dict[str, ParameterTable] = Field(
        {}, description="What is said about single parameters, by name."
    )


class ToolOverrides(Struct, frozen=True, kw_only=True):
    """What the file says over a function's own declaration; None leaves it."""

    risk: Risk | None = None
    timeout: float | None = None
    idempotent: bool | None = None
    retries: int | None = None
    title: str = ""
    titles: Mapping[str, str] | None = None
    parameters: Mapping[str, Mapping[str, Any]] | None = None
    at_once: int | None = None
    rate: Rate | None = None
    breaker: BreakerLimits | None = None


def title(title: Bilingual | None, language: Language) -> str:
    """The words for people who speak the language; empty when there are none."""
    return "" if title is None else title.zh if language == "zh" else title.en


def overrides(table: CallTable, language: Language) -> dict[str, Any]:
    """What is said of the tool itself; None where nothing is."""
    return {
        "risk": Risk(table.risk) if table.risk else None,
        "timeout": table.timeout,
        "idempotent": table.idempotent,
        "retries": table.retries,
        "title": title(table.title, language),
    }


def words(
    table: CallTable, parameters: Mapping[str, ParameterTable] | None = None
) -> dict[str, Any]:
    """The tool's title by language and what is said of its parameters, where anything is."""
    said = {
        "titles": table.title and {"zh": table.title.zh, "en": table.title.en},
        "parameters": {name: keywords(one) for name, one in (parameters or {}).items()},
    }
    return {name: value for name, value in said.items() if value}


def keywords(table: ParameterTable) -> dict[str, Any]:
    """What is said of a parameter, in the words of its schema."""
    title = table.title and {"zh": table.title.zh, "en": table.title.en}
    said = {"x-title": title, "x-source": table.sources, MARK: table.private}
    return {name: value for name, value in said.items() if value is not None}


def limits(table: CallTable) -> dict[str, Any]:
    """What is said of a tool's limits, and nothing of what is not."""
    said = {
        "at_once": table.at_once,
        "rate": rate_of(table.rate) if table.rate else None,
        "breaker": table.breaker.limits if table.breaker else None,
    }
    return {name: value for name, value in said.items() if value is not None}
