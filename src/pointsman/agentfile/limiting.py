"""What an agent file says of how often a tool is called, and when it is left alone."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from pointsman.domain.limiting import BreakerLimits, rate_of

_SWITCH = {"on": True, "off": False, "yes": True, "no": False, "true": True, "false": False}


def switch(value: Any) -> Any:
    """A truth value for a word such as ``on``; anything else as it is."""
    return _SWITCH.get(value.lower(), value) if isinstance(value, str) else value


class BreakerTable(BaseModel):
    """When a tool is left alone after failures."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    failures: int = Field(5, ge=0, description="So many leave it alone; 0 never does.")
    window: float = Field(60, gt=0, le=86400, description="Seconds in which they are counted.")
    pause: float = Field(30, gt=0, le=86400, description="Seconds that it is left alone.")

    @property
    def limits(self) -> BreakerLimits:
        return BreakerLimits(failures=self.failures, window=self.window, pause=self.pause)


def _breaker(value: Any) -> Any:
    match switch(value):
        case True:
            return {}
        case False:
            return {"failures": 0}
        case Mapping() as numbers:
            return numbers
        case _:
            raise ValueError("expected off, or failures, window and pause")


def _rate(value: str) -> str:
    rate_of(value)
    return value


Breaker = Annotated[
    BreakerTable,
    BeforeValidator(_breaker),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "boolean"},
                {"enum": ["on", "off"]},
                BreakerTable.model_json_schema(),
            ]
        }
    ),
]
RateText = Annotated[str, AfterValidator(_rate)]
