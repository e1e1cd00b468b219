"""The OpenAPI document is whole: every reference leads somewhere, every route says what it does."""

from collections.abc import Iterator
from typing import Any

import pytest

from pointsman.entrypoints.web.app import create_app
from pointsman.settings import Settings
from tests.support.engine import service_of

pytestmark = pytest.mark.anyio


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


@pytest.fixture
async def document() -> dict[str, Any]:
    return create_app(await service_of(["hello"]), Settings()).openapi()


async def test_every_reference_leads_to_a_schema(document: dict[str, Any]) -> None:
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) <= known


async def test_every_route_describes_its_answer_and_its_error(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            (status, success), *_, (_, error) = operation["responses"].items()
            assert success.get("content") or status in ("204", "303"), (method, path)
            assert error["content"], (method, path)


async def test_bodies_are_described_by_their_models(document: dict[str, Any]) -> None:
    body = document["paths"]["/v1/chat/completions"]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/ChatRequest"}
    assert "messages" in document["components"]["schemas"]["ChatRequest"]["required"]


async def test_a_document_can_be_made_twice(document: dict[str, Any]) -> None:
    app = create_app(await service_of(["hello"]), Settings())
    assert app.openapi() == app.openapi() == document


async def test_every_route_has_an_id_of_its_own_that_says_what_it_is(
    document: dict[str, Any],
) -> None:
    ids = [
        operation["operationId"]
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    assert len(set(ids)) == len(ids)
    assert "get_api_runs_run_trace" in ids
    assert "post_v1_chat_completions" in ids
