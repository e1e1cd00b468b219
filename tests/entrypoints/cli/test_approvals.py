"""People decide at the command line, with and without a server beside it."""

import json
from typing import Any

import pytest

from tests.support.command import Command, until

BOOKING = "book a table for 3 people tomorrow under the name Ann"


@pytest.fixture
def waiting(cafe: Command) -> str:
    """The id of a run that waits for its user."""
    return str(cafe.json("ask", "cafe", BOOKING, code=4)["run"])


@pytest.fixture
def held(command: Command) -> str:
    """The id of a run that waits for the role finance, which fay has."""
    folder = command.slow_agent()
    (folder / "pointsman.toml").write_text('[roles]\nfinance = ["fay", "local"]\n')
    return str(command.json("ask", "slow", "note this", code=4)["run"])


def shown(command: Command, run: str) -> Any:
    return command.json("runs", "show", run)


def test_what_waits_is_listed_over_all_runs(cafe: Command, waiting: str) -> None:
    cafe.run("ask", "cafe", BOOKING, "--user", "bo", code=4)
    listed = cafe.json("approvals", "list")
    assert [one["requester"] for one in listed] == ["bo", "local"]
    assert [one["tool"] for one in cafe.json("approvals", "list", "--by", "bo")] == ["book_table"]
    assert cafe.json("approvals", "list", "--by", "eve") == []
    table = cafe.run("approvals", "list").stdout.splitlines()
    assert table[0].split() == [
        "id",
        "risk",
        "tool",
        "user",
        "decided",
        "by",
        "age",
        "expires",
        "in",
    ]
    assert table[2].split()[:5] == [
        f"{waiting[:18]}.{listed[1]['approval'][-8:]}",
        "write",
        "book_table",
        "local",
        "user",
    ]
    assert "23 h" in table[2]


def test_nothing_waits(cafe: Command) -> None:
    assert "Nothing waits" in cafe.run("approvals", "list").stderr
    assert cafe.json("approvals", "list") == []


def test_one_is_shown_with_all_that_one_needs_to_decide(cafe: Command, waiting: str) -> None:
    page = cafe.run("approvals", "show", waiting[:18]).stdout
    for words in (
        BOOKING,
        "book_table(",
        "risk write",
        "waits for the confirmation of local",
        "default for",
    ):
        assert words in page
    assert "Ann" in page
    shape = cafe.json("approvals", "show", waiting)
    assert (shape["why"], shape["state"], shape["by"]) == (BOOKING, "pending", "user")
    assert {source["kind"] for source in shape["sources"].values()} == {"user"}
    assert "等待local确认" in cafe.run("--language", "zh", "approvals", "show", waiting).stdout


def test_a_denied_call_does_not_run_and_the_reason_is_kept(cafe: Command, waiting: str) -> None:
    cafe.run("approvals", "deny", waiting, "--reason", "closed", "--agent", "cafe")
    run = shown(cafe, waiting)
    assert run["status"] == "done"
    assert [call["status"] for call in run["calls"]] == ["refused"]
    assert "denied by local: closed" in cafe.run("runs", "show", waiting).stdout
    assert "waits for nobody" in cafe.run("approvals", "approve", waiting, code=2).stderr
    own = cafe.json("approvals", "show", waiting)["approval"]
    late = cafe.run("approvals", "approve", own, code=2).stderr
    assert "settled before" in late
    assert "already denied by local" in late


def test_a_decision_is_printed_as_json_and_nothing_else(cafe: Command, waiting: str) -> None:
    approval = cafe.json("approvals", "show", waiting)
    given = {**approval["arguments"], "people": 5}
    edited = cafe.json("approvals", "edit", waiting, json.dumps(given), "--agent", "cafe")
    assert (edited["edited_from"], edited["state"]) == (approval["approval"], "approved")
    assert edited["arguments"] == given
    assert shown(cafe, waiting)["status"] == "done"


@pytest.mark.parametrize("here", [(), ("--agent", "cafe")], ids=["kept", "carried on"])
@pytest.mark.parametrize("act", ["approve", "deny", "take-over"])
def test_a_decision_without_effect_prints_no_json_and_says_why_in_the_users_language(
    cafe: Command, waiting: str, act: str, here: tuple[str, ...]
) -> None:
    own = cafe.json("approvals", "show", waiting)["approval"]
    denied = cafe.json("approvals", "deny", waiting, "--reason", "closed", *here)
    assert (denied["state"], denied["reason"], denied["may"]) == ("denied", "closed", [])
    more = ("--reply", "x") if act == "take-over" else ()
    late = cafe.run("--language", "zh", "approvals", act, own, *more, *here, "--json", code=2)
    assert late.stdout == ""
    assert "这一项已经处理过了" in late.stderr


def test_a_role_approves_and_the_run_goes_on_here(command: Command, held: str) -> None:
    done = command.run("approvals", "approve", held, "--by", "fay", "--agent", "slow")
    assert done.stdout == "done\n"
    assert "fay agreed" in done.stderr
    assert "approved by fay" in command.run("runs", "show", held).stdout


@pytest.mark.parametrize(
    ("by", "why"), [("eve", "needs the role 'finance'"), ("local", "another person with the role")]
)
def test_who_may_not_decide_is_told_so_and_it_is_kept(
    command: Command, held: str, by: str, why: str
) -> None:
    assert why in command.run("approvals", "approve", held, "--by", by, code=2).stderr
    assert shown(command, held)["status"] == "waiting"
    (refused,) = command.json("approvals", "show", held)["refused"]
    assert (refused["by"], refused["wanted"]) == (by, "approve")
    assert by in command.run("approvals", "show", held).stdout


def test_without_the_agent_a_decision_is_kept_for_the_next_server(
    command: Command, held: str
) -> None:
    decided = command.run("approvals", "approve", held, "--by", "fay")
    assert "next `pointsman serve`" in decided.stderr
    run = shown(command, held)
    assert (run["status"], run["waiting"]) == ("running", [])


def test_a_run_of_another_agent_is_not_driven(cafe: Command, held: str) -> None:
    refused = cafe.run(
        "approvals", "approve", held, "--agent", "cafe", "--data", "slow/.pointsman", code=2
    )
    assert "another agent: 'slow'" in refused.stderr


def test_a_call_runs_with_the_arguments_that_a_person_put_in(cafe: Command, waiting: str) -> None:
    arguments = cafe.json("approvals", "show", waiting)["arguments"]
    for wrong, why in (
        ("[1]", "no JSON object"),
        ("{", "no JSON"),
        ('{"people": 2}', "do not fit"),
    ):
        refused = cafe.run("approvals", "edit", waiting, wrong, "--agent", "cafe", code=2)
        assert why in refused.stderr
    new = json.dumps({**arguments, "people": 5})
    cafe.run("approvals", "edit", waiting, new, "--agent", "cafe", "--reason", "more come")
    run = shown(cafe, waiting)
    (call,) = run["calls"]
    assert (run["status"], call["arguments"]["people"], call["status"]) == ("done", 5, "ok")
    (edited,) = (e for e in run["events"] if e["type"] == "approval_edited@1")
    assert (edited["changed"], edited["former"]) == (["people"], {"people": 3})


def test_a_person_takes_the_run_over(cafe: Command, waiting: str) -> None:
    assert "either" in cafe.run("approvals", "take-over", waiting, code=2).stderr
    cafe.run("approvals", "take-over", waiting, "--reply", "I booked it by phone.")
    run = shown(cafe, waiting)
    assert (run["status"], run["reply"]) == ("done", "I booked it by phone.")
    assert [call["attempts"] for call in run["calls"]] == [0]


def test_a_person_does_the_call_by_hand(cafe: Command, waiting: str) -> None:
    done = cafe.run(
        "approvals", "take-over", waiting, "--result", "booked, number 7", "--agent", "cafe"
    )
    assert "booked, number 7" in done.stdout
    assert shown(cafe, waiting)["status"] == "done"


def test_the_run_of_anybody_goes_on_in_the_server(command: Command, held: str) -> None:
    """Also when the server's own user has no say in it."""
    with command.started("serve", "slow", "--port", "0") as server:
        until(server, "Ctrl-C")
        decided = command.run("approvals", "approve", held, "--by", "fay", "--data", "slow")
        assert "server carries the run on" in decided.stderr
        while shown(command, held)["status"] != "done":
            pass
    assert "approved by fay" in command.run("runs", "show", held).stdout
