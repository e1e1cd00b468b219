"""What the doctor finds, and how it says to mend it."""

import socket

import pytest

from tests.support.command import Command


def states(report: dict[str, object]) -> dict[str, str]:
    checks = report["checks"]
    assert isinstance(checks, list)
    return {check["check"]: check["state"] for check in checks}


def test_a_healthy_agent_has_every_check_and_says_so(cafe: Command) -> None:
    report = cafe.json("doctor", "cafe")
    assert report["ok"] is True
    assert set(states(report)) == {
        *("python", "agent", "extra", "model", "tools", "database", "journal", "port")
    }


@pytest.mark.parametrize(
    ("old", "new", "check", "words"),
    [
        ("timezone: UTC", "timezone: Mars/Base", "agent", "agent.yaml:7"),
        ("{use: offline}", "{use: deepseek, name: m}", "model", "DEEPSEEK_API_KEY"),
        ("{use: offline}", "{use: nowhere}", "agent", "nowhere"),
        ("tools:opening_hours", "tools:closing_hours", "tools", "closing_hours"),
    ],
)
def test_what_is_broken_is_found_and_named(
    cafe: Command, old: str, new: str, check: str, words: str
) -> None:
    file = cafe.folder / "cafe" / "agent.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    report = cafe.json("doctor", "cafe", code=1)
    broken = [one for one in report["checks"] if one["state"] == "broken"]
    assert broken[0]["check"] == check
    assert words in broken[0]["found"]
    assert all(one["mend"] for one in broken)


def test_a_model_is_only_asked_when_wanted(cafe: Command) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        file = cafe.folder / "cafe" / "agent.yaml"
        model = f"{{use: compatible, name: m, base_url: '{url}', retries: 0}}"
        text = file.read_text(encoding="utf-8").replace("{use: offline}", model, 1)
        file.write_text(text, encoding="utf-8")
        assert states(cafe.json("doctor", "cafe"))["online"] == "ok"
        assert states(cafe.json("doctor", "cafe", "--online", code=1))["online"] == "broken"


def test_an_http_tool_needs_its_variables_and_a_host_that_it_may_ask(cafe: Command) -> None:
    file = cafe.folder / "cafe" / "agent.yaml"
    text = file.read_text(encoding="utf-8")
    tool = (
        "name: look, description: Look., url: 'http://localhost/', headers: {X-Tenant: '${NONE}'}"
    )
    file.write_text(text.replace("tools:\n", f"tools:\n  - http: {{{tool}}}\n", 1), "utf-8")

    def told(*options: str) -> list[str]:
        report = cafe.json("doctor", "cafe", *options, code=1)
        broken = [one for one in report["checks"] if one["state"] == "broken"]
        assert all("allow_private" in one["mend"] for one in broken)
        return [one["found"] for one in broken]

    assert told() == ["look: the environment variable NONE is not set"]
    file.write_text(file.read_text("utf-8").replace("${NONE}", "x"), "utf-8")
    assert "localhost is not on the public network" in told("--online")[0]


def test_a_database_that_cannot_be_written_is_broken(cafe: Command) -> None:
    (cafe.folder / "data").write_text("a file, not a folder", encoding="utf-8")
    report = cafe.json("doctor", "cafe", "--data", "data", code=1)
    assert states(report)["database"] == "broken"


def test_a_port_in_use_is_a_warning(cafe: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = cafe.run("doctor", "cafe", POINTSMAN_PORT=str(taken.getsockname()[1]))
    assert "! port" in done.stdout
    assert "--port" in done.stdout


def test_a_missing_agent_is_one_of_the_findings(command: Command) -> None:
    report = command.json("doctor", "nowhere", code=1)
    assert states(report)["agent"] == "broken"
    assert not (command.folder / "nowhere").exists()
