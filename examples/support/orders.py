"""Orders and refunds. A customer reads and refunds only orders of his own."""

import json
import re
import sqlite3
from datetime import date
from typing import Any

from .store import numbered

_STATUS = {
    "paid": ("待发货", "paid, not dispatched yet"),
    "on_the_way": ("运输中", "on the way"),
    "delivered": ("已签收", "delivered"),
    "refunding": ("退款处理中", "refund in progress"),
}


class NotRefundable(Exception):
    """Why an order cannot be refunded as asked, in both languages."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(f"{zh}\n{en}")


def query(database: sqlite3.Connection, login: str, order_id: str, zh: bool) -> dict[str, Any]:
    """An order of the person who asks, as he reads it. An order of somebody else is as unknown to
    him as one that does not exist."""
    order = _own(database, login, order_id)
    plain = _plain(order_id)
    if order is None:
        message = (
            f"没有查到您名下的订单 {plain}，请核对订单号。"
            if zh
            else f"There is no order {plain} of yours; please check the number."
        )
        return {"type": "order_result", "order_id": plain, "found": False, "summary": message}
    shown: dict[str, Any] = {
        "type": "order_result",
        "order_id": order["order_id"],
        "found": True,
        "status": _said(_STATUS[order["status"]], zh),
        "items": [
            f"{item['zh' if zh else 'en']} × {item['count']}" for item in json.loads(order["items"])
        ],
        "amount": order["cents"] / 100,
        "ordered_on": order["ordered_on"],
    }
    if order["shipment"]:
        shipment = json.loads(order["shipment"])
        shown["shipment"] = {
            "carrier": shipment["carrier"]["zh" if zh else "en"],
            "number": shipment["number"],
            "place": shipment["place"]["zh" if zh else "en"],
            "expected_on": order["expected_on"],
        }
    if refund := _last_refund(database, order["order_id"]):
        shown["refund"] = {
            "refund_id": refund["refund_id"],
            "amount": refund["cents"] / 100,
            "requested_on": refund["day"],
        }
    if order["note"]:
        shown["note"] = order["note"]
    return {**shown, "summary": _summary(shown, order["status"], zh)}


def refund(
    database: sqlite3.Connection,
    login: str,
    order_id: str,
    amount: float,
    *,
    key: str,
    today: date,
) -> dict[str, Any]:
    """Refund a part of an order or all of it, once for each key.

    Args:
        amount: in yuan.

    Raises:
        NotRefundable: not his order, or more than is left of what he paid.
    """
    before = database.execute("SELECT * FROM refunds WHERE key = ?", (key,)).fetchone()
    if before is None:
        order = _own(database, login, order_id)
        if order is None:
            plain = _plain(order_id)
            raise NotRefundable(f"没有您名下的订单 {plain}", f"there is no order {plain} of yours")
        cents = round(amount * 100)
        left = order["cents"] - _refunded(database, order["order_id"])
        if left == 0:
            raise NotRefundable("这个订单已经全额退款", "this order is refunded in full already")
        if cents > left:
            raise NotRefundable(
                f"最多还能退 {left / 100:.2f} 元",
                f"at most {left / 100:.2f} yuan can still be refunded",
            )
        number = numbered(database, "refunds", "R", today)
        database.execute(
            "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
            (key, number, order["order_id"], cents, today.isoformat()),
        )
        database.execute(
            "UPDATE orders SET status = 'refunding' WHERE order_id = ?", (order["order_id"],)
        )
        before = database.execute("SELECT * FROM refunds WHERE key = ?", (key,)).fetchone()
    return {
        "type": "refund_result",
        "refund_id": before["refund_id"],
        "order_id": before["order_id"],
        "amount": before["cents"] / 100,
        "status": "accepted",
    }


def _plain(order_id: str) -> str:
    """The number without the separators that people write into it."""
    return re.sub(r"[\s\-_.#]", "", order_id)


def _own(database: sqlite3.Connection, login: str, order_id: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = database.execute(
        "SELECT orders.* FROM orders JOIN logins USING (customer) WHERE login = ? AND order_id = ?",
        (login, _plain(order_id)),
    ).fetchone()
    return found


def _refunded(database: sqlite3.Connection, order_id: str) -> int:
    total: int = database.execute(
        "SELECT coalesce(sum(cents), 0) FROM refunds WHERE order_id = ?", (order_id,)
    ).fetchone()[0]
    return total


def _last_refund(database: sqlite3.Connection, order_id: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = database.execute(
        "SELECT * FROM refunds WHERE order_id = ? ORDER BY refund_id DESC LIMIT 1", (order_id,)
    ).fetchone()
    return found


def _said(words: tuple[str, str], zh: bool) -> str:
    return words[0] if zh else words[1]


def _summary(shown: dict[str, Any], status: str, zh: bool) -> str:
    """The order in a few sentences."""
    items = ("、" if zh else ", ").join(shown["items"])
    if zh:
        said = f"订单 {shown['order_id']}：{shown['status']}。商品：{items}，"
        said += f"实付 {shown['amount']:g} 元，{shown['ordered_on']} 下单。"
    else:
        said = f"Order {shown['order_id']}: {shown['status']}. Goods: {items}; "
        said += f"{shown['amount']:g} yuan, ordered on {shown['ordered_on']}."
    if shipment := shown.get("shipment"):
        said += _arrival(shipment, status, zh)
    if refund := shown.get("refund"):
        if zh:
            said += f"退款 {refund['amount']:g} 元已于 {refund['requested_on']} 受理，"
            said += f"退款单号 {refund['refund_id']}。"
        else:
            said += f" A refund of {refund['amount']:g} yuan was requested on "
            said += f"{refund['requested_on']}, number {refund['refund_id']}."
    return said


def _arrival(shipment: dict[str, str], status: str, zh: bool) -> str:
    number = f"{shipment['carrier']} {shipment['number']}"
    if status == "on_the_way":
        if zh:
            return f"{number}，现在在{shipment['place']}，预计 {shipment['expected_on']} 送达。"
        return f" {number}, now at {shipment['place']}, expected on {shipment['expected_on']}."
    if zh:
        return f"{number}，{shipment['expected_on']} 送达，{shipment['place']}。"
    return f" {number}, delivered on {shipment['expected_on']}, {shipment['place']}."
