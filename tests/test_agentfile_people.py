"""The directory's file, YAML or CSV: what it becomes, and every fault at its line."""

from pathlib import Path

import pytest

from pointsman.agentfile.people import load
from pointsman.domain.directory.entries import Directory
from pointsman.errors import AgentFileError

WHOLE = """\
departments:
  - name: 云帆
    departments:
      - {name: 财务部, aliases: [Finance], head: zhao, addresses: {weixingroup: money}}
people:
  - login: zhao
    name: 赵敏
    aliases: Minnie
    title: [财务总监, 合伙人]
    roles: [审批人]
    department: 财务部
    number: "7"
    email: zhao@example.com
    phone: +86 138-0000-0001
    weixin: minmin
    addresses: {slack: U1}
    description: 负责预算
  - {login: li, name: 李明, department: 云帆/财务部, manager: ZHAO}
  - {login: gone, name: 沈默, department: 财务部, active: no}
"""


def read(folder: Path, text: str | bytes, name: str = "people.yaml") -> Directory:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return load(folder / name)


def faults(folder: Path, text: str | bytes, name: str = "people.yaml") -> list[AgentFileError]:
    with pytest.raises(AgentFileError) as caught:
        read(folder, text, name)
    return [caught.value, *caught.value.others]


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    directory = read(tmp_path, WHOLE)
    one = directory.people["zhao"]
    assert (one.name, one.aliases, one.titles) == ("赵敏", ("Minnie",), ("财务总监", "合伙人"))
    assert one.departments == ("云帆/财务部",)
    assert one.addresses == {
        "email": "zhao@example.com",
        "sms": "+86 138-0000-0001",
        "weixinuser": "minmin",
        "slack": "U1",
    }
    assert directory.manager("li") == "zhao"
    assert directory.head("云帆/财务部") == "zhao"
    assert directory.departments["云帆/财务部"].addresses == {"weixingroup": "money"}
    assert "gone" not in directory.people


CSV = (
    "登录名,姓名,部门,职务,邮箱,别名,状态\n"
    "li,李明,研发/前端,工程师;组长,li@x.test,小明；阿明,在职\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_csv_file_is_read_as_office_programs_write_it(tmp_path: Path, encoding: str) -> None:
    directory = read(tmp_path, CSV.encode(encoding), "people.csv")
    one = directory.people["li"]
    assert (one.titles, one.aliases) == (("工程师", "组长"), ("小明", "阿明"))
    assert list(directory.departments) == ["研发", "研发/前端"]


def test_a_csv_file_has_english_columns_and_other_delimiters(tmp_path: Path) -> None:
    text = 'Login;Name;Job Title;Dept\nann;"O\'Neil, Ann";Head;R&D\n\n'
    one = read(tmp_path, text, "people.csv").people["ann"]
    assert (one.name, one.titles, one.departments) == ("O'Neil, Ann", ("Head",), ("R&D",))


def test_departments_of_yaml_go_with_people_of_csv(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("login,name,department\nli,李明,前端\n", encoding="utf-8")
    text = "departments: [{name: 研发, departments: [{name: 前端, head: li}]}]\npeople: p.csv\n"
    directory = read(tmp_path, text)
    assert directory.people["li"].departments == ("研发/前端",)
    assert directory.head("研发/前端") == "li"


PERSON = "people:\n- {login: li, name: 李明}\n"
FAULTS: dict[str, tuple[str, str, int | None, str, str]] = {
    "twice": (
        "people.yaml",
        "people:\n- {login: li, name: 李明}\n- {login: LI, name: 李红}\n",
        3,
        "people[1].login",
        "also in line 2",
    ),
    "no name": (
        "people.yaml",
        "people:\n- {login: li}\n",
        2,
        "people[0].name",
        "required",
    ),
    "unknown key": (
        "people.yaml",
        "people:\n- {login: li, name: 李, titel: x}\n",
        2,
        "people[0].titel",
        "did you mean 'title'",
    ),
    "e-mail": (
        "people.yaml",
        'people:\n- {login: li, name: 李, email: "a@b\\nBcc: c@d"}\n',
        2,
        "people[0].email",
        "",
    ),
    "no department": (
        "people.yaml",
        "departments: [{name: 财务部}]\npeople:\n- {login: li, name: 李, department: 财物部}\n",
        3,
        "people[0].department",
        "there is no department '财物部'",
    ),
    "two departments": (
        "people.yaml",
        "departments:\n"
        "- {name: a, departments: [{name: x}]}\n"
        "- {name: b, departments: [{name: x}]}\n"
        "people:\n"
        "- {login: li, name: 李, department: x}\n",
        5,
        "people[0].department",
        "write a/x or b/x",
    ),
    "no manager": (
        "people.yaml",
        "people:\n- {login: li, name: 李, manager: l}\n",
        2,
        "people[0].manager",
        "'l'",
    ),
    "no head": (
        "people.yaml",
        "departments: [{name: a, head: lo}]\npeople:\n- {login: li, name: 李明}\n",
        1,
        "departments[0].head",
        "'lo'",
    ),
    "nobody": (
        "people.yaml",
        "people: []\n",
        1,
        "people",
        "there are no people",
    ),
    "a list": (
        "people.yaml",
        "- x\n",
        1,
        "",
        "start with people:",
    ),
    "column": (
        "people.csv",
        "login,name,titel\nli,李,x\n",
        1,
        "",
        "no column 'titel'",
    ),
    "no column": (
        "people.csv",
        "login,title\nli,x\n",
        1,
        "",
        "a column 'name' is needed",
    ),
    "two columns": (
        "people.csv",
        "login,name,姓名\nli,李,李\n",
        1,
        "",
        "two columns say the name",
    ),
    "too many": (
        "people.csv",
        "login,name\nli,李\nhe,何,x\n",
        3,
        "",
        "3 values for 2 columns",
    ),
    "csv e-mail": (
        "people.csv",
        "login,name,email\nli,李,x\n",
        2,
        "email",
        "",
    ),
    "csv twice": (
        "people.csv",
        "login,name\nli,李\nLi,何\n",
        3,
        "login",
        "also in line 2",
    ),
    "csv status": (
        "people.csv",
        "login,name,active\nli,李,maybe\n",
        2,
        "active",
        "true or false",
    ),
    "empty csv": (
        "people.csv",
        "login,name\n",
        1,
        "",
        "no people",
    ),
}


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_fault_names_line_field_and_problem(tmp_path: Path, name: str) -> None:
    file, text, line, field, problem = FAULTS[name]
    found = faults(tmp_path, text, file)
    assert [(one.line, one.field) for one in found] == [(line, field)], [str(one) for one in found]
    assert problem in str(found[0])


def test_a_line_break_in_a_value_keeps_the_lines_right(tmp_path: Path) -> None:
    text = 'login,name,description,email\nli,李,"one\ntwo",li@x.test\nhe,何,x,nothing\n'
    (fault,) = faults(tmp_path, text, "people.csv")
    assert (fault.line, fault.field) == (4, "email")


def test_every_fault_is_told(tmp_path: Path) -> None:
    text = "people:\n- {login: li, name: 李, manager: x}\n- {login: li, name: 何, manager: y}\n"
    assert [one.line for one in faults(tmp_path, text)] == [2, 3, 3]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, b"login,name\n\xff\xfe\x81,x\n", "people.csv")
    assert "neither UTF-8 nor GBK" in str(fault)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    for name in ("people.yaml", "people.csv"):
        with pytest.raises(AgentFileError, match="no such file"):
            load(tmp_path / name)


def test_2000_people_fit_into_a_yaml_file(tmp_path: Path) -> None:
    text = "people:\n" + "".join(
        f"- {{login: u{n}, name: 人{n}, title: t, email: u{n}@x.test, phone: '1380000{n:04d}',"
        f" number: 'n{n}', description: d}}\n"
        for n in range(2000)
    )
    assert len(read(tmp_path, text).people) == 2000
