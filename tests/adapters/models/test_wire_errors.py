import json
from typing import Any

import pytest

from pointsman.adapters.models.wire_errors import error_from
from pointsman.errors import ModelError, ModelProtocolError, ModelRejected, ModelUnavailable

STATUSES: dict[str, tuple[int, Any, type[ModelError]]] = {
    "429": (429, {"error": {"message": "Rate limit reached"}}, ModelUnavailable),
    "429-and-no-more-money": (429, {"error": {"type": "insufficient_quota"}}, ModelRejected),
    "500": (500, b"", ModelUnavailable),
    "502-html": (502, b"<html>Bad Gateway</html>", ModelUnavailable),
    "503-invalid-in-words": (503, {"error": "invalid state"}, ModelUnavailable),
    "408": (408, b"", ModelUnavailable),
    "400": (400, {"error": {"message": "bad"}}, ModelRejected),
    "400-busy-in-words": (400, {"message": "too many tokens"}, ModelRejected),
    "401": (401, {"error": {"message": "Incorrect API key"}}, ModelRejected),
    "402": (402, {"error": {"message": "Insufficient Balance"}}, ModelRejected),
    "404": (404, {"detail": "Not Found"}, ModelRejected),
    "422-list": (422, {"detail": [{"msg": "field required"}]}, ModelRejected),
    "302": (302, b"", ModelProtocolError),
    "200-with-an-error": (200, {"error": {"code": 429}}, ModelUnavailable),
}


@pytest.mark.parametrize(("status", "body", "kind"), STATUSES.values(), ids=STATUSES.keys())
def test_a_status_becomes_the_right_error(status: int, body: Any, kind: type[ModelError]) -> None:
    error = error_from(status, body if isinstance(body, bytes) else json.dumps(body).encode())
    assert type(error) is kind
    assert error.status == status
    assert str(status) in str(error)


def test_the_servers_words_are_in_the_message_and_its_start_in_the_body() -> None:
    body = json.dumps({"error": {"message": "余额 不足", "code": 402}}, ensure_ascii=False).encode()
    error = error_from(402, body + b" " * 100_000)
    assert "余额 不足" in str(error)
    assert len(error.body) <= 2000


def test_the_seconds_to_wait_are_kept() -> None:
    error = error_from(None, b'{"error":{"code":429,"message":"x","retry_after":2}}')
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == 2.0


KEYS = (
    "sk-proj-Ab12Cd34Ef56Gh78",
    "sk-ab***********cd",
    "8f1b2c3d-1111-2222-3333-444455556666",
    "0a1b2c3d4e5f.AbCdEfGh12345678",
)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "sentence",
    ["Incorrect API key provided: {}.", "Authorization: Bearer {}", "API key {} is invalid, 密钥"],
)
def test_a_key_is_never_repeated(key: str, sentence: str) -> None:
    for body in (
        json.dumps({"error": {"message": sentence.format(key)}}).encode(),
        sentence.format(key).encode(),
    ):
        error = error_from(401, body)
        assert key not in str(error)
        assert key not in str(error.body)


def test_request_ids_and_model_names_are_kept() -> None:
    error = error_from(400, b'{"error":{"message":"no model doubao-seed-1.6, request 20260301ab"}}')
    assert "doubao-seed-1.6" in str(error)
    assert "20260301ab" in str(error)


@pytest.mark.parametrize("payload", [b"\xff\xfe", b"[" * 100_000, b"null", b'{"error":[]}', b"1"])
def test_any_bytes_become_an_error(payload: bytes) -> None:
    assert isinstance(error_from(None, payload), ModelError)
    assert isinstance(error_from(500, payload), ModelUnavailable)


def test_a_long_body_of_one_word_takes_no_long_time() -> None:
    assert error_from(401, b"key " + b"a" * 1_000_000).status == 401
