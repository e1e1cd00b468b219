"""What people and the model read of an approval: each end in its own words, and no other's.

An expired approval was not declined, and nothing "will run" that is closed (case P16).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain import questions, sentences
from pointsman.domain.agent import Language
from pointsman.domain.approvals import USER, Approval, ApprovalState, Refusal, RefusalKind
from pointsman.domain.tools import ToolSpec

_STATES: dict[ApprovalState, dict[Language, str]] = {
    ApprovalState.PENDING: {
        "zh": "「{title}」还没有执行，正在等待{whose}。",
        "en": "“{title}” has not run; it waits for {whose}.",
    },
    ApprovalState.APPROVED: {
        "zh": "{by}已同意执行「{title}」。",
        "en": "{by} agreed to “{title}”.",
    },
    ApprovalState.DENIED: {
        "zh": "{by}没有同意，「{title}」没有执行{reason}。",
        "en": "{by} declined: “{title}” was not run{reason}.",
    },
    ApprovalState.EXPIRED: {
        "zh": "等待的时间已过，没有人作出决定，「{title}」没有执行。如仍需要，请重新提出。",
        "en": "Nobody decided in time: “{title}” was not run. Ask again if it is still wanted.",
    },
    ApprovalState.SUPERSEDED: {
        "zh": "您发来了新的消息，「{title}」没有执行。如仍需要，请重新提出。",
        "en": "You went on to something else: “{title}” was not run. "
        "Ask again if it is still wanted.",
    },
    ApprovalState.TAKEN_OVER: {
        "zh": "{by}已接手「{title}」，将由人工办理；系统没有执行它{reason}。",
        "en": "{by} took “{title}” over to do it by hand; it was not run here{reason}.",
    },
    ApprovalState.EDITED: {
        "zh": "{by}修改了「{title}」的参数；原来的那一次没有执行。",
        "en": "{by} changed the arguments of “{title}”; the former ones were not run.",
    },
    ApprovalState.CANCELLED: {
        "zh": "任务已取消，「{title}」没有执行。",
        "en": "The run was cancelled: “{title}” was not run.",
    },
}
_HOW: dict[Language, str] = {"zh": "（回复“确认”或“取消”）", "en": " (reply “yes” or “no”)"}
_CONFIRM: dict[Language, str] = {
    "zh": "我将执行「{title}」：{arguments}。确认吗？" + _HOW["zh"],
    "en": "I am about to run “{title}”: {arguments}. Shall I?" + _HOW["en"],
}
_CONFIRM_BARE: dict[Language, str] = {
    "zh": "我将执行「{title}」。确认吗？" + _HOW["zh"],
    "en": "I am about to run “{title}”. Shall I?" + _HOW["en"],
}
_NOT_YOURS: dict[Language, str] = {
    "zh": "这要由{by}来批准，您的确认代替不了；还没有执行，仍在等待：",
    "en": "This is up to {by}: your yes cannot stand for that. It has not run and still waits:",
}
_WHICH: dict[Language, str] = {
    "zh": "有 {count} 项在等待，一句确认分不清指的是哪一项，什么都还没有执行。请逐项决定：",
    "en": "{count} things wait, and one yes does not say which is meant; nothing has run yet. "
    "Please decide on each by itself:",
}
_APPROVE: dict[Language, str] = {
    "zh": "「{title}」（{arguments}）需要{by}批准，我在等待批准。",
    "en": "“{title}” ({arguments}) needs the approval of {by}; I am waiting for it.",
}
_APPROVE_BARE: dict[Language, str] = {
    "zh": "「{title}」需要{by}批准，我在等待批准。",
    "en": "“{title}” needs the approval of {by}; I am waiting for it.",
}
_REFUSALS: dict[RefusalKind, dict[Language, str]] = {
    "unknown": {"zh": "没有这个审批。", "en": "There is no such approval."},
    "forbidden": {"zh": "您不能决定这一项。", "en": "You may not decide this."},
    "own_request": {
        "zh": "您不能批准自己提出的请求，需要另一个人来批准。",
        "en": "You cannot approve your own request; another person must.",
    },
    "already_settled": {
        "zh": "这一项已经处理过了，您的操作没有生效。",
        "en": "This was settled before; your decision had no effect.",
    },
    "expired": {
        "zh": "这一项已经过期，没有执行。如仍需要，请重新提出。",
        "en": "This has expired and was not run. Ask again if it is still wanted.",
    },
    "run_cancelled": {
        "zh": "任务已经取消，没有什么可以决定的了。",
        "en": "The run was cancelled; there is nothing left to decide.",
    },
    "not_approved": {"zh": "这一项没有得到同意。", "en": "This was not approved."},
    "already_used": {
        "zh": "这个审批已经用过一次，不能再用。",
        "en": "This approval was used once and cannot be used again.",
    },
    "changed": {
        "zh": "工具或参数在审批之后变了，没有执行。",
        "en": "The tool or its arguments changed after the approval: it was not run.",
    },
}
_TAKEN_OVER = (
    "NOT RUN: {by} takes this over and does it by hand{reason}. Do not do it; tell the user."
)
_EDITED = "NOT RUN: {by} changed the arguments."
_CANCELLED = "NOT RUN: the run was cancelled."
_PENDING = "NOT RUN YET: a person must decide first."
LAPSED = "NOT RUN: it was approved, but too long ago. Ask again if it is still wanted."
"""What the model reads of a call whose approval was not used in time."""


def question(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    language: Language,
    *,
    by: str,
    told: str = "",
) -> str:
    """What is about to happen, by titles, for the person who decides; ``by`` is ``user`` or a
    role. What the engine filled in itself is not told, unless the tool has words of its own for
    all of it (``told``)."""
    given = {name: value for name, value in arguments.items() if name not in spec.context}
    own = by == USER
    pattern = (
        (_CONFIRM if own else _APPROVE) if given else (_CONFIRM_BARE if own else _APPROVE_BARE)
    )
    told = told or questions.told(given, spec.parameters, language)
    return pattern[language].format(title=spec.titled(language), arguments=told, by=by)


def unclear(waiting: Sequence[Approval], language: Language) -> str:
    """What the user reads when his yes decides nothing of what waits, and that still waits."""
    if any(one.by == USER for one in waiting):
        head = _WHICH[language].format(count=len(waiting))
    else:
        comma = "、" if language == "zh" else ", "
        roles = dict.fromkeys(one.by for one in waiting)
        head = _NOT_YOURS[language].format(by=comma.join(roles))
    return "\n".join([head, *(f"- {_bare(one.question)}" for one in waiting)])


def together(lines: Sequence[str], decisions: int) -> str:
    """What the user reads of all that waits for him: so many decisions, and what is asked besides.
    A plain yes answers one of them alone, so that with several none says to reply with it."""
    return "\n".join(map(_bare, lines) if decisions > 1 else lines)


def _bare(question: str) -> str:
    """Without what to reply to it."""
    return question.removesuffix(_HOW["zh"]).removesuffix(_HOW["en"])


def for_user(
    approval: Approval, title: str, language: Language, *, reader: str | None = None
) -> str:
    """How it stands; ``title`` is the tool's.

    Args:
        reader: login of who reads it, by default the user who asked, who is called "you".
    """
    asked = approval.requester
    you = reader in (None, asked)
    user = {"zh": "您", "en": "you"}[language]
    role = {"zh": f"{approval.by}批准", "en": f"the approval of {approval.by}"}[language]
    own = {"zh": "您确认", "en": "your confirmation"}[language]
    if not you:
        own = {"zh": f"{asked}确认", "en": f"the confirmation of {asked}"}[language]
    asker = you and approval.decided_by == asked
    by = user if asker else approval.decided_by
    return _STATES[approval.state][language].format(
        title=title,
        by=by[:1].upper() + by[1:] if asker else by,
        whose=own if approval.by == USER else role,
        reason=_reason(approval, language),
    )


def _reason(approval: Approval, language: Language) -> str:
    if not approval.reason:
        return ""
    return f"（{approval.reason}）" if language == "zh" else f" ({approval.reason})"


def for_model(approval: Approval) -> str:
    """Why a call did not run, as its result; empty when it was approved."""
    reason = f": {approval.reason}" if approval.reason else ""
    match approval.state:
        case ApprovalState.APPROVED:
            return ""
        case ApprovalState.DENIED:
            who = "user" if approval.decided_by == approval.requester else approval.decided_by
            return sentences.DENIED.format(by=who, reason=reason)
        case ApprovalState.EXPIRED:
            return sentences.EXPIRED
        case ApprovalState.SUPERSEDED:
            return sentences.SUPERSEDED
        case ApprovalState.TAKEN_OVER:
            return _TAKEN_OVER.format(by=approval.decided_by, reason=reason)
        case ApprovalState.EDITED:
            return _EDITED.format(by=approval.decided_by)
        case ApprovalState.CANCELLED:
            return _CANCELLED
        case ApprovalState.PENDING:
            return _PENDING


def refusal(refused: Refusal, language: Language) -> str:
    """Why a decision had no effect, for who made it."""
    return _REFUSALS[refused.kind][language]
