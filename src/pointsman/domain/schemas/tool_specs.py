"""Making a ``ToolSpec``: every source of tools comes through here."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pointsman.domain.limiting import ToolLimits
from pointsman.domain.masking import private_parameters
from pointsman.domain.schemas.schema_reading import Schema, normalised
from pointsman.domain.schemas.wire_schemas import wire_schema
from pointsman.domain.tools import Risk, ToolSpec


def tool_spec(
    *,
    source: str,
    original: str,
    name: str,
    description: str,
    parameters: Any,
    title: str = "",
    titles: Mapping[str, str] | None = None,
    said: Mapping[str, Mapping[str, Any]] | None = None,
    risk: Risk = Risk.WRITE,
    timeout: float = 30.0,
    idempotent: bool = False,
    retries: int = 2,
    trusted: bool = False,
    context: Mapping[str, str] | None = None,
    limits: ToolLimits | None = None,
) -> ToolSpec:
    """A tool with its wire form and digest.

    What the wire form cannot say is added to the description in words (see ``wire_schemas``; its
    notes are also what an adapter logs about a foreign schema).

    Args:
        parameters: any JSON value that was given as the schema; what is none means "no parameters".
        said: parameter → keywords that stand in its schema over its own.
    """
    schema = _with(normalised(parameters), said or {})
    wire, notes = wire_schema(schema)
    identity = json.dumps([source, original, name, schema], sort_keys=True)
    return ToolSpec(
        name=name,
        source=source,
        original=original,
        description="\n".join(
            part
            for part in (description.strip(), *(one for one in notes if one not in description))
            if part
        ),
        parameters=schema,
        wire_parameters=wire,
        digest=hashlib.sha256(identity.encode()).hexdigest(),
        title=title,
        titles=dict(titles or {}),
        risk=risk,
        timeout=timeout,
        idempotent=idempotent,
        retries=retries,
        trusted=trusted,
        private=private_parameters(schema),
        context=dict(context or {}),
        limits=limits or ToolLimits(),
    )


def _with(schema: Schema, said: Mapping[str, Mapping[str, Any]]) -> Schema:
    """The schema with these keywords at its parameters; those that it does not have are left."""
    own = schema.get("properties")
    if not said or not isinstance(own, dict):
        return schema
    changed = {
        name: {**own[name], **said[name]} for name in said if isinstance(own.get(name), dict)
    }
    return {**schema, "properties": {**own, **changed}}
