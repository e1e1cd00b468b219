"""The words by which a reply says that something went wrong, is open, waits, was declined or lapsed.

In Chinese and English. They are looked for generously: a reply that speaks of a failure in any of
these words has not hidden it.
"""

import re

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
