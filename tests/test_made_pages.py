"""What the server makes of HTML and pictures holds foreign text as text: nothing in it runs, and
nothing is fetched."""

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from pointsman.adapters.notifiers.email import EmailNotifier, MailServer
from pointsman.domain.numbers.chart_svg import svg
from pointsman.domain.numbers.charts import Chart, Series
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.page import page
from tests.adapters.notifiers.test_email import LETTER
from tests.cases import CASES
from tests.evaluation.test_report import report, result
from tests.support.fake_clock import FakeClock

TAGS = frozenset(
    "html head meta title style body h1 h2 h3 p b small table tr th td details summary span pre ul"
    " li br svg rect path text circle line polyline g".split()
)
ATTRIBUTES = frozenset(
    "lang charset name content http-equiv class xmlns width height viewbox font-family font-size"
    " fill stroke x y d points text-anchor transform cx cy r stroke-width x1 x2 y1 y2 rx opacity"
    " font-weight stroke-linejoin stroke-linecap dominant-baseline".split()
)


class Found(HTMLParser):
    """The elements, their attributes and the text of a page, as a browser reads it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def evaluation(text: str) -> str:
    seen = result("a").turns[0]
    wrong: CaseResult = result(
        "b",
        False,
        title=text,
        story=(text,),
        tags=(text,),
        error=text,
        turns=(replace(seen, say=text, reply=text),),
        intents=((text, "b"),),
    )
    return page(report(wrong), "en")


def mail(text: str) -> str:
    server = MailServer(host="127.0.0.1", port=1, sender="bot@a.test", title="Bot", security="none")
    letter = replace(LETTER, text=text, subject=text.replace("\n", " "))
    body = EmailNotifier(server, FakeClock()).mail(letter).get_body(("html",))
    assert body is not None
    return str(body.get_content())


def chart(text: str) -> str:
    return svg(
        Chart(
            kind="bar",
            title=text,
            label=text,
            unit=text,
            labels=(text, "b"),
            series=(Series(text, (1, 2)), Series("b", (2, 3))),
        )
    )


TEXTS = [
    pytest.param(text, id=f"{case}-{number}")
    for case in ("X20", "X21")
    for number, text in enumerate(
        [
            *CASES[case]["input"]["texts"],
            '"><img src=x onerror=alert(1)>',
            "'><script>alert(1)</script>",
            "</title></style></pre></text></svg><svg/onload=alert(1)>",
            "<a href='javascript:alert(1)'>x</a>",
            "<!--<img src=x>--><![CDATA[<img src=x>]]>",
        ]
    )
]


@pytest.mark.parametrize("made", [evaluation, mail, chart])
@pytest.mark.parametrize("text", TEXTS)
def test_nothing_in_it_runs_and_nothing_is_fetched(made: Callable[[str], str], text: str) -> None:
    found = Found(made(text))
    assert found.tags <= TAGS
    assert found.attributes <= ATTRIBUTES
    start = text.split("\n")[0][:8]
    assert start in found.text
