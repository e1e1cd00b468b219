"""People in a CSV file, as office programs write it: Chinese or English columns, UTF-8 or GBK."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from pointsman.agentfile.text import Unreadable
from pointsman.domain.text import clean
from pointsman.faults import did_you_mean

COLUMNS: dict[str, tuple[str, ...]] = {
    "login": ("login", "user", "username", "account", "登录名", "登录账号", "账号", "用户名"),
    "name": ("name", "full name", "姓名", "名字"),
    "aliases": ("aliases", "alias", "nickname", "english name", "别名", "昵称", "英文名"),
    "title": ("title", "titles", "job title", "position", "职务", "职位", "岗位", "头衔"),
    "roles": ("roles", "role", "角色"),
    "department": ("department", "departments", "dept", "team", "部门", "所属部门"),
    "manager": ("manager", "reports to", "supervisor", "上级", "直属上级", "主管"),
    "description": ("description", "duties", "responsibilities", "职责", "描述", "说明"),
    "number": ("number", "employee number", "employee id", "工号", "员工编号"),
    "email": ("email", "e-mail", "mail", "邮箱", "电子邮件", "邮件"),
    "phone": ("phone", "mobile", "sms", "手机", "手机号", "电话"),
    "weixin": ("weixin", "wechat", "weixinuser", "微信", "微信号"),
    "active": ("active", "status", "在职", "状态"),
}
"""What a column says → the names that it may have."""

_BY_NAME = {name: field for field, names in COLUMNS.items() for name in names}
_LISTS = frozenset({"aliases", "title", "roles", "department"})
_PARTS = re.compile(r"\s*[;；|]\s*")
_ACTIVE = {
    **dict.fromkeys(("yes", "true", "1", "on", "active", "在职", "是", "正常"), True),
    **dict.fromkeys(("no", "false", "0", "off", "inactive", "left", "离职", "否", "停用"), False),
}
_MOST_BYTES = 20_000_000


def rows(written: bytes) -> list[tuple[int, dict[str, Any]]]:
    """Line and fields of every person.

    Raises:
        Unreadable: no text, no such columns.
    """
    text = _text(written)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = next(reader, [])
        fields = _fields([cell.strip() for cell in header])
        return list(_people(reader, fields))
    except csv.Error as fault:
        raise Unreadable(f"no valid CSV: {fault}", reader.line_num) from None


def _people(reader: Any, fields: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    line = reader.line_num + 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            if len(cells) > len(fields):
                raise Unreadable(
                    f"{len(cells)} values for {len(fields)} columns", line, 'put "…" around commas'
                )
            given = {
                field: _value(field, clean(cell).strip())
                for field, cell in zip(fields, cells, strict=False)
                if field and cell.strip()
            }
            yield line, given
        line = reader.line_num + 1


def _value(field: str, cell: str) -> Any:
    if field in _LISTS:
        return [part for part in _PARTS.split(cell) if part]
    return _ACTIVE.get(cell.casefold(), cell) if field == "active" else cell


def _fields(header: list[str]) -> list[str]:
    fields = []
    for name in header:
        field = _BY_NAME.get(name.casefold(), "")
        if name and not field:
            raise Unreadable(
                f"there is no column {name!r}", 1, did_you_mean(name, [*_BY_NAME][:40])
            )
        if field and field in fields:
            raise Unreadable(f"two columns say the {field}", 1)
        fields.append(field)
    for needed in ("login", "name"):
        if needed not in fields:
            raise Unreadable(f"a column {needed!r} is needed", 1, "or " + COLUMNS[needed][-1])
    return fields


def _text(written: bytes) -> str:
    """UTF-8, or GBK as Chinese office programs write it."""
    if len(written) > _MOST_BYTES:
        raise Unreadable(f"the file is larger than {_MOST_BYTES} bytes")
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
    try:
        text = written.decode("gb18030")
    except UnicodeDecodeError:
        text = ""
    if not re.search("[\u4e00-\u9fff]{2}", text):
        raise Unreadable("neither UTF-8 nor GBK text", line, "save the file as UTF-8")
    return text


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)
