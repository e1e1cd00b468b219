"""A company of 2,000 people with namesakes, and descriptions of its people with who is meant.

The answers come from how the company was built, by plain counting; nothing here uses the code that
is measured. The same number always makes the same company.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct
from pypinyin import lazy_pinyin

from pointsman.domain.directory.entries import Department, Person

SIZE = 2_000
T = TypeVar("T")


class Chance:
    """Numbers that only look random, the same on every machine."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 2 + 1

    def below(self, limit: int) -> int:
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) % limit

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(count)]


SURNAMES = (
    "王李张刘陈" * 6
    + "杨黄赵吴周徐孙马朱胡" * 3
    + "林郭何高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任沈姚卢傅钟姜"
    + "崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱"
    + "戴严莫孔向常"
)
COMPOUND = ("欧阳", "诸葛", "上官", "司马", "慕容")
GIVEN = (
    " 伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀英 霞"
    " 平 刚 桂英 建国 建华 志强 志伟 海燕 海涛 晓东 晓明 晓丽 小红 文博"
    " 文静 子涵 子轩 雨桐 雨泽 思远 思琪 浩然 浩宇 梓涵 梓萱 一鸣 一凡"
    " 佳怡 佳琪 嘉豪 俊杰 俊峰 国强 国栋 永强 永康 春梅 冬梅 玉兰 玉梅"
    " 丹丹 婷婷 晨曦 天宇 欣怡 欣然 可欣 宇航 鹏飞 云飞 振华 振宇 立新"
    " 立军"
).split()
FIRST = (
    " Alice Bob Carol David Emma Frank Grace Henry Irene Jack Karen Leo Maria Nathan"
    " Olivia Peter Quentin Rachel Samuel Teresa Victor Wendy Xavier Yvonne Zoe Anna"
    " Brian Diana Edward Fiona George Hannah"
).split()
LAST = (
    " Smith Johnson Brown Miller Davis Wilson Anderson Taylor Thomas Moore Martin"
    " Jackson Thompson White Harris Clark Lewis Walker Young King Wright Scott Green"
    " Baker Adams Nelson Carter Mitchell O'Brien"
).split()
CITIES = {"北京": "Beijing", "上海": "Shanghai", "广州": "Guangzhou", "成都": "Chengdu"}
CENTRAL = {
    "财务部": ("Finance", ("会计", "出纳", "成本会计", "税务专员", "财务分析师")),
    "人力资源部": ("HR", ("招聘专员", "培训专员", "薪酬专员", "人事专员")),
    "市场部": ("Marketing", ("市场专员", "品牌专员", "设计师", "文案策划")),
    "法务部": ("Legal", ("法务专员", "律师")),
    "采购部": ("Procurement", ("采购员", "采购专员")),
    "信息技术部": ("IT", ("运维工程师", "网络工程师", "技术支持")),
    "审计部": ("Internal Audit", ("审计员",)),
    "质量部": ("Quality", ("质检员", "质量工程师")),
    "物流部": ("Logistics", ("物流专员", "仓管员", "司机")),
}
TEAMS = {
    "前端组": ("Frontend Team", ("前端工程师", "高级前端工程师")),
    "后端组": ("Backend Team", ("后端工程师", "高级后端工程师")),
    "测试组": ("Test Team", ("测试工程师",)),
    "算法组": ("Algorithm Team", ("算法工程师", "高级算法工程师")),
    "移动组": ("Mobile Team", ("移动端工程师",)),
}
BRANCH = {
    "销售部": ("Sales", ("销售代表", "客户经理")),
    "客服部": ("Customer Service", ("客服专员",)),
    "行政部": ("Administration", ("行政专员", "前台", "司机")),
}
DUTIES = (
    ("负责报销审核", "handles expense claims"),
    ("负责社保公积金", "handles social insurance"),
    ("负责合同归档", "responsible for contract filing"),
    ("负责服务器机房", "looks after the server room"),
    ("负责会议室预订", "responsible for meeting rooms"),
    ("负责门禁卡", "in charge of access cards"),
    ("负责年会策划", "responsible for the annual party"),
    ("负责官网维护", "responsible for the website"),
    ("负责发票开具", "issues invoices"),
    ("负责招投标", "responsible for tenders"),
    ("负责供应商对账", "handles supplier statements"),
    ("负责数据库备份", "responsible for database backups"),
    ("负责车辆调度", "in charge of vehicle dispatch"),
    ("负责新员工培训", "responsible for onboarding"),
)
ROOT = "星河集团"


class Company(Struct, frozen=True):
    """The people and departments, and what was meant when they were made."""

    people: list[Person]
    departments: list[Department]
    heads: dict[str, str]
    interns: frozenset[str]

    def within(self, path: str) -> list[Person]:
        return [
            one
            for one in self.people
            if any(own == path or own.startswith(path + "/") for own in one.departments)
        ]


def company(seed: int = 1) -> Company:
    """The company of a seed."""
    chance = Chance(seed)
    plan = _plan()
    people: list[Person] = []
    heads: dict[str, str] = {}
    interns: set[str] = set()
    used: Counter[str] = Counter()
    weights = [path for path, (_, titles) in plan.items() if titles for _ in range(_weight(path))]
    while len(people) < SIZE:
        number = len(people)
        path = list(plan)[number] if number < len(plan) else chance.pick(weights)
        leads = number < len(plan)
        name = _latin(chance) if chance.below(100) < 8 else _chinese(chance)
        login = _login(name, used)
        title = _title(path, leads, plan[path][1], chance)
        duty = number - len(plan) if 0 <= number - len(plan) < 2 * len(DUTIES) else -1
        if leads:
            heads[path] = login
        if title == "实习生":
            interns.add(login)
        people.append(
            Person(
                login=login,
                name=name,
                aliases=_aliases(name, number),
                titles=(title,),
                roles=("系统管理员",) if number == len(plan) + 40 else (),
                departments=(path,),
                description=DUTIES[duty // 2][duty % 2] if duty >= 0 else "",
                number=f"E{10000 + number}",
                addresses={
                    "email": f"{login}@xinghe.example",
                    "sms": f"1380{number:07d}",
                },
            )
        )
    departments = [
        Department(path=path, aliases=(english,) if english else (), head=heads.get(path, ""))
        for path, (english, _) in plan.items()
    ]
    return Company(people, departments, heads, frozenset(interns))


def _plan() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Path → English name and titles."""
    plan: dict[str, tuple[str, tuple[str, ...]]] = {ROOT: ("Xinghe Group", ())}
    for name, told in CENTRAL.items():
        plan[f"{ROOT}/{name}"] = told
    plan[f"{ROOT}/研发中心"] = ("R&D", ("架构师",))
    for name, told in TEAMS.items():
        plan[f"{ROOT}/研发中心/{name}"] = told
    for city, english in CITIES.items():
        plan[f"{ROOT}/{city}分公司"] = (f"{english} Branch", ())
        for name, told in BRANCH.items():
            plan[f"{ROOT}/{city}分公司/{name}"] = told
    return plan


def _weight(path: str) -> int:
    return 6 if path.endswith(("销售部", "组")) else 2


def _title(path: str, leads: bool, titles: Sequence[str], chance: Chance) -> str:
    if leads:
        if path == ROOT:
            return "总经理"
        if path.endswith("分公司"):
            return "分公司总经理"
        if path.endswith("组"):
            return "组长"
        return "总监" if path.endswith("中心") else "部长" if "分公司" not in path else "经理"
    dice = chance.below(100)
    if dice < 7:
        return "实习生"
    return "主管" if dice < 10 else chance.pick(titles)


def _chinese(chance: Chance) -> str:
    family = chance.pick(COMPOUND) if chance.below(100) == 0 else chance.pick(SURNAMES)
    return family + chance.pick(GIVEN)


def _latin(chance: Chance) -> str:
    return f"{chance.pick(FIRST)} {chance.pick(LAST)}"


def _login(name: str, used: Counter[str]) -> str:
    plain = "".join(lazy_pinyin(name)) if not name.isascii() else name.replace(" ", ".")
    plain = plain.lower().replace("'", "")
    used[plain] += 1
    return plain if used[plain] == 1 else f"{plain}{used[plain]}"


def _aliases(name: str, number: int) -> tuple[str, ...]:
    """One in forty has a nickname that nobody else has."""
    return (f"阿{NICKNAMES[number // 40]}",) if number % 40 == 7 else ()


NICKNAMES = (
    "宝 财 福 虎 豹 象 狼 鹰 鹤 鲸 松 柏 竹 梅 兰 荷 桃 杏 橘 柚 豆 米 麦 糖 盐"
    " 茶 墨 砚 琴 棋 画 书 剑 弓 舟 帆 灯 塔 桥 亭 阁 廊 泉 溪 瀑 雾 雪 霜 冰 虹"
).split()


class Described(Struct, frozen=True, kw_only=True):
    """A description.

    Attributes:
        meant: logins; empty when it is not clear, and then somebody is to be asked.
        asking: login of who says it.
    """

    words: str
    meant: frozenset[str] = frozenset()
    asking: str = ""
    kind: str
    language: str


def descriptions(world: Company, seed: int, count: int) -> list[Described]:
    """Descriptions of all kinds, both languages by turns."""
    from benchmarks.directory_kinds import KINDS

    chance = Chance(seed)
    makers: list[Callable[[Company, Chance, str], Described | None]] = list(KINDS)
    found: list[Described] = []
    seen: set[tuple[str, str]] = set()
    for number in range(count * 40):
        maker = makers[number % len(makers)]
        language = "zh" if (number // len(makers)) % 2 == 0 else "en"
        made = maker(world, chance, language)
        if made is not None and (made.words, made.asking) not in seen:
            seen.add((made.words, made.asking))
            found.append(made)
        if len(found) == count:
            break
    return found


def by_name(world: Company) -> dict[str, list[Person]]:
    """Name → who has it."""
    found: dict[str, list[Person]] = {}
    for one in world.people:
        found.setdefault(one.name, []).append(one)
    return found


def spelled(name: str) -> tuple[str, str]:
    """Family and given name in Latin letters."""
    family = 2 if name[:2] in COMPOUND else 1
    syllables = lazy_pinyin(name)
    return "".join(syllables[:family]).title(), "".join(syllables[family:]).title()


def leaves(world: Company) -> Iterator[str]:
    """Departments that have people of their own besides who leads them."""
    for one in world.departments:
        if sum(one.path in person.departments for person in world.people) > 2:
            yield one.path
