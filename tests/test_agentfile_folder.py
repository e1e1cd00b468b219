"""What the editor sees of a folder, and that it never writes beside it."""

from pathlib import Path

import pytest

from pointsman.agentfile import folder
from pointsman.errors import CallerError, Conflict

YAML = {"agent.yaml": "agent: a\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "prompts").mkdir(parents=True)
    (home / "agent.yaml").write_text("agent: a\n")
    (home / "prompts" / "system.md").write_bytes("你好\r\n".encode())
    return home


def test_texts_are_read_and_what_is_hidden_large_secret_or_no_text_is_not(home: Path) -> None:
    (home / ".env").write_text("KEY=1")
    (home / ".git").mkdir()
    (home / ".git" / "config.md").write_text("x")
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "x.py").write_text("x")
    (home / "picture.png").write_bytes(b"\x89PNG")
    (home / "binary.md").write_bytes(b"\xff\xfe\x00")
    (home / "large.md").write_text("x" * (folder.LONGEST_FILE + 1))
    (home / "keys.md").write_text("AKIAIOSFODNN7EXAMPLE")
    (home / "link.md").symlink_to("/etc/hostname")
    (home / "elsewhere").symlink_to("/etc")
    found = folder.read(home)
    assert found.files == {"agent.yaml": "agent: a\n", "prompts/system.md": "你好\r\n"}
    assert set(found.left_out) == {"binary.md", "large.md", "keys.md", "link.md"}


def test_the_digest_changes_with_any_text_and_any_path() -> None:
    digests = {
        folder.digest(files)
        for files in ({"a.md": "bc"}, {"a.mdb": "c"}, {"a.md": "b", "c.md": ""}, {"b.md": "bc"})
    }
    assert len(digests) == 4


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "/etc/x.md",
        "a/../../x.md",
        "a//x.md",
        "./x.md",
        ".hidden.md",
        "a/.git/x.md",
        "a\\x.md",
        "C:x.md",
        "x.exe",
        "x",
        "a\x00.md",
        "con.md",
        "__pycache__/x.py",
        "a/" * 9 + "x.md",
        "x" * 200 + ".md",
        " x.md",
        "x.md\n",
    ],
)
def test_paths_that_lead_out_or_hide_are_refused(path: str) -> None:
    with pytest.raises(CallerError):
        folder.checked({**YAML, path: "x"})


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"prompts/system.md": "x"},
        {**YAML, "a.md": "x", "A.md": "x"},
        {**YAML, "a.md": "x\x00"},
        {**YAML, "a.md": "x" * (folder.LONGEST_FILE + 1)},
        {**YAML, **{f"{n}.md": "x" * 390_000 for n in range(3)}},
        {**YAML, **{f"{n}.md": "x" for n in range(folder.MOST_FILES)}},
        {**YAML, "a.py": 'KEY = "AKIAIOSFODNN7EXAMPLE"'},
    ],
    ids=["none", "no_agent", "case", "nul", "long", "much", "many", "secret"],
)
def test_files_that_make_no_agent_are_refused(files: dict[str, str]) -> None:
    with pytest.raises(CallerError):
        folder.checked(files)


def test_files_are_put_in_place_whole_and_those_left_out_stay(home: Path) -> None:
    (home / "picture.png").write_bytes(b"png")
    (home / "agent.yaml").chmod(0o600)
    before = folder.read(home).files
    after = {"agent.yaml": "agent: b\n", "deep/er/x.md": "新\n"}
    folder.put(home, before, after)
    assert folder.read(home).files == after
    assert (home / "picture.png").read_bytes() == b"png"
    assert (home / "agent.yaml").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in home.iterdir() if one.name.startswith(".")] == []


def test_a_folder_that_has_changed_is_left_alone(home: Path) -> None:
    before = folder.read(home).files
    (home / "agent.yaml").write_text("agent: other\n")
    with pytest.raises(Conflict, match="changed meanwhile"):
        folder.put(home, before, {"agent.yaml": "agent: b\n"})
    assert (home / "agent.yaml").read_text() == "agent: other\n"


def test_nothing_is_written_through_a_link(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (home / "linked").symlink_to(outside)
    before = folder.read(home).files
    with pytest.raises(Conflict, match="link"):
        folder.put(home, before, {**before, "linked/x.md": "x"})
    (home / "secret.md").symlink_to(outside / "y.md")
    with pytest.raises(Conflict):
        folder.put(home, before, {**before, "secret.md": "x"})
    assert list(outside.iterdir()) == []


def test_a_write_that_fails_leaves_all_as_it_was(home: Path) -> None:
    (home / "prompts.md").write_text("not shown: AKIAIOSFODNN7EXAMPLE")
    before = folder.read(home).files
    with pytest.raises(Conflict):
        folder.put(home, before, {"agent.yaml": "agent: b\n", "prompts.md": "x"})
    (home / "file").write_text("in the way of a folder")
    with pytest.raises(CallerError):
        folder.put(home, before, {"agent.yaml": "agent: b\n", "file/x.md": "x"})
    assert folder.read(home).files == before
