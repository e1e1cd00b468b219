"""Chinese names as they are written in Latin letters, with every reading of every character."""

from functools import cache
from itertools import islice, product

from pypinyin import Style, pinyin

COMPOUND = frozenset(
    "欧阳 太史 端木 上官 司马 东方 独孤 南宫 万俟 闻人 夏侯 诸葛 尉迟 公羊 赫连 澹台 皇甫 宗政"
    " 濮阳 公冶 太叔 申屠 公孙 慕容 仲孙 钟离 长孙 宇文 司徒 鲜于 司空 闾丘 子车 亓官 司寇 令狐"
    " 百里 呼延 东郭 南门 羊舌 微生 梁丘 左丘 东门 西门".split()
)
_MOST = 12


def surname(name: str) -> str:
    """The family name of a Chinese name."""
    return name[:2] if len(name) > 2 and name[:2] in COMPOUND else name[:1]


@cache
def spellings(characters: str) -> tuple[tuple[str, ...], ...]:
    """The syllables of Chinese characters, one tuple a reading; few of many."""
    readings = pinyin(characters, style=Style.NORMAL, heteronym=True, v_to_u=False)
    ways = [list(dict.fromkeys(way for one in each for way in _written(one))) for each in readings]
    return tuple(islice(product(*ways), _MOST))


def _written(syllable: str) -> tuple[str, ...]:
    """A syllable as it is typed, and for ü as passports and others have it: lv, lyu, lu."""
    if "v" not in syllable:
        return (syllable,)
    return syllable, syllable.replace("v", "yu"), syllable.replace("v", "u")
