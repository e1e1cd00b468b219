"""Usage in the shapes of the field."""

import json

import pytest

from pointsman.domain.messages import Usage
from tests.support.replies import (
    chunk,
    events,
    read,
    usage,
)

USAGE: dict[str, tuple[list[str], Usage | None]] = {
    "openai": (
        [
            json.dumps(
                {
                    "choices": [],
                    "usage": {
                        **usage(5),
                        "prompt_tokens_details": {"cached_tokens": 4},
                        "completion_tokens_details": {"reasoning_tokens": 2},
                    },
                }
            )
        ],
        Usage(prompt=9, cached=4, completion=5, reasoning=2, total=14),
    ),
    "deepseek": (
        [chunk(usage={**usage(5), "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 1})],
        Usage(prompt=9, cached=8, completion=5, total=14),
    ),
    "in-the-choice": (
        [json.dumps({"choices": [{"delta": {}, "usage": {**usage(5), "cached_tokens": 3}}]})],
        Usage(prompt=9, cached=3, completion=5, total=14),
    ),
    "ollama": (
        [chunk(prompt_eval_count=9, eval_count=5)],
        Usage(prompt=9, completion=5, total=14),
    ),
    "ollama-in-usage": (
        [chunk(usage={"prompt_eval_count": 9, "eval_count": 5})],
        Usage(prompt=9, completion=5, total=14),
    ),
    "anthropic": (
        [
            chunk(
                usage={
                    "input_tokens": 2,
                    "output_tokens": 5,
                    "cache_read_input_tokens": 6,
                    "cache_creation_input_tokens": 1,
                }
            )
        ],
        Usage(prompt=9, cached=6, completion=5, total=14),
    ),
    "responses": (
        [
            chunk(
                usage={
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "input_tokens_details": {"cached_tokens": 4},
                    "output_tokens_details": {"reasoning_tokens": 2},
                }
            )
        ],
        Usage(prompt=9, cached=4, completion=5, reasoning=2, total=14),
    ),
    "reasoning-beside-the-completion": (
        [
            chunk(
                usage={
                    "prompt_tokens": 9,
                    "completion_tokens": 5,
                    "total_tokens": 34,
                    "completion_tokens_details": {"reasoning_tokens": 20},
                }
            )
        ],
        Usage(prompt=9, completion=25, reasoning=20, total=34),
    ),
    "growing": (
        [chunk(usage=usage(n)) for n in (1, 3, 5)],
        Usage(prompt=9, completion=5, total=14),
    ),
    "zeros-last": (
        [chunk(usage=usage(5)), chunk(usage=dict.fromkeys(usage(0), 0))],
        Usage(prompt=9, completion=5, total=14),
    ),
    "null-and-wrong-types": (
        [
            chunk(usage={**usage(5), "prompt_tokens_details": None}),
            chunk(usage="x"),
            chunk(usage=None),
        ],
        Usage(prompt=9, completion=5, total=14),
    ),
    "in-two-parts": (
        [chunk(usage={"input_tokens": 9}), chunk(usage={"output_tokens": 5})],
        Usage(prompt=9, completion=5, total=14),
    ),
    "none": ([chunk()], None),
    "empty": ([chunk(usage={})], None),
}


@pytest.mark.parametrize(("payloads", "expected"), USAGE.values(), ids=USAGE.keys())
def test_usage_is_read_in_every_shape(payloads: list[str], expected: Usage | None) -> None:
    raw = events([chunk({"content": "a"}), chunk(finish="stop"), *payloads, "[DONE]"])
    assert read(raw).usage == expected
