"""A tiny agent folder to evaluate, and suites for it."""

from pathlib import Path
from typing import Any

import yaml

from pointsman.evaluation import suites
from pointsman.evaluation.cases import Suite
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.runner import Plan, run
from pointsman.evaluation.staging import Subject
from pointsman.ports import ChatModel

AGENT = """\
agent: kiosk
language: en
timezone: Asia/Shanghai
tools:
  - python: tools:price
  - python: tools:order
  - python: tools:refund
  - python: tools:count
policy:
  - {tool: refund, then: approve, by: finance}
offline:
  values:
    item: {choices: {tea: [tea, 茶], milk: [milk]}}
    many: {patterns: ['(\\d+) (?:cups|bottles)'], type: integer}
    day: {date: "%Y-%m-%d", default: today}
  calls:
    price: {tool: price, when: [price, cost, 多少钱], arguments: {item: item, day: day}}
    order: {tool: order, when: [order, buy], arguments: {item: item, many: many}}
    refund: {tool: refund, when: [refund], arguments: {item: item}}
    count: {tool: count, when: [count]}
  answers:
    - {when: [hello, 你好], say: {zh: 您好, en: Hello}}
  fallback: {zh: 我只卖东西。, en: I only sell things.}
"""

TOOLS = '''\
from datetime import date

from pointsman import Risk, tool

counted = []


@tool(risk=Risk.READ)
def price(item: str, day: date) -> str:
    """The price of an item."""
    return f"{item} costs 3 on {day}"


@tool
def order(item: str, many: int) -> str:
    """Order an item."""
    return f"ordered {many} {item}"


@tool(risk=Risk.CRITICAL)
def refund(item: str) -> str:
    """Give the money back."""
    return f"refunded {item}"


@tool(risk=Risk.READ)
def count() -> str:
    """How often it was asked."""
    counted.append(1)
    return f"asked {len(counted)} times"
'''


def kiosk(folder: Path) -> Path:
    """The agent's folder, written."""
    place = folder / "kiosk"
    (place / "evaluation").mkdir(parents=True)
    (place / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (place / "tools.py").write_text(TOOLS, encoding="utf-8")
    return place


def suite_file(folder: Path, *cases: dict[str, Any], name: str = "suite.yaml", **keys: Any) -> Path:
    """A suite of these cases in the folder's ``evaluation``."""
    file = folder / "evaluation" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump({**keys, "cases": list(cases)}, allow_unicode=True, sort_keys=False)
    file.write_text(text, encoding="utf-8")
    return file


def suite_of(folder: Path, *cases: dict[str, Any], **keys: Any) -> Suite:
    """The same, loaded."""
    return suites.load(suite_file(folder, *cases, **keys))


def case(say: str, name: str = "one", /, *, setup: Any = None, **expect: Any) -> dict[str, Any]:
    """A case of one turn."""
    return {"id": name, "say": say, "expect": expect, **({"setup": setup} if setup else {})}


async def results_of(
    folder: Path, *cases: dict[str, Any], model: ChatModel | None = None, **keys: Any
) -> list[CaseResult]:
    """What comes of the cases on the folder's agent."""
    plan = Plan(suite=suite_of(folder, *cases, **keys))
    return await run(plan, Subject(path=folder, model=model))


async def result_of(
    folder: Path, one: dict[str, Any], *, model: ChatModel | None = None, **keys: Any
) -> CaseResult:
    """What comes of one case."""
    (result,) = await results_of(folder, one, model=model, **keys)
    assert not result.error, result.error
    return result


def faults(result: CaseResult) -> list[str]:
    """The kinds of the checks that do not hold."""
    return [check.kind for check in result.failed]
