"""A function's signature as a JSON Schema for the model, and the reader of its arguments.

The function itself is never changed or wrapped. Above: ``functions``.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from pointsman.adapters.tools.docstrings import described
from pointsman.domain.masking import MARK
from pointsman.domain.values.natures import GIVEN, is_source
from pointsman.errors import ToolDefinitionError
from pointsman.ports import CallContext

CONTEXT_FIELDS = ("user", "agent", "conversation", "run", "input", "now")


class FromContext(Struct, frozen=True):
    """Marks a parameter that the engine fills and the model never sees:
    ``login: Annotated[str, FromContext("user")]``.

    Attributes:
        field: user, agent, conversation, run, input or now.
    """

    field: str


class Private(Struct, frozen=True):
    """Marks a parameter whose values no view of the journal shows:
    ``card: Annotated[str, Private()]``."""

    def __get_pydantic_json_schema__(self, core: Any, schema_of: Any) -> dict[str, Any]:
        return {**schema_of(core), MARK: True}


class Source:
    """Marks what may fill a parameter, instead of what its kind of value asks for:
    ``order: Annotated[str, Source("user", "tool:find_order")]``.

    Args:
        kinds: ``user`` (the user's own words), ``tool`` (any result, or that of a tool that is
            named), ``default`` and ``model`` (the model's own words).

    Raises:
        ToolDefinitionError: there is no such kind.
    """

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds
        for kind in kinds:
            if not is_source(kind):
                raise ToolDefinitionError(f"Source: no kind {kind!r}; known: {', '.join(GIVEN)}")

    def __get_pydantic_json_schema__(self, core: Any, schema_of: Any) -> dict[str, Any]:
        return {**schema_of(core), "x-source": list(self.kinds)}


class Signature(Struct, frozen=True, kw_only=True):
    """What a function takes.

    Attributes:
        description: of the function, from its docstring.
        parameters: JSON Schema of what the model gives.
        context: parameter → context field.
        whole_context: parameters that get the ``CallContext`` itself.
    """

    description: str
    parameters: dict[str, Any]
    context: dict[str, str]
    whole_context: tuple[str, ...]
    reader: type[BaseModel]
    fields: dict[str, str]
    defaulted: frozenset[str]

    def read(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """Keyword arguments of the types that the function asks for.

        Raises:
            pydantic.ValidationError: a check of the function's own types does not hold.
        """
        values = self.reader.model_validate(arguments)
        given = values.model_fields_set
        named = {
            name: getattr(values, field)
            for field, name in self.fields.items()
            if field in given or name not in self.defaulted
        }
        return named | dict.fromkeys(self.whole_context, context)


class _Schemas(GenerateJsonSchema):
    """Titles only where the author wrote them: a question is asked with them."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def signature_of(function: Callable[..., Any]) -> Signature:
    """Read a function's type hints and docstring.

    Raises:
        ToolDefinitionError: which function, which parameter, and what is wrong with it.
    """
    where = f"tool function {getattr(function, '__name__', function)!r}"
    hints = _hints(function, where)
    taken = inspect.signature(function).parameters
    description, documented = described(inspect.getdoc(function), taken.keys())
    context: dict[str, str] = {}
    whole: list[str] = []
    fields: dict[str, str] = {}
    declared: dict[str, Any] = {}
    defaulted: set[str] = set()
    for name, parameter in taken.items():
        hint = _hint(parameter, hints, where)
        if hint is CallContext:
            whole.append(name)
            continue
        if source := _from_context(hint, f"{where}, parameter {name!r}"):
            context[name] = source
        default = parameter.default
        if default is not inspect.Parameter.empty and not isinstance(default, FieldInfo):
            defaulted.add(name)
        if name in documented and not _says(hint, default):
            hint = Annotated[hint, Field(description=documented[name])]
        field = f"p{len(fields)}"
        fields[field] = name
        declared[field] = (hint, ... if default is inspect.Parameter.empty else default)
    reader, parameters = _compiled(function, where, fields, declared)
    for name in context:
        parameters["properties"].pop(name, None)
    if required := [name for name in parameters.get("required", ()) if name not in context]:
        parameters["required"] = required
    else:
        parameters.pop("required", None)
    return Signature(
        description=description,
        parameters=parameters,
        context=context,
        whole_context=tuple(whole),
        reader=reader,
        fields=fields,
        defaulted=frozenset(defaulted),
    )


def _hints(function: Callable[..., Any], where: str) -> dict[str, Any]:
    if not inspect.isroutine(function):
        raise ToolDefinitionError(f"{where} is not a function")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ToolDefinitionError(f"{where} yields; a tool returns one value")
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError) as fault:
        raise ToolDefinitionError(f"{where}: a type hint cannot be read: {fault}") from None


def _hint(parameter: inspect.Parameter, hints: Mapping[str, Any], where: str) -> Any:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise ToolDefinitionError(f"{where}: {parameter} cannot be offered; name each parameter")
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise ToolDefinitionError(f"{where}: parameter {name!r} must not be positional-only")
    if name not in hints:
        raise ToolDefinitionError(f"{where}: parameter {name!r} has no type; write `{name}: str`")
    return hints[name]


def _from_context(hint: Any, where: str) -> str:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    for mark in marks:
        if isinstance(mark, FromContext):
            if mark.field not in CONTEXT_FIELDS:
                raise ToolDefinitionError(
                    f"{where}: no context field {mark.field!r}; known: {', '.join(CONTEXT_FIELDS)}"
                )
            return mark.field
    return ""


def _says(hint: Any, default: Any) -> bool:
    """Whether the author described the parameter with a pydantic ``Field``."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return any(isinstance(mark, FieldInfo) and mark.description for mark in (*marks, default))


def _compiled(
    function: Callable[..., Any], where: str, fields: dict[str, str], declared: dict[str, Any]
) -> tuple[type[BaseModel], dict[str, Any]]:
    """The reader and its schema; its fields have neutral names, as a parameter may be ``copy``."""
    config = ConfigDict(alias_generator=fields.__getitem__, arbitrary_types_allowed=False)
    try:
        reader: type[BaseModel] = create_model("Arguments", __config__=config, **declared)
        schema = reader.model_json_schema(schema_generator=_Schemas)
    except PydanticUserError as fault:
        problem = str(fault).partition("\n")[0]
        raise ToolDefinitionError(f"{where}: a type has no JSON form: {problem}") from None
    schema.pop("title", None)
    schema.setdefault("properties", {})
    for name, definition in schema.get("$defs", {}).items():
        if definition.get("title") == name:
            del definition["title"]
    return reader, schema
