"""What a task's reply says of the task itself where no call tells: that it was not done, or that
the person has to say something first.

Made to be right when it speaks: an ordinary result may hold a "not" and may end with an offer. So
only a reply that begins with it says that the task was not done.
"""

import re

_LONGEST = 300
"""Characters of a reply that is nothing but a question."""
_CANNOT = r"(?:can(?:not|['’]t| not)|could(?:n['’]t| not)|(?:am|was|were)(?:n['’]t| not) able to)"
_UNDONE_ZH = re.compile(
    r"\W*(?:(?:非常|很)?(?:抱歉|对不起|不好意思|遗憾)|出错了?|错误)?\W*(?:但|不过|由于[^，。]*，)?"
    r"(?:我们?|本助手|目前|暂时|现在|这(?:一步|个任务|件事|项任务)|该任务|此任务|任务|还|也|都|确实|没有任何)*"
    r"(?:(?:无法|不能|没法|没有?办法|未能|没能)[^，。,]{0,8}?"
    r"(?:完成|执行|办理|处理|做到|做这|进行|继续|发送|提供|访问|查询|查到|获取|统计|帮)"
    r"|(?:做|办|完成|处理)不[了到]|没有?(?:能|有)?(?:完成|执行|做成|办成)|(?:执行|操作|发送|查询|处理|办理)?失败(?=了|\W|$)"
    r"|没有?[^，。,]{0,6}(?:权限|工具))(?!\s*\d|[^，。,]{0,6}的)"
)
_UNDONE_EN = re.compile(
    r"\W*(?:(?:I['’]?\s?a?m )?(?:so |very )?sorry|unfortunately|apologies|error|failed)?\W*"
    r"(?:but |that )*(?:I|we|it|this|that|(?:this|the) (?:task|step|request|action|\w+))\s+"
    rf"(?:(?:\w+ )?{_CANNOT}\s+(?:\w+ )?(?:be |do|done|help|assist|send|access|process|find|proceed"
    r"|continue|look|get|fulfil|execute|comply|complete|finish|carry|perform|open|reach)"
    r"|(?:am|was|were|is) (?:not able|unable) to|(?:was|were|is)(?:n['’]t| not) (?:\w+ )?"
    r"(?:done|completed|finished|carried out|performed|sent)"
    r"|(?:did not|didn['’]t|have not|haven['’]t) (?:do|send|sent|finish|complete|carr|manage)"
    r"|(?:have no|lack|do(?:n['’]t| not) have)\s+(?:\w+ ){0,3}?(?:tools?|permission|access|means))",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"写|拟|编|译|问|谜|标题|口号|文案|起个|想[一几]个"
    r"|\b(?:writ|draft|compos|translat|rephras|rewrit|suggest|question|ask|riddle|slogan|title)",
    re.IGNORECASE,
)


def says_undone(reply: str) -> bool:
    """Whether the reply begins with that what was to be done was not."""
    return bool(_UNDONE_ZH.match(reply) or _UNDONE_EN.match(reply))


def is_question(reply: str, desc: str) -> bool:
    """Whether the reply is nothing but a question to the person. It may be what was wanted, where
    the task is to write something.

    Args:
        desc: the words of the task.
    """
    text = reply.strip()
    asks = text.endswith(("?", "？")) and len(text) <= _LONGEST
    return asks and _WRITES.search(desc) is None
