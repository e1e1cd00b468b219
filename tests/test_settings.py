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
    file.write_text('agents = ["../a", "/b"]\ndatabase = "db/p.db"\nsynchronous = "normal"\n')
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


def test_a_folder_of_data_holds_the_journal_and_an_agents_folder_has_one(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text('data = "kept"\n')
    assert settings.load({}, folder=tmp_path).database == tmp_path / "kept" / "pointsman.db"
    agent = tmp_path / "desk"
    agent.mkdir()
    (agent / "agent.yaml").touch()
    given = settings.load({"POINTSMAN_DATA": str(agent)}, folder=tmp_path)
    assert given.database == agent / ".pointsman" / "pointsman.db"
    given = settings.load({"POINTSMAN_DATABASE": "/p.db"}, folder=tmp_path)
    assert given.database == Path("/p.db")


def test_the_journal_has_one_place() -> None:
    with pytest.raises(SettingsError, match="give one of data and database"):
        settings.load({"POINTSMAN_DATA": "a", "POINTSMAN_DATABASE": "b.db"})


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
    "given",
    [
        "postgresql://u:hunter2@db.example:5433/app?sslmode=require",
        "postgres://u:hunter2@db.example:5433/app?sslmode=require",
        "postgresql+psycopg://u:hunter2@db.example:5433/app?sslmode=require",
    ],
)
def test_a_url_names_a_postgresql_database_and_is_shown_without_its_password(given: str) -> None:
    database = settings.load({"POINTSMAN_DATABASE": given}).database
    assert isinstance(database, settings.DatabaseUrl)
    assert database.url == "postgresql://u:hunter2@db.example:5433/app?sslmode=require"
    shown = "postgresql://u:***@db.example:5433/app?sslmode=require"
    assert (str(database), repr(database)) == (shown, shown)


def test_a_password_is_hidden_wherever_a_url_holds_it() -> None:
    for url in (
        "postgresql://u:hun@ter2@h/d",
        "postgresql:///d?host=/run&password=hunter2&user=u",
        "postgresql://:hunter2@h/d",
    ):
        shown = str(settings.DatabaseUrl(url))
        assert "ter2" not in shown
        assert "***" in shown


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
        ("POINTSMAN_SYNCHRONOUS", "off", "expected one of full, normal"),
        ("POINTSMAN_LANGUAGE", "fr", "expected one of zh, en"),
        ("POINTSMAN_DATABASE", "mysql://u:hunter2@h/d", "expected the path of a SQLite file"),
        ("POINTSMAN_DATABASE", "postgresql://u:hunter2@h", "user:password@host/database"),
        ("POINTSMAN_DATABASE", "postgresql://u:hunter2#1@h/d", "user:password@host/database"),
        ("POINTSMAN_DATABASE", "postgresql://u:[hunter2@h/d", "user:password@host/database"),
        ("POINTSMAN_DATABASE", "sqlite://u:hunter2@h/d", "expected the path of a SQLite file"),
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


def test_how_workers_go_about_it_is_set_in_the_file_or_by_variables(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text("worker_concurrency = 4\nworker_heartbeat = 1\n")
    environ = {"POINTSMAN_WORKER_HEARTBEAT": "0.5", "POINTSMAN_WORKER_DEAD_AFTER": "3"}
    given = settings.load(environ, folder=tmp_path).workers
    assert (given.concurrency, given.heartbeat, given.dead_after) == (4, 0.5, 3)
    assert given.grace < given.dead_after


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("CONCURRENCY", "0", "WORKER_CONCURRENCY: input should be greater"),
        ("HEARTBEAT", "soon", "WORKER_HEARTBEAT: expected a number"),
        ("DEAD_AFTER", "3", r"worker_dead_after \(3\) must be twice worker_heartbeat \(2\)"),
        ("GRACE", "6", r"worker_grace \(6\) must be less than worker_dead_after \(6\)"),
    ],
)
def test_times_of_workers_that_cannot_be_meant_are_refused(
    name: str, value: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=why):
        settings.load({f"POINTSMAN_WORKER_{name}": value}, folder=tmp_path)


def test_what_a_server_grants_is_set_like_the_rest(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text(
        'server_body_limit = 2000\nserver_user_rate = "5/s"\nserver_proxies = ["10.0.0.0/8"]\n'
    )
    environ = {"POINTSMAN_SERVER_CLIENT_GONE": "Cancel", "POINTSMAN_SERVER_GRACE": "1.5"}
    given = settings.load(environ, folder=tmp_path).serving
    assert (given.body_limit, given.grace, given.client_gone) == (2000, 1.5, "cancel")
    assert (given.user_rate.calls, given.user_rate.seconds) == (5, 1)
    assert given.proxies == ("10.0.0.0/8",)
    assert given.address_rate.calls == 6000


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("USER_RATE", "fast", "expected 1 to 9999 calls per time"),
        ("PROXIES", "me", "does not appear to be"),
        ("METRICS_TOKEN", "short", "expected 16 or more characters"),
        ("CLIENT_GONE", "run", "detach"),
        ("GRACE", "-1", "greater than or equal to 0"),
    ],
)
def test_what_a_server_cannot_grant_is_refused(variable: str, value: str, words: str) -> None:
    with pytest.raises(SettingsError, match=f"POINTSMAN_SERVER_{variable}: .*{words}"):
        settings.load({f"POINTSMAN_SERVER_{variable}": value})


def test_how_people_get_in_is_read_from_the_file_and_the_environment(tmp_path: Path) -> None:
    (tmp_path / "pointsman.toml").write_text(
        'public_url = "https://Agents.test/"\nsession_idle = 600.0\n'
        '[oidc]\nissuer = "https://id.test"\nclient_id = "pm"\n'
        '[oidc.roles]\nteam = ["finance"]\n'
    )
    environ = {"POINTSMAN_ALLOWED_HOSTS": "a.test, B.test", "POINTSMAN_ADMIN_LOGIN": "root"}
    given = settings.load(environ, folder=tmp_path)
    assert given.access.public_url == "https://agents.test"
    assert given.access.allowed_hosts == ("a.test", "b.test")
    assert given.access.session_idle == 600
    assert given.access.oidc is not None
    assert given.access.oidc.roles == {"team": ("finance",)}
    assert not given.is_local
    assert settings.load({}, folder=tmp_path / "nowhere").is_local


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('public_url = "agents.test"', "expected such as https://agents.example.com"),
        ('public_url = "https://a.test/x"', "expected such as https://agents.example.com"),
        ('allowed_hosts = ["https://a.test"]', "without scheme and port"),
        ('allowed_hosts = ["*"]', "without scheme and port"),
        ("session_idle = 1.0", "greater than or equal to 60"),
        ('[oidc]\nissuer = "http://id.test"\nclient_id = "x"', "expected an https:// URL"),
        ('[oidc]\nissuer = "https://id.test"', "client_id: this key is required"),
        ('[oidc]\nissuer = "https://id.test"\nclient_id = "x"\nsecret = "s"', "unknown key"),
    ],
)
def test_a_way_in_that_cannot_be_meant_is_refused(tmp_path: Path, written: str, fault: str) -> None:
    (tmp_path / "pointsman.toml").write_text(written)
    with pytest.raises(SettingsError, match=fault):
        settings.load({}, folder=tmp_path)
