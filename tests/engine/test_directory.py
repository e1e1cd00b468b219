"""The directory as notifications ask it."""

from pathlib import Path

import pytest

from pointsman.agentfile.people import load
from pointsman.engine.directory import KnownPeople
from pointsman.engine.notices.known_logins import KnownLogins

pytestmark = pytest.mark.anyio

OFFICE = Path(__file__).parents[1] / "domain" / "whom" / "office.yaml"
PLANT = OFFICE.with_name("plant.yaml")


@pytest.fixture(scope="module")
def people() -> KnownPeople:
    return KnownPeople(load(OFFICE))


async def test_who_is_meant_comes_with_addresses(people: KnownPeople) -> None:
    found = await people.find("财务部的部长", asking="")
    (one,) = found.people
    assert (one.login, one.name, one.about) == ("zhaomin", "赵敏", "财务部 财务总监")
    assert one.addresses == {"email": "zhao.min@yunfan.example", "sms": "13800000001"}


async def test_namesakes_are_candidates_and_nobody_is_meant(people: KnownPeople) -> None:
    found = await people.find("李明", asking="")
    assert found.people == ()
    assert {one.login for one in found.candidates} == {"liming1", "liming2"}


async def test_who_is_not_in_the_directory_is_known_by_login_and_as_the_one_who_asks() -> None:
    people = KnownPeople(load(OFFICE), KnownLogins(lambda: ["ada", "zhaomin"]))
    for words, asking in (("ada", "zhaomin"), ("我", "ada"), ("me", "ada")):
        found = await people.find(words, asking=asking)
        assert [one.login for one in found.people] == ["ada"]
    (one,) = (await people.find("zhaomin", asking="ada")).people
    assert one.name == "赵敏"
    assert (await people.find("bob", asking="ada")).people == ()
    logins = [one.login for one in people.people()]
    assert "ada" in logins
    assert logins.count("zhaomin") == 1


async def test_what_else_was_said_tells_namesakes_apart(people: KnownPeople) -> None:
    found = await people.find("李明", asking="", said="前端的")
    assert [one.login for one in found.people] == ["liming2"]
    still = await people.find("李明", asking="", said="法务部的")
    assert still.people == ()
    assert len(still.candidates) == 2


async def test_who_asks_counts(people: KnownPeople) -> None:
    found = await people.find("my manager", asking="xiaoyu")
    assert [one.login for one in found.people] == ["heqi"]


async def test_who_of_a_list_is_not_clear_is_told_without_losing_the_others() -> None:
    people = KnownPeople(load(PLANT))
    asked = await people.find("张三和张伟", asking="")
    assert (asked.part, [one.login for one in asked.besides]) == ("张伟", ["zhangsan"])
    found = await people.find("张三和张伟", asking="", said="法务部的")
    assert [one.login for one in found.people] == ["zhangsan", "zw3"]


async def test_an_account_is_no_answer_where_several_may_be_meant() -> None:
    people = KnownPeople(load(PLANT), KnownLogins(lambda: ["bob", "ada"]))
    found = await people.find("Bob", asking="")
    assert {one.login for one in found.candidates} == {"bob", "bob2"}
