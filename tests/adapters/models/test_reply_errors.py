"""Errors inside a stream that began well."""

import pytest

from pointsman.errors import (
    ModelError,
    ModelProtocolError,
    ModelRejected,
    ModelUnavailable,
)
from tests.support.replies import (
    Reading,
    chunk,
    events,
    read,
)

ERRORS: dict[str, tuple[str, type[ModelError]]] = {
    "object": ('{"error":{"message":"boom"}}', ModelUnavailable),
    "text": ('{"error":"model overloaded"}', ModelUnavailable),
    "text-of-a-bad-request": ('{"error":"invalid model name"}', ModelRejected),
    "status-429": ('{"error":{"code":429,"message":"slow down"}}', ModelUnavailable),
    "status-as-text": ('{"error":{"code":"503","message":"x"}}', ModelUnavailable),
    "status-400": ('{"error":{"code":400,"message":"x"}}', ModelRejected),
    "type": ('{"error":{"type":"overloaded_error","message":"x"}}', ModelUnavailable),
    "bad-request": ('{"error":{"type":"invalid_request_error","message":"x"}}', ModelRejected),
    "anthropic": (
        '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
        ModelUnavailable,
    ),
    "code-and-message": ('{"code":"Throttling","message":"too many"}', ModelUnavailable),
    "code-and-message-bad": ('{"code":"InvalidParameter","message":"x"}', ModelRejected),
    "detail": ('{"detail":"Internal error"}', ModelUnavailable),
    "object-error": (
        '{"object":"error","message":"too long","code":400,"type":"BadRequestError"}',
        ModelRejected,
    ),
    "base-resp": (
        '{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}',
        ModelUnavailable,
    ),
    "with-choices": (
        '{"error":{"code":502,"message":"x"},"choices":[{"delta":{},"finish_reason":"error"}]}',
        ModelUnavailable,
    ),
    "in-the-choice": (
        '{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"x"}}]}',
        ModelUnavailable,
    ),
    "finish-reason": ('{"choices":[{"delta":{},"finish_reason":"error"}]}', ModelUnavailable),
    "no-resource": (
        '{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}',
        ModelUnavailable,
    ),
    "json-text": ('"overloaded"', ModelUnavailable),
    "plain-text": ("Internal Server Error", ModelProtocolError),
    "a-number": ("5", ModelProtocolError),
    "a-list": ("[]", ModelProtocolError),
    "half-json": ('{"choices":[{"delta":{"content":"b', ModelProtocolError),
    "very-deep": ('{"choices":' + "[" * 5000 + "]" * 5000 + "}", ModelProtocolError),
    "wrong-shape": ('{"choices":{"delta":{}}}', ModelProtocolError),
}


@pytest.mark.parametrize(("payload", "kind"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_in_the_stream_is_raised_at_once(payload: str, kind: type[ModelError]) -> None:
    for before in ([], [chunk({"content": "a"})]):
        with pytest.raises(ModelError) as caught:
            Reading([events([*before, payload, chunk({"content": "b"}, "stop"), "[DONE]"])])
        assert type(caught.value) is kind


def test_an_error_as_a_bare_body_in_the_stream_is_an_error() -> None:
    for raw in (b'{"error":{"code":429,"message":"x"}}', b'{\n "error": {"code": 429}\n}\n'):
        with pytest.raises(ModelUnavailable):
            read(raw)
