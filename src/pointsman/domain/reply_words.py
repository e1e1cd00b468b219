"""The words by which a reply says that something went wrong, is open, waits, was declined or lapsed.

In Chinese and English. They are looked for generously: a reply that speaks of a failure in any of
these words has not hidden it.
"""

import re


def _either(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_FAILED = _either(
    "失败|未能|没能|[未没]成功|不成功|没有成功|无法|没法|出错|错误|报错|异常|超时|故障|不可用|[未无没]响应|未果",
    "没有?(?:任何)?(?:响应|反应|回应|权限)|中断|断开|连接?不上|打不开|[查找搜]不到|查无|不存在|无效",
    "没有?(?:[查找搜检]索?到|结果|匹配)|未(?:[查找搜]到|检索到)|拒绝|驳回|否决|未获|未经|不(?:被)?允许|无权|权限不足",
    "没有?(?:获得|得到)?(?:批准|同意|通过|授权)|未(?:被)?(?:批准|通过)|过期|逾期|跳过|受限|上限|维护|放弃|搁置|没有?办法",
    "遇到[^，,。]{0,6}(?:问题|困难|麻烦)|出(?:了|现)[^，,。]{0,4}问题|有问题|没有?(?:来得)?及",
    r"\bfail|\bcould(?:n['’]t| not)|\bcan(?:['’]t|not| not)|\bunable\b|\bunavailable\b|\berrors?\b|\bno luck\b",
    r"\btim(?:ed?|ing)[ -]?out|\bunsuccessful|\bnot (?:found|available|possible|allowed|permitted|approved|able|go through|succeed)",
    r"\bno (?:results?|match|such|response|answer|permission)\b|\bden(?:ied|y)|\bdeclin|\brefus|\breject|\bwithheld",
    r"\bexpired?\b|\bskipped\b|\bwent wrong\b|\btrouble\b|\bproblems?\b|\bissue\b|\bis down\b|\bnot (?:respond|work)|\binvalid\b",
    r"\bdoes(?:n['’]t| not) (?:exist|respond|work)|\bdid(?:n['’]t| not) (?:go|work|succeed|complete|respond)|\blimit\b|\bheld back\b",
)
_NOT_DONE = _either(
    "没(?!有?问题|关系|错|事)|未(?!来)|尚|不能|不会|不再|不行|不了|不到|不在|不予|不(?:执行|继续|发|退|删|订|改|提交|创建|取消|办|做)",
    "暂不|取消|停止|停下|作罢|限制|失效|不通|坏了|原样|保持不变|仍(?:是|为)",
    r"n['’]t\b|\bnot\b|\bnever\b|\bno (?:records?|data|orders?|changes?|action)\b|\bnothing\b|\bnone\b|\bneither\b",
    r"\bcancell?ed\b|\bblocked\b|\bstopped\b|\bunchanged\b|\bwithout\b",
    r"\b(?:left|leave|kept)\b.{0,40}\b(?:alone|as (?:it )?is|untouched|undone|in place)",
)
_OPEN = _either(
    "不确定|(?:无法|不能|未能|没能|没法|难以)(?:最终)?(?:确定|确认|判断|知道|得知|核实|保证)|尚未确认|不清楚|不明|未知",
    "没有?(?:收到|得到|等到)[^，,。]{0,6}确认|未(?:得到|收到)?[^，,。]{0,4}确认|可能(?!会)|也许|或许|说不准|待(?:核实|确认)",
    "是否(?:真的)?(?:已|成功|发|执行|送|到|生效|退|完成|有|创建|扣|转|提交|付)|有没有(?:真的)?(?:发|成功|执行|到|退|创建|收|扣)",
    "(?:核实|核对|查看|确认|查证|查一下|检查)[^，,。]{0,14}(?:是否|有没有|收到|到账|实际|结果|状态|记录)",
    r"\buncertain|\bunsure\b|\bnot (?:entirely )?sure\b|\bunknown\b|\bunclear\b|\bunconfirmed\b|\bpossibl|\bwhether\b",
    r"\b(?:can(?:['’]t|not| not)|could(?:n['’]t| not)|unable to|not able to)\s+(?:\w+\s+)?(?:confirm|tell|verify|say|be sure|know|determine)",
    r"(?:\bnot|n['’]t) (?:yet )?(?:been )?(?:confirmed|certain|known|clear|know)\b|\bno confirmation\b|\bcould have\b",
    r"\b(?:may|might) (?:or may not|or might not|have|already|not have|well)",
    r"\b(?:check|verify|see|confirm|make sure)\b[^.]{0,40}\b(?:if|received|arrived|went|actually)\b",
)
_PENDING = _either(
    "(?:正在|还在|仍在)?等待?[^，,。]{0,12}(?:批准|审批|确认|同意)|(?:正)?(?:待|在)[^，,。]{0,4}审批",
    "(?:批准|审批|同意)[^，,。]{0,4}后[^。]{0,10}(?:就|会|将|即|自动)",
    r"\b(?:await|wait(?:ing|s)? (?:for|on))\b[^.]{0,30}(?:approv|confirm|decision)",
    r"\b(?:once|as soon as)\b[^.]{0,20}\bapprov|\bpending (?:approval|confirmation)\b",
)
_DECLINED = _either(
    "(?:被|遭|已|予以|[您你方人])(?:[^，,。]{0,6})?(?:拒绝|驳回|否决)|拒绝了|没有同意|不同意|[您你](?:已经?)?取消",
    r"\b(?:was|were|been|you|has|have|is|it|approver|they)\s+(?:\w+\s+)?(?:declined|denied|rejected|refused|turned down)\b",
)
_LAPSED = _either(
    "过期|超时|逾期|失效|期限|时限|时间(?:内|已过|到了)|没有?人|无人|没有?(?:及时|等到)|未(?:及时|在)",
    r"\bexpir|\bin time\b|\bnobody\b|\bno ?one\b|\btim(?:ed?|ing)[ -]?out|\blapsed\b|\bdeadline\b|\bran out\b|\btoo late\b",
)


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
