"""Who is who in a process: the people of the settings' directory."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pointsman import settings
from pointsman.domain.accounts import Account
from pointsman.engine.accounts.roster import Roster
from pointsman.errors import AgentFileError
from pointsman.wiring.notices import directory_of

pytestmark = pytest.mark.anyio

PEOPLE = """
departments: [{name: 财务部, head: zhao}]
people:
  - {login: zhao, name: 赵敏, title: 部长, department: 财务部, email: zhao@example.com}
  - {login: li, name: 李明, department: 财务部}
"""


def settings_in(folder: Path, **environ: str) -> settings.Settings:
    (folder / "people.yaml").write_text(PEOPLE, encoding="utf-8")
    (folder / "pointsman.toml").write_text('directory = "people.yaml"\n', encoding="utf-8")
    return settings.load(environ, folder=folder)


async def test_people_are_found_in_the_directory_of_the_settings(tmp_path: Path) -> None:
    found = await directory_of(settings_in(tmp_path), Roster({})).find("财务部的部长", asking="li")
    assert [one.login for one in found.people] == ["zhao"]
    assert found.people[0].addresses["email"] == "zhao@example.com"


async def test_without_a_directory_only_logins_are_known() -> None:
    given = settings.load({"POINTSMAN_ROLES": "finance=zhao"}, folder=Path("nowhere"))
    who = directory_of(given, Roster(given.roles))
    assert [one.login for one in (await who.find("zhao", asking="li")).people] == ["zhao"]
    assert not (await who.find("财务部的部长", asking="li")).people


async def test_without_a_directory_who_may_sign_in_is_known() -> None:
    roster = Roster({})
    who = directory_of(settings.load({}, folder=Path("nowhere")), roster)
    assert not (await who.find("mei", asking="li")).people
    now = datetime(2026, 11, 30, tzinfo=UTC)
    roster.see(Account(login="mei", created=now))
    assert [one.login for one in (await who.find("Mei", asking="li")).people] == ["mei"]
    roster.see(Account(login="mei", created=now, state="disabled"))
    assert not (await who.find("Mei", asking="li")).people


def test_a_fault_in_the_directory_names_file_and_line(tmp_path: Path) -> None:
    given = settings_in(tmp_path)
    (tmp_path / "people.yaml").write_text("people:\n  - {login: zhao}\n", encoding="utf-8")
    with pytest.raises(AgentFileError, match=r"people\.yaml.*2"):
        directory_of(given, Roster({}))
