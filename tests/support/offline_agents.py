"""Four agents of different trades, as rules of the offline model, with scripted tools."""

from datetime import date
from typing import Any

from pointsman.adapters.models.offline import OfflineModel
from pointsman.agentfile.text import parse
from tests.support.offline_talk import Talk

SATURDAY = date(2026, 2, 28)

LIBRARY = r"""
values:
  title:
    between:
      - {after: [book, "the book called"], before: [by, until, to, for]}
      - {after: [《], before: [》]}
    strip: [》]
    remember: true
    ask: {zh: 哪本书？, en: "Which book?"}
  reader: {patterns: ['reader\s+(?P<value>\d+)', '读者\s*(\d+)'], type: integer, remember: true}
  copies: {patterns: ['(\d+|[a-z]+|[一二三两]+)\s*(?:copies|本)'], type: integer, default: 1}
calls:
  find:
    tool: find_book
    when: [find, '/look (?:it )?up/', 查, 有没有]
    arguments: {title: title}
    say:
      zh: "《{{ title }}》{{ if free }}可借，{{ free }} 本{{ else }}借完了{{ end }}。"
      en: "{{ title }}: {{ if free }}{{ free }} to lend{{ else }}all lent{{ end }}."
  lend:
    tool: lend_book
    title: {zh: 借书, en: lending}
    when: [lend, borrow, 借]
    unless: [借完]
    arguments:
      book_id: {call: find, path: id}
      reader: reader
      copies: copies
      channel: {fixed: desk}
      note: {text: {zh: "读者 {{ values.reader }}", en: "for {{ values.reader }}"}}
    say:
      zh: 借好了，{{ due | date %m月%d日 }}前还。
      en: Lent until {{ due | weekday }}, {{ due | date %d/%m/%Y }}.
  reserve: {tool: reserve_book, when: [reserve, 预约], arguments: {title: title}}
conditions:
  free:
    title: {zh: 可借, en: can be lent}
    call: find
    yes: [it is free, it's free, 可借, 有]
    no: [it is not free, it's not free, it is lent, 借完, 没有]
    test: {path: free, above: 0}
    say: {yes: {zh: 有书。, en: It is there.}, no: {zh: 没书。, en: It is lent.}}
answers:
  - {when: [hello, 你好], say: {zh: 您好, en: Good day}}
fallback: {zh: 我能查书和借书。, en: I find and lend books.}
"""

SHOP = r"""
values:
  order:
    patterns: ['\b(?P<value>[A-Z]{2}\d{4})\b']
    remember: true
    ask: {zh: 订单号？, en: "Order number?"}
  reason: {choices: {damaged: [broken, damaged, 坏], late: [late, 太慢]}}
calls:
  status:
    tool: order_status
    title: {zh: 查订单, en: order status}
    when: [status, where is, 到哪]
    arguments: {order: order}
    each: [order]
    say:
      zh: "{{ order }}：{{ state | word }}"
      en: "{{ order }}: {{ state }}{{ for e in events }}; {{ index }} {{ e.at }}{{ end }}"
  refund:
    tool: refund
    when: [refund, money back, 退款]
    arguments: {order: order, reason: reason}
conditions:
  dear:
    call: status
    yes: ['/costs? more than (?P<bound>\d+)/', '/超过(?P<bound>\d+)元/']
    test: {path: amount, above: $bound}
  open:
    call: status
    yes: [it is open]
    test: {any: [{path: state, equals: new}, {not: {path: "events[*].at", contains: [paris]}}]}
fallback: {zh: 我能查订单。, en: I look up orders.}
glossary: {zh: {sent: 已发货}}
"""

CLINIC = r"""
values:
  day: {date: "%d.%m.%Y", default: tomorrow}
  urgent: {choices: {"true": [urgent, 急]}, type: boolean}
calls:
  slots:
    tool: free_slots
    when: [appointment, 挂号]
    arguments: {day: day, urgent: urgent}
    each: [day]
    say: {zh: "{{ slots | join 、 }}", en: "{{ slots | count }} free: {{ slots | join , }}"}
fallback: {zh: 我能挂号。, en: I book appointments.}
"""

SWITCHBOARD = r"""
answers:
  - {when: [fire, 着火], say: {zh: 请打 119。, en: Call 112.}}
  - {when: [what day], say: "{{ today | date %Y/%m/%d }}, {{ today | weekday }}"}
fallback: {zh: 请说人名。, en: Say a name.}
"""


def model(rules: str) -> OfflineModel:
    data, _, faults = parse(rules)
    assert not faults
    return OfflineModel(data)


def library(free: int = 2, **tools: Any) -> Talk:
    def find(arguments: dict[str, Any]) -> Any:
        return {"id": "B7", "title": arguments["title"], "free": free}

    standard = {
        "find_book": find,
        "lend_book": lambda _: {"due": "2026-03-14"},
        "reserve_book": lambda _: "reserved",
    }
    return Talk(model(LIBRARY), standard | tools, today=SATURDAY)


def shop(**tools: Any) -> Talk:
    def status(arguments: dict[str, Any]) -> Any:
        events = [{"at": "Lyon"}, {"at": "Paris"}]
        return {"order": arguments["order"], "state": "sent", "amount": 80, "events": events}

    standard = {"order_status": status, "refund": lambda _: {"refunded": True}}
    return Talk(model(SHOP), standard | tools, today=SATURDAY)


def clinic() -> Talk:
    tools = {"free_slots": lambda _: {"slots": ["9:00", "9:20"]}}
    return Talk(model(CLINIC), tools, today=SATURDAY)
