"""OpenAPI documents as HTTP operations."""

from typing import Any

import jsonschema_rs
import pytest

from pointsman.adapters.tools.http_request import request_of
from pointsman.adapters.tools.http_settings import HttpOperation
from pointsman.adapters.tools.openapi import check_version, described, operation_of, server_of
from pointsman.errors import ToolDefinitionError

CRM: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "CRM", "version": "1"},
    "servers": [
        {"url": "https://{region}.crm.test/v1/", "variables": {"region": {"default": "eu"}}}
    ],
    "paths": {
        "/customers/{customer-id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getCustomer",
                "summary": "One customer.",
                "parameters": [
                    {
                        "name": "fields",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array"},
                    },
                    {"name": "X-Tenant", "in": "header", "required": True, "schema": {}},
                    {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ],
            },
            "put": {
                "operationId": "putCustomer",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Customer"}}
                    },
                },
            },
        },
        "/search": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"oneOf": [{"$ref": "#/components/schemas/Node"}]}
                        }
                    }
                }
            }
        },
    },
    "components": {
        "parameters": {
            "Id": {
                "name": "customer-id",
                "in": "path",
                "required": True,
                "schema": {"type": "integer"},
            }
        },
        "schemas": {
            "Customer": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "name": {"type": "string", "example": "Wang"},
                    "phone": {"type": "string", "nullable": True},
                    "age": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                    "home": {"$ref": "#/components/schemas/Node"},
                },
            },
            "Node": {
                "type": "object",
                "properties": {
                    "at": {"type": "string"},
                    "next": {"$ref": "#/components/schemas/Node"},
                },
            },
        },
    },
}


def read(operation: str, document: dict[str, Any] = CRM, **more: Any) -> HttpOperation:
    server = server_of(document)
    one = described(document)[operation]
    return operation_of(one, document, server=server, prefix="crm", **more)


def test_an_operation_is_a_tool_with_its_parameters() -> None:
    one = read("getCustomer")
    assert (one.name, one.original, one.method) == ("crm__getCustomer", "getCustomer", "GET")
    assert one.description == "One customer."
    assert list(one.schema["properties"]) == ["customer_id", "fields", "X_Tenant"]
    assert one.schema["required"] == ["customer_id", "X_Tenant"]
    request = request_of(one, {"customer_id": 7, "fields": ["a", "b"], "X_Tenant": "t"}, key="k")
    assert request.url == "https://eu.crm.test/v1/customers/7?fields=a%2Cb"
    assert request.headers["X-Tenant"] == "t"


def test_a_body_is_taken_apart_into_parameters() -> None:
    one = read("putCustomer")
    properties = one.schema["properties"]
    assert list(properties) == ["customer_id", "name", "phone", "age", "home"]
    assert one.schema["required"] == ["customer_id", "name"]
    assert properties["phone"] == {"type": ["string", "null"]}
    assert properties["age"] == {"type": "integer", "exclusiveMinimum": 0}
    request = request_of(one, {"customer_id": 7, "name": "王", "home": {"at": "x"}}, key="k")
    assert request.body == '{"name": "王", "home": {"at": "x"}}'.encode()


def test_references_that_lead_in_a_circle_stay_references() -> None:
    schema = dict(read("putCustomer").schema)
    assert schema["properties"]["home"] == {"$ref": "#/$defs/Node"}
    checked = jsonschema_rs.validator_for(schema)
    node = {"at": "x", "next": {"at": 1}}
    assert checked.is_valid({"customer_id": 1, "name": "n"})
    assert not checked.is_valid({"customer_id": 1, "name": "n", "home": node})


def test_a_body_of_several_shapes_is_one_parameter() -> None:
    one = read("post_search")
    assert list(one.schema["properties"]) == ["body"]
    assert request_of(one, {"body": {"at": "x"}}, key="k").body == b'{"at": "x"}'


def test_what_is_always_sent_is_no_parameter() -> None:
    one = read("getCustomer", fixed={("header", "x-tenant"), ("query", "fields")})
    assert list(one.schema["properties"]) == ["customer_id"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"parameters": [{"name": "s", "in": "cookie", "required": True}]}, "cookie"),
        ({"parameters": [{"$ref": "http://evil.test/x.json"}]}, "leads nowhere"),
        ({"parameters": [{"$ref": "#/components/none"}]}, "leads nowhere"),
        (
            {"requestBody": {"required": True, "content": {"multipart/form-data": {}}}},
            "JSON and forms",
        ),
        (
            {"parameters": [{"name": "f", "in": "query", "required": True, "style": "deepObject"}]},
            "deepObject",
        ),
    ],
)
def test_what_cannot_be_sent_is_an_error(change: dict[str, Any], problem: str) -> None:
    document = {**CRM, "paths": {"/x": {"get": {"operationId": "x", **change}}}}
    with pytest.raises(ToolDefinitionError, match=problem):
        read("x", document)


def test_a_path_without_its_parameter_is_an_error() -> None:
    document = {**CRM, "paths": {"/x/{id}": {"get": {"operationId": "x"}}}}
    with pytest.raises(ToolDefinitionError, match=r"\{id\} is no parameter"):
        read("x", document)


@pytest.mark.parametrize("document", [{}, [], {"swagger": "2.0"}, {"openapi": 3.1}, None])
def test_another_document_is_refused(document: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="version 3"):
        check_version(document)
    check_version({"openapi": "3.1.1"})
