"""Descriptions from docstrings of every common style."""

import pytest

from pointsman.adapters.tools.docstrings import described

NAMES = ("city", "days")
GOOGLE = """Look up the weather.

    For a city in China: any one.

    Args:
        city (str, optional): name of the city,
            as people write it
        days: how many days: 1 to 7

    Returns:
        str: the weather
    """
NUMPY = """Look up the weather.

    For a city in China: any one.

    Parameters
    ----------
    city : str
        name of the city,
        as people write it
    days : int, optional
        how many days: 1 to 7

    Returns
    -------
    str
        the weather
    """
REST = """Look up the weather.

    For a city in China: any one.

    :param str city: name of the city,
        as people write it
    :param days: how many days: 1 to 7
    :return: the weather
    :rtype: str
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_the_styles_say_the_same(docstring: str) -> None:
    assert described(docstring, NAMES) == (
        "Look up the weather.\n\nFor a city in China: any one.",
        {"city": "name of the city, as people write it", "days": "how many days: 1 to 7"},
    )


@pytest.mark.parametrize(
    "docstring",
    [
        "查询天气。\n\n参数：\n  city（str）：城市名，如：北京\n  days：天数\n\n返回：\n  天气",
        "查询天气。\n参数:\ncity: 城市名，如：北京\ndays: 天数\n返回值：天气",
        "查询天气。\n\nArgs:\n    city: 城市名，如：北京\n    days: 天数\nReturns: 天气",
        "查询天气。\n\n:param city: 城市名，如：北京\n:param days: 天数\n:returns: 天气",
        "查询天气。\n\n参数\n----\ncity\n    城市名，如：北京\ndays\n    天数",
    ],
)
def test_chinese_docstrings_are_read(docstring: str) -> None:
    assert described(docstring, NAMES) == (
        "查询天气。",
        {"city": "城市名，如：北京", "days": "天数"},
    )


@pytest.mark.parametrize("docstring", [None, "", "   "])
def test_no_docstring_says_nothing(docstring: str | None) -> None:
    assert described(docstring, NAMES) == ("", {})


def test_text_that_only_looks_like_a_section_stays_text() -> None:
    text = "Note: slow.\n\nArgs are taken\n\n    city: indented prose\nSource: the office."
    assert described(text, NAMES) == (text, {})


def test_what_follows_the_arguments_is_text_again() -> None:
    about, found = described("Adds.\n\nArgs:\n    city: a\n\nCall it once.", NAMES)
    assert about == "Adds.\n\nCall it once."
    assert found == {"city": "a"}
