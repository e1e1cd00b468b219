"""The console says the engine's sentences in the reader's language. It knows them by their words,
which must be those of the engine's code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONSOLE = ROOT / "console" / "src"
TABLE = CONSOLE / "i18n" / "engine.ts"
_PAIR = re.compile(r"""^  \[(?P<quote>['"])(?P<en>.*?)(?P=quote), '""", re.MULTILINE)
_PLACE = re.compile(r"\{[^{}]*\}")
_MARK = re.compile(r"[:;,.()]+ ?")
PLACE = "□"
_TELLING = re.compile(r"(?=.*□)(?:[^□]*[a-z]){7}")
"""A place, and letters enough to know the phrase by."""


def sentences() -> list[str]:
    """The English column."""
    return [pair["en"] for pair in _PAIR.finditer(TABLE.read_text(encoding="utf-8"))]


def phrases(sentence: str) -> Iterator[str]:
    """What stands between the marks of a sentence, with a box where something is put in."""
    for phrase in _MARK.split(_PLACE.sub(PLACE, sentence)):
        if phrase.strip(f" '{PLACE}"):
            yield phrase.strip()


def written() -> Iterator[str]:
    """Every text in the engine's code, with a box where something is put in."""
    for path in sorted((ROOT / "src" / "pointsman").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.JoinedStr(values=parts):
                    texts = [one.value for one in parts if isinstance(one, ast.Constant)]
                    if len(texts) < len(parts):
                        yield ast.unparse(node)[2:-1]
                case ast.Constant(value=str(text)):
                    yield text
                case _:
                    pass


def of_the_engine() -> tuple[str, re.Pattern[str]]:
    """All texts, and a pattern of the phrases into which something is put."""
    texts = [_PLACE.sub(PLACE, text) for text in written()]
    open_ones = {one for text in texts for one in phrases(text) if _TELLING.search(one)}
    return "\n".join(texts), re.compile(
        "|".join(".+".join(map(re.escape, one.split(PLACE))) for one in open_ones)
    )


ALL, OPEN = of_the_engine()
SENT = "\n".join(path.read_text(encoding="utf-8") for path in CONSOLE.rglob("*.tsx"))
"""What the console itself has written into a journal."""


def test_the_table_is_read_whole() -> None:
    assert len(sentences()) == TABLE.read_text(encoding="utf-8").count("\n  [") > 100


@pytest.mark.parametrize("sentence", sentences())
def test_a_sentence_that_the_console_translates_is_one_of_the_engine(sentence: str) -> None:
    unknown = [one for one in phrases(sentence) if one not in ALL and not OPEN.fullmatch(one)]
    assert [one for one in unknown if one not in SENT] == []
