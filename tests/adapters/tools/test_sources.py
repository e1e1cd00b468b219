"""A parameter of a function says what may fill it, and what people call it."""

from typing import Annotated

import pytest
from pydantic import Field

from pointsman import Source, tool
from pointsman.adapters.tools.functions import FunctionTool
from pointsman.errors import ToolDefinitionError

OrderId = Annotated[str, Source("user", "tool:find_order"), Field(description="of an order")]


@tool(title={"zh": "退款", "en": "Refund"})
def refund(order: OrderId, reason: Annotated[str | None, Source("model")] = None) -> str:
    """Give money back."""
    return order


def test_the_sources_stand_in_the_schema_and_the_model_does_not_see_them() -> None:
    spec = FunctionTool(refund).spec
    order, reason = spec.parameters["properties"].values()
    assert order == {
        "type": "string",
        "description": "of an order",
        "x-source": ["user", "tool:find_order"],
    }
    assert reason["x-source"] == ["model"]
    assert "x-source" not in str(spec.wire_parameters)


@pytest.mark.parametrize("kind", ["me", "tool:", "context:x", ""])
def test_a_source_that_there_is_not_is_refused(kind: str) -> None:
    with pytest.raises(ToolDefinitionError, match="known: user, tool, default, model"):
        Source("user", kind)


def test_a_tool_has_titles_in_both_languages() -> None:
    spec = FunctionTool(refund).spec
    assert (spec.title, spec.titled("zh"), spec.titled("en")) == ("退款", "退款", "Refund")
    plain = FunctionTool(refund, overrides={"title": "Pay back"}).spec
    assert (plain.title, plain.titled("zh")) == ("Pay back", "Pay back")
    with pytest.raises(ToolDefinitionError, match="by zh and en"):
        tool(title={"fr": "remboursement"})
