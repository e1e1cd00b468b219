"""The words of the help pages in Chinese, by the English ones that stand in ``app``."""

from typing import Any

from pointsman.entrypoints.cli.account_help import ACCOUNT_HELP
from pointsman.entrypoints.cli.notice_help import NOTICE_HELP
from pointsman.entrypoints.cli.reminder_help import REMINDER_HELP

_CHINESE = {
    "Run language-model agents under control: the model understands, the engine decides.": (
        "让大模型智能体在掌控之中运行：模型负责理解，引擎决定执行什么。"
    ),
    "Look at runs and their journals, and cancel them.": "查看运行和日志，取消运行。",
    "Look at what waits for a person, and decide.": "查看等待人的调用，作出决定。",
    "Look at an agent's tools and try one.": "查看智能体的工具，试用其中一个。",
    "Folder of the agent, or its agent.yaml.": "智能体的文件夹，或其中的 agent.yaml。",
    "Folder of the agent, or its agent.yaml; the current folder by default.": (
        "智能体的文件夹，或其中的 agent.yaml；默认是当前文件夹。"
    ),
    "Folder of the database, or an agent's folder. Also POINTSMAN_DATA; "
    "by default .pointsman in the agent's folder.": (
        "数据库所在的文件夹，或智能体的文件夹。也可用 POINTSMAN_DATA；"
        "默认是智能体文件夹里的 .pointsman。"
    ),
    "Who is asking.": "谁在提问。",
    "Go on with this conversation.": "继续这段对话。",
    "Print JSON.": "输出 JSON。",
    "Id of the run, or how it starts.": "运行的编号，或编号的开头。",
    "Id of the approval or how it starts; that of its run when that waits for one only.": (
        "审批的编号或其开头；运行只等待一个决定时，可用运行的编号。"
    ),
    "Who decides; needs the role.": "谁来决定；需要有相应的角色。",
    "Why; kept in the journal, and told the agent.": "原因；记入日志，并告诉智能体。",
    "Only what this person asked for or may decide.": "只看这个人提出的或可以决定的。",
    "List the calls that wait for a decision, newest first.": "列出等待决定的调用，新的在前。",
    "Show private values as they are stored.": "按存储的原样显示私密的值。",
    "Show what is to be decided, why, and where the values come from.": (
        "显示要决定的是什么、为什么，以及各个值的来源。"
    ),
    "All the arguments, as a JSON object.": "全部参数，JSON 对象。",
    "Folder of the run's agent, whose tool checks them.": (
        "这次运行的智能体的文件夹，由它的工具检查参数。"
    ),
    "Let a waiting call run with other arguments, and with exactly these.": (
        "让等待的调用改用别的参数执行，并且只用这些。"
    ),
    "What came of the call, done by hand: the run goes on with it.": (
        "人工办理的结果：运行以此继续。"
    ),
    "The answer to the user: the run ends with it.": "给用户的答复：运行到此结束。",
    "Go on by hand: the call does not run.": "转为人工办理：不执行这个调用。",
    "Folder of the run's agent: the run goes on here.": (
        "这次运行的智能体的文件夹：在这里继续运行。"
    ),
    "Language of what the command says.": "命令输出的语言。",
    "Show tracebacks and the log.": "显示错误的详细信息和日志。",
    "Show the version.": "显示版本。",
    "Folder to write.": "要写入的文件夹。",
    "Language of the agent.": "智能体的语言。",
    "Write a small agent folder with a comment at every key.": (
        "写出一个小的智能体文件夹，每个键都有注释。"
    ),
    "Talk to an agent in the terminal. Esc or Ctrl-C cancels a run, Ctrl-D leaves.": (
        "在终端里和智能体对话。Esc 或 Ctrl-C 取消运行，Ctrl-D 退出。"
    ),
    "The message; - reads it from stdin.": "消息；- 表示从标准输入读取。",
    "Show the tool calls on stderr.": "在标准错误输出上显示工具调用。",
    "Seconds after which the run is cancelled.": "超过这么多秒就取消运行。",
    "Send one message and print the reply.\n\n"
    "Exit code: 0 answered, 2 wrong use, 3 failed, 4 waits for a person, 130 cancelled.": (
        "发送一条消息，输出答复。\n\n"
        "退出码：0 已答复，2 用法有误，3 失败，4 等待人的决定，130 已取消。"
    ),
    "Agent folders; the current one by default.": "智能体的文件夹；默认是当前文件夹。",
    "Port to listen on; 0 takes a free one.": "监听的端口；0 表示任选一个空闲的。",
    "Drive the runs in this process too; off on machines that only answer requests.": (
        "也在这个进程里处理运行；只应答请求的机器上关掉。"
    ),
    "Conversations at the same time.": "同时处理几段对话。",
    "Drive runs that servers on other machines take in: for agents on a PostgreSQL database.": (
        "处理其他机器上的服务收到的运行：用于 PostgreSQL 数据库上的智能体。"
    ),
    "Offer agents as tools of an MCP server on stdin and stdout, to a program that starts it.": (
        "作为 MCP 服务器，通过标准输入输出把智能体作为工具，提供给启动它的程序。"
    ),
    "Show how the runs, the queue and the workers stand.\n\n"
    "Exit code: 0 well, 1 runs wait and nobody works, or a run is parked.": (
        "显示运行、队列和工作进程的状况。\n\n"
        "退出码：0 正常，1 有运行在等而没有工作进程，或有运行被搁置。"
    ),
    "Let a parked run go on.": "让被搁置的运行继续。",
    "Who lets it go on.": "由谁让它继续。",
    "Ask the model something.": "向模型提一个问题。",
    "Check everything that an agent needs, and say how to mend it. Exit code 1 when broken.": (
        "检查智能体需要的一切，并说明怎样修复。有问题时退出码为 1。"
    ),
    "Only these.": "只看这些状态。",
    "Only of this agent (its name).": "只看这个智能体（名字）的。",
    "Only of this user.": "只看这个用户的。",
    "Only of this conversation.": "只看这段对话的。",
    "How many at most.": "最多几条。",
    "List runs, newest first.": "列出运行，新的在前。",
    "Tell what happened in a run, step by step, and check its journal.": (
        "逐步讲述一次运行里发生了什么，并核对日志。"
    ),
    "Show the tasks that a request was split into, and how far each is.": (
        "显示请求拆成的任务，以及各自的进展。"
    ),
    "Draw the chart that a run's answer brought, as SVG or PNG.": (
        "把一次运行的答复附带的图表画成 SVG 或 PNG。"
    ),
    "Where to: picture.svg, or picture.png with pointsman[charts].": (
        "写到哪里：picture.svg；装了 pointsman[charts] 时也可以是 picture.png。"
    ),
    "Stop a run; it never starts again.": "停止一次运行；它不会再开始。",
    "Why; kept in the journal.": "原因；记入日志。",
    "Let a waiting call run.": "允许一个等待中的调用执行。",
    "Refuse a waiting call.": "拒绝一个等待中的调用。",
    "List an agent's tools, what they may do, and how their servers are.": (
        "列出智能体的工具、它们可能造成的影响，以及工具服务器的状况。"
    ),
    "Name of the tool.": "工具的名字。",
    "Look into the record: find, explain, check, export and replay runs.": (
        "查看记录：查找、解释、核对、导出和重放运行。"
    ),
    "Show private values and credentials as they are stored.": ("按存储的样子显示隐私内容和凭证。"),
    "Only runs that began then or later, in this machine's time zone.": (
        "只看在这之后开始的运行（本机时区）。"
    ),
    "Only runs that began before then.": "只看在这之前开始的运行。",
    "Only runs that went by this intent.": "只看按这个意图处理的运行。",
    "Only runs in which this tool was proposed.": "只看提出过这个工具的运行。",
    "A status of the run (done, failed …), the kind of its reply (answer, question), "
    "the status of a call (ok, refused, uncertain …), or why one was rejected (missing …).": (
        "运行的状态（done、failed …）、答复的种类（answer、question）、"
        "调用的状态（ok、refused、uncertain …），或调用被拒的原因（missing …）。"
    ),
    "Only runs in which these words were said.": "只看出现过这些话的运行。",
    "Only older than this run: the next page.": "只看比这次运行更早的：下一页。",
    "Find runs, newest first.": "查找运行，新的在前。",
    "Only this call, such as 1.0.": "只看这个调用，例如 1.0。",
    "Say in sentences why each call of a run ran or did not.": (
        "用句子说明一次运行里每个调用为什么执行或没有执行。"
    ),
    "Only this run; else all that match.": "只导出这次运行；否则是所有符合条件的。",
    "One line for each call, or every event.": "每个调用一行，或每个事件一行。",
    "Write to this file instead of stdout.": "写入这个文件，而不是标准输出。",
    "Write the record as JSON lines.": "以 JSON 行写出记录。",
    "A head that was kept: the journal must still hold all it covers.": (
        "保存过的凭据：日志必须仍然包含它覆盖的一切。"
    ),
    "Check that nothing in the journal was changed, removed or inserted. Exit code 1 if so.": (
        "核对日志没有被修改、删除或插入。有问题时退出码为 1。"
    ),
    "Write what the journal holds now, to keep elsewhere; signed with POINTSMAN_AUDIT_KEY.": (
        "写出日志现在的凭据，保存在别处；用 POINTSMAN_AUDIT_KEY 签名。"
    ),
    "Every run of the agent instead of one.": "重放这个智能体的所有运行。",
    "Folder of the agent; the current one by default.": "智能体的文件夹；默认是当前文件夹。",
    "Ask today's classifier again.": "用今天的意图分类器重新分类。",
    "Run a run again with the recorded replies and results under today's agent and policy, and\n"
    "show the decisions that differ. Nothing is called. Exit code 1 when something differs.": (
        "用记录下来的模型答复和工具结果，在今天的智能体和规则之下重放一次运行，"
        "显示不同的决定。不会真的调用任何东西。有不同时退出码为 1。"
    ),
    "Arguments, as a JSON object.": "参数，一个 JSON 对象。",
    "Confirm what asks for it.": "需要确认时直接确认。",
    "Make one call by hand; it passes the same checks as a model's and is journaled as a run.\n\n"
    "Exit code: 0 succeeded, 2 the call was at fault, 3 failed or refused, 130 cancelled.": (
        "手动进行一次调用；它通过与模型的调用相同的检查，并作为一次运行记入日志。\n\n"
        "退出码：0 成功，2 调用有误，3 失败或被拒绝，130 已取消。"
    ),
    "Measure an agent on cases, and fail a build when it is not good enough.": (
        "用测试用例评测智能体，不达标时让构建失败。"
    ),
    "A suite file, a folder of them, or an agent's folder; the current folder by default.": (
        "测试集文件、存放测试集的文件夹，或智能体的文件夹；默认是当前文件夹。"
    ),
    "Folder of the agent; by default the one that the suite lies in.": (
        "智能体的文件夹；默认是测试集所在的那个。"
    ),
    "Another model: preset or preset/name, such as deepseek/deepseek-chat.": (
        "换一个模型：预设，或 预设/模型名，例如 deepseek/deepseek-chat。"
    ),
    "Only this case.": "只跑这个用例。",
    "Only cases with this tag.": "只看有这个标签的用例。",
    "How often each case; gives pass^k.": "每个用例重复几次；得出 pass^k。",
    "Cases at once.": "同时跑几个用例。",
    "Keep the results in this file, and skip what it holds of the same suite, agent and model.": (
        "把结果存进这个文件；其中同一测试集、智能体和模型的结果不再重跑。"
    ),
    "Keep all runs in a database in this folder, for `pointsman audit --data`.": (
        "把所有运行存进这个文件夹里的数据库，供 `pointsman audit --data` 查看。"
    ),
    "An earlier --resume file or --json report: which cases changed.": (
        "先前的 --resume 文件或 --json 报告：哪些用例变了。"
    ),
    "Write JUnit XML.": "写出 JUnit XML。",
    "Write one HTML page.": "写出一个 HTML 页面。",
    "A threshold over those of the suite.": "覆盖测试集里的门槛。",
    "Fit the intents' thresholds too.": "同时拟合意图的门槛。",
    "Carry cases through an agent and grade them.\n\n"
    "Exit code: 0 good enough, 1 below a threshold, 2 wrong use. A suite without thresholds wants "
    "all\nof its cases to pass.": (
        "让智能体跑测试用例并评分。\n\n"
        "退出码：0 达标，1 低于门槛，2 用法有误。没有门槛的测试集要求用例全部通过。"
    ),
    "What a wrong intent costs, where a question costs 1.": (
        "错选意图的代价（一次提问的代价是 1）。"
    ),
    "What a missed intent costs, where a question costs 1.": (
        "漏掉意图的代价（一次提问的代价是 1）。"
    ),
    "Fit the intents' accept and ask thresholds on half of the first messages, and measure them "
    "on\nthe other half. Prints what to paste; writes nothing.": (
        "用一半的首条消息拟合意图的 accept 和 ask 门槛，用另一半检验。"
        "只输出要粘贴的内容，不写任何文件。"
    ),
    "The suite file to add it to; made when not there.": "加入哪个测试集文件；没有就新建。",
    "Id of the case; made from the run's by default.": "用例的编号；默认由运行的编号得出。",
    "Make a case of a journaled run: it expects what happened.": (
        "把日志里的一次运行做成用例：期望就是当时发生的事。"
    ),
    "List the cases of suites, after checking their files.": "列出测试集里的用例，并检查文件。",
    "Look after the database: migrate, check, back up, copy, and remove what is old.": (
        "照看数据库：升级、检查、备份、复制，清理旧的内容。"
    ),
    "Only say what would be done; change nothing.": "只说明会做什么，不做改动。",
    "Bring the database to the tables of this release. Every command that opens it does that too;\n"
    "this one is for before a new release starts.": (
        "把数据库升级到这个版本的数据表。打开数据库的命令都会这样做；这个命令用于新版本启动之前。"
    ),
    "Check the tables, the database's own integrity and the whole journal, and say how to mend\n"
    "what is wrong. Exit code 1 when something is broken.": (
        "检查数据表、数据库自身的完整性和全部日志，并说明怎样修复。有问题时退出码为 1。"
    ),
    "The file to write; a new one.": "要写入的文件；必须是新的。",
    "Write all of the database, as it is at one moment, to a file. Servers go on meanwhile.": (
        "把整个数据库在某一时刻的内容写入一个文件。服务可以照常运行。"
    ),
    "A SQLite file, or a postgresql:// URL.": "SQLite 文件，或 postgresql:// 地址。",
    "The same; by default the database that is set.": "同上；默认是设置里的数据库。",
    "Copy everything into an empty database, and check there that nothing was lost or changed.\n"
    "All of it or nothing.": (
        "把全部内容复制到一个空的数据库，并在那里核对没有丢失或改动。要么全部，要么什么都不做。"
    ),
    "How long ago a conversation's last run ended: 90d, 26w or 2y.": (
        "对话的最后一次运行结束于多久以前：90d、26w 或 2y。"
    ),
    "Keep the conversation of this run (id or its start).": (
        "保留这次运行所在的对话（编号或其开头）。"
    ),
    "Keep the conversations of this user.": "保留这个用户的对话。",
    "Keep the conversations with this agent (its name).": "保留和这个智能体（名称）的对话。",
    "Who removes them; is recorded.": "由谁清理；会记录下来。",
    "Go on without POINTSMAN_AUDIT_KEY, which signs what is left.": (
        "没有用来签名的 POINTSMAN_AUDIT_KEY 也继续。"
    ),
    "Count the runs that have ended since the last time, for the lists and charts of the console.\n"
    "A server does that by itself.": (
        "统计上次之后结束的运行，供控制台的列表和图表使用。服务器会自动统计。"
    ),
    "Make all of them again, from the journals alone.": "只根据日志，全部重新统计。",
    "Remove conversations whose runs have all ended long ago. Of each run its id, its last hash\n"
    "and who removed it when are left, so that the audit still holds.": (
        "清理所有运行都早已结束的对话。每次运行留下编号、最后的哈希以及由谁在何时清理，"
        "审计因此仍然成立。"
    ),
    **ACCOUNT_HELP,
    **NOTICE_HELP,
    **REMINDER_HELP,
}


def untranslated(command: Any) -> set[str]:
    """The help texts of a command and those below it that have no Chinese."""
    return {text for _, text in _texts(command) if text not in _CHINESE}


def translate(command: Any) -> None:
    """Let a command and those below it speak Chinese."""
    for owner, text in _texts(command):
        owner.help = _CHINESE.get(text, text)


def _texts(command: Any) -> list[tuple[Any, str]]:
    """Every command and parameter with its help; typer's classes are not public, hence ``Any``."""
    owners = [command, *command.params]
    texts = [(owner, owner.help) for owner in owners if getattr(owner, "help", None)]
    for below in getattr(command, "commands", {}).values():
        texts += _texts(below)
    return texts
