"""Search in the shop's documents with SQLite FTS5.

FTS5 splits text at spaces, and Chinese has none. So every document is indexed in words of our own
making, pairs of neighbouring characters ("退款规则" → 退款 款规 规则), and a question is looked up
in the same pairs. English words are stemmed by FTS5.
"""

import re
import sqlite3
from collections.abc import Iterator
from typing import Any, Literal

from .store import SAMPLES, sample

Language = Literal["zh", "en"]

MOST = 3
"""Documents that one search gives at most."""
_SNIPPET = 200
"""Characters of a snippet; a longer text is cut to its best sentences."""
_SHARE = 0.5
"""A document below this share of the best one's score is left out."""

_CHINESE = re.compile("[\u3400-\u9fff]+")
_LATIN = re.compile(r"[a-z0-9]+")
_SENTENCE = re.compile(r"[^。！？；]+[。！？；]?|[^.!?;]+[.!?;]?\s*")
_ASKING = re.compile(
    "请问|什么|怎么样?|怎样|如何|可不可以|能不能|可以|是不是|有没有|一下|我想|我要|帮我|告诉我|想知道|知道|关于|的话"
    "|我的|你们|您们|咱们|多久|多少|哪些|哪里|这个|那个|顺便|另外|是|的|了|吗|呢|吧|啊|呀|我|你|您|请"
)
_COMMON = frozenset(
    "a about also an and any are at be been but by can could did do does for from get give go "
    "had has have hello hi how i if in is it its know like long many me much my need of on or "
    "our please should so take takes tell than that the their them then there these this those "
    "to up us was we were what when where which who why will with would you your".split()
)


def words_of(text: str) -> list[str]:
    """What a text is indexed and looked up by: pairs of Chinese characters, and Latin words."""
    folded = text.lower()
    found = [word for word in _LATIN.findall(folded) if word not in _COMMON]
    for run in _CHINESE.findall(folded):
        found += [run] if len(run) == 1 else [run[n : n + 2] for n in range(len(run) - 1)]
    return found


def search(database: sqlite3.Connection, query: str, language: Language) -> list[dict[str, Any]]:
    """The documents that answer a question best, the best one first; none when none fits.

    A question with Chinese in it is looked up in the Chinese documents, another in English ones;
    one without any letters in those of ``language``.
    """
    _refresh(database)
    if _CHINESE.search(query):
        language = "zh"
    elif re.search("[a-z]", query, re.IGNORECASE):
        language = "en"
    asked = list(dict.fromkeys(words_of(_ASKING.sub(" ", query)) or words_of(query)))
    if not asked:
        return []
    rows = database.execute(
        "SELECT document, title, body, -bm25(passages, 0, 0, 0, 0, 4.0, 1.0) AS score"
        " FROM passages WHERE passages MATCH ? AND language = ? ORDER BY score DESC LIMIT ?",
        (" OR ".join(f'"{word}"' for word in asked), language, MOST),
    ).fetchall()
    return [
        {"document": row["document"], "title": row["title"], "snippet": snippet(row["body"], asked)}
        for row in rows
        if row["score"] >= rows[0]["score"] * _SHARE
    ]


def snippet(body: str, asked: list[str]) -> str:
    """The sentences of a text that hold most of what is asked, in their order."""
    if len(body) <= _SNIPPET:
        return body
    sentences = [part for part in _SENTENCE.findall(body) if part.strip()]
    wanted = set(asked)
    best = sorted(
        range(len(sentences)), key=lambda n: (-len(wanted & set(words_of(sentences[n]))), n)
    )
    kept: list[int] = []
    for n in best:
        if sum(len(sentences[k]) for k in (*kept, n)) <= _SNIPPET or not kept:
            kept.append(n)
    return "".join(sentences[n] for n in sorted(kept)).strip()


def _refresh(database: sqlite3.Connection) -> None:
    """Index the documents anew when a file of them has changed."""
    files = sorted((SAMPLES / "documents").glob("*.toml"))
    stats = [(file.name, file.stat()) for file in files]
    stamp = ";".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)
    known = database.execute("SELECT stamp FROM indexed").fetchone()
    if known and known["stamp"] == stamp:
        return
    database.execute("DELETE FROM passages")
    database.execute("DELETE FROM indexed")
    database.execute("INSERT INTO indexed VALUES (?)", (stamp,))
    for name, _ in stats:
        database.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)", _rows(name))


def _rows(name: str) -> Iterator[tuple[str, ...]]:
    for document in sample(f"documents/{name}")["document"]:
        for language in ("zh", "en"):
            title, body = document[language]["title"], document[language]["text"]
            indexed = (" ".join(words_of(title)), " ".join(words_of(body)))
            yield (document["id"], language, title, body, *indexed)
