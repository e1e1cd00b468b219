"""HTTP operations of an agent file: what their tables become, and what a shape cannot say."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec.structs import replace

from pointsman.adapters.tools.http_guard import Unsafe, target_of
from pointsman.adapters.tools.http_request import placeholders
from pointsman.adapters.tools.http_settings import (
    HttpOperation,
    HttpParameter,
    HttpSettings,
    Where,
)
from pointsman.adapters.tools.openapi import (
    check_version,
    described,
    operation_of,
    server_of,
)
from pointsman.agentfile.http_shape import HttpParameterTable, HttpTable, OpenApiTable
from pointsman.agentfile.overrides import OverridesTable, keywords, limits, overrides, words
from pointsman.agentfile.text import Unreadable, decode, parse
from pointsman.domain.agent import Language
from pointsman.domain.limiting import ToolLimits
from pointsman.domain.tools import Risk
from pointsman.errors import ToolDefinitionError
from pointsman.faults import Fault, Place, did_you_mean

LARGEST_SPEC = 5_000_000
MOST_VALUES = 200_000
MOST_TOOLS = 100
"""Of one document: no model chooses well among more."""
_VARIABLE = re.compile(r"\$\{[^}]*\}")
_ONE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Faulty(Exception):
    """What is wrong with a table; ``fault`` has its place inside of it."""

    def __init__(self, place: Place, problem: str, hint: str = "") -> None:
        self.fault = Fault(place, problem, hint)
        super().__init__(problem)


def faults_of_http(
    tables: Sequence[tuple[Place, HttpTable | OpenApiTable]], folder: Path
) -> list[Fault]:
    """Tables that make no tools."""
    faults, names = [], set()
    for place, table in tables:
        if table.name in names:
            hint = "give it a name of its own"
            faults.append(Fault((*place, "name"), f"another one is called {table.name}", hint))
        names.add(table.name)
        try:
            settings_of(table, folder, "en")
        except Faulty as fault:
            found = fault.fault
            faults.append(Fault((*place, *found.place), found.problem, found.hint))
    return faults


def settings_of(table: HttpTable | OpenApiTable, folder: Path, language: Language) -> HttpSettings:
    """The operations that a table stands for.

    Raises:
        Faulty: it makes none.
    """
    if isinstance(table, HttpTable):
        address = table.url
        operations = [_written(table, language)]
    else:
        address, operations = _of_document(table, folder, language)
    return HttpSettings(
        name=table.name,
        operations=tuple(operations),
        private=_private(table.allow_private, address),
        trusted=table.trust == "trusted",
    )


def _private(said: bool | list[str], address: str) -> tuple[str, ...]:
    """The hosts that may have addresses which are not public, in their one spelling."""
    if said is False:
        return ()
    hosts = [_host_of(address)] if said is True else [_host_of(f"http://{one}/") for one in said]
    return tuple(host for host in hosts if host)


def _host_of(address: str) -> str:
    """The host of an address.

    Raises:
        Faulty: it cannot be known, or is none.
    """
    netloc = urlsplit(address).netloc
    if not netloc or "${" in netloc:
        hint = "write the hosts: allow_private: [crm.internal]"
        raise Faulty(("allow_private",), "the host of the address is not known here", hint)
    try:
        return target_of(f"http://{netloc}/").host
    except Unsafe as fault:
        raise Faulty(("allow_private",), str(fault)) from None


# One request, written down


def _written(table: HttpTable, language: Language) -> HttpOperation:
    url, _, question = table.url.partition("?")
    plain = _without_variables(url)
    if not _ONE.fullmatch(plain):
        _check_address(plain)
    asked = _asked_with(question)
    in_path, in_body = placeholders(plain), placeholders(table.body)
    known = tuple(dict.fromkeys((*table.parameters, *table.context)))
    for name in sorted({*in_path, *in_body, *asked} - {*known}):
        hint = did_you_mean(name, known) or f"write parameters: {{{name}: …}}"
        raise Faulty(("url",), f"{{{name}}} is no parameter", hint)
    parameters = []
    for name in known:
        one = table.parameters.get(name) or HttpParameterTable.model_validate({})
        where = _where(name, one, table, in_path, asked)
        if where == "body" and table.body is not None and name not in in_body:
            raise Faulty(("parameters", name), "the body does not use it", f'write "{{{name}}}"')
        wire = one.wire or asked.get(name) or ""
        parameters.append(HttpParameter(name=name, where=where, wire=wire))
    return HttpOperation(
        **overrides(table, language),
        **{k: v for k, v in words(table).items() if k == "titles"},
        limits=ToolLimits(**limits(table)),
        name=table.name,
        original=table.name,
        method=table.method,
        url=url,
        description=table.description,
        schema=_schema(table, in_path),
        said={name: said for name, one in table.parameters.items() if (said := keywords(one))},
        parameters=tuple(parameters),
        body=table.body,
        encoding=table.encoding,
        query={**dict(_fixed(question)), **table.query},
        headers=dict(table.headers),
        key_header=table.key_header or "",
    )


def _without_variables(url: str) -> str:
    """An address with something in the place of what only the environment knows."""
    return _VARIABLE.sub("x", _VARIABLE.sub("http://x", url, 1) if url[:2] == "${" else url)


def _check_address(plain: str) -> None:
    """Raises:
    Faulty: it is no address, or a value would choose the server.
    """
    netloc = urlsplit(plain).netloc
    if "{" in netloc or "}" in netloc:
        raise Faulty(("url",), "a parameter may not stand in the host", "write the host in full")
    try:
        target_of(_ONE.sub("x", plain))
    except Unsafe as fault:
        raise Faulty(("url",), str(fault)) from None


def _asked_with(question: str) -> dict[str, str]:
    """Parameter → its name in the query that the address is written with."""
    asked = {}
    for name, value in parse_qsl(_VARIABLE.sub("x", question), keep_blank_values=True):
        if found := _ONE.fullmatch(value):
            asked[found[1]] = name
        elif placeholders(value) or placeholders(name):
            hint = "write ?name={name}"
            raise Faulty(("url",), "a parameter must be the whole value in a query", hint)
    return asked


def _fixed(question: str) -> list[tuple[str, str]]:
    pairs = parse_qsl(question, keep_blank_values=True)
    return [(name, value) for name, value in pairs if not _ONE.fullmatch(value)]


def _where(
    name: str,
    one: HttpParameterTable,
    table: HttpTable,
    in_path: set[str],
    asked: Mapping[str, str],
) -> Where:
    if name in in_path:
        if one.place not in (None, "path"):
            raise Faulty(("parameters", name), "it stands in the path of the url")
        return "path"
    if one.place == "path":
        raise Faulty(("parameters", name), f"the url has no {{{name}}}")
    if name in asked:
        return "query"
    if one.place is not None:
        if one.place == "body" and table.method in ("GET", "HEAD"):
            raise Faulty(("parameters", name), f"{table.method} has no body")
        return one.place
    if table.body is not None:
        return "body" if name in placeholders(table.body) else "query"
    return "query" if table.method in ("GET", "HEAD", "DELETE") else "body"


def _schema(table: HttpTable, in_path: set[str]) -> dict[str, Any]:
    properties: dict[str, Any] = {name: {"type": "string"} for name in table.context}
    required = [name for name in table.context if name in in_path]
    for name, one in table.parameters.items():
        schema: dict[str, Any] = {"type": one.type, **one.schema_}
        if one.description:
            schema["description"] = one.description
        if one.choices:
            schema["enum"] = list(one.choices)
        if one.default is not None:
            schema["default"] = one.default
        properties[name] = schema
        if name in in_path or not (one.optional or one.default is not None):
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


# An OpenAPI document


def _of_document(
    table: OpenApiTable, folder: Path, language: Language
) -> tuple[str, list[HttpOperation]]:
    """The server's address, and the operations that are offered."""
    document = _document(table.spec, folder)
    found = described(document)
    for key, named in (("allow", table.allow or []), ("deny", table.deny), ("tools", table.tools)):
        for index, name in enumerate(named):
            if name not in found:
                place = (key, name) if key == "tools" else (key, index)
                hint = did_you_mean(name, found)
                raise Faulty(place, f"{table.spec} has no operation {name!r}", hint)
    offered = [
        one
        for name, one in found.items()
        if name not in table.deny and (table.allow is None or name in table.allow)
    ]
    if not 0 < len(offered) <= MOST_TOOLS:
        told = f"it offers {len(offered)} operations; 1 to {MOST_TOOLS} make sense"
        raise Faulty(("allow",), told, "write allow: [operationId, …]")
    server = table.server or server_of(document)
    if not server:
        raise Faulty(("server",), f"{table.spec} names no server", "write server: https://…")
    _check_address(_without_variables(server))
    fixed = {("header", name.lower()) for name in table.headers}
    fixed |= {("query", name.lower()) for name in table.query}
    operations = []
    for one in offered:
        try:
            operation = operation_of(
                one,
                document,
                server=server,
                prefix=table.name,
                joiner=table.joiner,
                fixed=fixed,
            )
        except ToolDefinitionError as fault:
            raise Faulty(("spec",), str(fault), f"leave it out: deny: [{one.id}]") from None
        operations.append(_overridden(operation, table, language))
    return server, operations


def _overridden(operation: HttpOperation, table: OpenApiTable, language: Language) -> HttpOperation:
    """The operation with what the agent file says over it."""
    one = table.tools.get(operation.original) or OverridesTable.model_validate({})
    said = words(one, one.parameters)
    if "parameters" in said:
        said["said"] = said.pop("parameters")
    given = {**overrides(one, language), **said, "limits": ToolLimits(**limits(one))}
    given["risk"] = given["risk"] or (Risk(table.risk) if table.risk else None)
    given["timeout"] = given["timeout"] or table.call_timeout
    return replace(
        operation,
        **given,
        headers=dict(table.headers),
        query=dict(table.query),
        key_header=table.key_header or "",
    )


def _document(spec: str, folder: Path) -> dict[str, Any]:
    """The document as plain data.

    Raises:
        Faulty: it cannot be read, or is none.
    """
    file = (folder / spec).resolve()
    if not file.is_relative_to(folder):
        raise Faulty(("spec",), f"{spec} lies outside of the agent folder", "copy it into it")
    try:
        text = decode(file.read_bytes(), most=LARGEST_SPEC)
        if text.lstrip()[:1] == "{":
            document = msgspec.json.decode(text)
        else:
            document, _, _ = parse(text, most=MOST_VALUES)
        check_version(document)
    except Unreadable as fault:
        where = f" in line {fault.line}" if fault.line else ""
        raise Faulty(("spec",), f"{spec}: {fault.problem}{where}", fault.hint) from None
    except (ToolDefinitionError, msgspec.DecodeError, RecursionError) as fault:
        raise Faulty(("spec",), f"{spec}: {fault}") from None
    except OSError as error:
        why = "there is no file" if isinstance(error, FileNotFoundError) else "cannot read"
        raise Faulty(("spec",), f"{why} {spec} in {folder.name}") from None
    return dict(document)
