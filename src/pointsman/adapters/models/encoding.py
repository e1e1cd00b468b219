"""A question to a model → the bytes of its request.

Above: ``chat_completions``. The history of a run grows by a few messages a turn, so each message
and each list of tools is encoded once and its bytes are kept while the object lives in the cache;
a request is assembled by joining bytes. What is sent keeps the rules that strict servers enforce,
whatever the history looks like: one system message first, none and no reply that is empty, nobody's
words twice in a row, calls and results paired, names legal, arguments always a JSON object.

Texts are sent as plain content: no prompt template is built here.
"""

import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, TypeGuard

import msgspec
from msgspec.structs import replace

from pointsman.adapters.models.presets import Endpoint
from pointsman.domain.arguments.reading import parse
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.names import safe
from pointsman.domain.text import clean
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.errors import ArgumentsMalformed, SettingsError

CACHED_BYTES = 16 * 1024 * 1024
CACHED_MESSAGES = 8192
"""Upper bounds of the encoded messages that are kept."""

_encode = msgspec.json.Encoder().encode
_OWN_FIELDS = frozenset({"messages", "tools", "stream"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions"})
_PLAIN_VALUES = frozenset({"enum", "const", "default", "examples"})
_STRICT_KEYWORDS = frozenset(
    "type title description properties required additionalProperties items enum const anyOf $ref "
    "$defs pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems "
    "maxItems".split()
)
"""What exact arguments allow in a schema. Source: OpenAI, structured outputs."""


class RequestEncoder:
    """Encodes requests for one endpoint. Not for use by several threads."""

    def __init__(self, endpoint: Endpoint, *, cached_bytes: int = CACHED_BYTES) -> None:
        self._endpoint = endpoint
        self._switches = endpoint.switches
        self._messages = _BytesByIdentity(cached_bytes, CACHED_MESSAGES)
        self._specs = _BytesByIdentity(cached_bytes, 1024)
        self._heads = _BytesByIdentity(cached_bytes, 64)
        self._text = _without_specials if self._switches.break_specials else str

    def encode(self, request: ModelRequest) -> bytes:
        """The body of the request.

        Raises:
            SettingsError: ``params.extra`` holds a field that is not its to set.
        """
        messages = b",".join(self._message_bytes(request.messages))
        return b"".join((self._head(request), b',"messages":[', messages, b"]}"))

    def _head(self, request: ModelRequest) -> bytes:
        """All fields but the messages, without the closing brace."""
        kind = (request.params, request.tool_choice, request.stream)
        found = self._heads.get(request.tools, kind)
        if found is None:
            found = self._heads.put(request.tools, kind, self._made_head(request))
        return found

    def _made_head(self, request: ModelRequest) -> bytes:
        choice, switches = request.tool_choice, self._switches
        fields = self._fields(request.params)
        if request.stream:
            fields["stream"] = True
            if switches.usage_in_streams:
                fields["stream_options"] = {"include_usage": True}
        tools: list[bytes] = []
        if choice != "none" or choice in switches.tool_choice:
            tools = [self._tool(spec) for spec in request.tools]
        if tools and switches.parallel_calls is not None:
            fields["parallel_tool_calls"] = switches.parallel_calls
        if tools and choice != "auto" and choice in switches.tool_choice:
            fields["tool_choice"] = choice
        head = _json(fields | request.params.extra)[:-1]
        return b'%b,"tools":[%b]' % (head, b",".join(tools)) if tools else head

    def _fields(self, params: ModelParams) -> dict[str, Any]:
        if taken := _OWN_FIELDS & params.extra.keys():
            raise SettingsError(f"extra model parameters may not set {', '.join(sorted(taken))}")
        switches = self._switches
        given: dict[str, Any] = {
            "temperature": params.temperature,
            "top_p": params.top_p,
            switches.max_tokens_field: params.max_tokens,
            "frequency_penalty": params.frequency_penalty,
            "presence_penalty": params.presence_penalty,
            "stop": params.stop or None,
            "seed": params.seed,
        }
        fields: dict[str, Any] = {"model": self._endpoint.model} | {
            name: value
            for name, value in given.items()
            if value is not None and name not in switches.refused_params
        }
        if params.thinking is not None:
            fields.update(switches.thinking_on if params.thinking else switches.thinking_off)
        return fields

    def _tool(self, spec: ToolSpec) -> bytes:
        found = self._specs.get(spec, None)
        if found is None:
            parameters = spec.wire_parameters
            if refused := self._switches.refused_keywords:
                parameters = _without_keywords(parameters, frozenset(refused))
            function: dict[str, Any] = {
                "name": spec.name,
                "description": spec.description,
                "parameters": parameters,
            }
            if self._switches.strict_tools and _fits_strict(parameters):
                function["strict"] = True
            found = self._specs.put(spec, None, _json({"type": "function", "function": function}))
        return found

    def _message_bytes(self, messages: Sequence[Message]) -> list[bytes]:
        """The messages in the provider's dialect, each encoded."""
        arranged, merged = _arranged(messages, merge_system=self._switches.merge_system)
        unique = self._switches.unique_ids
        encoded: list[bytes] = []
        used: set[str] = set()
        group = _NO_CALLS
        for message in arranged:
            ids: tuple[str, ...] = ()
            if isinstance(message, AssistantMessage):
                if message.calls:
                    group = _CallGroup(message.calls, used if unique else set())
                    ids = group.ids
                else:
                    group = _NO_CALLS
            elif isinstance(message, ToolMessage):
                ids = (group.answered_by(message),)
            found = self._messages.get(message, ids)
            if found is None:
                found = _json(self._fields_of(message, ids))
                if id(message) not in merged:
                    self._messages.put(message, ids, found)
            encoded.append(found)
        return encoded

    def _fields_of(self, message: Message, ids: tuple[str, ...]) -> dict[str, Any]:
        switches = self._switches
        match message:
            case SystemMessage():
                return {"role": "system", "content": self._text(message.text)}
            case UserMessage():
                return {"role": "user", "content": self._text(message.text)}
            case ToolMessage():
                fields: dict[str, Any] = {"role": "tool", "content": self._text(message.content)}
                if switches.call_ids:
                    fields["tool_call_id"] = ids[0]
                if switches.tool_names or not switches.call_ids:
                    fields["name"] = safe(message.name)
                return fields
            case AssistantMessage():
                fields = {"role": "assistant", "content": message.text}
                if not message.text and message.calls and switches.null_content:
                    fields["content"] = None
                if switches.keep_reasoning:
                    thinking = message.reasoning or switches.reasoning_filler
                    if thinking is not None:
                        fields[switches.reasoning_field] = thinking
                if message.calls:
                    fields["tool_calls"] = [
                        self._call(call, wire_id)
                        for call, wire_id in zip(message.calls, ids, strict=True)
                    ]
                return fields

    def _call(self, call: RawCall, wire_id: str) -> dict[str, Any]:
        # A name that a model made up stays in the history; servers refuse what is no name (L03).
        function = {"name": safe(call.name), "arguments": object_text(call.arguments)}
        if not self._switches.call_ids:
            return {"function": function}
        return {"id": wire_id, "type": "function", "function": function}


class _CallGroup:
    """The calls of one assistant message and the results that follow it.

    Ids are only names of places: a call is paired with its result inside its group, by id where
    that is unique in it and by order where it is not, never across the history.
    """

    def __init__(self, calls: Sequence[RawCall], taken: set[str]) -> None:
        """Args:
        taken: ids that may not be used again; grows by the ids of this group.
        """
        ids = []
        for index, call in enumerate(calls):
            ids.append(_free(call.id or f"call_{index}", taken))
            taken.add(ids[-1])
        self.ids = tuple(ids)
        self._waiting = [(call.id, wire_id) for call, wire_id in zip(calls, ids, strict=True)]

    def answered_by(self, result: ToolMessage) -> str:
        """The wire id of the call that the result answers, each call once."""
        waiting = self._waiting
        if not waiting:
            return result.call_id
        place = next((i for i, (own, _) in enumerate(waiting) if own == result.call_id), 0)
        return waiting.pop(place)[1]


_NO_CALLS = _CallGroup((), set())


def _free(wanted: str, taken: set[str]) -> str:
    """The wanted id, or it with the first number that makes it new."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _arranged(messages: Sequence[Message], *, merge_system: bool) -> tuple[list[Message], set[int]]:
    """The messages in an order and number that strict templates accept.

    Messages that need no change stay the same objects, so that their bytes are found again; the
    second value holds the ``id()`` of those that had to be made.
    """
    kept: list[Message] = []
    merged: set[int] = set()
    system: list[SystemMessage] = []
    for message in messages:
        last = kept[-1] if kept else None
        if isinstance(message, SystemMessage) and not message.text.strip():
            continue
        if isinstance(message, SystemMessage) and merge_system:
            system.append(message)
        elif isinstance(message, AssistantMessage) and not (message.calls or message.text.strip()):
            continue
        elif isinstance(message, UserMessage) and isinstance(last, UserMessage):
            kept[-1] = UserMessage(text=f"{last.text}\n\n{message.text}")
            merged.add(id(kept[-1]))
        elif isinstance(message, AssistantMessage) and _is_plain_reply(last):
            kept[-1] = _continued(last, message)
            merged.add(id(kept[-1]))
        else:
            kept.append(message)
    if len(system) > 1:
        system = [SystemMessage(text="\n\n".join([each.text for each in system]))]
        merged.add(id(system[0]))
    return [*system, *kept], merged


def _is_plain_reply(message: Message | None) -> TypeGuard[AssistantMessage]:
    return isinstance(message, AssistantMessage) and not message.calls


def _continued(first: AssistantMessage, second: AssistantMessage) -> AssistantMessage:
    """Two replies with nobody's word between them, as one."""
    texts = [each.text for each in (first, second) if each.text.strip()]
    return replace(second, text="\n\n".join(texts), reasoning=second.reasoning or first.reasoning)


def object_text(arguments: str) -> str:
    """The arguments as the model wrote them if they are a JSON object, else as they were read, else
    ``{}``.

    Servers parse the arguments of the history and refuse a request for what a model once wrote; and
    the model has to find there what was run. So the reader is the one that the call went through.
    """
    text = clean(arguments)
    try:
        if type(msgspec.json.decode(text)) is dict:
            return text
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.dumps(parse(text).value, ensure_ascii=False)
    except ArgumentsMalformed:
        return "{}"


def _without_specials(text: str) -> str:
    """The text with no mark in it that a prompt template would take for its own."""
    return text.replace("<|", "<\u200b|")


def _json(value: Any) -> bytes:
    """The value as JSON in UTF-8; lone surrogates as U+FFFD."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return clean(json.dumps(value, ensure_ascii=False)).encode()


def _without_keywords(schema: Any, refused: frozenset[str]) -> Any:
    """The schema without some keywords; properties of such a name stay."""
    if isinstance(schema, list):
        return [_without_keywords(part, refused) for part in schema]
    if not isinstance(schema, dict):
        return schema
    cut: dict[str, Any] = {}
    for key, part in schema.items():
        if key in _NAMED_SCHEMAS and isinstance(part, dict):
            cut[key] = {name: _without_keywords(each, refused) for name, each in part.items()}
        elif key in _PLAIN_VALUES:
            cut[key] = part
        elif key not in refused:
            cut[key] = _without_keywords(part, refused)
    return cut


def _fits_strict(schema: Any) -> bool:
    """Whether exact arguments can be asked for: every object is closed and requires all it has."""
    if isinstance(schema, list):
        return all(_fits_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if not schema.keys() <= _STRICT_KEYWORDS:
        return False
    if schema.get("type") == "object" or "properties" in schema:
        names = schema.get("properties", {}).keys()
        if schema.get("additionalProperties") is not False:
            return False
        if names != set(schema.get("required", ())):
            return False
    parts = [part for key in ("properties", "$defs") for part in schema.get(key, {}).values()]
    return _fits_strict([*parts, schema.get("items"), schema.get("anyOf")])


class _BytesByIdentity:
    """Encoded bytes by the object that they stand for, oldest dropped first.

    The object is held, so its address can't be given to another while the entry lives.
    """

    def __init__(self, limit: int, most: int) -> None:
        self._limit = limit
        self._most = most
        self._size = 0
        self._entries: OrderedDict[int, tuple[object, object, bytes]] = OrderedDict()

    def get(self, key: object, variant: object) -> bytes | None:
        entry = self._entries.get(id(key))
        if entry is not None and entry[0] is key and entry[1] == variant:
            return entry[2]
        return None

    def put(self, key: object, variant: object, encoded: bytes) -> bytes:
        old = self._entries.pop(id(key), None)
        if old is not None:
            self._size -= len(old[2])
        if len(encoded) <= self._limit:
            self._entries[id(key)] = (key, variant, encoded)
            self._size += len(encoded)
        while self._size > self._limit or len(self._entries) > self._most:
            self._size -= len(self._entries.popitem(last=False)[1][2])
        return encoded
