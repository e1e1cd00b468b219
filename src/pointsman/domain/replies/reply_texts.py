"""What is said when a draft may not leave: to the model, which may mend it once, and to the user.

``fallback`` is the engine's own reply: what was tried, what came of it, what the user can do. It is
plain on purpose: it says nothing that the journal does not hold.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.agent import Language
from pointsman.domain.calls import CallState, shown
from pointsman.domain.replies.reply_facts import Act, Fault, FaultKind, acts_of
from pointsman.domain.tools import ResultStatus, Risk, ToolSpec

_SHORT, _RESULT = 160, 600

_FAULTS: dict[FaultKind, str] = {
    "claimed_success": "It says “{quote}”, but {tool} did not succeed.",
    "claimed_action": "It says “{quote}”, but no call did that.",
    "unmentioned": "It does not say that {tool} was not done.",
    "not_open": "It does not say that the outcome of {tool} is unknown: it may have taken effect.",
    "wrong_end": "It tells a wrong end of {tool}: see below why it was not run.",
    "unsourced": "It holds “{quote}”, which neither the user nor any result gave.",
}
_REPAIR = (
    "Your reply was not shown to the user, because it does not agree with what happened:\n"
    "{faults}\n\nWhat happened:\n{facts}\n\n"
    "Write the reply to the user again, in {language}. Say only what is in these results and in "
    "the user's own words; say of every call that did not succeed that it did not. Call no tool. "
    "Do not mention this note."
)
_LANGUAGES: dict[Language, str] = {"zh": "Chinese", "en": "English"}
_NOTHING_RAN = "- no tool was run"

_SAID: dict[str, dict[Language, str]] = {
    "read": {"zh": "「{title}」的结果：{content}", "en": "Result of “{title}”: {content}"},
    "ok": {"zh": "「{title}」已执行：{content}", "en": "“{title}” was done: {content}"},
    "error": {
        "zh": "「{title}」没有成功：{content}",
        "en": "“{title}” did not succeed: {content}",
    },
    "failed": {
        "zh": "「{title}」执行失败，可以稍后再试。",
        "en": "“{title}” failed. You can try again later.",
    },
    "timeout": {
        "zh": "「{title}」超时，没有得到结果，可以稍后再试。",
        "en": "“{title}” timed out without a result. You can try again later.",
    },
    "uncertain": {
        "zh": "「{title}」已经发起，但不确定是否已生效。请先核实结果，不要直接重试。",
        "en": "“{title}” was started, and it is not known whether it took effect. "
        "Please check before trying again.",
    },
    "rejected": {
        "zh": "「{title}」没有执行。",
        "en": "“{title}” was not run.",
    },
    "limit": {
        "zh": "「{title}」没有执行：达到了次数上限。",
        "en": "“{title}” was not run: a limit was reached.",
    },
    "cancelled": {
        "zh": "「{title}」没有执行：任务在此之前停止了。",
        "en": "“{title}” was not run: the request was stopped before.",
    },
    "denied": {
        "zh": "「{title}」没有得到同意，没有执行。",
        "en": "“{title}” was declined and was not run.",
    },
    "expired": {
        "zh": "「{title}」没有执行：审批已过期，没有人在期限内决定。如仍需要，请重新提出。",
        "en": "“{title}” was not run: the approval expired, nobody decided in time. "
        "Ask again if it is still wanted.",
    },
    "superseded": {
        "zh": "「{title}」没有执行：您没有确认。如仍需要，请重新提出。",
        "en": "“{title}” was not run: you did not confirm it. Ask again if it is still wanted.",
    },
    "policy": {
        "zh": "「{title}」没有执行：规则不允许。如有需要，请联系管理员。",
        "en": "“{title}” was not run: the policy does not allow it. "
        "Please ask the operator if it is needed.",
    },
}
_NOTHING_DONE: dict[Language, str] = {
    "zh": "我没有执行任何操作。请再说明一下您需要什么。",
    "en": "I did not do anything. Please tell me again what you need.",
}
_OPENING: dict[Language, str] = {
    "zh": "以下是实际发生的情况：",
    "en": "This is what happened:",
}


def repair_prompt(
    faults: Sequence[Fault],
    calls: Sequence[CallState],
    language: Language,
    *,
    specs: Mapping[str, ToolSpec] | None = None,
) -> str:
    """What the model is told, to mend its draft once. In English, which every model knows."""
    said = [f"- {_FAULTS[one.kind].format(quote=one.quote, tool=one.tool)}" for one in faults]
    facts = [
        f"- {act.tool}({_cut(shown(act.call.arguments))}): {act.status.value.upper()}: "
        f"{_cut(act.call.result.content if act.call.result else '', _RESULT)}"
        for act in acts_of(calls, specs or {})
    ]
    return _REPAIR.format(
        faults="\n".join(dict.fromkeys(said)),
        facts="\n".join(facts) or _NOTHING_RAN,
        language=_LANGUAGES[language],
    )


def fallback(
    calls: Sequence[CallState],
    language: Language,
    *,
    specs: Mapping[str, ToolSpec] | None = None,
) -> str:
    """The engine's own reply for a run with these calls."""
    acts = [act for act in acts_of(calls, specs or {}) if act.ok or act.owed]
    if not acts:
        return _NOTHING_DONE[language]
    told = dict.fromkeys((act.tool, _line(act, language)) for act in acts)
    lines = [line for _, line in told]
    if len(lines) == 1:
        return lines[0]
    return "\n".join([_OPENING[language], *(f"- {line}" for line in lines)])


def _line(act: Act, language: Language) -> str:
    content = act.call.result.content if act.call.result else ""
    kind = _kind(act)
    if kind in ("read", "ok"):
        content = _readable(content, act.call.result.data if act.call.result else None)
    else:
        content = _cut(content.removeprefix("ERROR: "))
    return _SAID[kind][language].format(title=_called(act, language), content=content)


def _kind(act: Act) -> str:
    match act.status:
        case ResultStatus.OK:
            return "read" if act.call.risk is Risk.READ else "ok"
        case ResultStatus.REJECTED if act.call.rejection == "limit":
            return "limit"
        case ResultStatus.REFUSED if act.call.approval is None:
            return "policy"
        case ResultStatus.REFUSED:
            decision = act.call.approval.decision if act.call.approval else ""
            return decision if decision in _SAID else "rejected"
        case status:
            return status.value


def _called(act: Act, language: Language) -> str:
    """The title with what tells it from other calls of the tool."""
    title = act.titles.get(language) or act.title
    values = [
        _cut(str(value), 40) for value in act.call.arguments.values() if value not in ("", None)
    ]
    if not values:
        return title
    inside = "、".join(values[:2]) if language == "zh" else ", ".join(values[:2])
    return f"{title}（{inside}）" if language == "zh" else f"{title} ({inside})"


def _readable(content: str, data: Any) -> str:
    """A result as a person reads it: fields of an object, else the text; cut where it is long."""
    value = data if data is not None else _opened(content)
    if isinstance(value, dict) and all(
        not isinstance(item, dict | list) for item in value.values()
    ):
        content = ", ".join(f"{name}: {item}" for name, item in value.items())
    return _cut(content, _RESULT)


def _opened(content: str) -> Any:
    if not content.startswith("{"):
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _cut(text: str, limit: int = _SHORT) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit] + "…"
