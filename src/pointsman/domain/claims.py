"""What a reply says was done: by patterns, in Chinese and English, clause by clause.

What is denied, asked, planned, supposed or
quoted is no claim. The aim is that an honest reply is hardly ever taken for a claim; ``replies``
compares the claims with what happened.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from pointsman.domain.action_words import FAMILIES, REMIND, families_in
from pointsman.domain.reply_words import says_not_done, says_open

EVERYTHING = "*"
"""The family of claims that name no act: "all done", 已处理完毕."""


class Clause(Struct, frozen=True, kw_only=True):
    """A part of a sentence."""

    text: str
    sentence: str


class Claim(Struct, frozen=True, kw_only=True):
    """Something that is said to be done.

    Attributes:
        family: of the act, see ``action_words``; ``*`` for none in particular.
        agent: the reply says that it did it itself.
        whole: it is said of everything.
    """

    family: str
    clause: Clause
    agent: bool = False
    whole: bool = False


_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:[。！？!?；;\n]+|\.(?=\s|$)|$)")
_CLAUSE = re.compile(
    r"，|,(?!(?<=\d,)\d)|\s[-–—]+\s|——|(?=但是?|不过|然而|可是|只是|而且|同时)"
    r"|\s(?=(?:but|however|although|though|yet|while|whereas)\b)"
    r"|\s(?=and\s+(?:I|we|the|your|an?|it|then|have|has|was|were|also)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"\n]*\"|```.*?(?:```|\Z)", re.DOTALL)

_NOT_ZH = (
    "未(?!来)|没|无法|不能|不会|不可|不再|不到|失败|(?<![分特级])别(?!人)|勿|尚|并非|不是|难以|拒绝|"
    "无需|无须|不需|不想|不要|不予|不被"
)
_MAYBE_ZH = (
    "如果|若|假如|一旦|要是|除非|是否|能否|可否|将(?!军)|(?<![社机周例开晚年])会(?![议员计话])|"
    "(?<![需重主概摘纪])要(?!求)|可以|可(?=直接|能|在)|能(?=够|否|在|帮)|(?<![申邀])请(?!求|假|示)|需要?|"
    "应该|应当|准备|打算|正在|正(?=为|帮|给)|尝试|试图|试着|试了|等(?![级等了人])|待(?!遇)|再(?!次)|想(?!必)|"
    "建议|希望|为了|才能|可能|或许|也许|不确定|接下来|帮助|支持|用于|如何|怎么|何时|什么时候|点击|自行|视为|"
    "当(?=.{0,12}时)|只有|先(?=[去到将把])|[您你](?:之前|上次)?已?(?:经)?自己"
)
_BEFORE_ZH = re.compile(f"{_NOT_ZH}|{_MAYBE_ZH}")
_AFTER_ZH = re.compile(
    "失败|不成功|未成功|没成功|未果|不了|不到|出错|报错|吗|么[？?]|与否|的话|时$|时候|(?:之?后|以后)$"
    "|后(?=[再将会才可即请，,])|前(?=[，,]|$)|之前|(?:请求|操作)?(?:被|遭)(?:拒|中断|取消)|需要|尚|还(?:没|未)|中$|异常|超时"
)
_DONE_BEFORE_ZH = re.compile(
    "(?:已|成功|刚刚|刚才|均|顺利|[✅✔])[^了：:]*(?:了.*[并且和、].{0,3})?$"
)
_DONE_AFTER_ZH = re.compile(
    r"(?:已|均已|都已)(?!经?被?(?:拒|驳|取消|失|暂|停|过|超|逾))"
    r"|[^，,。没未不无]{0,10}?(?:成功(?![率与后])|完成|完毕|妥当|完了|好了|到位|出去了|过去了|✅)"
    r"|(?:好|完|到|妥)?了(?!解|吗|么|[一几]?[次下遍])"
)
_OBJECT_DONE_ZH = re.compile(r".{0,16}了$")
_AGENT_ZH = re.compile("我|[帮为替给][您你]|系统|^\\W*(?:并且?|且|同时|也|还|另外)?已(?:经)?")
"""A clause that starts with 已 has the reply itself for its subject."""
_USERS_ZH = re.compile("[您你](?:之前|刚才|刚刚|昨天|上次|此前)?(?:已|自己|曾)")
_ATTRIBUTE_ZH = re.compile("(?:成功|完成|好|过)?的(?!$)|(?:成功|失败)率")
_NOUN_ZH = re.compile(
    "申请|请求|工单|单(?!独)|规则|政策|流程|服务|记录|进度|状态|信息|功能|结果|页面|时间|日期|方式|事项|内容|原因|"
    "操作|条件|权限|人(?!工)|系统|接口|渠道|按钮|计划|方案|草稿"
)

_NOT_EN = (
    r"n['’]t\b|\bnot\b|\bnever\b|\bno\b|\bnone\b|\bnothing\b|\bneither\b|\bnor\b|\bwithout\b|fail"
    r"|\bunable\b|\bcannot\b|unsuccess|\brefus|\bdeclin|\breject|\binstead of\b|\bhardly\b"
)
_MAYBE_EN = (
    r"\bif\b|\bonce\b|\bwhen\b|\bafter\b|\bbefore\b|\bunless\b|\buntil\b|\bwill\b|['’]ll\b|\bwould\b"
    r"|\bcan\b|\bcould\b|\bshould\b|\bmay\b|\bmight\b|\bmust\b|\bshall\b|\bto be\b|\bto have\b|\bneeds?\b|\bwant|\bplease\b"
    r"|\bwhether\b|\btr(?:y|ied|ying)\b|\battempt|\bable to\b|\bgoing to\b|\bpending\b|\bwaiting\b"
    r"|\bawaiting\b|\blet me\b|\bhow\b|\bready\b|\babout to\b|\bpossibl|\bperhaps\b|\bprobably\b"
    r"|\bnot sure\b|\bunclear\b|\bunknown\b|\bassum|\bin case\b|\bdid you\b|\bbeing\b|\bstill\b|\bonly\b"
    r"|\balternatively\b|\bto confirm\b|\busually\b|\bnormally\b|\btypically\b|\bgenerally\b|\bget(?:s)?\b"
)
_BEFORE_EN = re.compile(f"{_NOT_EN}|{_MAYBE_EN}", re.IGNORECASE)
_AFTER_EN = re.compile(
    r"^\W*(?:fail|unsuccess|requests?\b|only (?:if|when|after)|by (?:default|you)\b)", re.IGNORECASE
)
_ADVERBS = r"(?:(?:just|already|now|also|successfully|all|both|since|then|been|again|indeed|gone ahead and|went ahead and)\s+)*"
_AGENT_EN = re.compile(
    rf"(?:^|\W)(?:I|we)(?:['’](?:ve|d)|\s+have|\s+had)?\s+{_ADVERBS}$", re.IGNORECASE
)
_PASSIVE_EN = re.compile(
    rf"\b(?:has|have|had|was|were|is|are|been|got|it['’]s|that['’]s|they['’]re)\s+{_ADVERBS}$",
    re.IGNORECASE,
)
_START_EN = re.compile(
    rf"^\W*(?:and\s+|ok(?:ay)?\W+|great\W+|done\W+|yes\W+)?{_ADVERBS}$", re.IGNORECASE
)
_NOUN_EN = re.compile(
    r"^\W*(?:and\s+)?(?:the\s+|your\s+|this\s+|an?\s+|both\s+|all\s+)?(?:[#\w.@-]+\s+){1,4}"
    r"(?:successfully\s+|also\s+|now\s+|already\s+)?$",
    re.IGNORECASE,
)
_YOU_EN = re.compile(
    r"\byou(?:['’]ve|\s+have|\s+had)?\s+(?:already\s+|just\s+|recently\s+)?$", re.IGNORECASE
)
_SURE_EN = re.compile(r"\b(?:successfully|success)\b", re.IGNORECASE)
_NOMINAL_EN = re.compile(
    r"\b(?P<noun>refund|payment|cancell?ation|booking|reservation|transfer|e-?mail|message|order|"
    r"ticket|reminder|upload|export|update|deletion|delivery|deployment|backup|invitation|request|notification)s?\b"
    r"(?:\s+[#\w.-]+){0,6}?\s+(?:has\s+|have\s+|is\s+|was\s+|are\s+|were\s+|been\s+|now\s+|all\s+|just\s+|already\s+)*"
    r"(?:successful|complete|completed|went\s+through|gone\s+through|processed|confirmed|in\s+place|"
    r"done|issued|live|succeeded|on\s+(?:its|the)\s+way|set|all\s+set|finali[sz]ed|taken\s+care\s+of)\b",
    re.IGNORECASE,
)
_NOMINAL_FAMILY = {
    "refund": "refund", "payment": "pay", "cancellation": "cancel", "cancelation": "cancel",
    "booking": "book", "reservation": "book", "transfer": "pay", "email": "send", "e-mail": "send",
    "message": "send", "order": "book", "ticket": "create", "reminder": "remind", "upload": "file",
    "export": "file", "update": "update", "deletion": "delete", "delivery": "send",
    "deployment": "publish", "backup": "file", "invitation": "share", "request": "create",
    "notification": "send",
}  # fmt: skip

_GENERAL_ZH = re.compile(
    "(?:操作|任务|请求|处理|办理|执行|全部|一切|都|均)[^，,。]{0,6}?(?:成功|完毕|完成|妥当|搞定|办妥|办好|好了|就绪)"
    "|已(?:经)?[^，,。]{0,8}?(?:完成|办妥|办好|搞定|处理|办理|解决|弄好|落实|生效|搞好)|办好了|搞定了?|弄好了|完成了|成功了|办妥了|安排好了|生效了"
)
_GENERAL_EN = re.compile(
    r"^\W*(?:ok(?:ay)?\W+|great\W+|good news\W+)?(?:done|success|completed|finished|all set|all done|sorted)\b"
    r"|\b(?:all done|all set|(?:is|are|it['’]s|that['’]s|was|were|been|everything['’]s)\s+(?:all\s+|now\s+|both\s+|successfully\s+)*(?:done|complete[d]?|finished|"
    r"taken\s+care\s+of|sorted|handled|successful|in\s+effect|processed)|taken\s+care\s+of|went\s+(?:through|smoothly|fine|well|as\s+planned)|"
    r"succeeded|worked|completed\s+successfully|(?:I|we)(?:['’]ve| have)?\s+(?:completed|finished|handled|done|processed|taken\s+care)|good\s+to\s+go|no\s+(?:issues|problems|errors))\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"全部|所有|一切|都已|均已|都(?=成功|完成|好了|发|办)|三[个件项]都|两[个件项]都|\b(?:everything|all|both|each|every)\b",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"(?:我|系统|届时|到时|到点)?(?:会|将)[^，,。不]{0,24}提醒[您你]|到时候?提醒[您你]"
    r"|\b(?:I|we)(?:['’]ll| will)\s+(?:be sure to\s+)?(?:remind|ping|alert)\s+you\b|\byou(?:['’]ll| will) (?:get|receive) (?:a|your) reminder\b",
    re.IGNORECASE,
)
_UNDECIDED_SENTENCE = re.compile(
    r"[？?]\s*$|[吗么]\s*[。.]?\s*$|^\W*(?:如果|若|假如|一旦|要是|除非|请问)"
    r"|^\W*(?:if|unless|once|would you|do you|shall|should)\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^\W*(?:但是?|不过|然而|可是|只是|可惜|遗憾|but|however|although|though|yet|unfortunately|sadly)",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text with quoted parts and code blanked out: they are not the reply's own words."""
    return _QUOTED.sub(lambda found: "□" * min(len(found[0]), 4), text)


def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    return tuple(
        Clause(text=part.strip(), sentence=sentence.strip())
        for sentence in _SENTENCE.findall(text)
        for part in _CLAUSE.split(sentence)
        if part and part.strip()
    )


_ZH = {name: re.compile(family.zh) for name, family in FAMILIES.items()}
_EN = {
    name: re.compile(rf"(?<![a-z])(?:{family.past})(?![a-z])", re.IGNORECASE)
    for name, family in FAMILIES.items()
}
_GENERIC_EN = re.compile(
    r"^\s*(?:within|by default|every|automatically (?:when|if)|only|once|in \d+)\b", re.IGNORECASE
)


def claims_in(text: str) -> tuple[Claim, ...]:
    """Everything that the text says was done."""
    parts = clauses(plain(text))
    found: dict[tuple[str, int], Claim] = {}
    for n, clause in enumerate(parts):
        for claim in _of_clause(clause):
            if not _taken_back(claim, parts[n + 1 : n + 3]):
                found.setdefault((claim.family, n), claim)
    return tuple(found.values())


def _of_clause(clause: Clause) -> Iterator[Claim]:
    if _PROMISE.search(clause.text) and not _UNDECIDED_SENTENCE.search(clause.sentence):
        yield Claim(family=REMIND, clause=clause, agent=True)
    if _UNDECIDED_SENTENCE.search(clause.sentence):
        return
    whole = _WHOLE.search(clause.text) is not None
    for name in FAMILIES:
        for done, agent in (*_done_zh(clause.text, _ZH[name]), *_done_en(clause.text, _EN[name])):
            if done:
                yield Claim(family=name, clause=clause, agent=agent, whole=whole)
    for match in _NOMINAL_EN.finditer(clause.text):
        if not _BEFORE_EN.search(clause.text[: match.end()]):
            yield Claim(family=_NOMINAL_FAMILY[match["noun"].lower()], clause=clause, whole=whole)
    if _general(clause.text):
        yield Claim(family=EVERYTHING, clause=clause, agent=True, whole=whole)


def _done_zh(text: str, verbs: re.Pattern[str]) -> Iterator[tuple[bool, bool]]:
    """For each verb: whether it is said to be done, and by the reply itself."""
    for match in verbs.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        agent = _AGENT_ZH.search(before) is not None
        denied = _BEFORE_ZH.search(before) or _AFTER_ZH.search(after[:16])
        if denied or _ATTRIBUTE_ZH.match(after) or _USERS_ZH.search(before):
            continue
        done = _DONE_BEFORE_ZH.search(before[-20:])
        if not done and _NOUN_ZH.match(after):
            continue
        done = done or _DONE_AFTER_ZH.match(after) or match[0][-1] in "好了"
        yield bool(done or (agent and _OBJECT_DONE_ZH.match(after))), agent


def _done_en(text: str, verbs: re.Pattern[str]) -> Iterator[tuple[bool, bool]]:
    for match in verbs.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if _BEFORE_EN.search(before) or _AFTER_EN.match(after) or _GENERIC_EN.match(after):
            continue
        if _YOU_EN.search(before):
            continue
        agent = _AGENT_EN.search(before) is not None
        brief = _NOUN_EN.match(before) and len(after.split()) <= 4
        told = _PASSIVE_EN.search(before) or _START_EN.match(before) or _SURE_EN.search(text)
        yield bool(agent or told or brief), agent


def _general(text: str) -> bool:
    for pattern, before in ((_GENERAL_ZH, _BEFORE_ZH), (_GENERAL_EN, _BEFORE_EN)):
        match = pattern.search(text)
        if match and not before.search(text[: match.end()]) and not says_not_done(text):
            return True
    return False


def _taken_back(claim: Claim, following: tuple[Clause, ...]) -> bool:
    """Whether a "but" comes after it that says the same went wrong or is open."""
    for clause in following:
        if _TURN.match(clause.text) and (says_not_done(clause.text) or says_open(clause.text)):
            families = families_in(clause.text)
            return not families or claim.family in (*families, EVERYTHING)
    return False
