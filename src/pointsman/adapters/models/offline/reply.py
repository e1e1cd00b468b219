"""The reply in words: results as the rules say them, what failed as failed, and which way a fork
went. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.adapters.models.offline.results import Progress, State
from pointsman.adapters.models.offline.rules import OfflineRules, Spoken
from pointsman.adapters.models.offline.template import Glossary
from pointsman.domain.agent import Language

_PHRASES: dict[str, dict[Language, str]] = {
    "failed": {
        "zh": "「{title}」没有成功：{reason}",
        "en": "“{title}” did not work: {reason}",
    },
    "declined": {
        "zh": "好的，「{title}」没有执行。",
        "en": "All right: “{title}” was not done.",
    },
    "uncertain": {
        "zh": "「{title}」不确定有没有执行：{reason}",
        "en": "It is not known whether “{title}” happened: {reason}",
    },
    "unavailable": {
        "zh": "「{title}」现在用不了，没有执行。",
        "en": "“{title}” is not available now; it was not run.",
    },
    "undecided": {
        "zh": "没有拿到「{title}」的结果，无法判断您的条件，所以后面的安排都没有做。",
        "en": "Without a result of “{title}” your condition can't be decided, so neither was done.",
    },
    "unknown": {
        "zh": "没看懂这个条件：“{reason}”，所以没有做「{title}」。",
        "en": "I don't know how to check “{reason}”, so “{title}” was not done.",
    },
    "blocked": {
        "zh": "没有拿到前一步的结果，「{title}」没有执行。",
        "en": "The step before gave nothing to go on, so “{title}” was not run.",
    },
    "dropped": {
        "zh": "按您说的条件，这次没有别的要做。",
        "en": "By your condition there is nothing else to do.",
    },
    "unreadable": {
        "zh": "「{title}」有结果，但内容不完整，读不出来。",
        "en": "“{title}” gave a result, but it is cut and cannot be read.",
    },
    "no_such_day": {
        "zh": "没有“{words}”这一天，请再说一次日期。",
        "en": "There is no day “{words}”; which day do you mean?",
    },
}
_REASON = 300
_RAW = 2000
_CJK = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]")


def no_such_day(words: str, language: Language) -> str:
    return _PHRASES["no_such_day"][language].format(words=words)


def spoken(say: Spoken, rules: OfflineRules, language: Language, **names: Any) -> str:
    """A text of the rules in the reader's language."""
    template = say.in_language(language)
    return template.render({"result": {}, **names}, language, Glossary(dict(rules.glossary)))


def tell(states: Sequence[Progress], rules: OfflineRules, language: Language, today: str) -> str:
    """The reply about goals of which none can go on. Of the meanings of the same words, one that is
    not available is not told of where another is."""
    parts: list[str] = []
    alone = sum(state.state is not State.DROPPED for state in states) == 1
    met = {state.goal.words for state in states if state.state is not State.UNAVAILABLE}
    for place, state in enumerate(states):
        if state.state is not State.UNAVAILABLE or state.goal.words not in met:
            parts.append(_goal(state, rules, language, {"alone": alone, "today": today}))
        parts += _decisions(place, states, rules, language)
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def _goal(
    state: Progress, rules: OfflineRules, language: Language, names: Mapping[str, Any]
) -> str:
    rule = rules.calls[state.goal.rule]
    title = spoken(rule.title, rules, language) if rule.title else rule.tool
    match state.state:
        case State.DONE if isinstance(state.result, str):
            cut = state.result.lstrip()[:1] in ("{", "[")
            if rule.told and not cut:
                values, text = state.goal.values, state.result[:_RAW]
                return spoken(rule.told, rules, language, **names, values=values, text=text)
            return _phrase("unreadable", language, title) if cut else state.result[:_RAW]
        case State.DONE if rule.say:
            return spoken(
                rule.say,
                rules,
                language,
                **names,
                result=state.result,
                values=state.goal.values,
                arguments=state.arguments,
            )
        case State.DONE:
            return f"{title}: {state.result}"[:_RAW]
        case State.FAILED | State.UNCERTAIN:
            reason = _reason(str(state.result), language)
            return _phrase(state.state.value, language, title, reason=reason)
        case State.UNAVAILABLE | State.BLOCKED | State.DECLINED:
            return _phrase(state.state.value, language, title)
        case State.UNDECIDED if state.goal.decision and not state.goal.decision.condition:
            return _phrase(
                "unknown", language, title, reason=state.goal.decision.words.strip("，,。.；; ")
            )
        case _:
            return ""


def _decisions(
    place: int, states: Sequence[Progress], rules: OfflineRules, language: Language
) -> list[str]:
    """What the result at ``place`` decided."""
    told: list[str] = []
    decided = [s for s in states if s.goal.decision and s.goal.decision.goal == place]
    for state in decided:
        decision = state.goal.decision
        say = rules.conditions[decision.condition].say if decision else None
        if state.state is State.UNDECIDED:
            told.append(_undecided(states[place], rules, language))
        elif say and state.holds is not None:
            names = {"result": states[place].result, "values": states[place].goal.values}
            told.append(spoken(say.yes if state.holds else say.no, rules, language, **names))
    if decided and all(state.state is State.DROPPED for state in decided):
        told.append(_PHRASES["dropped"][language])
    return told


def _reason(text: str, language: Language) -> str:
    """Why something failed, in the reader's language if the tool says it in both, line by line."""
    lines = [line for line in text.splitlines() if line.strip()]
    chinese = [ln for ln in lines if len(_CJK.findall(ln)) > len(_LATIN.findall(ln))]
    if chinese and len(chinese) < len(lines):
        lines = chinese if language == "zh" else [ln for ln in lines if ln not in chinese]
    return " ".join(lines)[:_REASON]


def _undecided(state: Progress, rules: OfflineRules, language: Language) -> str:
    rule = rules.calls[state.goal.rule]
    title = spoken(rule.title, rules, language) if rule.title else rule.tool
    return _phrase("undecided", language, title)


def _phrase(name: str, language: Language, title: str, reason: str = "") -> str:
    return _PHRASES[name][language].format(title=title, reason=reason)
