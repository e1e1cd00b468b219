"""Settings come from the environment, then the file, then the defaults; faults name their place."""

import logging
import os
from pathlib import Path

import pytest

from pointsman import settings
from pointsman.errors import SettingsError


def test_the_defaults_stay_on_this_machine_and_in_the_agents_folder(tmp_path: Path) -> None:
    given = settings.load({}, folder=tmp_path)
    assert (given.host, given.port, given.synchronous) == ("127.0.0.1", 8765, "full")
    assert given.database == tmp_path / ".pointsman" / "pointsman.db"
    assert given.agents == (tmp_path,)
    assert given.logging_level == logging.WARNING
    assert given.language is None


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text('port = 9000\nhost = "localhost"\n')
    given = settings.load({"POINTSMAN_PORT": "9001", "PORT": "1"}, folder=tmp_path)
    assert (given.host, given.port) == ("localhost", 9001)


def test_paths_in_the_file_are_relative_to_it(tmp_path: Path) -> None:
    file = tmp_path / "etc" / "pointsman.toml"
    file.parent.mkdir()
    file.write_text(
        'agents = ["../a", "/b"]\ndatabase = "db/p.db"\nsqlite_synchronous = "normal"\n'
    )
    given = settings.load({}, file=file)
    assert given.agents == (file.parent / "../a", Path("/b"))
    assert given.database == file.parent / "db" / "p.db"
    assert given.synchronous == "normal"


def test_roles_are_a_table_in_the_file_and_a_line_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text('[roles]\nfinance = ["li", "wang"]\n')
    assert settings.load({}, folder=tmp_path).roles == {"finance": ("li", "wang")}
    environ = {"POINTSMAN_ROLES": "boss=zhao; finance = li,bo"}
    given = settings.load(environ, folder=tmp_path)
    assert given.roles == {"boss": ("zhao",), "finance": ("li", "bo")}


def test_the_environment_lists_folders_like_a_path(tmp_path: Path) -> None:
    environ = {
        "POINTSMAN_AGENTS": os.pathsep.join(["a", "/b"]),
        "POINTSMAN_DATABASE": "sqlite:////var/p.db",
        "POINTSMAN_LOG_LEVEL": "DEBUG",
        "POINTSMAN_LANGUAGE": "zh",
        "POINTSMAN_HOST": " ",
    }
    given = settings.load(environ, folder=tmp_path)
    assert given.agents == (Path("a"), Path("/b"))
    assert given.database == Path("/var/p.db")
    assert (given.log_level, given.language, given.host) == ("debug", "zh", "127.0.0.1")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("POINTSMAN_ROLES", "finance", "expected role=login,login"),
        ("POINTSMAN_ROLES", "user=li", "'user' is no name for a role"),
        ("POINTSMAN_PORT", "80a", "expected a whole number, not '80a'"),
        ("POINTSMAN_PORT", "0", "greater than or equal to 1"),
        ("POINTSMAN_PORT", "70000", "less than or equal to 65535"),
        ("POINTSMAN_HOST", "http://x", "expected a host name"),
        ("POINTSMAN_LOG_LEVEL", "loud", "expected one of debug, info, warning, error, not 'loud'"),
        ("POINTSMAN_SQLITE_SYNCHRONOUS", "off", "expected one of full, normal"),
        ("POINTSMAN_LANGUAGE", "fr", "expected one of zh, en"),
        ("POINTSMAN_DATABASE", "mysql://u:hunter2@h/d", "expected the path of a SQLite file"),
        ("POINTSMAN_DATABSE", "x", "did you mean POINTSMAN_DATABASE?"),
    ],
)
def test_a_fault_names_the_variable(name: str, value: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings.load({name: value})
    assert str(caught.value).startswith(f"{name}: ")
    assert problem in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_other_variables_with_our_prefix_are_nobodys_business() -> None:
    settings.load({"POINTSMAN_API_KEY": "x", "POINTSMAN_TRACE_OF_CI": "x"})


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('# x\nport = "9000"\n', ":2", "port: expected a whole number, not '9000'"),
        ("host = 'a'\nprot = 1\n", ":2", "prot: unknown key 'prot' (did you mean 'port'?)"),
        ("[server]\nport = 1\n", ":1", "server: unknown key"),
        ("agents = 'a'\n", ":1", "agents: expected a list, not 'a'"),
        ("agents = ['a', 3]\n", ":1", "agents[1]: expected text, not 3"),
        ("port = \n", "", "no valid TOML: Invalid value (at line 1"),
    ],
)
def test_a_fault_names_file_line_and_key(
    tmp_path: Path, text: str, line: str, problem: str
) -> None:
    file = tmp_path / "pointsman.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        settings.load({}, file=file)
    assert str(caught.value).startswith(f"{file}{line}: {problem}")


def test_a_named_file_must_exist_and_be_text(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        settings.load({}, file=tmp_path / "none.toml")
    (tmp_path / "pointsman.toml").write_bytes(b"host = '\xff'")
    with pytest.raises(SettingsError, match="not UTF-8"):
        settings.load({}, folder=tmp_path)


def test_several_faults_come_together() -> None:
    environ = {"POINTSMAN_PORT": "x", "POINTSMAN_LOG_LEVEL": "y"}
    with pytest.raises(SettingsError, match=r"PORT: .*; POINTSMAN_LOG_LEVEL"):
        settings.load(environ)
