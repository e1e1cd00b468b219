"""Accounts and what goes with them, as rows and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import RowMapping

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.reading import instant
from pointsman.domain.accounts import Account, Entry, folded
from pointsman.domain.throttling import Attempts
from pointsman.ports.accounts import ApiToken, Link, SignIn

Row = Mapping[str, Any] | RowMapping


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _micros(at: datetime | None) -> int | None:
    return None if at is None else micros(at)


def _instant(at: int | None) -> datetime | None:
    return None if at is None else instant(at)


def account_row(one: Account) -> dict[str, Any]:
    row = {name: getattr(one, name) for name in one.__struct_fields__}
    return row | {
        "folded": one.folded,
        "roles": _json(one.roles),
        "granted": _json(one.granted),
        "admin": one.is_admin,
        "created": micros(one.created),
        "seen": _micros(one.seen),
    }


def account_of(row: Row) -> Account:
    given = {name: row[name] for name in Account.__struct_fields__}
    return Account(
        **given
        | {
            "roles": msgspec.json.decode(row["roles"], type=tuple[str, ...]),
            "granted": msgspec.json.decode(row["granted"], type=tuple[str, ...]),
            "created": instant(row["created"]),
            "seen": _instant(row["seen"]),
        }
    )


def sign_in_row(one: SignIn) -> dict[str, Any]:
    return {
        "digest": one.digest,
        "folded": folded(one.login),
        "created": micros(one.created),
        "seen": micros(one.seen),
        "expires": micros(one.expires),
        "address": one.address,
        "client": one.client,
    }


def sign_in_of(row: Row, login: str) -> SignIn:
    return SignIn(
        digest=row["digest"],
        login=login,
        created=instant(row["created"]),
        seen=instant(row["seen"]),
        expires=instant(row["expires"]),
        address=row["address"],
        client=row["client"],
    )


def token_row(one: ApiToken) -> dict[str, Any]:
    return {
        "id": one.id,
        "digest": one.digest,
        "folded": folded(one.login),
        "name": one.name,
        "prefix": one.prefix,
        "scopes": _json(one.scopes),
        "created": micros(one.created),
        "expires": micros(one.expires),
        "used": _micros(one.used),
    }


def token_of(row: Row, login: str) -> ApiToken:
    return ApiToken(
        id=row["id"],
        digest=row["digest"],
        login=login,
        name=row["name"],
        prefix=row["prefix"],
        scopes=msgspec.json.decode(row["scopes"], type=tuple[str, ...]),
        created=instant(row["created"]),
        expires=instant(row["expires"]),
        used=_instant(row["used"]),
    )


def link_row(one: Link) -> dict[str, Any]:
    return {
        "digest": one.digest,
        "kind": one.kind,
        "login": one.login,
        "expires": micros(one.expires),
    }


def link_of(row: Row) -> Link:
    return Link(
        digest=row["digest"], kind=row["kind"], login=row["login"], expires=instant(row["expires"])
    )


def attempts_row(key: str, one: Attempts) -> dict[str, Any]:
    return {
        "key": key,
        "failures": one.failures,
        "last": micros(one.last),
        "until": _micros(one.until),
    }


def attempts_of(failures: int, last: int, until: int | None) -> Attempts:
    return Attempts(failures=failures, last=instant(last), until=_instant(until))


def entry_row(one: Entry) -> dict[str, Any]:
    return {
        "at": micros(one.at),
        "event": one.event,
        "login": one.login,
        "by": one.by,
        "address": one.address,
        "about": _json(one.about),
    }


def entry_of(row: Row) -> Entry:
    return Entry(
        seq=row["seq"],
        at=instant(row["at"]),
        event=row["event"],
        login=row["login"],
        by=row["by"],
        address=row["address"],
        about=msgspec.json.decode(row["about"]),
    )
