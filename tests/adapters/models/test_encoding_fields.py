"""What goes over the wire for the parameters and tools of a request."""

import json
from typing import Any

import pytest

from pointsman.domain.messages import ModelParams, ModelRequest, UserMessage
from pointsman.errors import SettingsError
from tests.support.encoded import encoder, sent
from tests.support.histories import tool_spec


class TestFields:
    """Everything but messages and tools."""

    ASKED = ModelRequest(
        messages=(UserMessage(text="q"),),
        tools=(tool_spec(),),
        params=ModelParams(
            temperature=0.8,
            top_p=1.0,
            max_tokens=4096,
            frequency_penalty=0.0,
            stop=("END",),
            seed=7,
            thinking=False,
            extra={"user": "u"},
        ),
        stream=True,
    )

    def test_parameters_are_plain_fields(self) -> None:
        body = sent(self.ASKED, "ark")
        del body["messages"], body["tools"]
        assert body == {
            "model": "m",
            "temperature": 0.8,
            "top_p": 1.0,
            "max_tokens": 4096,
            "frequency_penalty": 0.0,
            "stop": ["END"],
            "seed": 7,
            "thinking": {"type": "disabled"},
            "user": "u",
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def test_what_is_not_given_is_not_sent(self) -> None:
        body = sent(ModelRequest(messages=(UserMessage(text="q"),)))
        assert body == {"model": "m", "messages": [{"role": "user", "content": "q"}]}

    def test_providers_get_what_they_accept(self) -> None:
        assert sent(self.ASKED, "openai")["max_completion_tokens"] == 4096
        assert "max_tokens" not in sent(self.ASKED, "openai")
        assert sent(self.ASKED, "openai")["reasoning_effort"] == "none"
        assert sent(self.ASKED, "dashscope")["enable_thinking"] is False
        assert sent(self.ASKED, "dashscope")["parallel_tool_calls"] is True
        assert sent(self.ASKED, "vllm")["chat_template_kwargs"] == {"enable_thinking": False}
        assert "stream_options" not in sent(self.ASKED, "glm")
        assert "frequency_penalty" not in sent(self.ASKED, "glm")
        assert "temperature" not in sent(self.ASKED, "kimi")
        assert "thinking" not in sent(self.ASKED, "compatible")

    def test_a_choice_that_the_provider_lacks_is_left_to_it(self) -> None:
        required = ModelRequest(messages=(), tools=(tool_spec(),), tool_choice="required")
        assert sent(required)["tool_choice"] == "required"
        assert "tool_choice" not in sent(required, "kimi")
        none = ModelRequest(messages=(), tools=(tool_spec(),), tool_choice="none")
        assert sent(none)["tool_choice"] == "none"
        assert "tools" not in sent(none, "glm")

    @pytest.mark.parametrize("name", ["messages", "tools", "stream"])
    def test_extra_parameters_cannot_replace_what_is_ours(self, name: str) -> None:
        request = ModelRequest(messages=(), params=ModelParams(extra={name: []}))
        with pytest.raises(SettingsError, match=name):
            encoder().encode(request)

    def test_another_choice_for_the_same_parameters_is_not_mixed_up(self) -> None:
        kept = encoder()
        given = ModelParams(temperature=0.5)
        tools = (tool_spec(),)
        for choice in ("required", "auto", "required"):
            request = ModelRequest(messages=(), tools=tools, params=given, tool_choice=choice)
            body = json.loads(kept.encode(request))
            assert body.get("tool_choice", "auto") == choice


class TestTools:
    """The list of tools."""

    OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    CLOSED: dict[str, Any] = {
        **OPEN,
        "required": ["a"],
        "additionalProperties": False,
    }

    def function(self, schema: dict[str, Any], use: str) -> dict[str, Any]:
        request = ModelRequest(messages=(), tools=(tool_spec("t", schema),))
        (tool,) = sent(request, use)["tools"]
        assert tool["type"] == "function"
        function: dict[str, Any] = tool["function"]
        return function

    def test_a_tool_is_a_function_with_its_schema(self) -> None:
        assert self.function(self.OPEN, "compatible") == {
            "name": "t",
            "description": "Adds two numbers.",
            "parameters": self.OPEN,
        }

    @pytest.mark.parametrize(
        ("schema", "strict"),
        [
            (CLOSED, True),
            (OPEN, False),
            ({**CLOSED, "required": []}, False),
            ({**CLOSED, "properties": {"a": {**OPEN}}}, False),
            ({**CLOSED, "properties": {"a": {"type": "array", "items": OPEN}}}, False),
            ({**CLOSED, "properties": {"a": {"type": "string", "default": "x"}}}, False),
            ({**CLOSED, "properties": {"a": {"anyOf": [CLOSED, {"type": "null"}]}}}, True),
        ],
    )
    def test_exact_arguments_are_asked_for_only_where_the_schema_allows_it(
        self, schema: dict[str, Any], strict: bool
    ) -> None:
        assert self.function(schema, "openai").get("strict", False) is strict
        assert "strict" not in self.function(schema, "compatible")

    def test_refused_keywords_are_left_out_and_properties_of_that_name_stay(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "pattern": "a+"},
                "list": {"type": "array", "items": {"type": "string", "pattern": "b"}},
                "kind": {"enum": [{"pattern": 1}]},
            },
        }
        assert self.function(schema, "llamacpp")["parameters"] == {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "list": {"type": "array", "items": {"type": "string"}},
                "kind": {"enum": [{"pattern": 1}]},
            },
        }
