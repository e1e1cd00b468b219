"""HTTP tools against a real server on loopback: what is sent, where to, and what is made of it."""

import gzip
import json
import logging
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import anyio
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.tools.http import HttpTools
from pointsman.adapters.tools.http_fetch import LONGEST_ANSWER
from pointsman.adapters.tools.http_guard import Unsafe, check_host, target_of
from pointsman.adapters.tools.http_request import Unfit, request_of
from pointsman.adapters.tools.http_settings import HttpParameter, HttpSettings
from pointsman.domain.arguments.json_text import clean_value
from pointsman.domain.events import encode
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, Risk
from tests.cases import CASES
from tests.support.engine import approve, say, service_of, serving
from tests.support.http_api import TOKEN, Api, api, ask, certificate, get, path, source
from tests.support.tools import ANY_SOURCE

pytestmark = pytest.mark.anyio

HOME = "crm.test"


def home(one: Api) -> tuple[str, ...]:
    """A name that leads to the server, and that the author has named as private."""
    one.names[HOME] = [["127.0.0.1"]]
    return (HOME,)


def redirect(to: str, status: int = 302) -> Callable[[web.Request], web.Response]:
    return lambda _: web.Response(status=status, headers={"Location": to})


# What is sent


def test_a_value_in_a_path_stays_one_step_of_it() -> None:
    """X14"""
    given = CASES["X14"]["input"]
    request = request_of(get(given["template"], path("id")), {"id": given["id"]}, key="k")
    assert request.url == CASES["X14"]["expected"]["url"]


@pytest.mark.parametrize(
    "value",
    ["..", ".", "", "a\r\nX-Admin: 1", "a\nb", "\x00", "a\u2028b", None],
    ids=lambda value: f"X14-{value!r}",
)
def test_a_value_that_would_change_the_path_is_refused(value: str | None) -> None:
    with pytest.raises(Unfit):
        request_of(get("https://api.test/users/{id}", path("id")), {"id": value}, key="k")


@given(st.text(), st.text())
def test_no_value_makes_more_of_an_address_than_its_steps(first: str, second: str) -> None:
    """X14"""
    operation = get(
        "https://api.test/a/{x}/b/{y}", path("x"), path("y"), HttpParameter(name="q", where="query")
    )
    values = clean_value({"x": first, "y": second, "q": first})
    try:
        url = request_of(operation, values, key="k").url
    except Unfit:
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "api.test", "")
    steps = [unquote(one) for one in parts.path.split("/")]
    assert steps == ["", "a", values["x"], "b", values["y"]]
    assert parse_qsl(parts.query, keep_blank_values=True) == [("q", values["q"])]


@given(
    st.sampled_from(["127.0.0.0/8", "10.0.0.0/8", "192.168.0.0/16", "100.64.0.0/10", "0.0.0.0/8"]),
    st.integers(0, 2**16 - 1),
    st.sampled_from(["{}", "0x{:x}", "0{:o}", "::ffff:{}", "64:ff9b::{}", "::{}"]),
    st.sampled_from(["", "."]),
)
def test_no_spelling_of_a_private_address_is_public(
    network: str, offset: int, spelling: str, dot: str
) -> None:
    """X13"""
    number = int(IPv4Network(network)[offset])
    if spelling.startswith(("0", "{")) and ":" not in spelling.replace("{:", ""):
        host = spelling.format(number) + dot
    else:
        host = f"[{spelling.format(IPv4Address(number))}]"
    with pytest.raises(Unsafe):
        check_host(target_of(f"http://{host}/").host, private=False)


@pytest.mark.parametrize("where", ["query", "header"])
def test_a_line_break_is_refused_in_queries_and_headers(where: Any) -> None:
    """X14"""
    one = HttpParameter(name="q", where=where)
    with pytest.raises(Unfit, match="q may hold no line breaks"):
        request_of(get("https://api.test/", one), {"q": "a\r\nHost: evil"}, key="k")


def test_a_value_in_a_query_adds_no_parameter() -> None:
    """X14"""
    one = HttpParameter(name="q", where="query")
    request = request_of(get("https://api.test/s", one), {"q": "x&admin=1#?"}, key="k")
    assert request.url == "https://api.test/s?q=x%26admin%3D1%23%3F"


async def test_a_path_arrives_as_it_was_quoted() -> None:
    """X14"""
    async with api() as one:
        operation = get(one.url(HOME, "/users/{id}"), path("id"))
        async with source(one, operation, private=home(one)) as tools:
            await ask(tools, id="1/../admin?x=#")
        assert one.asked[0][1] == "/users/1%2F..%2Fadmin%3Fx%3D%23"


async def test_values_go_into_query_header_and_body() -> None:
    parts = (
        HttpParameter(name="tags", where="query", wire="tag"),
        HttpParameter(name="tenant", where="header", wire="X-Tenant"),
        HttpParameter(name="amount", where="body"),
        HttpParameter(name="note", where="body"),
    )
    async with api() as one:
        operation = get(
            one.url(HOME, "/orders"),
            *parts,
            method="POST",
            headers={"Authorization": "Bearer ${TOKEN}"},
            query={"v": "2"},
            key_header="Idempotency-Key",
        )
        async with source(one, operation, private=home(one)) as tools:
            await ask(tools, tags=["a", "b"], tenant="t1", amount=3, note=None)
        method, asked, headers, body = one.asked[0]
    assert (method, asked) == ("POST", "/orders?v=2&tag=a&tag=b")
    assert (headers["Authorization"], headers["X-Tenant"]) == (f"Bearer {TOKEN}", "t1")
    assert headers["Idempotency-Key"] == "r/1.0"
    assert json.loads(body) == {"amount": 3}


async def test_a_body_is_written_as_the_template_says() -> None:
    inside = [HttpParameter(name=name, where="body") for name in ("to", "text", "cc")]
    template = {"message": {"to": ["{to}"], "cc": "{cc}", "text": "Dear {to}: {text}"}, "v": 1}
    async with api() as one:
        operation = get(one.url(HOME, "/"), *inside, method="POST", body=template)
        async with source(one, operation, private=home(one)) as tools:
            await ask(tools, to="ann", text='say "hi"', cc=None)
        body = json.loads(one.asked[0][3])
    assert body == {"message": {"to": ["ann"], "text": 'Dear ann: say "hi"'}, "v": 1}


async def test_a_form_is_sent_as_one() -> None:
    inside = [HttpParameter(name=name, where="body") for name in ("a", "b")]
    async with api() as one:
        operation = get(one.url(HOME, "/"), *inside, method="POST", encoding="form")
        async with source(one, operation, private=home(one)) as tools:
            await ask(tools, a="1&x=2", b=[True, 3])
        _, _, headers, body = one.asked[0]
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert body == b"a=1%26x%3D2&b=true&b=3"


# Where to


@pytest.mark.parametrize(
    "url",
    [
        *CASES["X13"]["input"]["urls"],
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://[::1]/",
        "http://[::]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/",
        "http://169.254.169.254/",
        "http://10.0.0.1./",
        "http://１２７.0.0.1/",
        "http://api.localhost/",
        "http://224.0.0.1/",
        "http://a@b@127.0.0.1/",
        "http://ok.test\\@127.0.0.1/",
        "http://127.0.0.1 .test/",
        "http://999.1.1.1/",
        "ftp://ok.test/",
        "//ok.test/",
    ],
    ids=lambda url: f"X13-{url}",
)
async def test_an_address_of_the_own_network_is_blocked_in_every_spelling(url: str) -> None:
    one = Api()
    one.names = {"ok.test": [["93.184.216.34"]]}
    operation = get("{url}", HttpParameter(name="url", where="path"))
    async with source(one, operation) as tools:
        result = await ask(tools, url=url)
    assert result.status in (ResultStatus.FAILED, ResultStatus.REJECTED)
    assert not result.retryable
    assert "blocked" in result.content


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::ffff:10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.0.192",
        "fd00::1",
        "fec0::1",
        "169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "::ffff:0:7f00:1",
        "2002:7f00:1::",
    ],
)
async def test_a_name_that_leads_into_the_own_network_is_blocked(address: str) -> None:
    """X13: one bad address among good ones is enough."""
    async with api() as one:
        one.names["rebound.test"] = [["93.184.216.34", address]]
        async with source(one, get(one.url("rebound.test", "/"))) as tools:
            result = await ask(tools)
        assert one.asked == []
    assert "blocked" in result.content


async def test_a_name_that_changes_its_address_gains_nothing() -> None:
    """X13: what was looked at is what is connected to."""
    async with api() as one:
        one.names["flips.test"] = [["127.0.0.1"], ["93.184.216.34"]]
        async with source(one, get(one.url("flips.test", "/"))) as tools:
            assert "blocked" in (await ask(tools)).content
        one.names["flips.test"] = [["127.0.0.1"], ["127.0.0.2"]]
        async with source(one, get(one.url("flips.test", "/")), private=["flips.test"]) as tools:
            assert (await ask(tools)).ok
        assert len(one.names["flips.test"]) == 1  # asked once for one request


async def test_a_server_must_prove_to_be_the_host_whose_address_was_looked_at(
    tmp_path: Path,
) -> None:
    proving, believing = certificate(tmp_path, HOME)
    async with api(proving) as one:
        private = (*home(one), "other.test")
        one.names["other.test"] = [["127.0.0.1"]]
        for host, ok in ((HOME, True), ("other.test", False)):
            operation = get(one.url(host, "/").replace("http:", "https:"))
            async with source(one, operation, private=private, tls=believing) as tools:
                assert (await ask(tools)).ok is ok
        assert len(one.asked) == 1


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "64:ff9b:1::a9fe:a9fe",
        "::ffff:0:a9fe:a9fe",
    ],
)
async def test_the_keys_of_the_cloud_are_blocked_whatever_the_settings_say(address: str) -> None:
    """X13"""
    async with api() as one:
        one.names["inside.test"] = [[address]]
        async with source(one, get(one.url("inside.test", "/")), private=["inside.test"]) as tools:
            assert "blocked" in (await ask(tools)).content


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_into_the_own_network_is_blocked(status: int) -> None:
    """X11"""
    async with api() as one:
        one.answers["/302"] = redirect(CASES["X11"]["input"]["redirect"], status)
        async with source(one, get(one.url(HOME, "/302")), private=home(one)) as tools:
            result = await ask(tools)
        assert len(one.asked) == 1
    assert "blocked" in result.content


async def test_a_redirect_to_a_name_that_is_not_named_as_private_is_blocked() -> None:
    """X11"""
    async with api() as one:
        one.names["other.test"] = [["127.0.0.1"]]
        one.answers["/"] = redirect(one.url("other.test", "/secret"))
        async with source(one, get(one.url(HOME, "/")), private=home(one)) as tools:
            assert "blocked" in (await ask(tools)).content
        assert len(one.asked) == 1


async def test_what_was_said_to_one_host_is_not_said_to_another() -> None:
    """X11"""
    async with api() as one:
        one.names["other.test"] = [["127.0.0.1"]]
        one.answers["/"] = redirect("/again")
        one.answers["/again"] = redirect(one.url("other.test", "/there"))
        one.answers["/there"] = redirect(one.url(HOME, "/back"))
        operation = get(
            one.url(HOME, "/"),
            headers={"Authorization": "Bearer ${TOKEN}", "X-Api-Key": "${TOKEN}"},
        )
        async with source(one, operation, private=(*home(one), "other.test")) as tools:
            assert (await ask(tools)).ok
        said = [(path, "Authorization" in h, "X-Api-Key" in h) for _, path, h, _ in one.asked]
    assert said == [
        ("/", True, True),
        ("/again", True, True),
        ("/there", False, False),
        ("/back", False, False),
    ]


async def test_three_redirects_are_followed_and_no_more() -> None:
    """X11"""
    async with api() as one:
        one.answers = {f"/{n}": redirect(f"/{n + 1}") for n in range(9)}
        async with source(one, get(one.url(HOME, "/5")), private=home(one)) as tools:
            result = await ask(tools)
        assert [path for _, path, _, _ in one.asked] == ["/5", "/6", "/7", "/8"]
    assert "more than 3 redirects" in result.content


async def test_a_request_that_changes_something_follows_no_redirect() -> None:
    """X11"""
    async with api() as one:
        one.answers["/"] = redirect("/elsewhere", 307)
        operation = get(one.url(HOME, "/"), method="POST")
        async with source(one, operation, private=home(one)) as tools:
            result = await ask(tools)
        assert len(one.asked) == 1
    assert (result.status, result.content) == (ResultStatus.ERROR, "ERROR: HTTP 307")


def test_a_public_address_is_asked_as_it_is_written() -> None:
    """X13: the guard is no fence around the public network."""
    for url in (
        "https://api.test/a%2Fb?x=1",
        "http://93.184.216.34:8080/",
        "http://[2606:4700::1]/",
    ):
        target = target_of(url)
        check_host(target.host, private=False)
        assert target.url == url
    assert target_of("https://BÜCHER.test./").host == "xn--bcher-kva.test"
    with pytest.raises(Unsafe):
        target_of("http://user:pw@api.test/")


# What is made of the answer


async def asked(answer: Callable[[web.Request], Any], **operation: Any) -> Any:
    async with api() as one:
        one.answers["/"] = answer
        made = get(one.url(HOME, "/"), **operation)
        async with source(one, made, private=home(one)) as tools:
            return await ask(tools)


async def test_json_is_read_as_data_and_text_as_text() -> None:
    result = await asked(lambda _: web.json_response({"name": "王"}))
    assert (result.content, result.data) == ('{"name": "王"}', {"name": "王"})
    assert (await asked(lambda _: web.Response(text="plain"))).content == "plain"
    picture = web.Response(body=b"\x89PNG", content_type="image/png")
    assert (await asked(lambda _: picture)).content == "[image/png, 4 bytes]"
    assert "returned nothing" in (await asked(lambda _: web.Response(status=204))).content


@pytest.mark.parametrize(
    ("status", "again"), [(400, False), (404, False), (429, True), (503, True)]
)
async def test_a_refusal_is_told_with_its_status(status: int, again: bool) -> None:
    result = await asked(lambda _: web.json_response({"why": "no"}, status=status))
    assert (result.status, result.retryable) == (ResultStatus.ERROR, again)
    assert result.content == f'ERROR: HTTP {status}: {{"why": "no"}}'


@pytest.mark.parametrize(
    ("method", "expected"), [("GET", ResultStatus.ERROR), ("POST", ResultStatus.UNCERTAIN)]
)
async def test_nobody_knows_what_became_of_what_a_gateway_lost(
    method: str, expected: ResultStatus
) -> None:
    assert (await asked(lambda _: web.Response(status=504), method=method)).status is expected


@pytest.mark.parametrize(
    ("method", "expected"), [("PUT", ResultStatus.FAILED), ("POST", ResultStatus.UNCERTAIN)]
)
async def test_an_answer_that_breaks_off_is_uncertain_unless_twice_is_the_same(
    method: str, expected: ResultStatus
) -> None:
    def drop(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    result = await asked(drop, method=method)
    assert (result.status, result.retryable) == (expected, method == "PUT")


async def test_a_server_that_is_not_there_was_not_reached() -> None:
    one = Api()
    one.names[HOME] = [["127.0.0.1"]]
    async with source(one, get(f"http://{HOME}:1/", method="POST"), private=[HOME]) as tools:
        result = await ask(tools)
    assert (result.status, result.retryable) == (ResultStatus.FAILED, True)


@pytest.mark.parametrize(
    ("method", "expected"), [("GET", ResultStatus.TIMEOUT), ("POST", ResultStatus.UNCERTAIN)]
)
async def test_a_silent_server_is_given_up(method: str, expected: ResultStatus) -> None:
    """X14: with a timeout."""
    over = anyio.Event()

    async def silent(_: web.Request) -> web.Response:
        await over.wait()
        return web.Response()

    async with api() as one:
        one.answers["/"] = silent
        operation = get(one.url(HOME, "/"), method=method, timeout=0.05)
        async with source(one, operation, private=home(one)) as tools:
            result = await ask(tools)
        over.set()
    assert result.status is expected


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    try:
        while True:
            await response.write(b"x" * 100_000)
    except (ConnectionError, OSError):
        return response


async def test_a_huge_answer_is_read_no_further_than_the_limit() -> None:
    """X14"""
    with anyio.fail_after(60):
        result = await asked(endless)
        assert (result.status, str(LONGEST_ANSWER) in result.content) == (ResultStatus.ERROR, True)
        done = await asked(endless, method="POST")
    assert (done.status, "it was done" in done.content) == (ResultStatus.OK, True)


@pytest.mark.parametrize(
    ("size", "coding", "told"),
    [
        (1000, "gzip", "0000"),
        (LONGEST_ANSWER * 10, "gzip", "is larger than"),
        (1000, "br", "is coded as 'br'"),
    ],
)
async def test_a_packed_answer_is_unpacked_no_further_than_the_limit(
    size: int, coding: str, told: str
) -> None:
    """X14: a few bytes that unpack to gigabytes."""
    headers = {"Content-Encoding": coding, "Content-Type": "text/plain"}
    response = web.Response(body=gzip.compress(b"0" * size), headers=headers)
    result = await asked(lambda _: response)
    assert told in result.content
    assert len(result.content) <= 1000


async def test_what_cannot_be_unpacked_is_no_answer() -> None:
    response = web.Response(body=b"x", headers={"Content-Encoding": "gzip"})
    assert (await asked(lambda _: response)).status is ResultStatus.FAILED


async def test_a_secret_is_in_no_journal_and_what_changes_something_is_confirmed() -> None:
    async with api() as one:
        one.answers["/users/7"] = lambda request: web.json_response(dict(request.headers))
        operation = get(
            one.url(HOME, "/users/{id}"),
            path("id"),
            method="DELETE",
            headers={"Authorization": "Bearer ${TOKEN}"},
            said={"id": ANY_SOURCE},
        )
        async with source(one, operation, private=home(one)) as tools:
            service = await service_of([[("ask", '{"id": "7"}')], "Done."], sources=[tools])
            run = await say(service, "Delete user 7.")
            assert (run.status, one.asked) == (RunStatus.WAITING, [])
            await approve(service, run)
            async with serving(service):
                with anyio.fail_after(60):
                    async for _ in service.follow(run.id, "ann"):
                        pass
            trace = await service.trace(run.id, None)
        assert one.asked[0][2]["Authorization"] == f"Bearer {TOKEN}"
    journal = b"".join(encode(each.event) for each in trace)
    assert b"***" in journal
    assert TOKEN.encode() not in journal


async def test_a_secret_is_in_no_answer_and_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers) | dict(request.query), status=418)

    headers = {"Authorization": "Bearer ${TOKEN}"}
    result = await asked(echo, headers=headers, query={"appid": "${TOKEN}"})
    assert TOKEN not in result.content
    assert result.content.count("***") == 2
    ours = [one for one in caplog.records if one.name != "aiohttp.access"]  # the server's own
    assert TOKEN not in "".join(one.getMessage() for one in ours)


def test_what_a_tool_may_do_follows_from_its_method_unless_it_is_said() -> None:
    def spec(method: str, **said: Any) -> tuple[Risk, bool]:
        operation = get("https://api.test/", method=method, **said)
        (tool,) = HttpTools(HttpSettings(name="crm", operations=(operation,)), environ={}).tools()
        return tool.spec.risk, tool.spec.idempotent

    assert spec("GET") == (Risk.READ, True)
    assert spec("PUT") == spec("DELETE") == (Risk.WRITE, True)
    assert spec("POST") == spec("PATCH") == (Risk.WRITE, False)
    assert spec("GET", risk=Risk.CRITICAL, idempotent=False) == (Risk.CRITICAL, False)


async def test_a_variable_that_is_not_set_is_told_before_a_call_and_by_it() -> None:
    operation = get("https://api.test/", headers={"Authorization": "${NOBODY}"})
    tools = HttpTools(HttpSettings(name="crm", operations=(operation,)), environ={})
    assert tools.state() == "the environment variable NOBODY is not set"
    assert (await ask(tools)).status is ResultStatus.REJECTED
