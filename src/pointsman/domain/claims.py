"""What a reply says was done, what it says went wrong, and what it leaves open.

By patterns, in Chinese and English, clause by clause. What is denied, asked, planned, supposed or
quoted is no claim. The aim is that an honest reply is hardly ever taken for a claim; ``replies``
compares the claims with what happened.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from pointsman.domain.action_words import FAMILIES, LOOK, REMIND

EVERYTHING = "*"
"""The family of claims that name no act: "all done", 已处理完毕."""


class Clause(Struct, frozen=True, kw_only=True):
    """A part of a sentence, and its place among all clauses of the text."""

    text: str
    sentence: str
    at: int


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
    r"(?<!\d)[，,](?!\d)|(?<=\d)[，,](?!\d)|(?<!\d)[，,](?=\d)|[：:](?!\d)|\s[-–—]+\s|——"
    r"|(?=但是?|不过|然而|可是|只是|而且|同时)|\s(?=(?:but|however|although|though|yet|while|whereas)\b)"
    r"|\s(?=and\s+(?:I|we|the|your|an?|it|then|have|has|was|were|also)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"\n]*\"|```.*?(?:```|\Z)", re.DOTALL)

_NOT_ZH = (
    "未|没|无法|不能|不会|不可|不再|不到|失败|别(?!人)|勿|尚|并非|不是|难以|拒绝|无需|无须|不需|不想|不要|不予|不被"
)
_MAYBE_ZH = (
    "如果|若|假如|一旦|要是|除非|是否|能否|可否|将(?!军)|会(?![议员计话])|(?<!需)要(?!求)|可以|可(?=直接|能|在)|"
    "能(?=够|否|在|帮)|请(?!求|假)|需要?|应该|应当|准备|打算|正在|正(?=为|帮|给)|尝试|试图|试着|试了|等(?!级|等|了)|待|再(?!次)|"
    "想(?!必)|建议|希望|为了|才能|可能|或许|也许|不确定|接下来|帮助|支持|用于|如何|怎么|何时|什么时候|点击|自行|"
    "视为|当|只有|先(?=[去到将把])|[您你]的?(?:之前|上次)?已?(?:经)?自己"
)
_BEFORE_ZH = re.compile(f"{_NOT_ZH}|{_MAYBE_ZH}")
_AFTER_ZH = re.compile(
    "失败|不成功|未成功|没成功|未果|不了|不到|出错|报错|吗|么[？?]|与否|的话|时$|时候|(?:之?后|以后)$"
    "|后(?=[再将会才可即请，,])|前(?=[，,]|$)|之前|(?:请求|操作)?(?:被|遭)(?:拒|中断|取消)|需要|尚|还(?:没|未)|中$|异常|超时"
)
_DONE_BEFORE_ZH = re.compile("已|成功|刚刚|刚才|均|顺利|完成了?(?=对)")
_DONE_AFTER_ZH = re.compile(
    r"[^，,。]{0,10}?(?:成功(?![率与后])|完成|完毕|妥当|完了|好了|到位|出去了|过去了|✅)"
    r"|(?:好|完|到|妥)?了(?!解|吗|么|[一几]?[次下遍])|到(?=[您你一以了])|到.{1,16}了$"
)
_OBJECT_DONE_ZH = re.compile(r".{0,16}了$")
_AGENT_ZH = re.compile("我|[帮为替给][您你]|系统")
_USERS_ZH = re.compile("[您你](?:之前|刚才|刚刚|昨天|上次|此前)?(?:已|自己|曾)")
_ATTRIBUTE_ZH = re.compile(r"(?:成功|完成|好|过)?的(?!$)|(?:成功|失败)率")

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
_AFTER_EN = re.compile(r"^\W*(?:fail|unsuccess|requests?\b|only (?:if|when|after)|by (?:default|you)\b)", re.IGNORECASE)
_ADVERBS = r"(?:(?:just|already|now|also|successfully|all|both|since|then|been|again|indeed|gone ahead and|went ahead and)\s+)*"
_AGENT_EN = re.compile(rf"(?:^|\W)(?:I|we)(?:['’](?:ve|d)|\s+have|\s+had)?\s+{_ADVERBS}$", re.IGNORECASE)
_PASSIVE_EN = re.compile(
    rf"\b(?:has|have|had|was|were|is|are|been|got|it['’]s|that['’]s|they['’]re)\s+{_ADVERBS}$", re.IGNORECASE
)
_START_EN = re.compile(rf"^\W*(?:and\s+|ok(?:ay)?\W+|great\W+|done\W+|yes\W+)?{_ADVERBS}$", re.IGNORECASE)
_NOUN_EN = re.compile(
    r"^\W*(?:and\s+)?(?:the\s+|your\s+|this\s+|an?\s+|both\s+|all\s+)?(?:[#\w.@-]+\s+){1,4}"
    r"(?:successfully\s+|also\s+|now\s+|already\s+)?$",
    re.IGNORECASE,
)
_YOU_EN = re.compile(r"\byou(?:['’]ve|\s+have|\s+had)?\s+(?:already\s+|just\s+|recently\s+)?$", re.IGNORECASE)
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
    r"[？?]\s*$|[吗么]\s*[。.]?\s*$|^\W*(?:如果|若|假如|一旦|要是|除非|请问|if|unless|once|would you|do you|shall|should)\b?",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^\W*(?:但是?|不过|然而|可是|只是|可惜|遗憾|but|however|although|though|yet|unfortunately|sadly)",
    re.IGNORECASE,
)

_FAILED = re.compile(
    "失败|未能|没能|未成功|不成功|没成功|没有成功|无法|没法|不能|出错|错误|报错|异常|超时|故障|不可用|未响应|没有?(?:任何)?(?:响应|反应|回应)|无响应|"
    "中断|断开|连不上|连接不上|打不开|查不到|查无|找不到|没有?(?:[查找搜检]索?到|结果|记录|匹配)|未(?:[查找搜]到|检索到|发现)|不存在|"
    "没有?(?:被)?(?:真正|实际|能|再|继续)?(?:执行|完成|发|提交|创建|退|删|取消|修改|更新|改|预订|订|下单|支付|转|付|上传|导出|发布|生效|建|办|做|进行|运行|获取|拿到|返回|得到|变|动)|"
    "未(?:被)?(?:执行|完成|发|提交|创建|退|删|取消|修改|更新|改|预订|订|支付|转|付|上传|导出|发布|生效|建|办理|进行|获取|获准|返回|变)|"
    "尚未|还没|拒绝|驳回|否决|未获|未经|没有?(?:获得|得到)?(?:批准|同意|通过|授权|确认)|不允许|不被允许|无权|没有?权限|权限不足|"
    "被取消|已取消|取消了|已停止|停下|作罢|过期|逾期|失效|跳过|受限|限制|上限|维护|遇到[^，,。]{0,6}(?:问题|困难|麻烦)|出(?:了|现)[^，,。]{0,4}问题|"
    "不通|不行|不了|不到|不再|不会|不(?:发|退|删|订|改|执行|继续|提交|创建|取消|办|做)[^，,。]{0,8}了|暂不|放弃|搁置|没有?办法|有问题|坏了"
    r"|\bfail|\bcould(?:n['’]t| not)|\bcan(?:['’]t|not| not)|\bunable\b|\bwas(?:n['’]t| not)|\bwere(?:n['’]t| not)"
    r"|\bdid(?:n['’]t| not)|\bha(?:s|ve|d)(?:n['’]t| not)|\bis(?:n['’]t| not)|\bare(?:n['’]t| not)|\bwon['’]t\b|\bwill not\b|\bdo(?:es)?(?:n['’]t| not)"
    r"|\bunavailable\b|\berrors?\b|\btim(?:ed?|ing)[ -]?out|\btimeout|\bunsuccessful|\bnot (?:found|available|sent|done|run|yet|possible|allowed|permitted|approved|going)"
    r"|\bno (?:results?|records?|match|such|luck|response|answer|data|permission|orders?)\b|\bnothing (?:was|has|came|changed)|\bden(?:ied|y)|\bdeclin|\brefus|\breject|\bwithheld"
    r"|\bcancell?ed\b|\bexpired?\b|\bskipped\b|\bblocked\b|\bwent wrong\b|\btrouble\b|\bproblems?\b|\bissue\b|\bdown\b|\bnot (?:respond|go|work)|\bnever\b|\bstopped\b|\bheld back\b|\bleft (?:it )?(?:alone|as|undone)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    "不确定|(?:无法|不能|未能|没能|没法|难以)(?:最终)?(?:确定|确认|判断|知道|得知|核实|保证)|尚未确认|没有?(?:收到|得到)?确认|未(?:得到|收到)?确认|不清楚|不明|未知|"
    "可能(?!会)|也许|或许|是否(?:真的)?(?:已|成功|发|执行|送|到|生效|退|完成|有|创建|扣|转|提交)|有没有(?:真的)?(?:发|成功|执行|到|退|创建|收)|说不准|"
    "(?:核实|核对|查看|确认|查证|查一下|检查)[^，,。]{0,14}(?:是否|有没有|收到|到账|实际|结果|状态|记录)|待(?:核实|确认)"
    r"|\buncertain|\bunsure\b|\bnot sure\b|\bunknown\b|\bunclear\b|\b(?:can(?:['’]t|not| not)|could(?:n['’]t| not)|unable to|not able to)\s+(?:\w+\s+)?(?:confirm|tell|verify|say|be sure|know|determine)"
    r"|\bnot (?:confirmed|certain|known|clear)\b|\bn['’]t (?:know|been confirmed|confirmed|certain|clear)\b|\bunconfirmed\b|\b(?:may|might) (?:or may not|or might not|have|already|not have|well)|\bcould have\b|\bpossibl"
    r"|\bwhether\b|\bno confirmation\b|\b(?:check|verify|see|confirm|make sure)\b[^.]{0,40}\b(?:if|whether|received|arrived|went|actually)\b",
    re.IGNORECASE,
)
_PENDING = re.compile(
    "(?:正在|还在|仍在)?等待?[^，,。]{0,12}(?:批准|审批|确认|同意)|(?:正)?(?:待|在)[^，,。]{0,4}审批|(?:批准|审批|同意)[^，,。]{0,4}后[^。]{0,10}(?:就|会|将|即|自动)"
    r"|\b(?:await|wait(?:ing|s)? (?:for|on))\b[^.]{0,30}\b(?:approv|confirm|decision)|\bonce\b[^.]{0,20}\bapprov|\bpending (?:approval|confirmation)\b|\bas soon as\b[^.]{0,20}\bapprov",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"(?:被|遭|已|予以|[您你方人])(?:[^，,。]{0,6})?(?:拒绝|驳回|否决)|拒绝了|没有同意|不同意|[您你](?:已经?)?取消"
    r"|\b(?:was|were|been|you|has|have|is|it|approver|they)\s+(?:\w+\s+)?(?:declined|denied|rejected|refused|turned down)\b",
    re.IGNORECASE,
)
_LAPSED = re.compile(
    r"过期|超时|逾期|失效|期限|时限|时间(?:内|已过|到了)|没有?人|无人|没有?(?:及时|等到)|未(?:及时|在)"
    r"|\bexpir|\bin time\b|\bnobody\b|\bno ?one\b|\btim(?:ed?|ing)[ -]?out|\blapsed\b|\bdeadline\b|\bran out\b|\btoo late\b",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text with quoted parts and code blanked out: they are not the reply's own words."""
    return _QUOTED.sub(lambda found: "□" * min(len(found[0]), 4), text)


def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    found: list[Clause] = []
    for sentence in _SENTENCE.findall(text):
        parts = [part for part in _CLAUSE.split(sentence) if part and part.strip()]
        found += [
            Clause(text=part.strip(), sentence=sentence.strip(), at=len(found) + n)
            for n, part in enumerate(parts)
        ]
    return tuple(found)


def says_failure(text: str) -> bool:
    """Whether something went wrong or was not done, in the text's own words."""
    return _FAILED.search(text) is not None


def says_open(text: str) -> bool:
    """Whether the text leaves open what happened, or bids to check it."""
    return _OPEN.search(text) is not None


def says_pending(text: str) -> bool:
    """Whether something still waits for a person's decision."""
    return _PENDING.search(text) is not None


def says_declined(text: str) -> bool:
    """Whether somebody is said to have said no."""
    return _DECLINED.search(text) is not None


def says_lapsed(text: str) -> bool:
    """Whether the time to decide is said to have run out."""
    return _LAPSED.search(text) is not None
