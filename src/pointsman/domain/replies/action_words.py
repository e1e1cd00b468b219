"""Words for acts, Chinese and English, in families: what tools do, and replies say was done.

A family is what cannot be told apart in talk: to submit a ticket and to create one, to send and to
notify. ``look`` is reading; ``ship`` is no tool's act but a state that replies speak of.
"""

import re
from functools import lru_cache

from msgspec import Struct

from pointsman.domain.patterns import Lexicon, Pattern
from pointsman.domain.tools import Risk, ToolSpec

LOOK, SHIP, REMIND, CANCEL, APPROVE = "look", "ship", "remind", "cancel", "approve"


class Family(Struct, frozen=True, kw_only=True):
    """Patterns for one kind of act.

    Attributes:
        zh: its verbs.
        past: its English participles and past forms.
        base: other English forms that name it.
        plain: everybody does it with words too (to create an outline, to change a sentence), so
            that it is a claim about the world only with a thing of the world beside it.
    """

    zh: str
    past: str
    base: str
    plain: bool = False


FAMILIES: dict[str, Family] = {
    "send": Family(
        zh="发送|发出|发给|发到|发至|寄出|寄给|寄到|转发|群发|推送|通知|告知|转告|送达|(?<=[帮为替给][您你])回复"
        "|(?<=已)发(?![货现生布表起展票送出给到至])|发(?=了|过去|好了|完了)",
        past="sent|e-?mailed|mailed|messaged|texted|notified|informed|alerted|forwarded|delivered",
        base="send(?:s|ing)?|e-?mail|mail|message|notif(?:y|ication)|inform|alert|forward|sms|push",
    ),
    REMIND: Family(
        zh="提醒|闹钟|(?<=已)定时",
        past="scheduled|reminded"
        "|reminder (?:has been |is |was |is now )?(?:set|created|added|saved)"
        "|set (?:up )?(?:a|the|your) (?:\\w+ )?(?:reminder|alarm)",
        base="remind(?:er)?|alarm|schedule",
    ),
    "create": Family(
        zh="创建|新建|建立|建好|建了|生成|提交|登记|添加|新增|录入|注册|报修|开好|(?<!断)开了|申请(?=成功)"
        "|(?<=已)建(?!议)",
        past="created|opened|submitted|filed|raised|logged|added|generated|registered|lodged"
        "|set up",
        base="create|open|submit|file|raise|add|generate|register|new",
        plain=True,
    ),
    "refund": Family(
        zh="退款|退还|退回|退钱|退票|(?<=已)退(?![订回货出])|退(?=了|好了)",
        past="refunded|reimbursed",
        base="refund(?:s|ing)?|reimburse(?:ment)?",
    ),
    "pay": Family(
        zh="支付|付款|转账|汇款|打款|扣款|缴费|缴纳|充值|结清|到账|入账|(?<=已)[付转](?!发|接|人|告|给人)|付了|转了",
        past="paid|transferred|charged|wired|topped up|credited|debited",
        base="pay(?:ment)?|transfer|charge|top-?up|remit(?:tance)?",
    ),
    CANCEL: Family(
        zh="取消|撤销|撤回|作废|退订|退掉",
        past="cancell?ed|revoked|withdrawn|recalled|unsubscribed|called off",
        base="cancel(?:s|l?ing|lation)?|revoke|withdraw|recall|unsubscribe",
    ),
    "delete": Family(
        zh="删除|删掉|清空|移除|清除|删了|(?<=已)删",
        past="deleted|removed|erased|wiped|purged|cleared",
        base="delet(?:e|es|ing|ion)|remov(?:e|al|ing)|erase|wipe|purge|clear",
        plain=True,
    ),
    "update": Family(
        zh="修改|更新|更改|变更|改为|改成|改到|改好|改了|调整|设置|设为|设定|设好|重命名|改期|标记|更正|升级(?=[为成到至])",
        past="updated|changed|modified|edited|set|adjusted|rescheduled|renamed|marked|switched"
        "|corrected|postponed",
        base="updat(?:e|ing)|chang(?:e|ing)|modify|edit|set|adjust|reschedule|rename|mark|correct",
        plain=True,
    ),
    "book": Family(
        zh="预订|预定|预约|预留|留了|订好|订了|订到|下单|购买|买好|买了|订购|订票|约了|约好|(?<=已)订(?!单|阅|正)",
        past="booked|reserved|ordered|purchased|bought|scheduled|arranged",
        base="book(?:ing)?|reserv(?:e|ation)|order|purchase|buy|schedule|appointment",
    ),
    APPROVE: Family(
        zh="批准|审批|通过了?审核|审核通过",
        past="approved|authori[sz]ed|signed off",
        base="approv(?:e|al)|authori[sz]e",
    ),
    "handover": Family(
        zh="转接|转人工|转给人工|转交|接通|升级(?=处理|给)",
        past="escalated|handed (?:over|off)|connected|transferred",
        base="escalat(?:e|ion)|hand-?over|transfer|connect",
    ),
    "file": Family(
        zh="上传|导出|下载|导入|备份|打印(?!机)",
        past="uploaded|exported|downloaded|imported|backed up|printed",
        base="upload|export|download|import|backup|back up|print",
    ),
    "publish": Family(
        zh="发布|发表|上线|部署|发帖|上架|下架",
        past="published|posted|released|(?:re)?deployed|launched|gone live|went live",
        base="publish|post|release|deploy(?:ment)?|launch",
    ),
    "switch": Family(
        zh="开启|启用|打开|关闭|关掉|停用|禁用|静音|屏蔽|锁定|冻结|解锁|解冻|激活|开通|关了",
        past="enabled|disabled|turned (?:on|off)|activated|deactivated|locked|unlocked|frozen"
        "|closed|blocked|switched (?:on|off)|(?:un)?muted|silenced|paused|resumed|suspended",
        base="enable|disable|turn (?:on|off)|activate|deactivate|lock|unlock|freeze|close|block"
        "|mute|silence|pause|resume|suspend",
    ),
    "share": Family(
        zh="分配|指派|邀请|分享|授权|共享|派给|授予",
        past="assigned|invited|shared|granted",
        base="assign|invite|share|grant",
    ),
    "run": Family(
        zh="重启|执行|运行|启动",
        past="restarted|rebooted|executed|triggered|restart(?:ed)?|run",
        base="restart|reboot|execut(?:e|ion)|trigger|start|run",
        plain=True,
    ),
    "reset": Family(zh="重置|恢复|还原", past="reset|restored", base="reset|restore"),
    "move": Family(
        zh="移动|归档|复制|合并|移到|移至",
        past="archived|copied|merged|moved",
        base="archive|copy|merge|move",
        plain=True,
    ),
    SHIP: Family(
        zh="发货|出库|派送|签收|送达|揽收|运输中|配送",
        past="shipped|dispatched|delivered|out for delivery|in[ _]transit|on (?:its|the) way",
        base="ship(?:ping|ment)?|dispatch|deliver(?:y)?|transit",
    ),
    LOOK: Family(
        zh="查询|查到|查了|查过|查看|搜索|检索|搜到|找到|获取|读取|统计|核实",
        past="checked|looked up|found|searched|retrieved|fetched|looked into|pulled up|verified",
        base="get|query|search|list|find|fetch|lookup|look up|check|read|count|show|describe"
        "|view|stat",
        plain=True,
    ),
}
_WISHES = {
    "send": "发(?![货现生布表起展票])|邮件|短信|消息|微信|告诉|说一声|转告",
    REMIND: "提醒|叫我|闹钟",
    "create": "建|投诉|报修|提[交个]?.{0,3}单|开.{0,3}单|加[个一]|登记|申请|日程|日历|请.{0,6}假",
    "refund": "退[款钱还了掉]|退.{0,4}钱",
    "pay": "付|转.{0,8}[元块钱]|汇|打钱|充",
    CANCEL: "取消|撤|退订|不要了",
    "delete": "删|清[空掉]|移除",
    "update": "改|换成|调整|设[置为成]|更新",
    "book": "订(?!单)|约(?!束|定)|买|抢|挂号",
    "share": "分享|邀请|拉.{0,6}群|授权",
}
"""How people ask for an act, more loosely than it is told."""
_WORLD = re.compile(
    r"工单|订单|提醒|日程|会议|行程|账号|账户|账单|申请|任务|预约|机票|车票|酒店|房间|座位|航班|密码|地址|"
    r"手机号|电话|邮箱|权限|数据库|文件|记录|用户|合同|发票|快递|包裹|服务器|服务|单据|报销|请假|假条|投诉|会员|套餐|节点|集群|主机|告警|"
    r"\b(?:tickets?|orders?|reminders?|meetings?|events?|accounts?|requests?|appointments?|flights?|"
    r"hotels?|rooms?|tables?|seats?|reservations?|bookings?|subscriptions?|passwords?|address|phone|"
    r"files?|records?|users?|contracts?|invoices?|parcels?|packages?|servers?|services?|cases?|"
    r"claims?|complaints?|calendar|database|backup|job|deployment|nodes?|clusters?|machines?|hosts?|alerts?|permissions?)\b",
    re.IGNORECASE,
)
"""Things that a reply cannot make or change by words."""
_LOOKING = re.compile(
    r"^(?:get|query|search|list|find|fetch|lookup|check|read|count|show|describe|view|plan|is|has)\b"
)
_DATED = re.compile(r"\b(?:event|calendar|meeting|appointment)|日程|会议|日历|行程", re.IGNORECASE)
"""To create such a thing is to arrange it."""
_PHRASE_END = re.compile(r"[。．；;，,（(\n]|\.(?:\s|$)")


def _any(family: Family) -> Pattern:
    return Pattern(family.zh, rf"(?<![a-z])(?:{family.past}|{family.base})(?![a-z])")


_ANY = Lexicon({name: _any(family) for name, family in FAMILIES.items()})


@lru_cache(maxsize=2048)
def families_in(text: str) -> frozenset[str]:
    """The families of which the text holds a word in any form."""
    return frozenset(name for name, pattern in _ANY.possible(text) if pattern.search(text))


def wishes_in(text: str) -> frozenset[str]:
    """The families of acts that a user's words may ask for."""
    loose = {name for name, words in _WISHES.items() if re.search(words, text)}
    return families_in(text) | loose


def words_of(name: str) -> str:
    """A tool's name as words: ``System_Notify`` and ``crm__getCustomer`` taken apart."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[^A-Za-z0-9\u4e00-\u9fff]+", " ", apart).strip().lower()


def families_of(name: str, spec: ToolSpec | None) -> frozenset[str]:
    """What a tool does, from its name and title, else the first phrase of its description."""
    if spec is None:
        return _families_of(name, "", "")
    if spec.risk is Risk.READ:
        return frozenset((LOOK,))
    return _families_of(spec.original, spec.title, spec.description)


@lru_cache(maxsize=1024)
def _families_of(name: str, title: str, description: str) -> frozenset[str]:
    words = words_of(name)
    if _LOOKING.match(words):
        return frozenset((LOOK,))
    first = _PHRASE_END.split(description, maxsplit=1)[0][:60]
    for text in (f"{words} {title}", first):
        if found := families_in(text) - {LOOK, SHIP}:
            return found | {"book"} if "create" in found and _DATED.search(text) else found
    return frozenset()


def of_the_world(text: str) -> bool:
    """Whether the text names a thing that words alone cannot make or change."""
    return _WORLD.search(text) is not None
