"""The kinds of descriptions that ``directory_world`` makes: each function makes one, with who is
meant by the company's own plan."""

from collections.abc import Sequence

from pypinyin import pinyin
from pypinyin.constants import Style

from benchmarks.directory_world import (
    BRANCH,
    CENTRAL,
    CITIES,
    COMPOUND,
    DUTIES,
    ROOT,
    TEAMS,
    Chance,
    Company,
    Described,
    by_name,
    leaves,
    spelled,
)
from pointsman.domain.directory.entries import Person

NOBODY: frozenset[str] = frozenset()


def _said(
    kind: str, language: str, words: str, meant: Sequence[Person] | frozenset[str], asking: str = ""
) -> Described:
    logins = meant if isinstance(meant, frozenset) else frozenset(one.login for one in meant)
    return Described(words=words, meant=logins, kind=kind, language=language, asking=asking)


def _some_central(world: Company, chance: Chance) -> tuple[str, str, str]:
    """Path, Chinese and English name of a department that has its name alone."""
    name = chance.pick(list(CENTRAL))
    return f"{ROOT}/{name}", name, CENTRAL[name][0]


def _short(name: str) -> str:
    return name.removesuffix("部")


def _only(people: list[Person]) -> frozenset[str]:
    return frozenset({people[0].login}) if len(people) == 1 else NOBODY


def full_name(world: Company, chance: Chance, language: str) -> Described | None:
    one = chance.pick(world.people)
    if one.name.isascii():
        words = one.name if chance.below(2) else one.name.lower()
    elif language == "en":
        return None
    else:
        words = chance.pick(["{}", "通知{}", "发给{}", "{}先生"]).format(one.name)
    return _said("full name", language, words, _only(by_name(world)[one.name]))


def spelled_name(world: Company, chance: Chance, language: str) -> Described | None:
    if language == "zh":
        return None
    one = chance.pick([p for p in world.people if not p.name.isascii()])
    family, given = spelled(one.name)
    plain = f"{family}{given}".lower()
    same = [p for p in world.people if not p.name.isascii() and plain in _sounds(p.name)]
    if any(plain == p.login for p in world.people) and chance.below(2):
        return None
    words = chance.pick([f"{family} {given}", f"{given} {family}"])
    return _said("spelled name", language, words, _only(same))


def _sounds(name: str) -> list[str]:
    readings = pinyin(name, style=Style.NORMAL, heteronym=True)
    found = [""]
    for syllables in readings:
        found = [one + syllable for one in found for syllable in syllables]
    return found


def name_in_department(world: Company, chance: Chance, language: str) -> Described | None:
    one = chance.pick([p for p in world.people if p.departments[0] != ROOT])
    path = one.departments[0]
    zh, en = _called(path, chance)
    same = [p for p in world.within(path) if p.name == one.name]
    if language == "zh":
        form = chance.pick(
            ["{d}的{n}", "{d}{n}", "{n}（{d}）", "{d}那个{n}", "{n}({d})", "在{d}的{n}", "{d}-{n}"]
        )
        return _said("name in department", language, form.format(d=zh, n=one.name), _only(same))
    if not one.name.isascii():
        return None
    form = chance.pick(
        [
            "{n} from {d}",
            "{n} in {d}",
            "{n} ({d})",
            "{n} of {d}",
            "{n} in the {d} department"
            if "Team" not in en and "Branch" not in en
            else "{n} in the {d}",
            "{d}'s {n}",
            "the {n} in {d}",
        ]
    )
    return _said("name in department", language, form.format(d=en, n=one.name), _only(same))


def _called(path: str, chance: Chance) -> tuple[str, str]:
    """A department that is named so that it is the only one."""
    steps = path.split("/")[1:]
    if not steps:
        return ROOT, "Xinghe Group"
    name = steps[-1]
    if steps[0].endswith("分公司"):
        city = steps[0].removesuffix("分公司")
        if len(steps) == 1:
            return steps[0], f"{CITIES[city]} Branch"
        zh = chance.pick([f"{city}分公司{name}", f"{city}{name}", f"{city}分公司的{name}"])
        return zh, chance.pick(
            [f"{CITIES[city]} {BRANCH[name][0]}", f"{BRANCH[name][0]} in {CITIES[city]}"]
        )
    if name in TEAMS:
        return name, TEAMS[name][0]
    if name == "研发中心":
        return name, "R&D"
    return name, CENTRAL[name][0]


def head(world: Company, chance: Chance, language: str) -> Described | None:
    path, zh, en = _some_central(world, chance)
    words = chance.pick(
        [
            f"{zh}的部长",
            f"{zh}部长",
            f"{zh}负责人",
            f"{zh}的负责人",
            f"{_short(zh)}部长",
            f"{zh}的领导",
            f"{zh}一把手",
            f"{zh}的老大",
            f"{_short(zh)}部门的负责人",
            f"请通知{zh}的部长",
        ]
        if language == "zh"
        else [
            f"the head of {en}",
            f"head of {en}",
            f"{en} head",
            f"the {en} head",
            f"the head of the {en} department",
            f"{en} department head",
            f"the {en} department's head",
            f"the person in charge of {en}",
            f"{en}'s head",
            f"the leader of the {en} team",
        ]
    )
    return _said("head of department", language, words, frozenset({world.heads[path]}))


def branch_head(world: Company, chance: Chance, language: str) -> Described | None:
    city = chance.pick(list(CITIES))
    name = chance.pick(list(BRANCH))
    path, english = f"{ROOT}/{city}分公司/{name}", BRANCH[name][0]
    words = chance.pick(
        [
            f"{city}分公司{name}的经理",
            f"{city}{name}经理",
            f"{city}{name}负责人",
            f"{city}分公司{name}负责人",
            f"{city}的{_short(name)}经理",
        ]
        if language == "zh"
        else [
            f"the manager of {english} in {CITIES[city]}",
            f"{CITIES[city]} {english} manager",
            f"the head of {CITIES[city]} {english}",
            f"the {english} manager in {CITIES[city]}",
        ]
    )
    return _said("head in a branch", language, words, frozenset({world.heads[path]}))


def unclear_head(world: Company, chance: Chance, language: str) -> Described | None:
    name = chance.pick(list(BRANCH))
    words = chance.pick(
        [f"{name}的经理", f"{name}负责人", f"{name}经理"]
        if language == "zh"
        else [
            f"the head of {BRANCH[name][0]}",
            f"the {BRANCH[name][0]} manager",
            f"{BRANCH[name][0]} head",
        ]
    )
    return _said("several departments", language, words, NOBODY)


def team_lead(world: Company, chance: Chance, language: str) -> Described | None:
    name = chance.pick(list(TEAMS))
    path, english = f"{ROOT}/研发中心/{name}", TEAMS[name][0]
    words = chance.pick(
        [f"{name}组长", f"{name}的组长", f"研发中心{name}负责人", f"{name}负责人"]
        if language == "zh"
        else [
            f"the lead of the {english}",
            f"{english} lead",
            f"the {english} leader",
            f"the head of the {english}",
        ]
    )
    return _said("team lead", language, words, frozenset({world.heads[path]}))


def everybody_of(world: Company, chance: Chance, language: str) -> Described | None:
    path = chance.pick([one.path for one in world.departments if one.path != ROOT])
    zh, en = _called(path, chance)
    words = chance.pick(
        [
            f"{zh}所有人",
            f"{zh}的所有人",
            f"{zh}全体",
            f"{zh}全体员工",
            f"{zh}的同事",
            f"{zh}全员",
            f"所有{zh}的人",
            f"{zh}的全体同事",
            f"{zh}",
            f"{zh}的每个人",
            f"{zh}各位同事",
            f"整个{zh}",
            f"通知{zh}全体成员",
        ]
        if language == "zh"
        else [
            f"all of {en}",
            f"everyone in {en}",
            f"everybody in {en}",
            f"all {en} staff",
            f"the whole {en}",
            f"{en}",
            f"all people in {en}",
            f"everyone at {en}",
            f"all the employees of {en}",
            f"each member of {en}",
            f"the {en} staff",
            f"all colleagues in {en}",
        ]
    )
    return _said("everybody of a department", language, words, world.within(path))


def everybody_unclear(world: Company, chance: Chance, language: str) -> Described | None:
    name = chance.pick(list(BRANCH))
    english = BRANCH[name][0]
    words = chance.pick(
        [f"{name}所有人", f"{name}全体", name]
        if language == "zh"
        else [f"all of {english}", f"everyone in {english}", english]
    )
    return _said("several departments", language, words, NOBODY)


def but_interns(world: Company, chance: Chance, language: str) -> Described | None:
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    zh, en = _called(path, chance)
    meant = frozenset(p.login for p in world.within(path)) - world.interns
    words = chance.pick(
        [
            f"{zh}除实习生外的所有人",
            f"除了实习生以外的{zh}所有人",
            f"{zh}所有人，除了实习生",
            f"{zh}全体（不包括实习生）",
            f"{zh}除实习生之外的全体员工",
            f"除实习生外，{zh}的其他人",
            f"{zh}所有人，不含实习生",
        ]
        if language == "zh"
        else [
            f"everyone in {en} except interns",
            f"all of {en} but the interns",
            f"everybody in {en} excluding interns",
            f"{en} without the interns",
            f"all {en} staff except for interns",
            f"everyone in {zh} except interns",
            f"everyone in {en} other than the interns",
            f"except interns, everyone in {en}",
        ]
    )
    return _said("all but", language, words, meant)


def but_one(world: Company, chance: Chance, language: str) -> Described | None:
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    zh, en = _called(path, chance)
    one = chance.pick(world.within(path))
    same = [p for p in world.within(path) if p.name == one.name]
    meant = (
        frozenset(p.login for p in world.within(path)) - {one.login} if len(same) == 1 else NOBODY
    )
    if language == "en" and not one.name.isascii():
        return None
    words = chance.pick(
        [
            f"{zh}除{one.name}外的所有人",
            f"除了{one.name}以外的{zh}全体",
            f"{zh}所有人除了{one.name}",
        ]
        if language == "zh"
        else [
            f"everyone in {en} except {one.name}",
            f"all of {en} but {one.name}",
            f"everybody in {en} apart from {one.name}",
        ]
    )
    return _said("all but", language, words, meant)


def list_of_names(world: Company, chance: Chance, language: str) -> Described | None:
    names = by_name(world)
    pool = [n for n in names if n.isascii() is (language == "en")]
    clear = [n for n in pool if len(names[n]) == 1]
    chosen = chance.some(clear, 1 + chance.below(3))
    chosen.append(chance.pick(pool if chance.below(4) == 0 else clear))
    if len(set(chosen)) < len(chosen):
        return None
    people = [p for n in chosen for p in names[n]]
    joined = (
        chance.pick(["、", "，", ",", "和"]).join(chosen[:-1])
        + chance.pick(["和", "、", "以及", "跟", "与"])
        + chosen[-1]
        if language == "zh"
        else ", ".join(chosen[:-1]) + chance.pick([" and ", ", ", " & ", ", and "]) + chosen[-1]
    )
    return _said(
        "list of names", language, joined, people if len(people) == len(chosen) else NOBODY
    )


def list_of_heads(world: Company, chance: Chance, language: str) -> Described | None:
    first, second = chance.some(list(CENTRAL), 2)
    a, b = CENTRAL[first][0], CENTRAL[second][0]
    meant = frozenset({world.heads[f"{ROOT}/{first}"], world.heads[f"{ROOT}/{second}"]})
    words = chance.pick(
        [
            f"{first}和{second}的部长",
            f"{first}的部长和{second}的部长",
            f"{first}、{second}的负责人",
            f"{first}负责人和{second}负责人",
            f"{first}和{second}部长",
        ]
        if language == "zh"
        else [
            f"the heads of {a} and {b}",
            f"the head of {a} and the head of {b}",
            f"{a} and {b} heads",
            f"heads of {a} and {b}",
        ]
    )
    return _said("list of heads", language, words, meant)


def mixed_list(world: Company, chance: Chance, language: str) -> Described | None:
    names = by_name(world)
    one = chance.pick(
        [n for n in names if len(names[n]) == 1 and n.isascii() is (language == "en")]
    )
    path, zh, en = _some_central(world, chance)
    meant = frozenset({names[one][0].login, world.heads[path]})
    whole = meant | {p.login for p in world.within(path)}
    words, people = chance.pick(
        [
            (f"{one}和{zh}的部长", meant),
            (f"{zh}负责人、{one}", meant),
            (f"{zh}全体和{one}", whole),
            (f"{one}以及{zh}所有人", whole),
        ]
        if language == "zh"
        else [
            (f"{one} and the head of {en}", meant),
            (f"the head of {en} and {one}", meant),
            (f"everyone in {en} and {one}", whole),
            (f"{one} and all of {en}", whole),
        ]
    )
    return _said("mixed list", language, words, people)


def two_departments(world: Company, chance: Chance, language: str) -> Described | None:
    first, second = chance.some(list(CENTRAL), 2)
    a, b = CENTRAL[first][0], CENTRAL[second][0]
    meant = [*world.within(f"{ROOT}/{first}"), *world.within(f"{ROOT}/{second}")]
    words = chance.pick(
        [
            f"{first}和{second}的所有人",
            f"{first}、{second}全体",
            f"{first}和{second}",
            f"{first}以及{second}的同事",
        ]
        if language == "zh"
        else [
            f"everyone in {a} and {b}",
            f"all of {a} and {b}",
            f"{a} and {b}",
            f"the {a} and {b} teams",
        ]
    )
    return _said("two departments", language, words, meant)


def titled(world: Company, chance: Chance, language: str) -> Described | None:
    """All of a title in a department."""
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    zh, en = _called(path, chance)
    title, plural = chance.pick([("实习生", "interns"), ("主管", "supervisors")])
    meant = [p for p in world.within(path) if title in p.titles]
    if not meant:
        return None
    words = chance.pick(
        [f"{zh}的所有{title}", f"{zh}所有{title}", f"所有{zh}的{title}", f"{zh}全体{title}"]
        if language == "zh"
        else [
            f"all {plural} in {en}",
            f"{plural} in {en}",
            f"the {plural} of {en}",
            f"all the {plural} from {en}",
        ]
    )
    return _said("title, all", language, words, meant)


def one_titled(world: Company, chance: Chance, language: str) -> Described | None:
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    zh, en = _called(path, chance)
    title, english = chance.pick(
        [("实习生", "intern"), ("主管", "supervisor"), ("出纳", "cashier")]
    )
    meant = [p for p in world.within(path) if title in p.titles]
    words = chance.pick(
        [f"{zh}的{title}", f"{zh}{title}"]
        if language == "zh"
        else [f"the {english} in {en}", f"the {english} of {en}"]
    )
    return _said("title, one", language, words, _only(meant))


def by_login(world: Company, chance: Chance, language: str) -> Described | None:
    one = chance.pick(world.people)
    said = chance.pick(
        [
            one.login,
            one.login.upper(),
            one.addresses["email"],
            one.addresses["sms"],
            one.number,
            f"@{one.login}",
        ]
    )
    return _said(
        "login, address, number", language, said if language == "en" else f"发给{said}", [one]
    )


def nickname(world: Company, chance: Chance, language: str) -> Described | None:
    if language == "en":
        return None
    one = chance.pick([p for p in world.people if p.aliases])
    return _said("alias", language, one.aliases[0], [one])


def duty(world: Company, chance: Chance, language: str) -> Described | None:
    number = chance.below(len(DUTIES))
    said = DUTIES[number][0 if language == "zh" else 1]
    (one,) = [p for p in world.people if p.description == said]
    words = chance.pick(
        [f"{said}的同事", f"{said}的人", f"{said}的那个人", f"{said}的员工"]
        if language == "zh"
        else [
            f"the person who {_does(said)}",
            f"whoever {_does(said)}",
            f"the colleague who {_does(said)}",
        ]
    )
    return _said("duty", language, words, [one])


def _does(said: str) -> str:
    return said if said.split()[0] in ("handles", "looks", "issues") else f"is {said}"


def role(world: Company, chance: Chance, language: str) -> Described | None:
    meant = [p for p in world.people if p.roles]
    words = chance.pick(
        ["系统管理员", "我们的系统管理员", "请告诉系统管理员"]
        if language == "zh"
        else [
            "the system administrator",
            "system administrator",
            "our sysadmin",
            "the system admin",
        ]
    )
    return _said("role", language, words, meant, world.people[7].login)


def related(world: Company, chance: Chance, language: str) -> Described | None:
    """By relation to who asks."""
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    own = [p for p in world.people if path in p.departments and p.login != world.heads[path]]
    asker = chance.pick(own)
    boss = world.heads[path]
    above = world.heads[path.rpartition("/")[0]]
    team = frozenset(p.login for p in world.within(path))
    words, meant = chance.pick(
        [
            ("我的上级", {boss}),
            ("我的领导", {boss}),
            ("我领导", {boss}),
            ("我们部门的所有人", team),
            ("我们部门负责人", {boss}),
            ("我", {asker.login}),
            ("我自己", {asker.login}),
            ("我的上级的上级", {above}),
            ("我和我的上级", {boss, asker.login}),
            ("我的老板", {boss}),
            ("我们部门除了我以外的所有人", team - {asker.login}),
            ("我的同事", team - {asker.login}),
        ]
        if language == "zh"
        else [
            ("my manager", {boss}),
            ("my boss", {boss}),
            ("my supervisor", {boss}),
            ("everyone in my department", team),
            ("the head of my department", {boss}),
            ("me", {asker.login}),
            ("my manager's manager", {above}),
            ("me and my boss", {boss, asker.login}),
            ("my department", team),
            ("my colleagues", team - {asker.login}),
            ("everyone in my department except me", team - {asker.login}),
        ]
    )
    return _said("relation", language, words, frozenset(meant), asker.login)


def boss_of(world: Company, chance: Chance, language: str) -> Described | None:
    names = by_name(world)
    one = chance.pick(
        [p for p in world.people if len(names[p.name]) == 1 and p.login not in world.heads.values()]
    )
    if one.name.isascii() is (language == "zh"):
        return None
    boss = frozenset({world.heads[one.departments[0]]})
    words = chance.pick(
        [f"{one.name}的上级", f"{one.name}的领导", f"{one.name}的直属领导"]
        if language == "zh"
        else [f"{one.name}'s manager", f"{one.name}'s boss", f"the manager of {one.name}"]
    )
    return _said("boss of somebody", language, words, boss)


def family_name(world: Company, chance: Chance, language: str) -> Described | None:
    """王部长, Ms Smith: one family name with a title, among all who could be called so."""
    if language == "en":
        one = chance.pick([p for p in world.people if p.name.isascii()])
        last = one.name.split()[-1]
        same = [p for p in world.people if p.name.split()[-1] == last]
        return _said(
            "family name",
            language,
            chance.pick([f"Mr {last}", f"Ms. {last}", f"Mrs {last}"]),
            _only(same),
        )
    login = chance.pick(
        [h for p, h in world.heads.items() if p.startswith(ROOT) and "分公司" not in p]
    )
    (one,) = [p for p in world.people if p.login == login]
    if one.name.isascii():
        return None
    title = one.titles[0]
    same = [p for p in world.people if title in p.titles and _family(p.name) == _family(one.name)]
    return _said("family name", language, _family(one.name) + title, _only(same))


def _family(name: str) -> str:
    return name[:2] if name[:2] in COMPOUND else name[:1]


def familiar(world: Company, chance: Chance, language: str) -> Described | None:
    """小王 of a department."""
    if language == "en":
        return None
    path = chance.pick([one for one in leaves(world) if one != ROOT])
    zh, _ = _called(path, chance)
    one = chance.pick([p for p in world.within(path) if not p.name.isascii()])
    family = _family(one.name)
    if len(family) > 1:
        return None
    could = [
        p
        for p in world.within(path)
        if not p.name.isascii()
        and (p.name[0] == family or p.name[-1] == family or p.aliases == (f"小{family}",))
    ]
    return _said("familiar", language, f"{zh}的小{family}", _only(could))


def unknown(world: Company, chance: Chance, language: str) -> Described | None:
    _, zh, en = _some_central(world, chance)
    known = by_name(world)
    one = chance.pick(list(known))
    extra = chance.pick("明伟芳强云海山月星雪")
    if one.isascii() or one + extra in known:
        return None
    words = chance.pick(
        [
            f"{one}{extra}",
            f"财经部的{one}",
            f"{zh}的飞行员",
            "那个戴眼镜的同事",
            f"{one}或者{chance.pick(list(known))}",
            "随便哪位会计",
            "上次开会的人",
            "隔壁老王的朋友",
        ]
        if language == "zh"
        else [
            "the tall guy with glasses",
            f"the pilot of {en}",
            "Zebulon Quartz",
            "whoever is free",
            "the friendly accountant",
            "Procurement or Legal",
            "the people from yesterday's meeting",
        ]
    )
    return _said("nobody fits", language, words, NOBODY)


def namesake_elsewhere(world: Company, chance: Chance, language: str) -> Described | None:
    """A name in a department where nobody has it."""
    if language == "en":
        return None
    path, zh, _ = _some_central(world, chance)
    one = chance.pick(
        [p for p in world.people if path not in p.departments and not p.name.isascii()]
    )
    if any(p.name == one.name for p in world.within(path)):
        return None
    return _said("nobody fits", language, f"{zh}的{one.name}", NOBODY)


def name_and_title(world: Company, chance: Chance, language: str) -> Described | None:
    one = chance.pick(world.people)
    if one.name.isascii():
        return None
    title = one.titles[0]
    same = [p for p in by_name(world)[one.name] if title in p.titles]
    if language == "en" or title == "分公司总经理":
        return None
    return _said(
        "name and title",
        language,
        chance.pick([f"{one.name}{title}", f"{title}{one.name}"]),
        _only(same),
    )


def whole_company(world: Company, chance: Chance, language: str) -> Described | None:
    words = chance.pick(
        ["所有人", "全体员工", "全公司", "公司所有人", "大家", "全公司所有人"]
        if language == "zh"
        else [
            "everyone",
            "all staff",
            "the whole company",
            "everyone in the company",
            "all employees",
            "everybody",
        ]
    )
    return _said("whole company", language, words, world.people)


def department_heads(world: Company, chance: Chance, language: str) -> Described | None:
    heads = frozenset(
        head
        for path, head in world.heads.items()
        if path != ROOT and not path.endswith(("分公司", "组"))
    )
    words = chance.pick(
        ["各部门负责人", "所有部门的负责人", "各部门领导", "每个部门的负责人"]
        if language == "zh"
        else [
            "all department heads",
            "the heads of all departments",
            "every department head",
            "heads of all departments",
        ]
    )
    return _said("all heads", language, words, heads)


KINDS = (
    full_name, spelled_name, name_in_department, head, branch_head, unclear_head, team_lead,
    everybody_of, everybody_unclear, but_interns, but_one, list_of_names, list_of_heads, mixed_list,
    two_departments, titled, one_titled, by_login, nickname, duty, role, related, boss_of,
    family_name, familiar, unknown, namesake_elsewhere, name_and_title, whole_company,
    department_heads, full_name, head, everybody_of, related, name_in_department,
)  # fmt: skip
