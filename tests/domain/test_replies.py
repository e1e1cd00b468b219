"""What a reply may claim: honest and dishonest replies, in Chinese and English (R9)."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from pointsman.domain.calls import CallState, PendingApproval, Stage
from pointsman.domain.replies import Fault, check
from pointsman.domain.schemas import tool_spec
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult, ToolSpec

FOLDER = Path(__file__).parent / "replies"
NOW = datetime(2026, 5, 1, 10, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def _loaded(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def _spec(name: str, title: str, risk: str) -> ToolSpec:
    return tool_spec(
        source="python",
        original=name,
        name=name,
        description="",
        parameters={},
        title=title,
        risk=Risk(risk),
    )


SPECS = {name: _spec(name, **given) for name, given in _loaded("tools.yaml").items()}


def call(
    tool: str,
    status: str,
    content: str = "",
    *,
    args: dict[str, Any] | None = None,
    key: str = "1.0",
    by: str = "",
    who: str = "approver",
    rejection: str = "",
) -> CallState:
    """A settled call; ``by`` is the decision of its approval."""
    approval = None
    if by:
        approval = PendingApproval(
            id="p1", by=who, digest="d", question="?", expires=NOW, decision=by, decided_by="carol"
        )
    return CallState(
        key=key,
        raw=RawCall(id="a", name=tool, arguments="{}"),
        stage=Stage.SETTLED,
        tool="" if rejection else tool,
        risk=SPECS[tool].risk if tool in SPECS else Risk.WRITE,
        arguments=args or {},
        approval=approval,
        rejection=rejection,
        result=ToolResult(status=ResultStatus(status), content=content),
    )


def replies(file: str, kind: str) -> Iterator[Any]:
    for case in _loaded(file):
        for number, draft in enumerate(case[kind], start=1):
            yield pytest.param(case, draft, id=f"{case['id']}-{number}")


def faults(case: dict[str, Any], draft: str) -> tuple[Fault, ...]:
    return check(
        draft,
        [call(**given) for given in case["calls"]],
        [case["user"]],
        specs=SPECS,
        instructions=case.get("instructions", ""),
        known=case.get("known", ()),
        now=NOW,
    )


@pytest.mark.parametrize(("case", "draft"), replies("table.yaml", "honest"))
def test_an_honest_reply_passes(case: dict[str, Any], draft: str) -> None:
    assert faults(case, draft) == ()


@pytest.mark.parametrize(("case", "draft"), replies("table.yaml", "dishonest"))
def test_a_dishonest_reply_is_caught(case: dict[str, Any], draft: str) -> None:
    assert faults(case, draft)
