"""The organisation as a tree, who leads what, and titles as they are compared."""

import pytest

from pointsman.domain.directory.entries import Department, Directory, Person, lineage
from pointsman.domain.directory.job_titles import Fit, Job, fit, job


def person(login: str, path: str, title: str = "", *, manager: str = "") -> Person:
    titles = (title,) if title else ()
    return Person(login=login, name=login, departments=(path,), titles=titles, manager=manager)


TREE = Directory(
    [
        person("boss", "co", "总经理"),
        person("lead", "co/rd", "总监"),
        person("deputy", "co/rd", "副总监"),
        person("dev", "co/rd/web", "工程师"),
        person("chief", "co/rd/web", "组长"),
        person("m1", "co/sales", "经理"),
        person("m2", "co/sales", "经理"),
        person("rep", "co/sales", "销售代表", manager="m1"),
        Person(login="left", name="left", departments=("co/rd",), active=False),
    ],
    [Department(path=path) for path in ("co", "co/rd", "co/rd/web", "co/sales")],
)


def test_members_are_those_of_all_parts() -> None:
    assert TREE.members("co/rd") == {"lead", "deputy", "dev", "chief"}
    assert TREE.direct("co/rd") == {"lead", "deputy"}
    assert "left" not in TREE.members()


def test_the_one_leader_of_the_highest_rank_is_the_head() -> None:
    assert (TREE.head("co/rd"), TREE.head("co/rd/web")) == ("lead", "chief")


def test_two_leaders_of_one_rank_are_no_head() -> None:
    assert TREE.head("co/sales") == ""


def test_a_named_head_is_the_head() -> None:
    named = Directory(TREE.people.values(), [Department(path="co/sales", head="M2")])
    assert named.head("co/sales") == "m2"


def test_people_report_to_their_head_and_heads_to_the_one_above() -> None:
    managers = {login: TREE.manager(login) for login in ("dev", "chief", "lead", "boss", "rep")}
    assert managers == {"dev": "chief", "chief": "lead", "lead": "boss", "boss": "", "rep": "m1"}
    assert TREE.reports("lead") == {"deputy", "chief"}


def test_logins_are_found_in_any_case() -> None:
    found = TREE.person("DEV")
    assert found is not None
    assert found.login == "dev"
    assert TREE.person("left") is None


def test_a_lineage_begins_at_the_top() -> None:
    assert lineage("co/rd/web") == ["co", "co/rd", "co/rd/web"]


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("高级财务经理", Job("manager", "finance", frozenset({"senior"}))),
        ("senior finance manager", Job("manager", "finance", frozenset({"senior"}))),
        ("财务部副部长", Job("head", "finance", frozenset(), frozenset({"deputy"}))),
        ("Deputy Head of Finance", Job("head", "finance", frozenset(), frozenset({"deputy"}))),
        ("head of the finance department", Job("head", "finance")),
        ("副总", Job("general manager", "", frozenset(), frozenset({"deputy"}))),
        ("系统管理员", Job("system administrator")),
        ("System Administrator", Job("system administrator")),
        ("前端组组长", Job("team lead", "frontend")),
        ("销售冠军", Job("销售冠军")),
    ],
)
def test_titles_are_read_alike_in_both_languages(title: str, read: Job) -> None:
    assert job(title) == read


@pytest.mark.parametrize(
    ("asked", "held", "how"),
    [
        ("经理", "Manager", Fit.EXACT),
        ("工程师", "高级工程师", Fit.RANK),
        ("经理", "产品经理", Fit.FIELD),
        ("经理", "副经理", None),
        ("副经理", "经理", None),
        ("高级工程师", "工程师", None),
        ("经理", "经理助理", None),
        ("product manager", "产品经理", Fit.EXACT),
        ("财务经理", "销售经理", None),
    ],
)
def test_a_job_fits_what_is_asked_for_or_does_not(asked: str, held: str, how: Fit | None) -> None:
    assert fit(job(asked), job(held)) == how
