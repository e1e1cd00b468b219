"""Days that have a name, Chinese and Western, and on which day they fall.

A feast is written as a rule: ``5-1`` a day of the year, ``5-7x2`` the second Sunday (7) of May,
``5-1x-1`` the last Monday, ``easter-2`` days from Easter, ``lunar8-15`` a lunar day, ``term清明`` a
solar term; ``+1`` at the end is the day after. Feasts of other faiths that need a calendar of their
own are not here. Who works on them is another matter: see ``domain.calendar.workdays``.
"""

import re
from datetime import date, timedelta
from functools import lru_cache

from pointsman.domain.calendar.lunar import TERMS, lunar_day, solar_term

_RULE = re.compile(
    r"(?:(?P<kind>easter|lunar|term)(?P<of>[^+\d-]*))?(?:(?P<month>\d+)-(?P<day>\d+)(?:x(?P<nth>-?\d))?)?"
    r"(?P<shift>[+-]\d+)?"
)
_NAMES = """
1-1|元旦 元旦节 阳历新年|new year's day, new years day, new year, new year's, new years
1-1x3||martin luther king day, martin luther king jr day, mlk day, mlk jr day
1-26||australia day
2-2||groundhog day
2-14|情人节|valentine's day, valentines day, valentine's, valentine day
2-1x3||presidents day, president's day, presidents' day, president day, washington's birthday
3-8|妇女节 三八妇女节 三八节 女神节 国际妇女节|women's day, international women's day
3-12|植树节|arbor day
3-15|消费者权益日 三一五|consumer rights day
3-17||st patrick's day, st. patrick's day, saint patrick's day, st patricks day
4-1|愚人节|april fools, april fools day, april fool's day, april fools' day
4-22|地球日 世界地球日|earth day
5-1|劳动节 五一 五一节 五一劳动节 国际劳动节|may day, international workers' day
5-4|青年节 五四青年节 五四|youth day
5-12|护士节|nurses day, international nurses day
5-7x2|母亲节|mother's day, mothers day, mothers' day
5-1x-1||memorial day
6-1|儿童节 六一儿童节 六一 国际儿童节|children's day
6-7x3|父亲节|father's day, fathers day, fathers' day
6-19||juneteenth, freedom day
7-1|建党节 香港回归日|canada day
7-4||independence day
7-14||bastille day
8-1|建军节 八一建军节|army day
9-1x1||labor day, labour day
9-10|教师节|teacher's day, teachers day, teachers' day
10-1|国庆 国庆节 国庆日 十一国庆节 十一国庆 十一黄金周 国庆黄金周|national day
10-1x2||columbus day, indigenous peoples' day
10-16|老板节|boss's day, bosses day, boss day
10-31|万圣节 万圣节前夜 万圣夜|halloween, all hallows eve, all hallows' eve
11-1|万圣节日 诸圣节|all saints day, all saints' day
11-11|双十一 双11 光棍节|veterans day, veteran's day, singles day, singles' day, armistice day
11-4x4|感恩节|thanksgiving, thanksgiving day
11-4x4+1|黑色星期五|black friday
11-4x4+4||cyber monday
12-12|双十二 双12|
12-13|国家公祭日|
12-24|平安夜 圣诞前夜 圣诞夜|christmas eve, xmas eve, x-mas eve
12-25|圣诞 圣诞节|christmas, christmas day, xmas, xmas day, x-mas
12-26|节礼日|boxing day
12-31|跨年夜 跨年|new year's eve, new years eve, nye
easter|复活节|easter, easter sunday
easter+1||easter monday
easter-1|圣周六|holy saturday, easter saturday
easter-2|耶稣受难日 受难节|good friday
easter-3|圣周四 濯足节|maundy thursday
easter-7|棕枝主日|palm sunday
easter-46|圣灰星期三 大斋首日|ash wednesday
easter-47||shrove tuesday, pancake day, mardi gras, pancake tuesday
easter+39|耶稣升天节|ascension day
easter+49|五旬节 圣灵降临节|pentecost, whit sunday
easter+50||whit monday, pentecost monday
lunar1-1|春节 大年初一 年初一 新春 农历新年|chinese new year, lunar new year, spring festival
lunar1-1-1|除夕 大年三十 年三十 大年夜 除夕夜 年夜|chinese new year's eve
lunar1-2|大年初二 年初二|
lunar1-3|大年初三 年初三|
lunar1-4|大年初四 年初四|
lunar1-5|大年初五 年初五 破五|
lunar1-6|大年初六 年初六|
lunar1-7|大年初七 年初七|
lunar1-8|大年初八 年初八|
lunar1-15|元宵节 元宵 上元节|lantern festival
lunar2-2|龙抬头|
lunar5-5|端午节 端午 端阳节|dragon boat festival
lunar7-7|七夕节 七夕 乞巧节|qixi festival
lunar7-15|中元节 鬼节 盂兰节|ghost festival
lunar8-15|中秋节 中秋 月饼节|mid-autumn festival, mid autumn festival, moon festival
lunar9-9|重阳节 重阳 登高节|double ninth festival
lunar12-8|腊八节 腊八|laba festival
lunar12-23|小年 北方小年|
lunar12-24|南方小年|
"""
CHINESE: dict[str, str] = {}
ENGLISH: dict[str, str] = {}
for _line in _NAMES.split("\n"):
    if _line:
        _rule, _chinese, _english = _line.split("|")
        CHINESE |= dict.fromkeys(_chinese.split(), _rule)
        ENGLISH |= {name.strip(): _rule for name in _english.split(",") if name.strip()}
CHINESE |= {name: f"term{name}" for name in TERMS if name not in ("小满", "大雪", "小雪")}
CHINESE |= {f"{name}节": f"term{name}" for name in ("清明", "冬至", "立春", "夏至")}
ENGLISH |= {
    "tomb sweeping day": "term清明",
    "qingming": "term清明",
    "qingming festival": "term清明",
}


@lru_cache(maxsize=512)
def feast(rule: str, year: int) -> date | None:
    """The day of a feast in a year; None where the year has none or it is not known."""
    found = _RULE.fullmatch(rule)
    if found is None:
        return None
    day = _day(found, year)
    return day + timedelta(days=int(found["shift"] or 0)) if day else None


def _day(found: re.Match[str], year: int) -> date | None:
    if found["kind"] == "easter":
        return easter(year)
    if found["kind"] == "term":
        return solar_term(year, found["of"])
    month, day = int(found["month"]), int(found["day"])
    if found["kind"] == "lunar":
        days = (lunar_day(year, month, day), lunar_day(year - 1, month, day))
        return next((day for day in days if day and day.year == year), None)
    if not found["nth"]:
        return date(year, month, day)
    return nth_weekday(year, month, day - 1, int(found["nth"]))


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date | None:
    """The n-th such weekday (0: Monday) of a month, from the end when negative."""
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    if nth < 0:
        last = after - timedelta(days=1)
        day = last - timedelta(days=(last.weekday() - weekday) % 7 - 7 * (nth + 1))
    return day if first <= day < after else None


def easter(year: int) -> date:
    """Easter Sunday of the western churches.

    Source: the Gregorian reckoning of Meeus, Jones and Butcher.
    """
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    month, day = divmod(d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114, 31)
    return date(year, month, day + 1)
