"""What users and calling models read of a run, in both languages."""

from pointsman.domain.agent import Language

_TEXTS: dict[str, dict[Language, str]] = {
    "confirm": {
        "en": "Nothing has been done. Ask the user himself; when he has answered, call this tool"
        ' again with conversation="{conversation}" and the message "yes" or "no".',
        "zh": "尚未执行任何操作。请询问用户本人；得到答复后，再次调用本工具，"
        "conversation 填 {conversation}，message 填“是”或“否”。",
    },
    "approve": {
        "en": "Nothing has been done. Somebody with the role {role} decides (approval {approval})."
        ' To see what became of it, call {look} with run="{run}".',
        "zh": "尚未执行任何操作。需由具有“{role}”角色的人审批（审批编号 {approval}）。"
        "要了解结果，请调用 {look}，run 填 {run}。",
    },
    "answer": {
        "en": 'To answer, call this tool again with conversation="{conversation}" and the answer'
        " as the message.",
        "zh": "要回答，请再次调用本工具，conversation 填 {conversation}，message 填答案。",
    },
    "running": {
        "en": 'It is still going on. To see what became of it, call {look} with run="{run}".',
        "zh": "仍在进行中。要了解结果，请调用 {look}，run 填 {run}。",
    },
    "yes": {"en": "Let it run", "zh": "允许执行"},
    "reply": {"en": "Answer", "zh": "回答"},
    "thinking": {"en": "thinking", "zh": "思考中"},
    "calling": {"en": "calling {tool}", "zh": "正在调用 {tool}"},
}


def say(key: str, language: Language, **values: str) -> str:
    """The text in this language."""
    return _TEXTS[key][language].format(**values)
