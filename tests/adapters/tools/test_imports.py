"""Functions named in an agent file."""

from pathlib import Path

import pytest

from pointsman.adapters.tools.imports import load_functions
from pointsman.errors import ToolDefinitionError

TOOLS = """
from pointsman.adapters.tools.functions import tool
from .prices import PRICE

@tool
def price(name: str) -> int:
    return PRICE

@tool(risk="read")
def other(name: str) -> int:
    return 0

def plain(name: str) -> int:
    return 1

number = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "prices.py").write_text("PRICE = 7\n", encoding="utf-8")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "deep.py").write_text("def dig(n: int) -> int:\n    return n\n")
    return tmp_path


def test_a_function_of_the_folder_is_found(folder: Path) -> None:
    (price,) = load_functions("tools:price", folder=folder)
    assert price("x") == 7
    (plain,) = load_functions("tools:plain", folder=folder)
    assert plain("x") == 1
    (dig,) = load_functions("lib.deep:dig", folder=folder)
    assert dig(3) == 3


def test_a_module_alone_gives_its_declared_functions(folder: Path) -> None:
    assert [one.__name__ for one in load_functions("tools", folder=folder)] == ["price", "other"]


def test_two_folders_may_have_modules_of_one_name(folder: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "tools.py").write_text("def price(name: str) -> int:\n    return 8\n")
    (one,) = load_functions("tools:price", folder=folder)
    (two,) = load_functions("tools:price", folder=second)
    assert (one("x"), two("x")) == (7, 8)


def test_what_is_not_in_the_folder_is_imported_as_usual(folder: Path) -> None:
    (dumps,) = load_functions("json:dumps", folder=folder)
    assert dumps({}) == "{}"
    assert load_functions("json:dumps") == [dumps]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("tools:prise", "'prise' does not exist in .*tools.py"),
        ("tools:number", "'number' is not a function"),
        ("lib.deep", "no function under @tool"),
        ("nowhere:f", "No module named 'nowhere'"),
        ("../tools:f", "not of the form"),
        ("tools.py:f", "cannot be imported"),
        ("broken:f", "broken.*SyntaxError"),
        ("raising:f", "raising.*ZeroDivisionError"),
        ("leaving:f", "leaving.*SystemExit"),
        ("absolute:f", r"write `from \.prices import"),
    ],
)
def test_what_cannot_be_loaded_is_named_with_its_fault(
    folder: Path, target: str, words: str
) -> None:
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "raising.py").write_text("1 / 0\n")
    (folder / "leaving.py").write_text("raise SystemExit\n")
    (folder / "absolute.py").write_text("from prices import PRICE\n")
    with pytest.raises(ToolDefinitionError, match=words):
        load_functions(target, folder=folder)
