"""The grammar of "it is done", Chinese and English: what makes a verb a claim, and what does not.

Patterns only; ``claims`` says how they are used. "Before" and "after" are seen from the verb.
"""

import re

from pointsman.domain.patterns import Lexicon, Pattern
from pointsman.domain.replies.reply_words import pattern

SENTENCE = re.compile(r"(?:[^。！？!?；;\n.]+|\.(?!\s|$))+(?:[。！？!?；;\n]+|\.(?=\s|$)|$)")
CLAUSE_END = re.compile(
    r"，|,(?!(?<=\d,)\d)|\s[-–—]+\s|——|(?=但是?|不过|然而|可是|只是|而且|同时)"
    r"|\s(?=(?:but|however|although|though|yet|while|whereas)\b)"
    r"|\s(?=and\s+(?:I|we|the|your|an?|it|then|have|has|was|were|also)\b)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"\n]*\"|```.*?(?:```|\Z)", re.DOTALL)

BEFORE_ZH = Pattern(
    "未(?!来)|没|无法|不能|不会|不可|不再|不到|失败|(?<![分特级])别(?!人)|勿|尚|并非|不是|难以|拒绝|无需|无须",
    "不需|不想|不要|不予|不被|不(?![仅但过久错同少]).{0,2}$",
    "如果|若|假如|一旦|要是|除非|是否|能否|可否|将(?!军)|(?<![社机周例开晚年审讨宴])会(?![议员计话的])",
    "(?<![需重主概摘纪])要(?!求)|可以|可(?=直接|能|在)|能(?=够|否|在|帮)|(?<![申邀])请(?!求|假|示)|需要?",
    "应该|应当|准备|打算|正在|正(?=为|帮|给)|尝试|试图|试着|试了|等(?![级等了人])|待(?!遇)|再(?!次)",
    "想(?!必)|建议|希望|为了|才能|可能|或许|也许|不确定|接下来|帮助|支持|用于|如何|怎么|何时|什么时候",
    "点击|自行|视为|当(?=.{0,12}时)|只有|先(?=[去到将把])|[您你](?:之前|上次)?已?(?:经)?自己",
)
"""It is denied, or only planned, supposed, asked for or explained."""
AFTER_ZH = pattern(
    "失败|[未没不]成功|未果|不了|不到|出错|报错|吗|么[？?]|与否|的话|时$|时候"
    "|时(?=[^，,]{0,6}(?:断|出|报|遇|卡))|(?:之?后|以后)$|尚|还[没未]",
    "后(?=[再将会才可即请，,])|前(?=[，,]|$)|之前|(?:请求|操作)?[被遭](?:拒|中断|取消)|需要|中$|异常|超时",
)
DONE_BEFORE_ZH = pattern(
    "(?:已|成功(?!(?:之|以)?后)|刚刚|刚才|均|顺利|[✅✔])[^了：:]*(?:了.*[并且和、].{0,3})?$"
)
DONE_AFTER_ZH = pattern(
    "[均都]?已(?!经?被?[拒驳取失暂停过超逾])|(?:好|完|到|妥)?了(?!解|吗|么|[一几]?[次下遍])",
    "[^，,。没未不无否]{0,10}?(?:成功(?![率与后])|完成|完毕|妥当|完了|好了|到位|出去了|过去了|✅)",
)
OBJECT_DONE_ZH = pattern(".{0,16}了$")
AGENT_ZH = pattern(r"我|[帮为替给][您你]|系统|^\W*(?:并且?|且|同时|也|还|另外)?已(?:经)?")
"""A clause that starts with 已 has the reply itself for its subject."""
OTHERS_ZH = pattern(
    "[您你](?:之前|刚才|刚刚|昨天|上次|此前)?(?:已|自己|曾)",
    "(?:很多|许多|不少|有些|大家|人们)[^，,]{0,8}已",
)
ATTRIBUTE_ZH = pattern(
    "(?:成功|完成|好|过)?的(?!$)|款?(?:金额|数量|总额|人数|份数|次数|名单)|(?:成功|失败)率"
)
LASTING_ZH = pattern(
    r".?了\s?[\d一二三四五六七八九十两几半]+\s?(?:个?小时|分钟)"
    r"|.?了?\s?[\d一二三四五六七八九十两几半]+\s?(?:天|周|个月|年(?!\d))"
)
"""How long something has been so: 已经开了4天."""
NOUN_ZH = pattern(
    "申请|请求|工单|单(?!独)|规则|政策|流程|服务|记录|进度|状态|信息|功能|结果|页面|时间|日期|方式|事项|内容",
    "原因|操作|条件|权限|人(?!工)|系统|接口|渠道|按钮|计划|方案|草稿",
)
"""What a verb only describes: 退款申请."""

BEFORE_EN = Pattern(
    r"n['’]t\b|fail|unsuccess|['’]ll\b",
    r"\b(?:not|never|no|none|nothing|neither|nor|without|unable|cannot|instead of|hardly)\b",
    r"\b(?:refus|declin|reject|den(?:y|ied)|block|want|attempt|possibl|assum)",
    r"\b(?:if|once|when|after|before|unless|until|will|would|can|could|should|may|might|must|shall)\b",
    r"\b(?:to be|to have|needs?|please|whether|try|tried|trying|able to|going to|pending)\b",
    r"\b(?:waiting|awaiting|let me|how|ready|about to|perhaps|probably|unclear|unknown|in case)\b",
    r"\b(?:did you|being|still|only|alternatively)\b",
    r"\b(?:to confirm|usually|normally|typically|generally|gets?)\b",
)
AFTER_EN = pattern(
    r"^\W*(?:fail|unsuccess|requests?\b|only (?:if|when|after)|by (?:default|you)\b)",
    r"^\s*by (?:an?|the|our|your|this) (?:\w+ ){0,2}(?:rule|policy|limit|filter|administrator)\b",
    r"^\s*(?:within|every|automatically (?:when|if)|only|once|in \d+)\b",
)
_ADVERBS = (
    r"(?:(?:just|already|now|also|successfully|all|both|since|then|been|again|indeed"
    r"|(?:gone|went) ahead and)\s+)*"
)
AGENT_EN = pattern(
    rf"(?:^|\W)(?:I|we)(?:['’](?:ve|d)|\s+have|\s+had)?\s+(?:[^;]*\b(?:and|then)\s+)?{_ADVERBS}$"
)
PASSIVE_EN = pattern(
    rf"\b(?:has|have|had|was|were|is|are|been|got|(?:it|that)['’]s|they['’]re)\s+{_ADVERBS}$"
)
START_EN = pattern(rf"^\W*(?:and\s+|(?:ok(?:ay)?|great|done|yes)\W+)?{_ADVERBS}$")
VERB_EN = pattern(
    r"^\s*(?:has|have|had|is|are|was|were|needs?|did|does|will|would|could|can|may|must)\b"
)
"""What stands before a verb is a noun: "the reset needs"."""
NOUN_EN = pattern(
    r"^\W*(?:and\s+)?(?:(?:the|your|this|an?|both|all)\s+)?(?:[#\w.@-]+\s+){1,4}"
    r"(?:(?:successfully|also|now|already)\s+)?$"
)
"""Only a noun before the verb: "Email sent"."""
YOU_EN = Pattern(r"\byou(?:['’]ve|\s+have|\s+had)?\s+(?:(?:already|just|recently)\s+)?$")
SURE_EN = Pattern(r"\b(?:successfully|success)\b")
_NOMINALS = {
    "refund": "refund",
    "pay": "payment|transfer",
    "cancel": "cancell?ation",
    "book": "booking|reservation|order",
    "send": "(?:e-?mail|delivery)(?! address)|message|notification",
    "create": "ticket|request|event",
    "remind": "reminder",
    "file": "upload|export|backup|print(?: job)?",
    "update": "update",
    "delete": "deletion",
    "publish": "deployment|publication",
    "share": "invitation|sharing|assignment",
    "switch": "freeze|activation|suspension",
    "reset": "reset",
}
NOMINAL_EN = Lexicon(
    {
        family: Pattern(
            rf"\b(?:{nouns})s?\b(?:\s+[#\w.-]+){{0,6}}?"
            r"\s+(?:(?:has|have|is|was|are|were|been|now|all|just|already)\s+)*"
            r"(?:successful|completed?|(?:went|gone)\s+through|processed|confirmed|in\s+place|done"
            r"|issued|live|succeeded|on\s+(?:its|the)\s+way|(?:all\s+)?set|finali[sz]ed"
            r"|taken\s+care\s+of)\b"
        )
        for family, nouns in _NOMINALS.items()
    }
)
""""Your refund went through": the noun for what was done."""

GENERAL_ZH = Pattern(
    "(?:操作|任务|请求|处理|办理|执行|全部|一切|都|均)[^，,。]{0,6}?"
    "(?:成功(?![率与后])|完毕|完成|妥当|搞定|办妥|办好|好了|就绪)",
    "已(?:经)?[^，,。]{0,8}?(?:完成|办妥|办好|搞定|处理|办理|解决|弄好|落实|生效|搞好)",
    "(?:办好|弄好|完成|成功|办妥|安排好|生效)了|搞定|已(?:经)?成功(?=$|[。！!，,])",
)
GENERAL_EN = Pattern(
    r"^\W*(?:(?:ok(?:ay)?|great|good news)\W+)?"
    r"(?:done|success|completed|finished|all set|all done|sorted)\b",
    r"[:：]\s*(?:done|completed?|success(?:ful)?)\W*$",
    r"\b(?:is|are|was|were|been|(?:it|that|everything)['’]s)\s+(?:(?:all|now|both|successfully)\s+)*"
    r"(?:done|completed?|finished|taken\s+care\s+of|sorted|handled|successful|in\s+effect|processed)\b",
    r"\b(?:I|we)(?:['’]ve| have)?\s+(?:completed|finished|handled|done|processed|taken\s+care)\b",
    r"\b(?:all done|all set|taken\s+care\s+of|went\s+(?:through|smoothly|fine|well|as planned))\b",
    r"\b(?:succeeded|worked|completed\s+successfully|good\s+to\s+go|no\s+(?:issues|problems|errors))\b",
)
WHOLE = Pattern(
    "全部|所有|一切|都已|均已|都(?=成功|完成|好了|发|办)|[两三][个件项]都",
    r"\b(?:everything|all|both|each|every)\b",
)
PROMISE = Pattern(
    "(?:会|将)[^，,。不]{0,24}提醒[您你]|到时候?提醒[您你]",
    r"\b(?:I|we)(?:['’]ll| will)\s+(?:be sure to\s+)?(?:remind|ping|alert)\s+you\b",
    r"\byou(?:['’]ll| will) (?:get|receive) (?:a|your) reminder\b",
)
UNDECIDED = Pattern(
    r"[？?]\s*$|[吗么]\s*[。.]?\s*$|^\W*(?:如果|若|假如|一旦|要是|除非|请问)",
    r"^\W*(?:if|unless|once|would you|do you|shall|should)\b",
)
"""A sentence that asks or supposes as a whole."""
OFFER = pattern(
    r"[，,.]\s*(?:请问)?(?:还有|还需要|有其他|有别的|需要我|anything else|is there anything)"
    r"[^，,]*[？?]\s*$"
)
"""It closes a reply and asks of nothing before it."""
TURN = pattern(
    r"^\W*(?:但|不过|然而|可是|只是|可惜|遗憾|but|however|although|though|yet|unfortunately|sadly)"
)
