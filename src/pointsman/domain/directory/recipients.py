"""What is said about recipients: who of several is meant, and the questions and confirmations in
which people read whom a message goes to."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.notices.delivery_texts import channel_title
from pointsman.domain.values.numerals import whole_number


class Contact(Struct, frozen=True, kw_only=True):
    """A person as a message finds him.

    Attributes:
        about: department and title, for people.
        addresses: channel → address. Everybody has an inbox, under his login.
    """

    login: str
    name: str
    about: str = ""
    addresses: Mapping[str, str] = {}


MOST_SHOWN = 8
"""Candidates in a question."""
_ORDINAL = re.compile(
    r"(?:第|the\s+|no\.?\s*|number\s+)?(?P<n>\d{1,2}|[一二三四五六七八九十两]{1,2})(?:\s*(?:个|位|号|one|person))?",
    re.IGNORECASE,
)
_EN_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_EDGES = " \t\r\n,，。.!！?？;；“”\"'「」"
_WORDS = re.compile(r"[A-Za-z0-9._@-]{2,}|[一-鿿]{2,}")


def picked(candidates: Sequence[Contact], said: str) -> Contact | None:
    """The one of the candidates that an answer to "which?" names: by number, login, or a word of
    department or title that only he has."""
    words = said.strip(_EDGES)
    if not words:
        return None
    if position := _position(words):
        return candidates[position - 1] if position <= len(candidates) else None
    exact = [one for one in candidates if words.casefold() in (one.login.casefold(), one.name)]
    if len(exact) == 1:
        return exact[0]
    told = [one for one in candidates if _speaks_of(one, words)]
    return told[0] if len(told) == 1 else None


def _position(words: str) -> int:
    for word, position in _EN_ORDINALS.items():
        if re.fullmatch(rf"(?:the\s+)?{word}(?:\s+one)?", words, re.IGNORECASE):
            return position
    found = _ORDINAL.fullmatch(words)
    number = whole_number(found["n"]) if found else None
    return int(number) if number else 0


def _speaks_of(one: Contact, words: str) -> bool:
    parts = [part.casefold() for part in _WORDS.findall(one.about)]
    folded = words.casefold()
    return one.login.casefold() in re.findall(r"[\w.@-]+", folded) or any(
        part in folded or (len(folded) > 1 and folded in part) for part in parts
    )


def shown(one: Contact) -> str:
    """A person with what tells him from namesakes."""
    return f"{one.name}（{one.about}，{one.login}）" if one.about else f"{one.name}（{one.login}）"


_WHICH: dict[Language, str] = {
    "zh": "“{words}”可能是：{listed}。请问是哪一位？",
    "en": "“{words}” may be: {listed}. Which one is meant?",
}
_WHICH_DEPARTMENT: dict[Language, str] = {
    "zh": "“{words}”里的部门可能是：{listed}。请问是哪一个？",
    "en": "The department in “{words}” may be: {listed}. Which one is meant?",
}
_WHICH_OF_BOTH: dict[Language, str] = {
    "zh": "“{words}”可能是：{listed}。请问是哪一个？",
    "en": "“{words}” may be: {listed}. Which one is meant?",
}
_NOBODY: dict[Language, str] = {
    "zh": "通讯录里没有找到“{words}”。请问发给谁？（姓名、登录名，或部门和职务）",
    "en": "Nobody in the directory fits “{words}”. Whom do you mean? (a name, a login, or "
    "department and title)",
}
_WHOM: dict[Language, str] = {"zh": "请问发给谁？", "en": "Whom shall it go to?"}
_AGAIN: dict[Language, str] = {
    "zh": "“{words}”可以有不止一种理解。请问发给谁？（逐一写明姓名、登录名，或部门和职务）",
    "en": "“{words}” can be read in more than one way. Whom do you mean? (each by name, by login, "
    "or by department and title)",
}
_NO_CHANNEL: dict[Language, str] = {
    "zh": "{channel}没有配置，可用的方式有：{others}。用哪种方式发送？",
    "en": "There is no {channel} here; there are: {others}. Which shall be used?",
}
_NO_ADDRESS: dict[Language, str] = {
    "zh": "{who}没有登记{channel}的地址，可用的方式有：{others}。用哪种方式发送？",
    "en": "There is no {channel} address of {who}; there are: {others}. Which shall be used?",
}
_WHICH_GROUP: dict[Language, str] = {
    "zh": "{words}发到哪个群？已配置的群有：{listed}。",
    "en": "{words}Which group shall it go to? There are: {listed}.",
}
_NO_GROUP: dict[Language, str] = {
    "zh": "没有配置叫“{words}”的群。",
    "en": "There is no group “{words}”. ",
}


def ask_which(words: str, candidates: Sequence[Contact], language: Language) -> str:
    listed = [f"{n}. {shown(one)}" for n, one in enumerate(candidates[:MOST_SHOWN], 1)]
    if len(candidates) > MOST_SHOWN:
        listed.append("…")
    return _WHICH[language].format(words=words, listed=_list(listed, language))


def ask_department(
    words: str, departments: Sequence[str], candidates: Sequence[Contact], language: Language
) -> str:
    """Which department is meant, or which person, where both have the name."""
    listed = [*map(shown, candidates[:MOST_SHOWN]), *departments[:MOST_SHOWN]]
    text = _WHICH_OF_BOTH if candidates else _WHICH_DEPARTMENT
    return text[language].format(words=words, listed=_list(listed, language))


def ask_whom(words: str, language: Language) -> str:
    return _NOBODY[language].format(words=words) if words else _WHOM[language]


def ask_again(words: str, language: Language) -> str:
    """Who is meant by words that mean several things."""
    return _AGAIN[language].format(words=words)


def ask_channel(channel: str, who: str, others: Sequence[str], language: Language) -> str:
    """Which channel to take, when there is no such, or no address of ``who`` for it."""
    text = _NO_ADDRESS if who else _NO_CHANNEL
    titles = [channel_title(one, language) for one in others]
    return text[language].format(
        channel=channel_title(channel, language), who=who, others=_list(titles, language)
    )


def ask_group(words: str, groups: Sequence[str], language: Language) -> str:
    unknown = _NO_GROUP[language].format(words=words) if words else ""
    return _WHICH_GROUP[language].format(words=unknown, listed=_list(groups, language))


class Way(Struct, frozen=True, kw_only=True):
    """One recipient by one channel, as it is confirmed, journaled and sent.

    Attributes:
        login: of a person; empty for a group.
        also: further addresses of the person, by channel, for a channel's fallback.
    """

    channel: str
    address: str
    name: str
    login: str = ""
    about: str = ""
    also: dict[str, str] = {}


def told(ways: Sequence[Way], message: str, subject: str, language: Language) -> str:
    """Whom the message goes to, by which way, and all that it says."""
    people: dict[tuple[str, str, str], list[str]] = {}
    for way in ways:
        title = channel_title(way.channel, language)
        by = title if way.address in (way.login, way.name) else f"{title} {_guarded(way)}"
        people.setdefault((way.name, way.login, way.about), []).append(by)
    named = [_named(*who, by, language) for who, by in people.items()]
    zh = language == "zh"
    head = f"收件人（{len(named)}）：" if zh else f"To ({len(named)}): "
    lines = [head + ("；" if zh else "; ").join(named)]
    if subject:
        lines.append(f"标题：“{subject}”" if zh else f"Subject: “{subject}”")
    lines.append(f"内容：“{message}”" if zh else f"Text: “{message}”")
    return "\n" + "\n".join(lines)


def _named(name: str, login: str, about: str, by: Sequence[str], language: Language) -> str:
    inside = [part for part in (about, login if login != name else "") if part]
    joined = "、".join(by) if language == "zh" else ", ".join(by)
    if language == "zh":
        return f"{name}{'（' + '，'.join(inside) + '）' if inside else ''}— {joined}"
    return f"{name}{' (' + ', '.join(inside) + ')' if inside else ''} — {joined}"


def _guarded(way: Way) -> str:
    """The address as it is shown: a telephone number without its middle."""
    digits = way.address.replace(" ", "").replace("-", "")
    if digits.lstrip("+").isdecimal() and len(digits) >= 8:
        return f"{digits[:3]}****{digits[-4:]}"
    return way.address


def _list(items: Sequence[str], language: Language) -> str:
    return ("、" if language == "zh" else ", ").join(items)
