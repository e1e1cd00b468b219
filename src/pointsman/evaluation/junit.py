"""Results for build servers: JUnit's XML, one test suite for each suite."""

import re
from xml.sax.saxutils import escape, quoteattr

from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.report import Report, named, shown

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The XML of a report. A threshold that is not met is a failed test of its suite."""
    suites = []
    for summary in report.summaries:
        results = report.of(summary.suite)
        cases = [_case(result, report.agent) for result in results]
        for breach in summary.breaches:
            said = (
                f"{shown(breach.metric, breach.got)}, wanted {shown(breach.metric, breach.wanted)}"
            )
            cases.append(
                f"<testcase classname={_quoted(f'{report.agent}.{summary.suite}')} "
                f"name={_quoted(f'threshold {breach.metric}')} time='0'>"
                f"<failure message={_quoted(f'{breach.metric} is {said}')}/></testcase>"
            )
        errors = sum(bool(result.error) for result in results)
        failures = summary.runs - summary.passed - errors + len(summary.breaches)
        seconds = sum(result.ms for result in results) / 1000
        suites.append(
            f"<testsuite name={_quoted(summary.suite)} tests='{len(cases)}' "
            f"failures='{failures}' errors='{errors}' time='{seconds:.3f}'>\n"
            + "\n".join(cases)
            + "\n</testsuite>"
        )
    body = "\n".join(suites)
    return f"<?xml version='1.0' encoding='utf-8'?>\n<testsuites>\n{body}\n</testsuites>\n"


def _case(result: CaseResult, agent: str) -> str:
    name = named(result)
    head = (
        f"<testcase classname={_quoted(f'{agent}.{result.suite}')} name={_quoted(name)} "
        f"time='{result.ms / 1000:.3f}'"
    )
    if result.passed:
        return f"{head}/>"
    if result.error:
        return f"{head}><error message={_quoted(result.error)}/></testcase>"
    said = [f"turn {one.turn}: {one.kind}: {one.expected} | {one.got}" for one in result.failed]
    text = "\n".join([*said, "", *result.story])
    return f"{head}><failure message={_quoted(said[0])}>{escape(_plain(text))}</failure></testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_plain(text), {"\n": "&#10;"})


def _plain(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
