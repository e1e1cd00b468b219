"""What a numbered department is called: 研发二组 is 研发2组, 研发第二组, 二组, the second team."""

import re
from collections.abc import Iterator

from pointsman.domain.directory.office_words import FIELDS

_ZH = "一二三四五六七八九十"
_EN = "one two three four five six seven eight nine ten".split()
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_SHORT_NTH = "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split()
_KINDS = {
    "组": ("team", "group"), "小组": ("team", "group"), "队": ("team",), "部": (),
    "班": ("shift",), "车间": ("workshop",),
}  # fmt: skip
_CHINESE = re.compile(rf"(?P<of>.*?)第?(?P<n>[{_ZH}]|10|[1-9])(?P<kind>小组|组|队|部|班|车间)")
_ENGLISH = re.compile(
    rf"(?P<of>.*?) ?(?P<kind>team|group|workshop|shift) (?P<n>{'|'.join(_EN)}|10|[1-9])"
)


def numbered(name: str) -> Iterator[tuple[str, int]]:
    """What else a department may be called, and how far that is from its name: 1 with the number
    written otherwise, 2 without what it is a part of.

    Args:
        name: folded.
    """
    if found := _CHINESE.fullmatch(name):
        which = found["n"]
        n = _ZH.index(which) if which in _ZH else int(which) - 1
        for level, of in ((1, found["of"]), *(((2, ""),) if found["kind"] != "部" else ())):
            for number in (_ZH[n], str(n + 1), f"第{_ZH[n]}", f"第{n + 1}"):
                yield f"{of}{number}{found['kind']}", level
        fields = [word for word, of in FIELDS.items() if of == FIELDS.get(found["of"])]
        for kind in _KINDS[found["kind"]]:
            yield from _english(n, kind, [word for word in fields if word.isascii()])
    elif found := _ENGLISH.fullmatch(name):
        n = _EN.index(found["n"]) if found["n"] in _EN else int(found["n"]) - 1
        yield from _english(n, found["kind"], [found["of"]] if found["of"] else [])


def _english(n: int, kind: str, fields: list[str]) -> Iterator[tuple[str, int]]:
    for level, of in ((2, ""), *((1, f"{field} ") for field in fields)):
        yield from ((f"{of}{kind} {number}", level) for number in (_EN[n], str(n + 1)))
        yield from ((f"{nth} {of}{kind}", level) for nth in (_NTH[n], _SHORT_NTH[n]))
