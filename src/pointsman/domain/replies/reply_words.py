"""Words by which a reply says that something failed, is open, waits, was declined or lapsed.

In Chinese and English. They are looked for generously: a reply that speaks of a failure in any of
these words has not hidden it.
"""

import re

from pointsman.domain.patterns import Pattern


def pattern(*parts: str) -> re.Pattern[str]:
    """A short pattern of alternatives, whatever their case."""
    return re.compile("|".join(parts), re.IGNORECASE)


_FAILED = Pattern(
    "失败|未能|没能|[未没不]成功|没有成功|无法|没法|出错|错误|报错|异常|超时|故障|不可用|[未无没]响应|未果|无效",
    "没有?(?:任何)?(?:响应|反应|回应|权限)|中断|断开|连接?不上|打不开|[查找搜]不到|查无|不存在|(?<![没无])有问题",
    "没有?(?:[查找搜检]索?到|结果|匹配)|未(?:[查找搜]到|检索到)|拒绝|驳回|否决|未获|未经|不(?:被)?允许",
    "没有?(?:获得|得到)?(?:批准|同意|通过|授权)|未(?:被)?(?:批准|通过)|无权|权限不足|过期|逾期|跳过|受限",
    "上限|维护|放弃|搁置|没有?办法|遇到[^，,。]{0,6}(?:问题|困难|麻烦)|出[了现][^，,。]{0,4}问题|没有?(?:来得)?及",
    r"\b(?:fail|unsuccessful|den(?:ied|y)|declin|refus|reject|withheld|tim(?:ed?|ing)[ -]?out)",
    r"\b(?:could|can)(?:n['’]t| ?not)\b|\bcan['’]t\b",
    r"\bd(?:oes|id)(?:n['’]t| not) (?:exist|go|respond|work|succeed|complete)",
    r"\b(?:unable|unavailable|no luck|expired?|skipped|went wrong)\b",
    r"\b(?<!without )(?<!without any )(?<!no )(?:errors?|trouble|problems?)\b",
    r"\b(?:issue|invalid|is down|limit|held back)\b",
    r"\bno (?:results?|match|such|response|answer|permission)\b",
    r"\bnot (?:found|available|possible|allowed|permitted|approved|able|go through|succeed)",
    r"\bnot (?:respond|work)|\b(?:turned down|broke off|cut off|disconnected)\b",
    r"\blost (?:the )?connection\b",
)
_NOT_DONE = Pattern(
    "没(?!有?问题|关系|错|事)|未(?!来)|尚|不能|不会|不再|不行|不了|不到|不在|不予|停止|停下|作罢|限制|失效|不通",
    "不(?:执行|继续|发|退|删|订|改|提交|创建|取消|办|做)|不(?![错过久仅但同少好])[^，,。]{1,6}了|暂不|(?<!的)取消(?!操作|成功)",
    "坏了|原样|保持不变|仍[是为]|占用",
    r"\b(?:still (?:there|in place|open|exists?|active)|locked|taken(?! care)|busy|occupied)\b",
    r"n['’]t\b|\b(?:not|never|nothing|none|neither|cancell?ed|blocked|stopped|unchanged)\b",
    r"\bwithout\b(?! (?:any )?(?:problems?|issues?|errors?|trouble|delay))",
    r"\bno (?:records?|data|orders?|changes?|action)\b",
    r"\b(?:left|leave|kept)\b.{0,40}\b(?:alone|as (?:it )?is|untouched|undone|in place)",
)
_OPEN = Pattern(
    "不确定|不知道|不好说|难说|成没成功|没等到|(?:无法|不能|未能|没能|没法|难以)(?:最终)?(?:确定|确认|判断|知道|得知|核实|保证)|不清楚|不明|未知",
    "尚未确认|没有?(?:收到|得到|等到)[^，,。]{0,6}确认|未(?:得到|收到)?[^，,。]{0,4}确认|待(?:核实|确认)",
    "可能(?!会)|也许|或许|说不准|是否(?:真的)?[已成发执送到生退完有创扣转提付]",
    "有没有(?:真的)?(?:发|成功|执行|到|退|创建|收|扣)",
    "(?:核实|核对|查看|确认|查证|查一下|检查)[^，,。]{0,14}(?:是否|有没有|收到|到账|实际|结果|状态|记录)",
    r"\buncertain|\bpossibl|\b(?:unsure|unknown|unclear|unconfirmed|whether|could have)\b",
    r"\bno confirmation\b",
    r"\b(?:can(?:['’]t|not| not)|could(?:n['’]t| not)|unable to|not able to)\s+(?:\w+\s+)?"
    r"(?:confirm|tell|verify|say|be sure|know|determine)",
    r"(?:\bnot|n['’]t) (?:yet |been |entirely )*(?:confirmed|certain|sure|known|clear|know)\b",
    r"\b(?:may|might) (?:or may not|or might not|have|already|not have|well)",
    r"\b(?:check|verify|see|confirm|make sure)\b[^.]{0,40}"
    r"\b(?:if|received|arrived|went|actually)\b",
)
_PENDING = Pattern(
    "等待?[^，,。]{0,12}(?:批准|审批|确认|同意)|[待在][^，,。]{0,4}审批",
    "(?:批准|审批|同意)[^，,。]{0,4}后[^。]{0,10}(?:就|会|将|即|自动)",
    r"\b(?:await|wait(?:ing|s)? (?:for|on))\b[^.]{0,30}(?:approv|confirm|decision)",
    r"\b(?:once|as soon as)\b[^.]{0,20}\bapprov|\bpending (?:approval|confirmation)\b",
)
_DECLINED = Pattern(
    "(?:被|遭|已|予以|[您你方人])(?:[^，,。]{0,6})?(?:拒绝|驳回|否决)|拒绝了|没有同意|不同意|[您你](?:已经?)?取消",
    r"\b(?:was|were|been|you|has|have|is|it|approver|they)\s+(?:\w+\s+)?"
    r"(?:declined|denied|rejected|refused|turned down)\b",
)
_LAPSED = Pattern(
    "过期|超时|逾期|失效|期限|时限|时间(?:内|已过|到了)|没有?人|无人|没有?(?:及时|等到)|未(?:及时|在)",
    r"\bexpir|\btim(?:ed?|ing)[ -]?out|\b(?:in time|nobody|no ?one|lapsed|deadline|ran out)\b",
    r"\btoo late\b",
)
_YOURS = Pattern(r"[您你]的|[您你]名下|\byours?\b")


def says_failed(text: str) -> bool:
    """Whether something went wrong, in words that mean nothing else."""
    return _FAILED.search(text) is not None


def says_not_done(text: str) -> bool:
    """Whether something went wrong, or was not done or is not so."""
    return says_failed(text) or _NOT_DONE.search(text) is not None


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


def says_yours(text: str) -> bool:
    """Whether it is about the user's own things."""
    return _YOURS.search(text) is not None
