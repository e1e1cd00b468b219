"""The keys that the file and the environment may have, and what each may say."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from pointsman.domain.agent import Language
from pointsman.domain.approvals import USER
from pointsman.domain.notices.channel_specs import channel_specs
from pointsman.errors import SettingsError
from pointsman.faults import Fault, faults_of
from pointsman.settings.access import AccessKeys
from pointsman.settings.places import place
from pointsman.settings.serving import ServingKeys
from pointsman.settings.values import LogLevel, Synchronous, Workers


def _lowered(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:-]+", value):
        raise ValueError(f"expected a host name or address, not {value!r}")
    return value


def _roles(value: dict[str, list[str]]) -> dict[str, list[str]]:
    for role in value:
        if role == USER or not role.strip():
            raise ValueError(f"{role!r} is no name for a role")
    return value


_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class Table(ServingKeys, AccessKeys):
    """The keys of the file; the variables are the same with ``POINTSMAN_`` before them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    agents: list[Annotated[str, Field(min_length=1)]] = []
    data: Annotated[str, Field(min_length=1)] = ""
    database: Annotated[str, Field(min_length=1), BeforeValidator(place)] = ""
    synchronous: Annotated[Synchronous, BeforeValidator(_lowered)] = "full"
    directory: Annotated[str, Field(min_length=1)] = ""
    host: Annotated[str, Field(min_length=1), AfterValidator(_host)] = ""
    port: int = Field(0, ge=1, le=65535)
    log_level: Annotated[LogLevel, BeforeValidator(_lowered)] = "warning"
    language: Annotated[Language, BeforeValidator(_lowered)] = "en"
    roles: Annotated[dict[str, list[_Name]], AfterValidator(_roles)] = {}
    channels: Annotated[dict[str, Any], AfterValidator(channel_specs)] = {}
    alerts: list[_Name] = []
    worker_concurrency: int = Field(1, ge=1, le=1000)
    worker_heartbeat: float = Field(1, ge=0.1, le=600)
    worker_dead_after: float = Field(1, ge=0.2, le=3600)
    worker_poll: float = Field(1, ge=0.05, le=60)
    worker_grace: float = Field(1, ge=0, le=3600)


WORKER = {f"worker_{name}": name for name in Workers.__struct_fields__}
KEYS = tuple(Table.model_fields)


def checked(values: dict[str, Any], place: Callable[[Fault], str]) -> Table:
    """The keys and values as a table.

    Args:
        place: says where a fault is, and what it is.

    Raises:
        SettingsError: names every fault.
    """
    try:
        return Table.model_validate(values)
    except ValidationError as error:
        faults = faults_of(error, Table, values)
        raise SettingsError("; ".join(map(place, faults))) from None
