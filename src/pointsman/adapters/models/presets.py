"""What is known about each provider of Chat Completions, as data.

Above: ``chat_completions`` resolves a ``ModelSpec`` to an ``Endpoint`` once; ``encoding`` reads the
switches. A preset is a row of a table: a new provider is a new row, and a user can override any
single switch of a row (``ModelSpec.switches``).

Source: the providers' API references as of November 2026; seeds of the articles for ``articles``.
"""

from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Struct

from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import ToolChoice
from pointsman.errors import SettingsError


class Switches(Struct, frozen=True, kw_only=True):
    """In what providers differ. The defaults are what most of them accept.

    Attributes:
        thinking_on: fields of a request that switch thinking on; empty when nothing can.
        thinking_off: the same for off.
        keep_reasoning: send the model's thinking back with its message.
        reasoning_field: its name in a message.
        reasoning_filler: sent for a message without thinking, by providers that refuse such a
            message while thinking is on; None sends nothing.
        max_tokens_field: how the output limit is called.
        parallel_calls: value of ``parallel_tool_calls``; None sends none.
        null_content: ``content`` of a message of only calls is null, else an empty text.
        strict_tools: ask for exact arguments where a tool's schema allows it.
        usage_in_streams: ask for usage at the end of a stream; off where it comes anyway.
        merge_system: one system message, at the start.
        tool_choice: the values that the provider takes.
        call_ids: calls carry an id and a type, results the id; off in the articles' dialect.
        unique_ids: rename an id that an earlier turn has used already.
        tool_names: results carry the tool's name.
        refused_params: parameters that the provider refuses; not sent.
        refused_keywords: JSON Schema keywords that the provider refuses; not sent.
        think_tags: thinking may come as ``<think>`` in the text.
        break_specials: keep ``<|…|>`` in texts from being read as template marks, by an invisible
            character; for servers that tokenise marks inside content.
    """

    thinking_on: dict[str, Any] = {}
    thinking_off: dict[str, Any] = {}
    keep_reasoning: bool = False
    reasoning_field: str = "reasoning_content"
    reasoning_filler: str | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    parallel_calls: bool | None = None
    null_content: bool = False
    strict_tools: bool = False
    usage_in_streams: bool = True
    merge_system: bool = True
    tool_choice: tuple[ToolChoice, ...] = ("auto", "required", "none")
    call_ids: bool = True
    unique_ids: bool = False
    tool_names: bool = True
    refused_params: tuple[
        Literal["temperature", "top_p", "frequency_penalty", "presence_penalty", "stop", "seed"],
        ...,
    ] = ()
    refused_keywords: tuple[str, ...] = ()
    think_tags: bool = False
    break_specials: bool = False


class Preset(Struct, frozen=True, kw_only=True):
    """One provider.

    Attributes:
        title: for people.
        base_url: empty when the user must give it.
        key_env: environment variable of the key; empty when none is needed.
        key_optional: go on without a key when the variable is not set.
        model: the model's name when the user gives none; empty when one must be given.
    """

    title: str
    base_url: str = ""
    key_env: str = ""
    key_optional: bool = False
    model: str = ""
    switches: Switches = Switches()


_TYPE_ON = {"thinking": {"type": "enabled"}}
_TYPE_OFF = {"thinking": {"type": "disabled"}}
_TEMPLATE_ON = {"chat_template_kwargs": {"enable_thinking": True}}
_TEMPLATE_OFF = {"chat_template_kwargs": {"enable_thinking": False}}
_EFFORT_ON = {"reasoning_effort": "medium"}
_EFFORT_OFF = {"reasoning_effort": "none"}

PRESETS: dict[str, Preset] = {
    "ark": Preset(
        title="Doubao (Volcengine Ark)",
        base_url="https://ark.cn-beijing.volces.com/api/v3",
        key_env="ARK_API_KEY",
        switches=Switches(thinking_on=_TYPE_ON, thinking_off=_TYPE_OFF, keep_reasoning=True),
    ),
    "deepseek": Preset(
        title="DeepSeek",
        base_url="https://api.deepseek.com",
        key_env="DEEPSEEK_API_KEY",
        switches=Switches(
            thinking_on=_TYPE_ON,
            thinking_off=_TYPE_OFF,
            keep_reasoning=True,
            reasoning_filler="",
        ),
    ),
    "dashscope": Preset(
        title="Qwen (Alibaba Cloud DashScope)",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_env="DASHSCOPE_API_KEY",
        switches=Switches(
            thinking_on={"enable_thinking": True},
            thinking_off={"enable_thinking": False},
            parallel_calls=True,
            tool_choice=("auto", "none"),
        ),
    ),
    "glm": Preset(
        title="GLM (Zhipu BigModel)",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        key_env="ZHIPUAI_API_KEY",
        switches=Switches(
            thinking_on=_TYPE_ON,
            thinking_off=_TYPE_OFF,
            keep_reasoning=True,
            usage_in_streams=False,
            tool_choice=("auto",),
            tool_names=False,
            refused_params=("frequency_penalty", "presence_penalty", "seed"),
        ),
    ),
    "kimi": Preset(
        title="Kimi (Moonshot)",
        base_url="https://api.moonshot.cn/v1",
        key_env="MOONSHOT_API_KEY",
        switches=Switches(
            thinking_on=_TYPE_ON,
            thinking_off=_TYPE_OFF,
            keep_reasoning=True,
            reasoning_filler=" ",
            max_tokens_field="max_completion_tokens",
            tool_choice=("auto", "none"),
            refused_params=("temperature", "top_p", "frequency_penalty", "presence_penalty"),
        ),
    ),
    "openai": Preset(
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        switches=Switches(
            thinking_on=_EFFORT_ON,
            thinking_off=_EFFORT_OFF,
            max_tokens_field="max_completion_tokens",
            null_content=True,
            strict_tools=True,
            merge_system=False,
            tool_names=False,
        ),
    ),
    "ollama": Preset(
        title="Ollama",
        base_url="http://localhost:11434/v1",
        key_env="OLLAMA_API_KEY",
        key_optional=True,
        switches=Switches(
            thinking_on=_EFFORT_ON,
            thinking_off=_EFFORT_OFF,
            keep_reasoning=True,
            reasoning_field="reasoning",
            think_tags=True,
        ),
    ),
    "vllm": Preset(
        title="vLLM",
        base_url="http://localhost:8000/v1",
        key_env="VLLM_API_KEY",
        key_optional=True,
        switches=Switches(
            thinking_on=_TEMPLATE_ON,
            thinking_off=_TEMPLATE_OFF,
            keep_reasoning=True,
            reasoning_field="reasoning",
            think_tags=True,
        ),
    ),
    "llamacpp": Preset(
        title="llama.cpp server",
        base_url="http://localhost:8080/v1",
        key_env="LLAMA_API_KEY",
        key_optional=True,
        model="default",
        switches=Switches(
            thinking_on=_TEMPLATE_ON,
            thinking_off=_TEMPLATE_OFF,
            keep_reasoning=True,
            parallel_calls=True,
            refused_keywords=("pattern",),
            think_tags=True,
        ),
    ),
    "compatible": Preset(
        title="any OpenAI-compatible server",
        switches=Switches(think_tags=True),
    ),
    "articles": Preset(
        title="the articles' dialect: calls without ids, results joined by name",
        switches=Switches(
            thinking_on=_TYPE_ON, thinking_off=_TYPE_OFF, call_ids=False, usage_in_streams=False
        ),
    ),
}

ALIASES = {"doubao": "ark", "qwen": "dashscope", "zhipu": "glm", "moonshot": "kimi"}


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where a model is asked, and how.

    Attributes:
        name: preset and model, for the journal.
        model: the model's name on the wire.
        url: of Chat Completions.
    """

    name: str
    model: str
    url: str
    key_env: str
    key_optional: bool
    switches: Switches


def endpoint(spec: ModelSpec) -> Endpoint:
    """The endpoint that a model specification means.

    Raises:
        SettingsError: an unknown preset or switch, or a base URL or model name that is missing or
            cannot be one.
    """
    use = ALIASES.get(spec.use, spec.use)
    preset = PRESETS.get(use)
    if preset is None:
        known = ", ".join([*PRESETS, *ALIASES])
        raise SettingsError(f"unknown model preset {spec.use!r}; the presets are {known}")
    model = spec.name or preset.model
    if not model:
        raise SettingsError(f"model name is missing: which model of {preset.title}?")
    return Endpoint(
        name=f"{use}/{model}",
        model=model,
        url=_completions_url(spec.base_url or preset.base_url, use),
        key_env=spec.key_env or preset.key_env,
        key_optional=preset.key_optional and not spec.key_env,
        switches=_overridden(preset.switches, spec.switches),
    )


def _overridden(switches: Switches, given: dict[str, Any]) -> Switches:
    known = Switches.__struct_fields__
    for name in given:
        if name not in known:
            raise SettingsError(
                f"unknown model switch {name!r}; the switches are {', '.join(known)}"
            )
    try:
        return msgspec.convert({**msgspec.structs.asdict(switches), **given}, Switches)
    except msgspec.ValidationError as error:
        raise SettingsError(f"model switches: {error}") from None


def _completions_url(base: str, use: str) -> str:
    if not base:
        raise SettingsError(
            f"model preset {use!r} needs base_url, such as http://localhost:8000/v1"
        )
    wrong = SettingsError("model base_url must be an http or https URL with a host")
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise wrong
    if parts.username is not None or parts.password is not None:
        raise SettingsError(
            "model base_url must hold no user or password: put the key into an environment "
            "variable and name it in key_env"
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
