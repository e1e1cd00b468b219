"""An OpenAPI document (3.0, 3.1) as HTTP operations.

Read once, when the agent file is; nothing is fetched, and references lead inside of the document
only. What an allowed operation needs and cannot be said here is an error, never left out in
silence.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pointsman.adapters.tools.http_settings import (
    METHODS,
    Encoding,
    HttpOperation,
    HttpParameter,
    Where,
)
from pointsman.domain import names
from pointsman.domain.schemas.schema_reading import as_schema, local_target
from pointsman.errors import ToolDefinitionError

_MEDIA: dict[str, Encoding] = {
    "application/json": "json",
    "application/x-www-form-urlencoded": "form",
}
_PLACES = "#/components/schemas/"
_LONGEST = 4000
_DEEPEST = 60
_RESERVED = frozenset(
    "accept authorization connection content-length content-type expect host te trailer"
    " transfer-encoding upgrade".split()
)
_COMBINED = ("allOf", "oneOf", "anyOf", "$ref")


def is_reserved(header: str) -> bool:
    """Whether a header is ours or the author's to say, and no argument: those of the connection,
    and those that OpenAPI takes out. Source: OpenAPI 3.1, 4.8.12.1."""
    return header.lower() in _RESERVED


class Described(Struct, frozen=True, kw_only=True):
    """An operation as the document has it, before it is read in full."""

    id: str
    method: str
    path: str
    item: dict[str, Any]
    operation: dict[str, Any]


def check_version(document: Any) -> None:
    """Raises:
    ToolDefinitionError: it is no OpenAPI document of a version that is read here.
    """
    version = document.get("openapi") if isinstance(document, dict) else None
    if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
        raise ToolDefinitionError(
            "expected an OpenAPI document of version 3.0 or 3.1 (its first key: openapi: 3.1.0)"
        )


def described(document: Mapping[str, Any]) -> dict[str, Described]:
    """Every operation of the document, by its ``operationId``, or by method and path."""
    found: dict[str, Described] = {}
    for path, item in as_schema(document.get("paths")).items():
        whole = _followed(item, document)
        for method in METHODS:
            operation = whole.get(method.lower())
            if not isinstance(operation, dict):
                continue
            identity = operation.get("operationId")
            if not isinstance(identity, str) or not identity:
                identity = f"{method.lower()}_{path.strip('/').replace('/', '_')}"
            found.setdefault(
                identity,
                Described(id=identity, method=method, path=path, item=whole, operation=operation),
            )
    return found


def server_of(document: Mapping[str, Any]) -> str:
    """The address of the document's first server, with its variables' defaults; empty when it
    gives none that is absolute."""
    servers = document.get("servers")
    first = as_schema(servers[0]) if isinstance(servers, list) and servers else {}
    url = first.get("url")
    if not isinstance(url, str):
        return ""
    for name, variable in as_schema(first.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(as_schema(variable).get("default", "")))
    return url.rstrip("/") if url.startswith(("http://", "https://")) else ""


def operation_of(
    one: Described,
    document: Mapping[str, Any],
    *,
    server: str,
    prefix: str,
    joiner: str = "__",
    fixed: Collection[tuple[str, str]] = (),
) -> HttpOperation:
    """The operation as a tool.

    Args:
        server: the address before the operation's path.
        prefix: stands before its name.
        fixed: place and lower-case name of the parameters that are always sent: no arguments.

    Raises:
        ToolDefinitionError: it needs what cannot be sent.
    """
    reader = _Reader(one, document, fixed)
    reader.read()
    texts = [one.operation.get(key) for key in ("summary", "description")]
    return HttpOperation(
        name=names.joined(prefix, one.id, joiner),
        original=one.id,
        method=one.method,
        url=_joined(server, one.path, reader.renamed),
        description="\n".join(t.strip() for t in texts if isinstance(t, str))[:_LONGEST],
        schema=reader.schema(),
        parameters=tuple(reader.parameters),
        encoding=reader.encoding,
    )


def _joined(server: str, path: str, renamed: Mapping[str, str]) -> str:
    url = server.rstrip("/") + "/" + path.lstrip("/")
    for written, name in renamed.items():
        url = url.replace(f"{{{written}}}", f"{{{name}}}")
    return url


def _followed(value: Any, document: Mapping[str, Any]) -> dict[str, Any]:
    """The object that a reference leads to, through further ones.

    Raises:
        ToolDefinitionError: it leads outside, or nowhere.
    """
    found = as_schema(value)
    for _ in range(16):
        if "$ref" not in found:
            return found
        reference = found["$ref"]
        target = local_target(reference, dict(document))
        if not isinstance(target, dict):
            told = f"the reference {str(reference)[:200]!r} leads nowhere inside of the document"
            raise ToolDefinitionError(told)
        found = target
    raise ToolDefinitionError("a reference leads in a circle")


class _Reader:
    """Reads one operation's parameters and body into one flat schema."""

    def __init__(
        self, one: Described, document: Mapping[str, Any], fixed: Collection[tuple[str, str]]
    ) -> None:
        self._one, self._document, self._fixed = one, document, fixed
        self.parameters: list[HttpParameter] = []
        self.encoding: Encoding = "json"
        self.renamed: dict[str, str] = {}
        """Names in the path that no Python-like name is → what stands for them."""
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self._shared: dict[str, Any] = {}

    def read(self) -> None:
        merged: dict[tuple[str, str], dict[str, Any]] = {}
        for parameter in (
            *_list(self._one.item.get("parameters")),
            *_list(self._one.operation.get("parameters")),
        ):
            found = _followed(parameter, self._document)
            merged[str(found.get("name")), str(found.get("in"))] = found
        for (name, where), parameter in merged.items():
            self._parameter(name, where, parameter)
        self._body(_followed(self._one.operation.get("requestBody"), self._document))
        undeclared = {
            name
            for name in _braces(self._one.path)
            if not any(one.where == "path" and one.key == name for one in self.parameters)
        }
        if undeclared:
            raise self._fault(f"the path's {{{min(undeclared)}}} is no parameter of it")

    def schema(self) -> dict[str, Any]:
        """The schema of the arguments, with what it refers to."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": self._properties,
            "required": self._required,
            "additionalProperties": False,
        }
        return {**schema, "$defs": self._shared} if self._shared else schema

    def _parameter(self, name: str, where: str, said: Mapping[str, Any]) -> None:
        required = said.get("required") is True or where == "path"
        if where not in ("path", "query", "header"):
            if required:
                raise self._fault(f"{name} is a parameter in {where!r}, which cannot be sent")
            return
        if (where, name.lower()) in self._fixed or (where == "header" and is_reserved(name)):
            return
        schema = said.get("schema")
        if schema is None:  # content: a JSON value as text
            schema = next(
                (as_schema(one).get("schema") for one in as_schema(said.get("content")).values()),
                {},
            )
        style = said.get("style")
        if required and style in ("matrix", "label", "deepObject"):
            raise self._fault(f"{name} is written in the style {style!r}, which cannot be sent")
        if style in ("matrix", "label", "deepObject"):
            return
        written = self._schema(schema)
        if isinstance(described := said.get("description"), str):
            written = {**written, "description": described[:_LONGEST]}
        joined = said.get("explode") is False and where == "query"
        self._add(name, where, written, required=required, joined=joined or where != "query")

    def _add(
        self, wire: str, where: Where | str, schema: Any, *, required: bool, joined: bool = False
    ) -> None:
        name = names.safe(wire).replace("-", "_")
        if name in self._properties:
            name = f"{where}_{name}"
        if name in self._properties:
            raise self._fault(f"two parameters are called {wire!r}")
        if where == "path":
            self.renamed[wire] = name
        self._properties[name] = schema
        if required:
            self._required.append(name)
        place: Where = where  # type: ignore[assignment]  # one of the four, looked at before
        self.parameters.append(
            HttpParameter(name=name, where=place, wire="" if name == wire else wire, joined=joined)
        )

    def _body(self, body: Mapping[str, Any]) -> None:
        content = as_schema(body.get("content"))
        if not content:
            return
        needed = body.get("required") is True
        media = next(
            (one for one in content if one.partition(";")[0].strip().lower() in _MEDIA), None
        )
        if media is None:
            if needed:
                kinds = ", ".join(content)[:200]
                raise self._fault(f"its body is {kinds}; JSON and forms can be sent")
            return
        self.encoding = _MEDIA[media.partition(";")[0].strip().lower()]
        written = as_schema(content[media]).get("schema")
        plain = _followed(written, self._document)
        own = as_schema(plain.get("properties"))
        flat = own and not any(word in plain for word in _COMBINED)
        if not flat or as_schema(plain.get("additionalProperties")):
            self._add("body", "whole", self._schema(written), required=needed)
            return
        must = _list(plain.get("required")) if needed else []
        for name, schema in own.items():
            if as_schema(schema).get("readOnly") is not True:
                self._add(name, "body", self._schema(schema), required=name in must)

    def _schema(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """A schema in the words of JSON Schema 2020-12, what it refers to kept for ``$defs``."""
        if depth > _DEEPEST:
            return {}
        given = as_schema(schema)
        written = {key: self._word(key, value, depth) for key, value in given.items()}
        if isinstance(written.get("required"), list) and isinstance(
            written.get("properties"), dict
        ):
            dropped = as_schema(given.get("properties")).keys() - written["properties"].keys()
            written["required"] = [one for one in written["required"] if one not in dropped]
        for word in ("example", "xml", "externalDocs", "discriminator"):
            written.pop(word, None)
        for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if written.get(word) is True:  # 3.0: a switch beside the bound
                written[word] = written.pop(bound, None)
            if written.get(word) is None or written[word] is False:
                written.pop(word, None)
        if written.pop("nullable", False) is True and isinstance(written.get("type"), str):
            written["type"] = [written["type"], "null"]
            if isinstance(written.get("enum"), list) and None not in written["enum"]:
                written["enum"] = [*written["enum"], None]
        return written

    def _word(self, key: str, value: Any, depth: int) -> Any:
        if key == "$ref":
            return self._reference(value)
        if key in ("properties", "patternProperties", "dependentSchemas"):
            return {
                name: self._schema(one, depth + 1)
                for name, one in as_schema(value).items()
                if as_schema(one).get("readOnly") is not True
            }
        if key in ("allOf", "anyOf", "oneOf", "prefixItems"):
            return [self._schema(one, depth + 1) for one in _list(value)]
        if key in ("items", "not", "additionalProperties", "contains", "if", "then", "else"):
            return self._schema(value, depth + 1) if isinstance(value, dict) else value
        return value

    def _reference(self, reference: Any) -> str:
        target = _followed({"$ref": reference}, self._document)
        name = str(reference).removeprefix(_PLACES).replace("/", "_").replace("~", "_")
        name = names.safe(name.lstrip("#_"))
        if name not in self._shared:
            self._shared[name] = {}  # stands while its inside is read: it may hold itself
            self._shared[name] = self._schema(target)
        return f"#/$defs/{name}"

    def _fault(self, problem: str) -> ToolDefinitionError:
        return ToolDefinitionError(f"{self._one.id}: {problem}")


def _braces(path: str) -> Iterator[str]:
    for piece in path.split("{")[1:]:
        yield piece.partition("}")[0]


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []
