"""Presets are data, and every switch can be overridden alone."""

import pytest

from pointsman.adapters.models.presets import ALIASES, PRESETS, Switches, endpoint
from pointsman.domain.agent import ModelSpec
from pointsman.errors import SettingsError

ASKED_FOR = (
    "ark deepseek dashscope glm kimi openai ollama vllm llamacpp compatible articles".split()
)


def spec(use: str, **fields: object) -> ModelSpec:
    return ModelSpec(**{"use": use, "name": "m", "base_url": "http://127.0.0.1:1/v1", **fields})  # type: ignore[arg-type]


def test_the_providers_of_the_issue_are_there() -> None:
    assert list(PRESETS) == ASKED_FOR


@pytest.mark.parametrize("use", [*PRESETS, *ALIASES])
def test_every_preset_makes_an_endpoint(use: str) -> None:
    target = endpoint(spec(use))
    assert target.url == "http://127.0.0.1:1/v1/chat/completions"
    assert target.name == f"{ALIASES.get(use, use)}/m"


@pytest.mark.parametrize("use", PRESETS)
def test_every_preset_but_the_open_ones_has_its_address(use: str) -> None:
    known = use not in ("compatible", "articles")
    assert PRESETS[use].base_url.startswith("http") is known


@pytest.mark.parametrize("use", PRESETS)
def test_hosted_models_need_a_key_and_local_ones_do_not(use: str) -> None:
    preset = PRESETS[use]
    local = "localhost" in preset.base_url or not preset.base_url
    assert (not preset.key_env or preset.key_optional) is local


def test_ark_spells_thinking_as_the_article_does() -> None:
    switches = PRESETS["ark"].switches
    assert switches.thinking_off == {"thinking": {"type": "disabled"}}
    assert switches.thinking_on == {"thinking": {"type": "enabled"}}


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"'arc'.*ark, deepseek.*qwen"):
        endpoint(spec("arc"))


@pytest.mark.parametrize("name", Switches.__struct_fields__)
def test_any_single_switch_can_be_overridden(name: str) -> None:
    value = {
        "thinking_on": {"think": 1},
        "thinking_off": {"think": 0},
        "reasoning_field": "thoughts",
        "reasoning_filler": "-",
        "max_tokens_field": "max_completion_tokens",
        "tool_choice": ["auto"],
        "refused_params": ["seed"],
        "refused_keywords": ["format"],
    }.get(name, not getattr(Switches(), name))
    switches = endpoint(spec("compatible", switches={name: value})).switches
    wanted = tuple(value) if isinstance(value, list) else value
    assert getattr(switches, name) == wanted
    others = [each for each in Switches.__struct_fields__ if each != name]
    preset = PRESETS["compatible"].switches
    assert [getattr(switches, o) for o in others] == [getattr(preset, o) for o in others]


def test_an_unknown_switch_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"'null_contents'.*thinking_on.*null_content"):
        endpoint(spec("ark", switches={"null_contents": True}))


def test_a_switch_with_a_value_that_cannot_be_meant_is_named() -> None:
    with pytest.raises(SettingsError, match=r"Expected `bool`.*\$\.null_content"):
        endpoint(spec("ark", switches={"null_content": "yes"}))


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:8000/v1/", "http://h:8000/v1/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/openai?api-version=1", "https://h/openai/chat/completions?api-version=1"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions"),
    ],
)
def test_a_base_url_is_taken_as_people_write_it(base_url: str, url: str) -> None:
    assert endpoint(spec("compatible", base_url=base_url)).url == url


@pytest.mark.parametrize("base_url", ["h:8000/v1", "ftp://h/v1", "http://", "http://h:99999/v1"])
def test_what_is_no_http_address_is_refused(base_url: str) -> None:
    with pytest.raises(SettingsError, match="http or https"):
        endpoint(spec("compatible", base_url=base_url))


def test_a_key_inside_a_base_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError, match="key_env") as caught:
        endpoint(spec("compatible", base_url="https://me:s3cret@h/v1"))
    assert "s3cret" not in str(caught.value)


def test_a_preset_without_an_address_asks_for_one() -> None:
    with pytest.raises(SettingsError, match="needs base_url"):
        endpoint(spec("compatible", base_url=""))


def test_a_model_name_is_asked_for_where_the_server_has_none() -> None:
    with pytest.raises(SettingsError, match="which model of DeepSeek"):
        endpoint(spec("deepseek", name=""))
    assert endpoint(spec("llamacpp", name="")).model == "default"


def test_a_key_variable_that_the_user_names_is_needed() -> None:
    assert endpoint(spec("vllm")).key_optional
    named = endpoint(spec("vllm", key_env="MY_KEY"))
    assert (named.key_env, named.key_optional) == ("MY_KEY", False)
