"""People's names as they are said: 小张, 张先生, Mr Zhang, Zhang Wei.

Two names are the same when what is left without titles is the same; a surname alone, said with a
title, is never taken for a full name: which Zhang is a question for the directory.
"""

import re

_ZH_TITLES = (
    "先生|女士|小姐|太太|夫人|老师|同学|同志|师傅|教授|博士|医生|大夫|护士|律师|主任|主管|总监|总经理|经理|董事长|院长|校长|局长|处长|科长"
    "|部长|书记|秘书|工程师|会计|总|董|工|哥|姐|叔|阿姨"
)
_ZH_NAME = re.compile(
    rf"(?P<familiar>[小老阿大])(?P<short>[一-鿿])|(?P<name>[一-鿿]{{1,4}}?)(?:{_ZH_TITLES})"
)
_EN_NAME = re.compile(
    r"(?:mr|mrs|ms|miss|mx|dr|prof|professor|doctor|sir|madam)\.?\s+(?P<name>[a-z][\w'’-]*(?:\s+[a-z][\w'’-]*){0,2})",
    re.IGNORECASE,
)
_SURNAMES = (
    "wang王 li李黎 zhang张章 liu刘 chen陈 yang杨 huang黄 zhao赵 wu吴伍武 zhou周 xu徐许 sun孙"
    " ma马 zhu朱祝 hu胡 guo郭 he何贺 gao高 lin林"
    " luo罗 zheng郑 liang梁 xie谢 song宋 tang唐汤 deng邓 han韩 feng冯 cao曹 peng彭 zeng曾"
    " xiao肖萧 tian田 dong董 pan潘 yuan袁 cai蔡 jiang蒋姜江"
    " yu于余俞喻 du杜 ye叶 cheng程 wei魏韦 su苏 lu卢陆吕路鲁 ding丁 ren任 shen沈 yao姚 cui崔"
    " zhong钟 tan谭 fan范樊 wang汪 shi石史施 liao廖"
    " jia贾 xia夏 fu付傅 fang方 zou邹 xiong熊 bai白 meng孟 qin秦覃 qiu邱 hou侯 yin尹殷 xue薛"
    " yan闫严阎颜 lei雷 long龙 tao陶 qian钱 dai戴 mo莫"
    " gu顾 mao毛 hao郝 gong龚 shao邵 wan万 qi齐 kong孔 chang常 kang康"
)
_PINYIN = {
    character: re.match(r"[a-z]+", group)[0]  # type: ignore[index]  # each group starts with letters
    for group in _SURNAMES.split()
    for character in re.sub(r"[a-z]+", "", group)
}


def person(text: str) -> tuple[str, bool] | None:
    """The name without its title in lower case, and whether it is a surname alone; None when the
    whole text has neither a title nor the form of a familiar name."""
    text = text.strip()
    if found := _ZH_NAME.fullmatch(text):
        name = found["short"] or found["name"]
        return _PINYIN.get(name, name), len(name) == 1
    if found := _EN_NAME.fullmatch(text):
        name = found["name"].lower()
        return name, " " not in name
    return None


def persons(text: str) -> list[tuple[str, int, int]]:
    """Titled and familiar names in a text: the name without title, and where all of it stands."""
    found = []
    for pattern in (_ZH_NAME, _EN_NAME):
        for match in pattern.finditer(text):
            name = person(match[0])
            if name is not None:
                found.append((name[0], *match.span()))
    return found
