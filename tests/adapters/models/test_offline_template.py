"""Templates say JSON and can do nothing else."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.models.offline.template import Glossary, Path, Template
from pointsman.domain.agent import Language

RESULT: dict[str, Any] = {
    "name": "Ada",
    "km": 14900,
    "price": 3.5,
    "none": None,
    "flag": True,
    "list": [{"a": 1}, {"a": 2}],
    "words": ["x", "y"],
    "day": "2026-03-01T08:00:00",
    "名": "中",
    "__class__": "plain key",
}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plain {text}", "plain {text}"),
        ("{{ name }}!", "Ada!"),
        ("{{ list[1].a }}{{ list[9].a }}", "2—"),
        ("{{ 名 }}", "中"),
        ("{{ none }} {{ nowhere.at.all }} {{ flag }}", "— — true"),
        ("{{ none | default nothing at all }}", "nothing at all"),
        ("{{ km | divide 1000 | number 1 }} km", "14.9 km"),
        ("{{ price | number }} {{ name | number 2 }}", "4 Ada"),
        ("{{ words | join  and }} {{ words | count }} {{ nowhere | count }}", "xandy 2 0"),
        ("{{ day | date %d.%m.%Y }} {{ name | date %d }}", "01.03.2026 Ada"),
        ("{{ day | weekday }}", "Sunday"),
        ("{{ for x in list }}{{ index }}:{{ x.a }} {{ end }}", "1:1 2:2"),
        ("{{ for x in nowhere }}x{{ end }}", ""),
        ("{{ if name }}yes{{ else }}no{{ end }}{{ if not none }}!{{ end }}", "yes!"),
        ("{{ for x in list }}{{ for y in words }}{{ x.a }}{{ y }} {{ end }}{{ end }}",
         "1x 1y 2x 2y"),
        ("a\n{{ for x in list }}\n- {{ x.a }}\n{{ end }}\nb", "a\n- 1\n- 2\nb"),
        ("{{ name.__class__ }} {{ __class__ }}", "— plain key"),
        ("{{ name | word }}", "Ida"),
        ("{{ list }}", "a: 1, a: 2"),
    ],
)  # fmt: skip
def test_a_template_says_the_result(source: str, text: str) -> None:
    glossary = Glossary({"en": {"Ada": "Ida"}})
    assert Template.parse(source).render({"result": RESULT}, "en", glossary) == text


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("{{ }}", "empty"),
        ("{{ a b }}", "no path"),
        ("{{ a() }}", "no path"),
        ("{{ 1 }}", "no path"),
        ("{{ a[b] }}", "no path"),
        ("{{ a | shout }}", "no filter 'shout'"),
        ("{{ a | divide 0 }}", "cannot be used"),
        ("{{ a | number x }}", "cannot be used"),
        ("{{ for x }}{{ end }}", "a loop is written"),
        ("{{ for x in y }}", "needs an {{ end }}"),
        ("{{ if x }}a{{ else }}b", "needs an {{ end }}"),
        ("a {{ end }}", "closes nothing"),
        ("a {{ b", "not closed"),
        ("a }} b", "stands alone"),
        ("{{ for x in y }}" * 9 + "{{ end }}" * 9, "deep"),
    ],
)
def test_a_template_with_a_fault_is_refused(source: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        Template.parse(source)


def test_a_loop_shows_a_bounded_number_of_items() -> None:
    template = Template.parse("{{ for x in list }}x{{ end }}")
    assert len(template.render({"result": {"list": [1] * 5000}}, "en")) == 200


def test_a_glossary_translates_the_parts_of_a_phrase() -> None:
    glossary = Glossary({"en": {"东北": "northeast", "东": "east", "风": " wind"}})
    assert glossary.say("东北风", "en") == "northeast wind"
    assert glossary.say("东北风", "zh") == "东北风"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", [1]),
        ("b[*].c", [2, 3]),
        ("b[0]", [{"c": 2}]),
        ("b[7].c", []),
        ("a.b", []),
        ("[0]", []),
    ],
)
def test_a_path_reaches_what_is_there(path: str, found: list[Any]) -> None:
    assert Path.parse(path).all({"a": 1, "b": [{"c": 2}, {"c": 3}]}) == found


@given(st.text("{}| ab.for in endif[0]*", max_size=40), st.sampled_from(["zh", "en"]))
def test_any_text_is_a_template_or_is_refused_in_words(source: str, language: Language) -> None:
    try:
        template = Template.parse(source)
    except ValueError:
        return
    assert isinstance(template.render({"result": {"a": [1], "b": {}}}, language), str)
