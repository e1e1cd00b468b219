"""The support agent's tools on their own: documents, orders, refunds, tickets, the outbox."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pointsman.domain.tools import ResultStatus, Risk
from tests.support.shop import shop_tools, use

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of its own for every test."""
    monkeypatch.setenv("SUPPORT_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "support.sqlite3"


async def titles(query: str) -> list[str]:
    result = await use("search_docs", {"query": query})
    assert result.ok
    return [found["title"] for found in result.data["results"]]


def rows(file: Path, table: str) -> list[dict[str, Any]]:
    with sqlite3.connect(file) as database:
        database.row_factory = sqlite3.Row
        found = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
    database.close()
    return found


def test_the_tools_say_what_they_do_and_risk() -> None:
    tools = shop_tools()
    assert {name: tool.spec.risk for name, tool in tools.items()} == {
        "search_docs": Risk.READ,
        "query_order": Risk.READ,
        "create_ticket": Risk.WRITE,
        "refund_order": Risk.CRITICAL,
        "send_email": Risk.WRITE,
    }
    assert all(tool.spec.title and tool.spec.description for tool in tools.values())
    assert all(tool.spec.repeatable and 0 < tool.spec.timeout <= 10 for tool in tools.values())


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("退款规则是什么？", "退款规则"),
        ("我的订单怎么退款", "怎么申请退款"),
        ("退款多久到账", "退款多久到账"),
        ("怎么退货", "怎么退货"),
        ("能货到付款吗", "支付方式"),
        ("发票抬头写错了怎么办", "发票抬头错误"),
        ("保修多久", "保修政策"),
        ("海外能送到吗", "配送范围"),
        ("what is the refund policy", "Refund policy"),
        ("how long does a refund take", "Refund time"),
        ("can I pay cash on delivery?", "Ways to pay"),
        ("How do I change my address", "Changing the delivery address"),
        ("returning goods", "How to return goods"),
    ],
)
async def test_the_document_that_answers_is_found_first(query: str, title: str) -> None:
    assert (await titles(query))[0].startswith(title)


@pytest.mark.parametrize("query", ["今天天气", "量子计算", "blockchain", "？", "的"])
async def test_a_search_that_finds_nothing_says_so(query: str) -> None:
    result = await use("search_docs", {"query": query})
    assert result.ok
    assert result.data["results"] == []
    assert "没有找到" in result.data["summary"]


@pytest.mark.parametrize("query", ['" OR 1', "title:x", "退款* NEAR/2 规则", "(", "a AND NOT"])
async def test_words_of_the_search_language_are_only_words(query: str) -> None:
    assert (await use("search_docs", {"query": query})).ok


async def test_a_changed_document_is_indexed_anew(data: Path) -> None:
    assert await titles("怎么开发票")
    with sqlite3.connect(data) as database:
        database.execute("UPDATE indexed SET stamp = 'older'")
        database.execute("DELETE FROM passages")
    database.close()
    assert await titles("怎么开发票")


async def test_a_customer_reads_his_own_order() -> None:
    order = (await use("query_order", {"order_id": "123456789"})).data
    assert (order["found"], order["status"], order["amount"]) == (True, "退款处理中", 299.0)
    assert order["refund"]["requested_on"] == "2026-04-29"


async def test_an_order_is_said_in_the_users_language() -> None:
    order = (await use("query_order", {"order_id": "987654321"}, language="en")).data
    assert order["status"] == "on the way"
    assert "expected on 2026-05-02" in order["summary"]


@pytest.mark.parametrize("written", ["987-654-321", "987 654 321", "#987654321"])
async def test_separators_in_a_number_do_not_matter(written: str) -> None:
    assert (await use("query_order", {"order_id": written})).data["found"]


async def test_another_persons_order_looks_like_one_that_does_not_exist() -> None:
    other = (await use("query_order", {"order_id": "888999000"})).data
    unknown = (await use("query_order", {"order_id": "888999001"})).data
    assert {**other, "order_id": "", "summary": ""} == {**unknown, "order_id": "", "summary": ""}
    assert other["summary"].replace("888999000", "888999001") == unknown["summary"]
    assert (await use("query_order", {"order_id": "888999000"}, user="u002")).data["found"]


@pytest.mark.parametrize("user", ["", "nobody", "u001' OR '1'='1"])
async def test_a_stranger_has_no_orders(user: str) -> None:
    assert not (await use("query_order", {"order_id": "123456789"}, user=user)).data["found"]


async def test_a_ticket_keeps_who_asked_and_in_which_words(data: Path) -> None:
    result = await use("create_ticket", {"description": "耳机有杂音"}, said="我要投诉，耳机有杂音")
    assert result.data == {
        "type": "ticket_result",
        "ticket_id": "T202605010001",
        "status": "created",
    }
    (ticket,) = rows(data, "tickets")
    assert (ticket["user_id"], ticket["description"]) == ("u001", "耳机有杂音")
    assert ticket["said"] == "我要投诉，耳机有杂音"


async def test_tickets_are_numbered_and_a_repeated_call_makes_none(data: Path) -> None:
    keys = ("run:0.0", "run:0.0", "run:1.0")
    made = [await use("create_ticket", {"description": "投诉"}, key=key) for key in keys]
    numbers = [result.data["ticket_id"] for result in made]
    assert numbers == ["T202605010001", "T202605010001", "T202605010002"]
    assert len(rows(data, "tickets")) == 2


async def test_a_refund_is_made_once_however_often_it_is_tried(data: Path) -> None:
    wish = {"order_id": "555666777", "amount": 28.5}
    first = await use("refund_order", wish)
    assert await use("refund_order", wish) == first
    assert (first.data["refund_id"], first.data["amount"]) == ("R202605010001", 28.5)
    order = (await use("query_order", {"order_id": "555666777"})).data
    assert (order["status"], order["refund"]["amount"]) == ("退款处理中", 28.5)
    assert sum(row["order_id"] == "555666777" for row in rows(data, "refunds")) == 1


@pytest.mark.parametrize(
    ("order_id", "amount", "why"),
    [
        ("555666777", 128.01, "最多还能退 128.00 元"),
        ("123456789", 1, "已经全额退款"),
        ("888999000", 1, "没有您名下的订单"),
        ("000000000", 1, "没有您名下的订单"),
    ],
)
async def test_what_cannot_be_refunded_is_refused(order_id: str, amount: float, why: str) -> None:
    result = await use("refund_order", {"order_id": order_id, "amount": amount})
    assert result.status is ResultStatus.ERROR
    assert why in result.content


@pytest.mark.parametrize("amount", [0, -5])
async def test_an_amount_is_above_nothing(amount: float) -> None:
    result = await use("refund_order", {"order_id": "555666777", "amount": amount})
    assert result.status is ResultStatus.REJECTED


async def test_an_email_lies_in_the_outbox_once(data: Path) -> None:
    wish = {"to": "ann@example.com", "subject": "订单", "body": "在路上"}
    assert (await use("send_email", wish)).ok
    assert (await use("send_email", wish)).ok
    (letter,) = rows(data, "outbox")
    assert (letter["recipient"], letter["user_id"]) == ("ann@example.com", "u001")
