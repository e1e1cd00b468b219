"""The engine's own sentences, in Chinese and English: what a user reads when no model speaks, and
what the model reads when a call did not run. The latter are in English, which every model knows."""

import re
import unicodedata
from collections.abc import Sequence

from pointsman.domain.agent import Language
from pointsman.domain.traditional import simplified

_FAILURES: dict[str, dict[Language, str]] = {
    "turns": {
        "zh": "抱歉，这个请求在 {detail} 轮之内没有完成，我停了下来。可以把它拆小一些再试。",
        "en": "Sorry, I stopped: this was not finished within {detail} rounds. "
        "Please try a smaller request.",
    },
    "calls": {
        "zh": "抱歉，工具调用次数达到上限（{detail}），我停了下来。",
        "en": "Sorry, I stopped: the limit of {detail} tool calls is reached.",
    },
    "tokens": {
        "zh": "抱歉，这个请求用完了允许的 {detail} 个 token，我停了下来。",
        "en": "Sorry, I stopped: the {detail} tokens allowed for one request are used up.",
    },
    "seconds": {
        "zh": "抱歉，这个请求在 {detail} 秒内没有完成，我停了下来。",
        "en": "Sorry, I stopped: this was not finished within {detail} seconds.",
    },
    "malformed": {
        "zh": "抱歉，模型给出的工具参数无法读懂，操作没有执行。请换一种说法再试。",
        "en": "Sorry, the model wrote tool arguments that cannot be read, so it was not run. "
        "Please put it in other words.",
    },
    "repeated": {
        "zh": "抱歉，模型一直重复同一个调用而没有进展，我停了下来。",
        "en": "Sorry, I stopped: the model kept repeating the same call without progress.",
    },
    "plan": {
        "zh": "抱歉，这个请求没能拆成可以执行的任务（{detail}），没有照这个计划执行。"
        "请换一种说法，或分开说。",
        "en": "Sorry, this could not be split into tasks that can be carried out ({detail}); "
        "none of them was begun. Please put it in other words, or one thing at a time.",
    },
    "context": {
        "zh": "抱歉，这段对话太长，模型放不下了。请开始一个新的对话。",
        "en": "Sorry, this conversation no longer fits the model. Please start a new one.",
    },
    "model": {
        "zh": "抱歉，现在联系不上模型（{detail}），没有得到回答。请稍后再试。",
        "en": "Sorry, the model could not be reached ({detail}); there is no answer. "
        "Please try again later.",
    },
    "empty": {
        "zh": "（模型没有返回内容）",
        "en": "(The model returned nothing.)",
    },
    "filtered": {
        "zh": "抱歉，模型服务拒绝了这次回答（内容过滤）。",
        "en": "Sorry, the model service withheld this answer (content filter).",
    },
    "internal": {
        "zh": "抱歉，系统内部出错，请求没有完成。请把运行编号 {run} 交给管理员。",
        "en": "Sorry, something failed inside; the request was not finished. "
        "Please give the run id {run} to the operator.",
    },
}

_DONE_SO_FAR: dict[Language, str] = {
    "zh": "停下之前已执行：{calls}。",
    "en": "Run before that: {calls}.",
}
_UNCERTAIN: dict[Language, str] = {
    "zh": "不确定是否已执行：{calls}。请先核实，不要直接重试。",
    "en": "It is not known whether these happened: {calls}. Please check before trying again.",
}
_CANCELLED: dict[Language, str] = {"zh": "已取消。", "en": "Cancelled."}
_PARKED: dict[Language, str] = {
    "zh": "处理这件事时多次意外中断，已先搁置，等人查看（编号 {run}）。",
    "en": "This was interrupted again and again; it is set aside for a person to look at ({run}).",
}


def failure(
    reason: str,
    detail: str,
    language: Language,
    *,
    run: str,
    done: Sequence[str] = (),
    uncertain: Sequence[str] = (),
) -> str:
    """Why there is no answer, what was run before, and what may have happened."""
    sentence = _FAILURES.get(reason, _FAILURES["internal"])[language]
    return _with_facts(sentence.format(detail=detail, run=run), language, done, uncertain)


def cancelled(
    language: Language, *, done: Sequence[str] = (), uncertain: Sequence[str] = ()
) -> str:
    """That the run was stopped, what was run before, and what may have happened."""
    return _with_facts(_CANCELLED[language], language, done, uncertain)


def parked(
    language: Language, *, run: str, done: Sequence[str] = (), uncertain: Sequence[str] = ()
) -> str:
    """That the run waits for a person after it was interrupted, and what may have happened."""
    return _with_facts(_PARKED[language].format(run=run), language, done, uncertain)


def _with_facts(
    sentence: str, language: Language, done: Sequence[str], uncertain: Sequence[str]
) -> str:
    parts = [sentence]
    comma = "、" if language == "zh" else ", "
    if done:
        parts.append(_DONE_SO_FAR[language].format(calls=comma.join(dict.fromkeys(done))))
    if uncertain:
        parts.append(_UNCERTAIN[language].format(calls=comma.join(dict.fromkeys(uncertain))))
    return ("" if language == "zh" else " ").join(parts)


_YES = frozenset(
    "yes yep yeah y ok okay sure confirm confirmed approve approved 是 是的 好 好的 好吧 确认"
    " 确定 同意 批准 可以 行 对 没问题 执行 执行吧 确认执行".split()
) | {"go ahead", "of course", "do it", "yes do it"}
_NO = frozenset(
    "no nope n cancel deny denied reject rejected decline declined stop 否 不 不是 不要 不要了 不用"
    " 不用了 不了 取消 取消吧 拒绝 算了 算了吧 不行 不可以 不同意 不批准 停 停止 别 别了".split()
) | {"cancel it", "never mind", "don't"}
_AROUND = " \t\r\n.。!！~～,，、…*'\"“”‘’「」\u200b\ufeff"
"""What may stand around an answer. A question mark may not: 可以？ is no yes."""
_POLITE = re.compile(r"[,，\s]*(?:\b(?:please|thanks|thank you)|谢谢您?你?|多谢)\W*$")
_PARTICLE = re.compile(r"[啊呀哦的]$")


def plain_answer(text: str) -> bool | None:
    """True or False when the whole message is a plain yes or no, else None (case P14)."""
    word = simplified(unicodedata.normalize("NFKC", text)).strip().strip(_AROUND).casefold()
    word = _POLITE.sub("", word.replace("’", "'")).strip(_AROUND).replace(",", "")
    if word not in _YES | _NO:
        word = _PARTICLE.sub("", word)
    if word in _YES:
        return True
    return False if word in _NO else None


def unknown_tool(written: str, close: Sequence[str], available: Sequence[str]) -> str:
    """What the model reads about a name that is not registered (case L01)."""
    near = f" Close matches: {list(close)}." if close else ""
    return f"ERROR: unknown tool {written!r}.{near} Available tools: {list(available)}."


TRUNCATED = (
    "ERROR: not run: your output was cut by the output limit (max_tokens). Send less: "
    "fewer calls or shorter arguments."
)
REPEATED = (
    "ERROR: not run: this exact call was already made {times} times in this request. "
    "Do not repeat it; use the results you have, or answer."
)
INSISTED = (
    "This call was already refused {times} times in this request. Do not make it again; call "
    "another tool, or answer."
)
TURN_CAP = (
    "ERROR: not run, limit: at most {limit} calls in one reply. Call it again if still needed."
)
CALL_CAP = "ERROR: not run, limit: this request has used its {limit} tool calls. Answer now."
CLIENT_MIXED = "ERROR: not run: call this tool alone, not together with others."
OFF_ROUTE = (
    "ERROR: not run: this tool is not available for this request. Answer without it, or say what "
    "you cannot do."
)
NO_REPEAT = " The same call failed before; do not repeat it unchanged."
GONE = "ERROR: tool no longer available."
RESTS = (
    "ERROR: not run: {tool} is temporarily unavailable after {failures} failures; try again in "
    "{wait} s. Do without it, or tell the user."
)
OVER_RATE = (
    "ERROR: not run, limit: {tool} has its calls for this user (in {span} s: {calls}); try again "
    "in {wait} s. Do without it, or tell the user."
)
NO_PLACE = (
    "ERROR: not run, limit: {tool} is busy (calls at the same time: {places}). Try again later, or "
    "tell the user."
)
DENIED = "DENIED by {by}{reason}. Do not retry unless asked."
EXPIRED = "NOT RUN: the approval expired before anybody decided. Ask again if it is still wanted."
SUPERSEDED = "NOT RUN: the user wrote a new message instead of confirming."
POLICY_DENIED = "DENIED by policy ({rule}). Do not retry."
CHANGED = "NOT RUN: the tool or the arguments changed after the approval was asked."
