"""The words of an office: departments and job titles in Chinese and English, and the small words
that hold a description of people together."""

import re
import unicodedata

from pointsman.domain.traditional import SIMPLIFIED

_SPACES = re.compile(r"\s+")
_MARKS = str.maketrans({"’": "'", "‘": "'", "·": " ", "•": " ", "．": ".", "–": "-", "—": "-"})


def folded(text: str) -> str:
    """How a name is compared: width, case, accents, spaces and traditional characters do not
    count."""
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS).translate(SIMPLIFIED)
    if not plain.isascii():
        apart = unicodedata.normalize("NFD", plain)
        plain = unicodedata.normalize(
            "NFC", "".join(one for one in apart if not "\u0300" <= one <= "\u036f")
        )
    return _SPACES.sub(" ", plain.casefold()).strip()


def plural(word: str) -> str:
    """An English word for several, as titles and departments have it."""
    if word.endswith("man"):
        return word[:-3] + "men"
    if word.endswith("y") and word[-2:-1] not in "aeou":
        return word[:-1] + "ies"
    if " of " in word:
        head, _, rest = word.partition(" of ")
        return f"{plural(head)} of {rest}"
    return word + ("es" if word.endswith(("s", "x", "ch")) else "s")


def _classes(table: str) -> dict[str, str]:
    """Word → the first word of its line."""
    found: dict[str, str] = {}
    for line in table.strip().splitlines():
        words = [folded(word) for word in line.split("|")]
        found |= dict.fromkeys(words, words[0])
    return found


FIELDS = _classes("""
finance|财务|财会|财政|financial|accounting|accounts
hr|人事|人力资源|人力|human resources|people ops|personnel
rd|研发|研究开发|r&d|research and development|research & development
engineering|工程
technology|技术|tech|technical
product|产品
project|项目
sales|销售|营销|sale
marketing|市场|市场营销|品牌|brand
administration|行政|综合管理|admin office|general affairs
legal|法务|法律|legal affairs
purchasing|采购|procurement
operations|运营|operation|ops
it|信息|信息技术|信息中心|information technology
maintenance|运维|devops|site reliability
quality|质量|质检|品质|quality assurance|qa
test|测试|testing|test engineering
production|生产|manufacturing
logistics|物流|仓储物流
warehouse|仓库|仓储
customer service|客服|客户服务|customer support|customer care
support|支持|技术支持|technical support
customer|客户|account|client
security|安全
guarding|安保|保安|保卫
design|设计
data|数据
software|软件
hardware|硬件
frontend|前端|front-end|front end|web frontend
backend|后端|后台|back-end|back end
mobile|移动端|移动
algorithm|算法
audit|审计|内审|internal audit
strategy|战略
planning|计划|规划
training|培训
public relations|公关|公共关系|pr
investment|投资
export|出口|外贸|foreign trade
regional|区域|大区|region
channel|渠道
training|培训
payroll|薪酬|薪资|compensation
recruiting|招聘|recruitment|talent acquisition
cost|成本
tax|税务
treasury|资金
e-commerce|电商|电子商务|ecommerce
media|新媒体|new media
event|活动|events
system|系统
network|网络
database|数据库
equipment|设备
architecture|架构
""")
"""A field of work in either language → one name for it."""

BASES = _classes("""
manager|经理|mgr
director|总监
head|部长|负责人|领导|老大|头|头儿|头头|一把手|leader|chief|boss|person in charge
general manager|总经理|gm
president|总裁
vice president|副总裁|vp
chairman|董事长|chairwoman|chairperson
ceo|首席执行官|chief executive officer|chief executive
cfo|首席财务官|chief financial officer
cto|首席技术官|chief technology officer|chief technical officer
coo|首席运营官|chief operating officer
supervisor|主管
team lead|组长|班组长|班长|team leader|group leader|group lead
lead
office director|主任
division chief|处长
section chief|科长|section head
bureau chief|局长
dean|院长
secretary general|秘书长
plant manager|厂长|factory manager|factory director|plant director
store manager|店长|shop manager
school principal|校长|headmaster
bank president|行长
engineer|工程师
chief engineer|总工程师|总工
chief accountant|总会计师
chief designer|总设计师
architect|架构师
developer|开发|程序员|programmer
designer|设计师
researcher|研究员
scientist|科学家
analyst|分析师
accountant|会计|会计师
cashier|出纳|出纳员|teller
auditor|审计师|审计员
specialist|专员
clerk|文员|职员
intern|实习生|trainee
assistant|助理
secretary|秘书
representative|代表|rep
salesperson|业务员|销售员|salesman|saleswoman
consultant|顾问
lawyer|律师|counsel
administrator|管理员|admin
system administrator|系统管理员|sysadmin|system admin|systems administrator
tester|测试员
operator|操作员
technician|技术员|技师
driver|司机
receptionist|前台
guard|保安|security guard
buyer|采购员|purchaser
storekeeper|仓管员|库管员|仓库管理员
cleaner|保洁|保洁员
editor|编辑
translator|翻译
trainer|培训师|讲师
planner|策划
nurse|护士
doctor|医生
teacher|老师|教师
worker|工人
contractor|外包|外包人员
""")
"""A kind of job in either language → one name for it."""

SHORT = {
    "副总": "副总经理", "网管": "网络管理员",
    "dba": "database administrator",
}  # fmt: skip
"""How some titles are said → how they are written."""

RANKS = _classes("""
senior|高级|资深|sr
junior|初级|jr
middle|中级|mid-level
principal|首席|chief
staff
executive|执行|常务
""")
LESSER = _classes("""
deputy|副|vice|associate|副职
acting|代理|interim
former|前任|ex
assistant|助理
intern|实习|见习|trainee
""")
"""What makes another job of one: who asks for the manager does not mean his deputy."""

_OF_A_PLACE = frozenset({"plant manager", "store manager", "school principal", "bank president"})
LEADERS = frozenset({
    "manager", "director", "head", "general manager", "president", "supervisor", "team lead",
    "office director", "division chief", "section chief", "bureau chief", "dean", "lead",
    *_OF_A_PLACE,
})  # fmt: skip
"""Jobs that lead people, from the first words of the lines above."""
SEVERAL = frozenset({"supervisor", "team lead"})
"""Leaders of whom a department may have several: none of them is *the* one by being in it."""
PLAIN_HEAD = "head"
WIDER = {"system administrator": "administrator", "team lead": "lead"}
"""A kind of job → the wider kind that it is one of: who asks for the admins means the system
administrators too."""
TIERS: tuple[frozenset[str], ...] = (
    frozenset("head|general manager|president".split("|")) | _OF_A_PLACE,
    frozenset({"director", "office director", "division chief", "bureau chief", "dean"}),
    frozenset({"manager", "section chief"}),
    frozenset({"supervisor", "team lead", "lead"}),
)
"""Who leads a department whose head is not named: the one person of the first tier that has any."""

KINDS_ZH = tuple(
    "事业部 事业群 分公司 子公司 办事处 办公室 委员会 研究院 研究所 营业部 部门 中心 团队 小组 总部"
    " 分部 分行 支行 大区 车间 工厂 门店 班组 部 处 科 组 室 院 课 局 所 班 站 店".split()
)
"""How the names of departments end, the longer before the shorter."""
KINDS_EN = tuple(
    "department dept team division group center centre office unit section branch squad committee"
    " desk plant store".split()
)
TEAMS = ("组", "小组", "班", "班组", "team", "group", "squad")
BRANCHES = ("公司", "集团", "分行", "branch", "company", "group inc", "inc", "ltd", "corporation")
GENERIC = ("部门", "部", "department", "dept", "division", "unit", "section")
"""How the names of small parts and of whole companies end, and what is said of all others."""
