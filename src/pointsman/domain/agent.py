"""What an agent is: instructions, a model, tools and limits. Tools are named here, not held."""

import math
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.messages import ModelParams
from pointsman.errors import SettingsError

Language = Literal["zh", "en"]


class ModelTimeouts(Struct, frozen=True, kw_only=True):
    """Seconds. ``first_byte`` counts from the request, ``idle`` between two reads of a stream."""

    connect: float = 10.0
    first_byte: float = 60.0
    idle: float = 60.0
    total: float = 600.0


class ModelSpec(Struct, frozen=True, kw_only=True):
    """Which model, where, and how to talk to it.

    Attributes:
        use: a preset (``ark``, ``deepseek``, ``openai`` …), ``compatible`` for any base URL, or
            ``offline``.
        name: the model's name at the provider.
        base_url: overrides the preset's.
        key_env: name of the environment variable that holds the key; overrides the preset's.
        switches: overrides single switches of the preset, such as ``keep_reasoning``.
        stream: ask for a stream when somebody reads along; off for models that stream badly.
        text_calls: recognise calls that open models write as text.
        retries: further attempts at an unavailable model.
        fallback: a preset to use when this one cannot be reached; only ``offline`` so far.
    """

    use: str = "offline"
    name: str = ""
    base_url: str = ""
    key_env: str = ""
    params: ModelParams = ModelParams()
    switches: dict[str, Any] = {}
    stream: bool = True
    text_calls: bool = False
    timeouts: ModelTimeouts = ModelTimeouts()
    retries: int = 2
    fallback: str = ""


class Limits(Struct, frozen=True, kw_only=True):
    """What one run may use. None takes the default; zero, negative and non-numbers are refused.

    Attributes:
        turns: questions to the model.
        calls: tool calls in all.
        calls_per_turn: calls of one reply; further ones are told that they did not run.
        tasks: of one plan; ``tasks_at_once`` of them run at the same time. They share the turns,
            calls, seconds and tokens of the request.
        seconds: from start to reply, pauses not counted.
        tokens: prompt and completion together.
        equal_calls: how often the same call with the same arguments runs; the next is blocked.
        result_chars: what of one result the model reads.
        history_chars: what of the conversation the model reads, in characters.
    """

    turns: int = 25
    calls: int = 64
    calls_per_turn: int = 8
    seconds: float = 300.0
    tokens: int = 1_000_000
    equal_calls: int = 2
    result_chars: int = 20_000
    history_chars: int = 200_000
    tasks: int = 20
    tasks_at_once: int = 4

    @classmethod
    def checked(cls, **given: Any) -> "Limits":
        """Limits from what a user wrote.

        Raises:
            SettingsError: an unknown limit, or a value that is no positive number.
        """
        known = {field: cls.__annotations__[field] for field in cls.__struct_fields__}
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in known:
                raise SettingsError(f"unknown limit {name!r}; the limits are {', '.join(known)}")
            if value is None:
                continue
            kinds = (int, float) if known[name] is float else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < math.inf:
                wanted = "number" if known[name] is float else "whole number"
                raise SettingsError(f"limit {name} must be a positive {wanted}, not {value!r}")
            values[name] = value
        return cls(**values)


class AgentSpec(Struct, frozen=True, kw_only=True):
    """One agent, as written in its file or given in Python.

    Attributes:
        name: identifier; also the model name that OpenAI clients ask for.
        title: for people; ``titles`` has it by language, where the file gives both.
        examples: requests that show what it can do, by language.
        instructions: the system prompt, without the date line.
        language: of questions and failure sentences when the user's own is not known.
        timezone: IANA name; of the date line and of time phrases.
        tool_choice: for the first question of a run; later ones are ``auto``.
        offline: rules of the offline model, as in the agent file (checked by that adapter).
        policy: rules over the defaults of the gate, in order (checked by ``domain.policy``).
    """

    name: str
    title: str = ""
    titles: dict[Language, str] = {}
    examples: dict[Language, tuple[str, ...]] = {}
    instructions: str = ""
    language: Language = "en"
    timezone: str = "UTC"
    model: ModelSpec = ModelSpec()
    limits: Limits = Limits()
    tool_choice: Literal["auto", "required"] = "auto"
    offline: dict[str, Any] = {}
    policy: tuple[dict[str, Any], ...] = ()
