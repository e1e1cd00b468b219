"""Reports: for a terminal, a build server, a browser, a program, and over an earlier one."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import msgspec
import pytest

from pointsman.domain.agent import Language
from pointsman.evaluation.cases import Case, Expectation, Suite, Turn
from pointsman.evaluation.graders import Check, Kind
from pointsman.evaluation.junit import junit
from pointsman.evaluation.metrics import METRICS, CaseResult
from pointsman.evaluation.observed import Seen
from pointsman.evaluation.page import page
from pointsman.evaluation.report import Report, as_json, lines, report_of
from pointsman.evaluation.results import earlier
from pointsman.evaluation.words import WORDS

NASTY = "<script>alert(1)</script> & \"'\x00\x1b[31m ]]> 你好"
SUITE = Suite(
    name="desk",
    file="desk.yaml",
    digest="",
    cases=(Case(id="a", line=1, turns=(Turn(say="x", expect=Expectation()),)),),
    thresholds={"passed": 0.9, "failures": 3},
)


def result(case: str, passed: bool = True, **more: Any) -> CaseResult:
    seen = Seen(run="r1", say=NASTY, outcome="answer", reply=NASTY, ms=12.0)
    failed = () if passed else (Check(kind="tools", ok=False, expected=NASTY, got="none"),)
    values = {"turns": (seen,), "failed": failed, "score": 1.0 if passed else 0.5, "repeat": 1}
    return CaseResult(suite="desk", case=case, passed=passed, **{**values, **more})


def report(*results: CaseResult, before: list[CaseResult] | None = None) -> Report:
    return report_of(
        [SUITE], results, agent="kiosk", model="offline", thresholds={"failures": 2}, earlier=before
    )


WHOLE = report(
    result("a", intents=(("b", "b"), ("b", "none"))),
    result("c", False, title=NASTY, story=(NASTY,), tags=(NASTY,)),
    result("d", False, failed=(), error=NASTY),
)


def printed(of: Report, language: Language = "en", **more: str) -> str:
    return "\n".join(line.text for line in lines(of, language, **more))


def test_the_terminal_shows_numbers_thresholds_confusion_and_what_went_wrong() -> None:
    text = printed(WHOLE)
    assert "1 of 3 passed" in text
    assert re.search(r"failed runs +0 +✓ ≤ 2", text)
    assert re.search(r"cases passed +33\.3% +✗ ≥ 90\.0%", text)
    assert re.search(r"^ +b +none\nb +1 +1$", text, re.MULTILINE)
    assert "below the threshold: passed is 33.3%, wanted 90.0%" in text
    assert "✗ c" in text
    assert "run r1" in text
    assert "not carried through" in text
    assert not WHOLE.good


def test_many_intents_are_shown_as_the_pairs_that_were_confused() -> None:
    pairs = [(f"i{number}", f"i{number}") for number in range(9)]
    text = printed(report(result("a", intents=(*pairs, ("i1", "i2"), ("i1", "i2")))))
    assert "  i1 → i2: 2" in text
    assert "i3" not in text
    assert "No intent was confused." in printed(report(result("a", intents=tuple(pairs))))


def test_a_report_in_chinese_is_chinese() -> None:
    text = printed(WHOLE, "zh")
    assert "用例通过率" in text
    assert "低于门槛" in text
    assert 'lang="zh"' in page(WHOLE, "zh")


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_say_the_same_things(key: str) -> None:
    chinese, english = WORDS[key]
    assert set(re.findall(r"{(\w+)", chinese)) == set(re.findall(r"{(\w+)", english))


def test_every_metric_and_every_kind_of_check_has_a_name() -> None:
    kinds = get_args(Kind)
    assert {f"metric.{name}" for name in METRICS} <= WORDS.keys()
    assert {f"kind.{kind}" for kind in kinds} <= WORDS.keys()


def test_junit_is_xml_whatever_people_and_models_wrote() -> None:
    (suite,) = ElementTree.fromstring(junit(WHOLE))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    cases = {case.get("name", ""): case for case in suite}
    assert len(cases["a"]) == 0
    (failed,) = (case for name, case in cases.items() if name.startswith("c"))
    text = failed[0].text or ""
    assert "<script>alert(1)</script>" in text
    assert "]]>" in text
    assert cases["d"][0].tag == "error"
    assert cases["threshold passed"][0].tag == "failure"


class Reader(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_shows_foreign_text_as_text_and_fetches_nothing(language: Language) -> None:
    text = page(WHOLE, language)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
    read = Reader(text)
    assert read.open == []
    assert {"html", "head", "title", "body", "h1"} <= set(read.tags)
    assert "你好" in read.text
    assert f'<html lang="{language}">' in text
    for key in ("matrix", "story", "head.metric"):
        assert WORDS[key][language == "en"] in read.text
    assert "script" not in read.tags
    assert "link" not in read.tags
    assert read.fetched == []
    assert "url(" not in read.text
    assert read.text.count("<script>alert(1)</script>") >= 5
    assert read.tags.count("details") == 3


def test_the_json_is_whole_and_can_be_compared_with_later(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(msgspec.json.encode(as_json(WHOLE)))
    assert earlier(file) == list(WHOLE.results)
    value = msgspec.json.decode(file.read_bytes())
    assert value["good"] is False
    assert value["summaries"][0]["metrics"]["passed"] == pytest.approx(1 / 3)
    assert value["summaries"][0]["breaches"][0]["metric"] == "passed"


def test_the_cases_that_changed_are_named() -> None:
    before = [result("a", False), result("b"), result("c"), result("gone")]
    after = [result("a"), result("b", False), result("c"), result("new")]
    text = printed(report(*after, before=before), earlier="old.jsonl")
    assert "Compared with old.jsonl" in text
    for said in ("pass now: a", "no longer pass: b", "new: new", "gone: gone"):
        assert said in text
    assert "No case changed." in printed(report(*after, before=after))


def test_a_case_passes_only_when_all_its_repeats_do() -> None:
    before = [result("a"), result("a", False, repeat=2)]
    assert "pass now: a" in printed(report(result("a"), before=before))


def test_an_agent_is_good_when_thresholds_are_met_and_all_was_carried_through() -> None:
    assert report(result("a")).good
    assert not report(result("a", error="x")).good
