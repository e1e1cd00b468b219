"""A report as one HTML page that needs nothing else: no script, no picture, no address. Whatever a
user, a model or a tool wrote is shown as text."""

import html
from collections.abc import Iterator, Mapping, Sequence

from pointsman.domain.agent import Language
from pointsman.evaluation.metrics import CaseResult, Summary
from pointsman.evaluation.observed import Seen
from pointsman.evaluation.report import Change, Report, labels, named, shown, wanted
from pointsman.evaluation.words import word

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;
color:#1d2126}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.2rem .7rem;text-align:left;
border-bottom:1px solid #d9dee3;vertical-align:top}th{font-weight:600}.n{text-align:right}
.bad{color:#b3261e}.good{color:#1a7f37}.hit{background:#d7f2de}.miss{background:#fbdcd9}
details{border:1px solid #d9dee3;border-radius:6px;margin:.4rem 0;padding:.4rem .8rem}
summary{cursor:pointer}pre{white-space:pre-wrap;background:#f5f7f9;padding:.6rem;border-radius:6px}
@media(prefers-color-scheme:dark){body{background:#15181b;color:#e3e6e9}td,th,details{
border-color:#3a4148}pre{background:#20252a}.hit{background:#174d28}.miss{background:#5b1f1b}
.bad{color:#ff8a80}.good{color:#6fdc8c}}
"""

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {
    0x7F: 0x2421
}
"""Characters that no page may hold → their pictures."""


def escape(text: str) -> str:
    """The text as a page may hold it."""
    return html.escape(text.translate(_CONTROLS))


def page(report: Report, language: Language) -> str:
    """The page."""
    suites = ", ".join(summary.suite for summary in report.summaries)
    title = word("title", language, suite=suites)
    subject = word("subject", language, agent=report.agent, model=report.model)
    body = "\n".join(
        part for summary in report.summaries for part in _suite(report, summary, language)
    )
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(subject)}</p>\n{body}\n</body>\n</html>\n"
    )


def _suite(report: Report, summary: Summary, language: Language) -> Iterator[str]:
    passed = word("passed", language, passed=summary.passed, runs=summary.runs, cases=summary.cases)
    yield f"<h2>{escape(summary.suite)}</h2>\n<p>{escape(passed)}</p>"
    heads = [word(f"head.{head}", language) for head in ("metric", "value", "threshold")]
    yield _table(
        heads,
        [
            [word(f"metric.{name}", language), shown(name, value), wanted(report, summary, name)]
            for name, value in summary.metrics.items()
        ],
    )
    if len(summary.pass_hat) > 1:
        values = "  ".join(f"{k}: {value:.1%}" for k, value in summary.pass_hat.items())
        yield f"<p>{escape(word('pass_hat', language, values=values))}</p>"
    if report.change is not None:
        yield _change(report.change[summary.suite], language)
    if summary.confusion:
        yield f"<h3>{escape(word('matrix', language))}</h3>"
        yield _matrix(summary.confusion)
    results = sorted(report.of(summary.suite), key=lambda result: result.passed)
    yield f"<h3>{escape(word('head.case', language))}</h3>"
    for result in results:
        yield _case(result, language)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _matrix(confusion: Mapping[str, Mapping[str, int]]) -> str:
    names = labels(confusion)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = []
    for expected in names:
        if expected in confusion:
            cells = "".join(_cell(expected, got, confusion[expected].get(got, 0)) for got in names)
            rows.append(f"<tr><th>{escape(expected)}</th>{cells}</tr>")
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def _cell(expected: str, got: str, count: int) -> str:
    look = "" if not count else " hit" if expected == got else " miss"
    return f'<td class="n{look}">{count or ""}</td>'


def _change(change: Change, language: Language) -> str:
    said = [
        word(f"compared.{key}", language, cases=", ".join(cases))
        for key, cases in (
            ("fixed", change.fixed),
            ("broken", change.broken),
            ("new", change.new),
            ("gone", change.gone),
        )
        if cases
    ]
    items = said or [word("compared.same", language)]
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def _case(result: CaseResult, language: Language) -> str:
    look, mark = ("good", "✓") if result.passed else ("bad", "✗")
    tags = f" <small>{escape(', '.join(result.tags))}</small>" if result.tags else ""
    parts = [
        f'<details><summary><span class="{look}">{mark}</span> {escape(named(result))} '
        f"<small>{result.score:.0%}, {result.ms:,.0f} ms</small>{tags}</summary>"
    ]
    if result.error:
        said = word("case.error", language, error=result.error)
        parts.append(f'<p class="bad">{escape(said)}</p>')
    parts += [_turn(number, seen, result, language) for number, seen in enumerate(result.turns, 1)]
    if result.story:
        story = escape("\n".join(result.story))
        parts.append(f"<p>{escape(word('story', language))}</p><pre>{story}</pre>")
    return "".join(parts) + "</details>"


def _turn(number: int, seen: Seen, result: CaseResult, language: Language) -> str:
    turn = word("case.turn", language, turn=number, say=seen.say)
    run = word("case.run", language, run=seen.run)
    rows = [
        [word(f"kind.{check.kind}", language), check.expected, check.got]
        for check in result.failed
        if check.turn == number
    ]
    heads = ["", word("head.expected", language), word("head.got", language)]
    wrong = _table(heads, rows) if rows else ""
    return (
        f"<p><b>{escape(turn)}</b> <small>{escape(run)}</small></p>"
        f"<pre>{escape(seen.reply)}</pre>{wrong}"
    )
