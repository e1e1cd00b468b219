"""A function's private parameters."""

from typing import Annotated

from pydantic import BaseModel, Field

from pointsman import Private
from pointsman.adapters.tools.functions import FunctionTool


class Card(BaseModel):
    number: Annotated[str, Private()]
    bank: str


def pay(
    card: Card,
    pin: Annotated[int, Private(), Field(description="of the card", ge=0)],
    code: Annotated[str | None, Private()] = None,
    amount: int = 1,
) -> str:
    """Pay."""
    return "paid"


def test_private_parameters_are_marked_in_the_schema_and_known_by_name() -> None:
    spec = FunctionTool(pay).spec
    assert spec.private == ("card", "pin", "code")
    assert spec.parameters["properties"]["pin"] == {
        "description": "of the card",
        "minimum": 0,
        "type": "integer",
        "x-private": True,
    }


def test_the_model_is_not_shown_the_mark() -> None:
    assert "x-private" not in str(FunctionTool(pay).spec.wire_parameters)
