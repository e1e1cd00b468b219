from pathlib import Path

import pytest

from scripts.size_gate import FILE_LINES, FUNCTION_LINES, main


def function(lines: int, head: str = "def f():") -> str:
    return "\n".join([head, *["    pass"] * (lines - 1)])


def test_files_and_functions_at_the_limit_pass(tmp_path: Path) -> None:
    body = function(FUNCTION_LINES)
    (tmp_path / "full.py").write_text(body + "\n" * (FILE_LINES - FUNCTION_LINES + 1))
    assert main([str(tmp_path)]) == 0


def test_a_file_over_the_limit_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "long.py").write_text("\n" * (FILE_LINES + 1))
    assert main([str(tmp_path)]) == 1
    assert f"long.py: {FILE_LINES + 1} lines" in capsys.readouterr().out


@pytest.mark.parametrize("head", ["def f():", "async def f():", "class A:\n  def f(self):"])
def test_a_function_over_the_limit_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], head: str
) -> None:
    (tmp_path / "a.py").write_text("@decorator\n" * (head[0] != "c") + function(61, head))
    assert main([str(tmp_path)]) == 1
    assert "a.py:2: f: 61 lines" in capsys.readouterr().out


def test_a_folder_without_python_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
