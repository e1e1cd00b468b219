"""The small words of descriptions of people, Chinese and English, by what they do."""

from typing import Any

from pointsman.domain.directory.office_words import KINDS_EN, KINDS_ZH, folded, plural

HONORIFICS = frozenset("先生 女士 小姐 太太 老师 同学 同志 师傅 哥 姐 叔 阿姨 老 博士 教授".split())
"""What may be said behind anybody's name."""
SURNAME_TITLES: dict[str, tuple[str, ...]] = {
    "总": (
        "general manager", "director", "president", "vice president", "chairman", "ceo", "cfo",
        "cto", "coo", "chief engineer",
    ),
    "工": ("engineer", "architect", "developer", "chief engineer", "technician", "designer"),
    "董": ("chairman",),
    "部": ("head",),
    "处": ("division chief",),
    "科": ("section chief",),
    "局": ("bureau chief",),
    "院": ("dean",),
    "会": ("accountant",),
}  # fmt: skip
"""Short titles behind a family name → the jobs that have them."""

_TABLE: dict[str, str] = {
    "all": "所有 所有的 全部 全部的 全体 全 整个 每个 每位 每一个 每一位 每名 各 各个 各位 一切"
    "|all|all of|all the|every|each|each of|whole|entire|the whole|the entire",
    "everyone": "所有人 所有人员 全员 大家 人人 每个人 全体人员 全体成员 各位同事 诸位"
    "|everyone|everybody|all people|anybody and everybody",
    "people": "人 人员 员工 同事 成员 职员 职工 伙伴 小伙伴 同仁 团队成员 的人 工作人员"
    "|people|persons|staff|staff members|employees|members|colleagues|folks|guys|personnel|workers"
    "|workforce|team members",
    "person": "person|employee|member|staff member|colleague|guy|one|somebody|someone|team member"
    "|individual",
    "company": "公司 本公司 全公司 我们公司 咱们公司 我司 集团 整个公司 公司里"
    "|company|the whole company|the entire company|our company|organisation|organization|firm"
    "|company wide|company-wide",
    "me": "我 我自己 自己 本人 俺|me|myself|i",
    "my": "我的 我们 我们的 咱们 咱们的 咱 本 我所在 我所在的 我这个|my|our|my own|our own",
    "his": "他的 她的 他 她 其 他们的|his|her|their|his or her",
    "and": "和 与 及 以及 还有 跟 同 加上 并且 外加 连同 另外还有 再加上"
    "|and|&|plus|as well as|along with|together with|and also|and to",
    "or": "或 或者 还是 或是 要么|or|either|or else",
    "one_of": "其中一个 其中一位 其中一人 中的一个 中的一位 中一个 中一位 之一 任意一个 任意一位"
    " 随便一个 随便一位 随便哪个 任一 某个 某一个 谁都行 都行 都可以 一部分 部分 大部分 几个 几位"
    "|one of|one of the|one of my|one of our|either of|any|anyone|anybody|any of|any of the"
    "|any one of|some|some of|some of the|a few|a few of|most of|half of",
    "except": "除 除了 除去 除开 排除 不包括 不包含 不含"
    " 不算 去掉 剔除 扣除 但不包括 但不含 但除了"
    "|except|except for|excluding|without|minus|but not|but|not including|apart from|aside from"
    "|other than|leaving out|save for|with the exception of",
    "except_end": "除外 以外 之外 外 以外的 之外的 外的",
    "other": "其他 其它 其余 剩下 剩余 其他的"
    " 其余的 剩下的|other|others|the others|the rest|rest|everyone else|everybody else"
    "|the rest of|remaining",
    "of": "的 里 里的 里面 里面的 中 中的 内 内的"
    " 那边 那边的 这边 这边的 处 下面的 下面 下属的 旗下 下的 在 属于 来自"
    "|of|in|from|at|within|inside|on|for|who works in|who work in|working in|who is in|who are in"
    "|that work in|that works in|who works for|who work for|working for|belonging to|who belong to"
    "|who belongs to|who is from|who sits in|based in|who is at|that is in|that are in",
    "poss": "'s|'",
    "superior": "上级 直属上级 直接上级 上司 直属领导 直接领导 老板 顶头上司 领导 直属经理 主管领导"
    "|manager|boss|supervisor|superior|line manager|direct manager|direct supervisor|leader|lead"
    "|reporting manager",
    "subordinates": "下属 直属下属 直接下属 部下 手下 手下的人"
    "|reports|direct reports|subordinates|direct report|direct subordinates",
    "reporting": "|who report to|who reports to|reporting to|that report to|reporting into",
    "team": "团队 组里 组 小组|team",
    "colleagues": "同事 组员 团队成员|colleagues|team members|coworkers|co-workers"
    "|teammates|team mates|peers",
    "assistant": "助理 秘书|assistant|secretary|pa",
    "plural": "们",
    "honorific": "mr|mrs|ms|miss|mr.|mrs.|ms.|dr|dr.|prof|prof.|professor|doctor|sir|madam",
    "named": "叫 名叫 叫做 名字叫|named|called|by the name of",
    "comma": ", ， ; ； 、",
    "slash": "/",
    "stop": "谁是 做 当 担任 那个 那位 这位 这个 位 名 个 都 也 一下"
    " 这些 那些 工号 员工号 编号 登录名 账号 的话 知道 是 一位 一个 一名 那 某位"
    " ( ) [ ] < > : - . @ \" “ ” ' 《 》 【 】 「 」"
    "|employee number|login|user|the|a|an|please|this|that|these|those|who is the"
    "|who are the|that is|who is|who are"
    "|know|both of",
}
_COUNTS = {
    "两位": 2, "两个": 2, "二位": 2, "俩": 2, "两名": 2, "这两位": 2, "那两位": 2, "三位": 3,
    "三个": 3, "三名": 3, "四位": 4, "五位": 5, "两人": 2, "二人": 2, "三人": 3, "四人": 4,
    "四个": 4, "五个": 5, "五人": 5, "both": 2, "two": 2, "three": 3, "four": 4,
    "five": 5,
}  # fmt: skip


def _words(listed: str) -> list[str]:
    chinese, *english = listed.split("|")
    return [folded(word) for word in (*chinese.split(), *english)]


def _table() -> dict[str, list[tuple[Any, ...]]]:
    """Word → kind, and what else a ``lexicon.Meaning`` has, in its order."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for kind, listed in _TABLE.items():
        for word in _words(listed):
            found.setdefault(word, []).append((kind,))
    for word, number in _COUNTS.items():
        found.setdefault(word, []).append(("count", 0, frozenset(), (), None, False, False, number))
    for word in (*KINDS_ZH, *KINDS_EN, *map(plural, KINDS_EN)):
        found.setdefault(word, []).append(("kind",))
    for word in HONORIFICS:
        found.setdefault(word, []).append(("honorific",))
    found.setdefault("长", []).append(("head",))
    return found


SMALL_WORDS = _table()
