"""The names that models give to the parts of a plan, and the words that they write into them.

Names stand here as ``plans`` compares them: casefolded, letters and digits only.
"""

import re

LISTS = (
    "tasks steps subtasks plan nodes task subtask step items todo todos tasklist results result"
    " arguments parameters args input"
    " 任务 步骤 子任务 计划 任务列表 步骤列表"
).split()
IDS = (
    "index id idx no num number seq order taskid taskno taskindex tasknumber stepid stepno"
    " stepindex stepnumber nodeid key 序号 编号 索引 任务编号 步骤编号 任务序号"
).split()
DESCS = (
    "desc description content text instruction instructions prompt detail details goal action"
    " objective query what todo taskdesc taskdescription 描述 内容 任务描述 任务内容 说明"
).split()
NAMES = "task step title name summary node label taskname 任务 步骤 名称 标题 任务名称".split()
BASES = (
    "base bases basedon dependson dependon depends depend dependent dependencies dependency deps"
    " dep dependenton requires require prerequisites prerequisite prereqs prereq after runafter"
    " startafter needs need parents parent predecessors predecessor previous prev upstream"
    " blockedby waitfor waitsfor waiton waitson 依赖 依赖于 前置 前序 依赖项 依赖关系 基于"
).split()
_OF_TASKS = re.compile(
    r"(?:(?:tasks?|steps?|nodes?)?(?:ids?|index|indexes|indices|numbers?)?|任务|步骤)"
    r"(?:id|编号|序号|列表)?$"
)
"""What may end the name of a base: ``dependent_task_ids``."""
FOLLOWERS = (
    "next nextstep nextsteps nexttask nexttasks successor successors dependents downstream blocks"
    " 后续 后续任务 后续步骤 后置任务 下一步"
).split()
"""What needs the task: edges the other way round."""
EDGES = ("edges", "links", *BASES)
PARTS_OF_IT = "tasks subtasks steps substeps children 子任务 步骤".split()
OPTIONAL = "optional isoptional 可选".split()
NONE = frozenset(
    "none null nil no n/a na nothing empty - -- — / [] {} 无 没有 暂无 无依赖 没有依赖"
    " 无依赖项 无前置 无前置任务 空 不依赖 独立".split()
) | {"no dependency", "no dependencies", "no prerequisites", "not applicable"}
NUMERALS = {
    ten + unit: str(10 * tens + units)
    for tens, ten in enumerate(("", "十", "二十"))
    for units, unit in enumerate(("", *"一二三四五六七八九"))
    if ten + unit
}
"""Chinese numbers below 30, in digits."""


def is_base(name: str) -> bool:
    """Whether the name is one for what a task needs."""
    return name in BASES or _OF_TASKS.sub("", name) in BASES
