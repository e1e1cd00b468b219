"""Chinese words of time: what each one is, simplified; other spellings are folded to these.

Cantonese words are here too. What only looks like a word of time (时间, 中国) is listed so that it
is taken as a whole and left alone; not what may follow a number (3月5日记得).
"""

from typing import Any

from pointsman.domain.times.calendar import Relative
from pointsman.domain.times.feasts import CHINESE as FEASTS
from pointsman.domain.traditional import SIMPLIFIED

TRADITIONAL = SIMPLIFIED | str.maketrans("後裏於〇○", "后里于零零")
WEEKDAYS = "一二三四五六日"
_DAYS = {
    0: "今天 今日 今儿 本日 当天 当日",
    1: "明天 明日 明儿 翌日 次日 听日 聽日",
    2: "后天 后日 后儿",
    3: "大后天 大后日",
    4: "大大后天",
    -1: "昨天 昨日 昨儿 寻日 琴日 噚日",
    -2: "前天 前日 前儿",
    -3: "大前天 大前日",
    -4: "大大前天",
}
_YEARS = {
    0: "今年 本年 本年度 今年度",
    1: "明年 来年 次年 翌年 出年",
    2: "后年",
    3: "大后年",
    -1: "去年 上年 旧年",
    -2: "前年",
    -3: "大前年",
}
_LATE = "半夜 深夜 午夜 半夜三更"
"""The part of the night that tonight goes on to."""
_PARTS = {
    "night": f"凌晨 {_LATE} 零晨",
    "morning": "清晨 早晨 早上 大清早 一大早 早间 早 朝早 晨早 晨间 清早",
    "forenoon": "上午 上昼 午前",
    "noon": "中午 正午 午间 晌午",
    "afternoon": "下午 午后 下昼 晏昼 后晌",
    "dusk": "傍晚 黄昏",
    "evening": "晚上 夜里 夜晚 晚间 夜间 晚 夜晚黑 入夜 夜",
    "daytime": "白天 日间",
}
_MERGED = {"今": 0, "明": 1, "昨": -1, "当": 0, "前": -2, "后": 2, "听": 1, "寻": -1, "琴": -1}
_UNITS = {
    "second": "秒 秒钟",
    "minute": "分钟",
    "hour": "小时 钟头 个钟 个钟头 粒钟",
    "workday": "工作日 交易日 工作天",
    "week": "周 星期 礼拜 周次",
    "fortnight": "双周",
    "quarter": "季度",
    "year": "年度 周年",
    "century": "世纪",
}
_KINDS = {
    "zh_year": "年",
    "zh_month": "月 月份",
    "zh_day": "日 号",
    "zh_sky": "天",
    "zh_hour": "点 点钟 时",
    "zh_minute": "分",
    "quarter_hour": "刻 刻钟",
    "half": "半",
    "few_zh": "几 数",
    "ge": "个",
    "de": "的 之",
    "di": "第",
    "sharp": "整 正 踏正",
    "step": "踏 搭",
    "lack": "差",
    "every": "每 每个 每逢 逢 每到",
    "gap": "隔",
    "front": "前 头",
    "back": "后",
    "ante": "之前 以前 前夕",
    "post": "之后 以后 过后",
    "inside": "内 之内 以内",
    "since_zh": "以来",
    "from_zh": "从 自 自从 打从 由",
    "to": "到 至 直到 ~ 〜 一直到",
    "start_zh": "起 开始 起始",
    "stop_zh": "止 为止 截止 截至",
    "mid_zh": "之间 期间",
    "and": "和 与 及 跟 以及 或 或者 还有 又",
    "comma": "、",
    "at_zh": "在 于 定在",
    "approx": "左右 前后 上下 大约 大概 约 差不多 约莫 许",
    "pass": "过 再过 再等",
    "now": "现在 现今 此刻 马上 立刻 立即 目前 当前 当下 而家 依家 家下 这会儿 眼下 即刻",
    "last_zh": "最后 末了",
    "back_zh": "倒数",
    "lasting": "持续 连续 一连",
    "advance": "提前 提早",
    "except": "除 除了 除去",
    "apart": "外 以外 之外 除外",
    "lunar": "农历 阴历 旧历 夏历",
    "points": "建议 意见 要求 原因 理由 想法 看法 说明 注意 体会 希望 内容",
    "all": "全 整个 一整",
    "zh_decade": "年代",
    "minguo": "民国",
    "leap": "闰",
    "that_day": "那天 那日 那一天 这天",
    "same_time": "这个时候 这个时间 这时候 这个点 此时 同一时间",
    "day_times": "天天 每天 每日 每一天 日日",
}
_SHIFTS = {
    "up": {"上": -1, "上上": -2, "上上上": -3, "上一": -1},
    "down": {"下": 1, "下下": 2, "下下下": 3, "下一": 1},
    "cur": {"这": 0, "本": 0, "当": 0, "今": 0, "这一": 0, "今个": 0},
}
_WINDOWS = {-1: "过去 最近 近 近来 之前的", 1: "未来 接下来 今后 往后 将来 随后"}
_EDGES = {
    "begin": "初 上旬 年头 月头",
    "middle": "中 中旬 年中间",
    "end": "底 末 下旬 年尾 月尾 尾",
}
_SEASONS = "春天 春季 夏天 夏季 秋天 秋季 冬天 冬季 春 夏 秋 冬"
_PLACES = {
    "Asia/Shanghai": "北京 中国 上海",
    "Asia/Hong_Kong": "香港",
    "Asia/Tokyo": "东京 日本",
    "Asia/Seoul": "首尔 韩国",
    "Asia/Singapore": "新加坡",
    "Asia/Kolkata": "印度",
    "Asia/Dubai": "迪拜",
    "Australia/Sydney": "悉尼",
    "Europe/Moscow": "莫斯科",
    "Europe/London": "伦敦 英国",
    "Europe/Paris": "巴黎 法国",
    "Europe/Berlin": "柏林 德国",
    "America/New_York": "纽约 美东 东部 美国东部",
    "America/Chicago": "芝加哥 美国中部",
    "America/Los_Angeles": "洛杉矶 旧金山 美西 太平洋 美国西部",
}
"""Where the clocks are meant by 北京时间."""
_NOTHING = (
    "时间 时候 时长 时段 时差 时期 时代 时刻 时常 小时候 临时 同时 及时 有时 平时 按时 准时 随时 "
    "定时 时时 届时 暂时 实时 时速 号线 号楼 号院 号店 号机 号房 号门 号桌 账号 账户 日元 日本 "
    "生日 节日 假日 平日 聊天 月亮 少年 青年 老年 成年 周围 周边 周转 周期 部分 百分 分之 有点 "
    "差点 重点 特点 地点 观点 一点儿 一点点 前期 后期 前半段 后半段 前面 后面 前台 后台 前端 "
    "后端 前提 后果 目的 的话 的士 上海 上班 上课 上传 上线 上面 上车 上门 上次 下班 下课 下载 "
    "下单 下面 下线 下车 下次 下雨 下雪 这样 这里 这么 本人 本地 本来 当然 当地 当时 当作 当做 "
    "到底 到位 到期 到达 至少 至于 甚至 直至 过程 过期 通过 经过 超过 不过 过敏 过户 自己 自动 "
    "自然 自行 自由 季节 春节快乐 秋裤 夏令营 冬瓜 春卷 夏威夷 冬奥 早上好 上午好 中午好 下午好 "
    "晚上好 晚餐 早餐 午餐 晚饭 早饭 午饭 晚安 早安 早点 晚点 早日 夜宵 晚会 早会 晚自习 一下 "
    "一些 一起 一样 一定 一直 一共 一般 一旦 一切 一边 一种 一方 万一 统一 唯一 第一时间 一次性 "
    "单一 同一 末尾 期末 尾号 尾款 初始 初级 最初 起初 中国 中文 中心 中间 其中 底部 头条 头像 "
    "头疼 整理 整体 正在 正常 改正 真正 于是 由于 关于 对于 在线 存在 约会 预约 和平 附近 靠近 "
    "接近 号电池 号字 号球 号选手 号位 号柜 号仓 号窗 号车 号厅 号会议 号馆 号员工 号订单 号商品 "
    "号公路 号文 号令 号染色 号人物 起床 起来 起飞 起身 起草 起跑 起航 前往 后勤 后厨"
)  # fmt: skip

Word = tuple[str, Any]


def _lexicon() -> dict[str, tuple[Word, ...]]:
    words: dict[str, tuple[Word, ...]] = {}
    for word in _NOTHING.split():
        words[word] = (("x", None),)
    for name, listed in _KINDS.items():
        words |= {word: ((name, word),) for word in listed.split()}
    for unit, listed in _UNITS.items():
        words |= dict.fromkeys(listed.split(), (("unit", unit),))
    for kind, shifts in _SHIFTS.items():
        words |= {word: ((kind, shift),) for word, shift in shifts.items()}
        words |= {
            f"{word}个": ((f"{kind}_ge", shift),)
            for word, shift in shifts.items()
            if word != "今个"
        }
    words |= {w: (("recent", sign),) for sign, listed in _WINDOWS.items() for w in listed.split()}
    words |= {w: (("edge_zh", edge),) for edge, listed in _EDGES.items() for w in listed.split()}
    for index, day in enumerate(WEEKDAYS + "天"):
        for week in ("周", "星期", "礼拜"):
            words[week + day] = (("weekday", min(index, 6)),)
        every_other = (("unit", "fortnight"), ("weekday", min(index, 6)))
        words |= {f"双周{day}": every_other, f"隔周{day}": every_other}
    words |= dict.fromkeys(("周末", "星期末", "礼拜末", "双休日"), (("weekend", "weekend"),))
    words |= {"整点": (("minute_past", 0),)}
    words |= {"周一次": (("unit", "week"), ("x", None), ("x", None))}
    words |= {"隔周一次": (("gap", "隔"), ("unit", "week"), ("x", None), ("x", None))}
    words |= dict.fromkeys(("前提交", "前提醒"), (("front", "前"), ("x", None), ("x", None)))
    words |= {w: (("lunar_month", n),) for w, n in {"正月": 1, "冬月": 11, "腊月": 12}.items()}
    words |= {w: (("season", n // 2 % 4 + 1),) for n, w in enumerate(_SEASONS.split()[:8])}
    words |= {w: (("season_zh", n + 1),) for n, w in enumerate(_SEASONS.split()[8:])}
    for part, listed in _PARTS.items():
        words |= dict.fromkeys(listed.split(), (("part", part),))
    words |= dict.fromkeys(("早", "朝"), (("part_zh", "morning"),))
    words |= dict.fromkeys(("晚", "夜"), (("part_zh", "evening"),))
    for apart, listed in _DAYS.items():
        words |= {word: (("day", Relative("day", apart)),) for word in listed.split()}
    for year, listed in _YEARS.items():
        words |= {word: (("day", Relative("year", year)),) for word in listed.split()}
    for first, days in _MERGED.items():
        for last in "早晨朝晚夜":
            part = "evening" if last in "晚夜" else "morning"
            both = (("day", Relative("day", days)), ("part", part))
            words |= {first + last: both, f"{first}{last}上": (*both, ("skip", None))}
    late = (("day", Relative("day", 0)), ("part", "late"))
    words |= {f"{day}{hour}": late for day in ("今晚", "今天", "今夜") for hour in _LATE.split()}
    for zone, places in _PLACES.items():
        words |= {f"{place}时间": (("zone", (zone, 0)),) for place in places.split()}
    words |= dict.fromkeys(("格林尼治时间", "世界时"), (("zone", ("utc", 0)),))
    words |= {name: (("feast", rule),) for name, rule in FEASTS.items()}
    return words


LEXICON = _lexicon()
"""Word → the pieces it is, each a kind and a value; two pieces share it character by character."""
LONGEST = max(map(len, LEXICON))
NUMERALS = "零一二三四五六七八九十百千两廿卅"
